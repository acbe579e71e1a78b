#include "core/kernels/equilibration.hpp"
#include "test/support/kernel_cases.hpp"

/// Factors that are powers of two, matrices scaled by them, and factors of A from those of the scaled matrix.
namespace linden::test {
namespace {

template <class Types>
class EquilibrationPowers : public testing::Test {
};
TYPED_TEST_SUITE(EquilibrationPowers, TestedValueIndices, TypeNames);

TYPED_TEST(EquilibrationPowers, BringNormsToOne)
{
    using R = real_t<typename TypeParam::value_type>;
    using limits = std::numeric_limits<R>;
    const R most = std::ldexp(R{1}, limits::max_exponent - 1);
    const std::vector<R> norms{
        1, R(1.99), 2, 5, R(0.3), 0, limits::infinity(), limits::quiet_NaN(), limits::max(), limits::denorm_min()};
    const auto n = static_cast<size_type>(norms.size());
    on_each_executor([&](const Executor& exec) {
        const Array<R> given(exec, norms);
        Array<R> factors(exec, n);
        equilibration_powers<R>(exec, n, given.data(), false, factors.data());
        EXPECT_EQ(factors.to_host(), (std::vector<R>{1, 1, R(0.5), R(0.25), 4, 1, 1, 1, limits::min(), most}));
        equilibration_powers<R>(exec, n, given.data(), true, factors.data());
        const R largest_root = std::ldexp(R{1}, -(limits::max_exponent / 2));
        const R smallest_root = std::ldexp(R{1}, (limits::max_exponent - 1) / 2);
        EXPECT_EQ(factors.to_host(), (std::vector<R>{1, 1, R(0.5), R(0.5), 2, 1, 1, 1, largest_root, smallest_root}));
    });
}

TYPED_TEST(EquilibrationPowers, MagnitudesAreExact)
{
    using V = typename TypeParam::value_type;
    using R = real_t<V>;
    std::vector<V> values{V{-3}, V{0}, V{R(0.1)}};
    std::vector<R> expected{3, 0, R(0.1)};
    if constexpr (is_complex<V>) {
        values.push_back(V{1, -2});
        expected.push_back(2);
    }
    const auto n = static_cast<size_type>(values.size());
    on_each_executor([&](const Executor& exec) {
        Array<R> magnitudes(exec, n);
        equilibration_magnitudes<V>(exec, n, Array<V>(exec, values).data(), magnitudes.data());
        EXPECT_EQ(magnitudes.to_host(), expected);
    });
}

/// [1 2; 3 4] with rows times 2 and 4, columns times 8 and 16; then L = [1; 3 1], U = [1 2; . 4] as if of it.
TYPED_TEST(EquilibrationPowers, ScalesAndRestoresByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using R = real_t<V>;
    const CsrData<V, I> data{{2, 2}, {0, 2, 4}, {0, 1, 0, 1}, {V{1}, V{2}, V{3}, V{4}}};
    on_each_executor([&](const Executor& exec) {
        const Csr<V, I> a(exec, data);
        const Array<R> rows(exec, std::vector<R>{2, 4}), columns(exec, std::vector<R>{8, 16});
        Array<V> values(exec, 4);
        equilibration_scale<V, I>(exec, a.view(), rows.data(), columns.data(), values.data());
        EXPECT_EQ(values.to_host(), (std::vector<V>{V{16}, V{64}, V{96}, V{256}}));
        Array<V> factors(exec, data.values);
        equilibration_restore<V, I>(exec, a.view(), rows.data(), columns.data(), factors.data());
        EXPECT_EQ(factors.to_host(), (std::vector<V>{V{R(1.0 / 16)}, V{R(1.0 / 16)}, V{R(1.5)}, V{R(1.0 / 16)}}));
        Array<V> roots(exec, data.values);
        equilibration_restore<V, I>(exec, a.view(), rows.data(), nullptr, roots.data());
        EXPECT_EQ(roots.to_host(), (std::vector<V>{V{R(0.5)}, V{1}, V{R(0.75)}, V{1}}));
    });
}

TYPED_TEST(EquilibrationPowers, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using R = real_t<V>;
    Random random(2012);
    for (const auto pattern : all_patterns) {
        const auto data = random_csr<V, I>(random, {300, 300}, 20, pattern);
        std::vector<R> row_factors(300), column_factors(300);
        for (auto* factors : {&row_factors, &column_factors}) {
            std::generate(factors->begin(), factors->end(),
                          [&] { return std::ldexp(R{1}, int(9 * random.value<R>())); });
        }
        const auto scaled = [&](const Executor& exec, bool restores) {
            const Csr<V, I> a(exec, data);
            const Array<R> rows(exec, row_factors), columns(exec, column_factors);
            Array<V> values(exec, data.values);
            if (restores) {
                equilibration_restore<V, I>(exec, a.view(), rows.data(), columns.data(), values.data());
            } else {
                equilibration_scale<V, I>(exec, a.view(), rows.data(), columns.data(), values.data());
            }
            return values.to_host();
        };
        on_each_other_executor([&](const Executor& exec) {
            EXPECT_EQ(scaled(exec, false), scaled(reference_executor(), false));
            EXPECT_EQ(scaled(exec, true), scaled(reference_executor(), true));
        });
    }
}

}  // namespace
}  // namespace linden::test
