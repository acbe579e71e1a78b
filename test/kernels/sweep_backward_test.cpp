#include "test/support/sweeps.hpp"

namespace linden::test {
namespace {

template <class Types>
class SweepBackward : public testing::Test {
};
TYPED_TEST_SUITE(SweepBackward, TestedSellTypes);

/// Positions 0, 1, 2 are a colour in blocks of two: rows 0 and 2 of it, and row 1 alone.
template <class V>
CsrData<V, std::int32_t> small_colour()
{
    return {{3, 5}, {0, 2, 3, 4}, {2, 4, 4, 3}, {V{-1}, V{3}, V{2}, V{1}}};
}

TYPED_TEST(SweepBackward, ByHand)
{
    using V = typename TypeParam::value_type;
    using S = typename TypeParam::stored_type;
    using J = typename TypeParam::column_type;
    on_each_executor([](const Executor& exec) {
        const Colour<S, J> colour(exec, small_colour<V>(), {3, 2, 0, 2}, 32);
        const Array<std::int32_t> targets(exec, std::vector<std::int32_t>{2, 4, 1, 3, 0});
        for (const bool has_targets : {true, false}) {
            auto w = Dense<V>::from_rows(
                exec, {{V{100}, V{200}}, {V{50}, V{100}}, {V{30}, V{60}}, {V{10}, V{20}}, {V{20}, V{40}}});
            auto x = Dense<V>::filled(exec, {5, 2}, V{7});
            sweep_backward<V, S, J>(exec, colour.view(), w.view(), has_targets ? x.view() : DenseView<V>{},
                                    has_targets ? targets.data() : nullptr);
            // w2 = 30 - w3, w1 = 50 - 2 w4, w0 = 100 - (3 w4 - w2)
            EXPECT_EQ(w.to_host(),
                      (std::vector<V>{V{60}, V{120}, V{10}, V{20}, V{20}, V{40}, V{10}, V{20}, V{20}, V{40}}));
            EXPECT_EQ(x.to_host(),
                      has_targets ? (std::vector<V>{V{7}, V{7}, V{20}, V{40}, V{60}, V{120}, V{7}, V{7}, V{10}, V{20}})
                                  : std::vector<V>(10, V{7}));
        }
    });
}

/// Blocks w, x.
template <class S, class J, class V>
void expect_backward_like_reference(Random& random, const ColourShape& shape, size_type k, size_type padding,
                                    size_type slice_rows, bool has_targets)
{
    const auto entries = random_colour<V>(random, shape, Side::upper);
    const auto targets = random_order(random, shape.size());
    const auto operands = random_blocks<V>(random, 2, {shape.size(), k}, padding);
    for (const bool is_bare : {false, true}) {
        if (is_bare && !entries.values.empty()) {
            continue;
        }
        expect_like_reference(operands, 200, [&](const Executor& exec, Blocks<V>& blocks) {
            const Colour<S, J> colour(exec, entries, shape, slice_rows, is_bare);
            const Array<std::int32_t> to(exec, targets);
            sweep_backward<V, S, J>(exec, colour.view(), blocks[0].view(),
                                    has_targets ? blocks[1].view() : DenseView<V>{}, has_targets ? to.data() : nullptr);
        });
    }
}

TYPED_TEST(SweepBackward, LikeReference)
{
    using V = typename TypeParam::value_type;
    using S = typename TypeParam::stored_type;
    using J = typename TypeParam::column_type;
    Random random(612);
    for_each_colour_shape([&](const ColourShape& shape) {
        expect_backward_like_reference<S, J, V>(random, shape, 1, 0, 32, false);
        expect_backward_like_reference<S, J, V>(random, shape, 1, 0, 64, true);
        if (shape.rows < 1000) {
            expect_backward_like_reference<S, J, V>(random, shape, 1, 2, 64, true);
            expect_backward_like_reference<S, J, V>(random, shape, 3, 1, 32, true);
            expect_backward_like_reference<S, J, V>(random, shape, 3, 0, 128, false);
        }
        // whole packs of columns, that begin where packs do and elsewhere
        expect_backward_like_reference<S, J, V>(random, shape, 4, 0, 32, true);
        if (shape.rows < 1000) {
            expect_backward_like_reference<S, J, V>(random, shape, 2, 0, 32, true);
            expect_backward_like_reference<S, J, V>(random, shape, 2, 1, 32, true);
            expect_backward_like_reference<S, J, V>(random, shape, 6, 2, 64, false);
            expect_backward_like_reference<S, J, V>(random, shape, 15, 3, 32, true);
        }
    });
}

}  // namespace
}  // namespace linden::test
