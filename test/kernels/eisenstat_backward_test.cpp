#include "test/support/eisenstat_cases.hpp"

namespace linden::test {
namespace {

template <class Types>
class EisenstatBackward : public testing::Test {
};
TYPED_TEST_SUITE(EisenstatBackward, TestedSellTypes);

/// Blocks r, p, t.
template <class S, class J, class V>
auto launch_with(const CsrData<V, std::int32_t>& entries, const ColourShape& shape, size_type slice_rows)
{
    return [=](const Executor& exec, Blocks<V>& blocks, const real_t<V>*, EisenstatScalars<V> s,
               StopView<real_t<V>> stop, WorkspaceView) {
        const Colour<S, J> colour(exec, entries, shape, slice_rows);
        eisenstat_backward<V, S, J>(exec, colour.view(), std::as_const(blocks[0]).view(), blocks[1].view(),
                                    blocks[2].view(), s, stop);
    };
}

TYPED_TEST(EisenstatBackward, ByHand)
{
    using V = typename TypeParam::value_type;
    using S = typename TypeParam::stored_type;
    using J = typename TypeParam::column_type;
    using R = real_t<V>;
    // Rows 0 and 2 are a block, row 1 another; row 3 is of a later colour.
    const CsrData<V, std::int32_t> entries{{3, 4}, {0, 1, 2, 3}, {2, 3, 3}, {V{3}, V{2}, V{1}}};
    const V nan = not_a_number<V>();
    EisenstatStep<V> before{
        {},        std::vector<R>(4, R{1}),  {V{6}, V{6}, V{6}, V{3}, V{0}, V{3}, V{}, V{}, V{}}, std::vector<R>(6),
        {0, 0, 0}, StopValues<R>::running(3)};
    before.stop.stop(2, SolveStatus::converged);
    const auto block = [](const std::vector<std::vector<V>>& rows) {
        auto x = Dense<V>::filled(reference_executor(), {4, 3}, V{});
        for (size_type i = 0; i < 4; ++i) {
            for (size_type j = 0; j < 3; ++j) {
                x.at(i, j) = rows[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)];
            }
        }
        return x;
    };
    before.blocks.push_back(block({{V{1}, V{2}, V{3}, V{9}}, {V{1}, V{2}, V{3}, V{9}}, std::vector<V>(4, nan)}));
    before.blocks.push_back(block({{V{10}, V{20}, V{30}, V{9}}, {nan, nan, nan, V{9}}, {V{1}, V{1}, V{1}, V{1}}}));
    before.blocks.push_back(block({{V{0}, V{0}, V{0}, V{5}}, {V{0}, V{0}, V{0}, V{5}}, {V{2}, V{2}, V{2}, V{2}}}));
    on_each_executor([&](const Executor& exec) {
        const auto now = after(exec, before, launch_with<S, J>(entries, {3, 2, 0, 1}, 32));
        // beta = 2: t2 = 63 - t3, t1 = 42 - 2 t3, t0 = 21 - 3 t2; beta = 0: t2 = 3 - t3, t1 = 2 - 2 t3, t0 = 1 - 3 t2
        EXPECT_EQ(now.blocks[1].to_host(),
                  (std::vector<V>{V{21}, V{1}, V{1}, V{42}, V{2}, V{1}, V{63}, V{3}, V{1}, V{9}, V{9}, V{1}}));
        EXPECT_EQ(now.blocks[2].to_host(),
                  (std::vector<V>{V{-153}, V{7}, V{2}, V{32}, V{-8}, V{2}, V{58}, V{-2}, V{2}, V{5}, V{5}, V{2}}));
    });
}

TYPED_TEST(EisenstatBackward, LikeReference)
{
    using V = typename TypeParam::value_type;
    using S = typename TypeParam::stored_type;
    using J = typename TypeParam::column_type;
    Random random(622);
    for_each_eisenstat_shape([&](const ColourShape& shape, size_type k, size_type padding) {
        auto before = random_eisenstat_step<V>(random, 3, {shape.size(), k}, padding);
        if (k == 3) {
            before.rho_old(1) = V{};
            before.stop.stop(2, SolveStatus::converged);
        }
        const auto entries = random_colour<V>(random, shape, Side::upper);
        expect_like_reference(before, 200, launch_with<S, J>(entries, shape, k == 3 ? 64 : 32));
    });
}

}  // namespace
}  // namespace linden::test
