#include "test/support/eisenstat_cases.hpp"

namespace linden::test {
namespace {

template <class Types>
class EisenstatForward : public testing::Test {
};
TYPED_TEST_SUITE(EisenstatForward, TestedSellTypes);

/// Blocks p, t, w.
template <class S, class J, class V>
auto launch_with(const CsrData<V, std::int32_t>& entries, const ColourShape& shape, size_type slice_rows,
                 real_t<V> omega, bool is_first)
{
    return [=](const Executor& exec, Blocks<V>& blocks, const real_t<V>* d, EisenstatScalars<V> s,
               StopView<real_t<V>> stop, WorkspaceView workspace) {
        const Colour<S, J> colour(exec, entries, shape, slice_rows);
        eisenstat_forward<V, S, J>(exec, colour.view(),
                                   {.omega = omega,
                                    .d = d,
                                    .p = blocks[0].view(),
                                    .t = blocks[1].view(),
                                    .w = blocks[2].view(),
                                    .is_first = is_first},
                                   s, stop, workspace);
    };
}

TYPED_TEST(EisenstatForward, ByHand)
{
    using V = typename TypeParam::value_type;
    using S = typename TypeParam::stored_type;
    using J = typename TypeParam::column_type;
    using R = real_t<V>;
    // Rows 1 and 3 are a block, row 2 another; row 0 is of an earlier colour.
    const CsrData<V, std::int32_t> entries{{3, 4}, {0, 1, 2, 3}, {0, 0, 1}, {V{1}, V{2}, V{3}}};
    EisenstatStep<V> before{{},     {R{9}, R{1}, R{2}, R{3}}, {V{1}, V{1}, V{1}, V{1}, V{7}, V{7}}, std::vector<R>(4),
                            {0, 0}, StopValues<R>::running(2)};
    before.stop.stop(1, SolveStatus::converged);
    const auto& host = reference_executor();
    before.blocks.push_back(
        Dense<V>::from_rows(host, {{V{9}, V{1}}, {V{10}, V{1}}, {V{20}, V{1}}, {number<V>(2, 4), V{1}}}));
    before.blocks.push_back(Dense<V>::from_rows(host, {{V{9}, V{1}}, {V{2}, V{1}}, {V{4}, V{1}}, {V{6}, V{1}}}));
    before.blocks.push_back(Dense<V>::from_rows(host, {{V{5}, V{1}}, {V{0}, V{1}}, {V{0}, V{1}}, {V{0}, V{1}}}));
    on_each_executor([&](const Executor& exec) {
        for (const bool is_first : {true, false}) {
            const auto now = after(exec, before, launch_with<S, J>(entries, {3, 2, 1, 0}, 32, R{1.5}, is_first));
            // w1 = 10 - 1 - w0, w2 = 20 - 2 - 2 w0, w3 = p3 - 3 - 3 w1
            const V w3 = number<V>(-13, 4);
            EXPECT_EQ(now.blocks[2].to_host(), (std::vector<V>{V{5}, V{1}, V{4}, V{1}, V{8}, V{1}, w3, V{1}}));
            // 10 (2 + 4) + 2 20 (4 + 8) + 3 conj(p3) (6 + w3)
            const V sum = is_complex<V> ? number<V>(540 + 6, 24 + 84) : V{540 - 42};
            EXPECT_EQ(now.values[4], is_first ? sum : sum + V{7});
            EXPECT_EQ(now.values[5], V{7});
        }
    });
}

TYPED_TEST(EisenstatForward, LikeReference)
{
    using V = typename TypeParam::value_type;
    using S = typename TypeParam::stored_type;
    using J = typename TypeParam::column_type;
    Random random(623);
    for_each_eisenstat_shape([&](const ColourShape& shape, size_type k, size_type padding) {
        auto before = random_eisenstat_step<V>(random, 3, {shape.size(), k}, padding);
        if (k == 3) {
            before.stop.stop(1, SolveStatus::converged);
        }
        const auto entries = random_colour<V>(random, shape, Side::lower);
        for (const bool is_first : {true, false}) {
            expect_like_reference(before, 200 + summation_factor(shape.rows),
                                  launch_with<S, J>(entries, shape, k == 3 ? 64 : 32, real_t<V>{1.25}, is_first));
        }
    });
}

}  // namespace
}  // namespace linden::test
