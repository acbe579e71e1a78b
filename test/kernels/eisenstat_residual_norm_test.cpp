#include "test/support/eisenstat_cases.hpp"

namespace linden::test {
namespace {

template <class Types>
class EisenstatResidualNorm : public testing::Test {
};
TYPED_TEST_SUITE(EisenstatResidualNorm, TestedSellTypes);

/// Block r.
template <class S, class J, class V>
auto launch_with(const CsrData<V, std::int32_t>& entries, const ColourShape& shape, size_type slice_rows,
                 real_t<V> omega, bool is_first, bool is_last)
{
    return [=](const Executor& exec, Blocks<V>& blocks, const real_t<V>* d, EisenstatScalars<V> s,
               StopView<real_t<V>> stop, WorkspaceView workspace) {
        const Colour<S, J> colour(exec, entries, shape, slice_rows);
        eisenstat_residual_norm<V, S, J>(
            exec, colour.view(),
            {.omega = omega, .d = d, .r = blocks[0].view(), .is_first = is_first, .is_last = is_last}, s, stop,
            workspace);
    };
}

TYPED_TEST(EisenstatResidualNorm, ByHand)
{
    using V = typename TypeParam::value_type;
    using S = typename TypeParam::stored_type;
    using J = typename TypeParam::column_type;
    using R = real_t<V>;
    const CsrData<V, std::int32_t> entries{{2, 3}, {0, 1, 3}, {0, 0, 1}, {V{1}, V{2}, V{-1}}};
    EisenstatStep<V> before{{},
                            {R{9}, R{1}, R{2}},
                            {V{25}, V{4}, V{1}, V{1}, V{1}, V{1}},
                            {R{9}, R{9}, R{11}, R{11}},
                            {1, 0},
                            StopValues<R>::running(2, R{0.5}, 4)};
    before.blocks.push_back(Dense<V>::from_rows(reference_executor(), {{V{1}, V{1}}, {V{2}, V{1}}, {V{2}, V{1}}}));
    // D (I + L') r = (., 1 (2 + 1), 2 (2 + 2 - 2)): 9 + 16
    on_each_executor([&](const Executor& exec) {
        for (const bool is_first : {true, false}) {
            for (const bool is_last : {true, false}) {
                const auto now =
                    after(exec, before, launch_with<S, J>(entries, {2, 2, 1, 0}, 32, R{0.5}, is_first, is_last));
                const R square = is_first ? R{25} : R{36};
                const R norm = 2 * std::sqrt(square);
                EXPECT_EQ(now.reals, (std::vector<R>{is_last ? norm / 5 : R{9}, R{9}, square, R{11}}));
                EXPECT_EQ(now.is_due, (std::vector<std::int32_t>{is_last ? 0 : 1, 0}));
                EXPECT_EQ(now.stop.counts[0], is_last ? 5 : 4);
                EXPECT_EQ(now.stop.counts[1], 4);
                EXPECT_EQ(now.stop.residual(0), is_last ? norm : before.stop.residual(0));
                EXPECT_EQ(now.stop.header.running, 2);
            }
        }
    });
}

TYPED_TEST(EisenstatResidualNorm, LikeReference)
{
    using V = typename TypeParam::value_type;
    using S = typename TypeParam::stored_type;
    using J = typename TypeParam::column_type;
    using R = real_t<V>;
    Random random(625);
    for_each_eisenstat_shape([&](const ColourShape& shape, size_type k, size_type padding) {
        auto before = random_eisenstat_step<V>(random, 1, {shape.size(), k}, padding);
        const auto entries = random_colour<V>(random, shape, Side::lower);
        for (const bool is_due : {true, false}) {
            for (std::size_t col = 0; col < before.cols(); ++col) {
                before.is_due[col] = is_due && col != 1 ? 1 : 0;
            }
            if (k == 3) {
                before.rho(0) = V{};
                before.stop.norms[before.cols() + 2] = R{1e6};  // converges
            }
            for (const bool is_last : {true, false}) {
                expect_like_reference(before, 200 + 4 * summation_factor(shape.rows),
                                      launch_with<S, J>(entries, shape, k == 3 ? 64 : 32, R{1.25}, !is_last, is_last));
            }
        }
    });
}

}  // namespace
}  // namespace linden::test
