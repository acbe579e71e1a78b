#include "core/kernels/equilibration.hpp"
#include "test/support/kernel_cases.hpp"

/// Factors for rows and columns.
namespace linden::test {
namespace {

template <class Types>
class EquilibrationNorms : public testing::Test {
};
TYPED_TEST_SUITE(EquilibrationNorms, TestedValueIndices, TypeNames);

constexpr ScalingNorm all_norms[] = {ScalingNorm::infinity, ScalingNorm::two, ScalingNorm::one};

template <class R, class I>
std::vector<R> norms_of(const Executor& exec, const CsrData<R, I>& host, const std::vector<I>& source,
                        const std::vector<R>& factors_of_columns, ScalingNorm norm)
{
    const Array<I> row_ptrs(exec, host.row_ptrs), cols(exec, host.col_idxs), map(exec, source);
    const Array<R> magnitudes(exec, host.values);
    const PatternView<I> a{host.size.rows, host.size.cols, cols.size(), row_ptrs.data(), cols.data()};
    const Array<R> factors(exec, factors_of_columns);
    Array<R> norms(exec, std::vector<R>(static_cast<std::size_t>(host.size.rows), R{-7}));
    equilibration_norms<R, I>(exec, a, source.empty() ? nullptr : map.data(), magnitudes.data(), factors.data(), norm,
                              norms.data());
    return norms.to_host();
}

TYPED_TEST(EquilibrationNorms, ByHand)
{
    using R = real_t<typename TypeParam::value_type>;
    using I = typename TypeParam::index_type;
    // [3 . 4; . . .; . 2 1] times (2, 1, 2), then with magnitudes in another order
    const CsrData<R, I> a{{3, 3}, {0, 2, 2, 4}, {0, 2, 1, 2}, {3, 4, 2, 1}};
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(norms_of(exec, a, {}, {2, 1, 2}, ScalingNorm::infinity), (std::vector<R>{8, 0, 2}));
        EXPECT_EQ(norms_of(exec, a, {}, {2, 1, 2}, ScalingNorm::two), (std::vector<R>{10, 0, std::sqrt(R{8})}));
        EXPECT_EQ(norms_of(exec, a, {}, {2, 1, 2}, ScalingNorm::one), (std::vector<R>{14, 0, 4}));
        EXPECT_EQ(norms_of(exec, a, {3, 2, 1, 0}, {2, 1, 2}, ScalingNorm::one), (std::vector<R>{6, 0, 10}));
    });
}

TYPED_TEST(EquilibrationNorms, LikeReference)
{
    using R = real_t<typename TypeParam::value_type>;
    using I = typename TypeParam::index_type;
    Random random(2003);
    for (const auto pattern : all_patterns) {
        auto a = random_csr<R, I>(random, {300, 300}, 20, pattern);
        std::vector<R> factors(300);
        for (auto* values : {&a.values, &factors}) {
            std::transform(values->begin(), values->end(), values->begin(), [](R x) { return std::abs(x); });
        }
        std::generate(factors.begin(), factors.end(), [&] { return std::abs(random.value<R>()); });
        for (const auto norm : all_norms) {
            const auto expected = norms_of(reference_executor(), a, {}, factors, norm);
            on_each_other_executor([&](const Executor& exec) {
                expect_near(norms_of(exec, a, {}, factors, norm), expected, summation_factor(300));
            });
        }
    }
}

TYPED_TEST(EquilibrationNorms, UpdatesAndStores)
{
    using V = typename TypeParam::value_type;
    using R = real_t<V>;
    const R infinite = std::numeric_limits<R>::infinity();
    const R nan = std::numeric_limits<R>::quiet_NaN();
    const std::vector<R> norms{4, 1, 0, infinite, nan, R(0.25)};
    on_each_executor([&](const Executor& exec) {
        Array<R> factors(exec, 6);
        equilibration_begin<R>(exec, 6, factors.data());
        EXPECT_EQ(factors.to_host(), (std::vector<R>(6, R{1})));
        equilibration_update<R>(exec, 6, Array<R>(exec, norms).data(), factors.data());
        EXPECT_EQ(factors.to_host(), (std::vector<R>{R(0.5), 1, 1, 1, 1, 2}));
        const Array<R> odd(exec, std::vector<R>{R(1.49), R(1.51), 3, R(0.3), 1, R(1e-20)});
        Array<V> values(exec, 6);
        equilibration_store<V>(exec, 6, odd.data(), false, values.data());
        EXPECT_EQ(values.to_host().front(), V{R(1.49)});
        equilibration_store<V>(exec, 6, odd.data(), true, values.data());
        const R small = std::ldexp(R{1}, -67);
        EXPECT_EQ(values.to_host(), (std::vector<V>{V{1}, V{2}, V{4}, V{R(0.25)}, V{1}, V{small}}));
    });
}

}  // namespace
}  // namespace linden::test
