#include "test/support/sweeps.hpp"

namespace linden::test {
namespace {

template <class Types>
class SweepForward : public testing::Test {
};
TYPED_TEST_SUITE(SweepForward, TestedSellTypes);

/// Positions 2, 3, 4 are a colour in blocks of two: rows 0 and 2 of it, and row 1 alone.
template <class V>
CsrData<V, std::int32_t> small_colour()
{
    return {{3, 5}, {0, 1, 2, 4}, {0, 1, 1, 2}, {V{1}, V{2}, V{3}, V{-1}}};
}

TYPED_TEST(SweepForward, ByHand)
{
    using V = typename TypeParam::value_type;
    using S = typename TypeParam::stored_type;
    using J = typename TypeParam::column_type;
    on_each_executor([](const Executor& exec) {
        const Colour<S, J> colour(exec, small_colour<V>(), {3, 2, 2, 0}, 32);
        const Array<V> scale(exec, std::vector<V>{V{9}, V{9}, V{2}, V{1}, V{0.5}});
        const Array<std::int32_t> sources(exec, std::vector<std::int32_t>{1, 3, 4, 0, 2});
        const Array<std::int32_t> targets(exec, std::vector<std::int32_t>{2, 4, 1, 3, 0});
        const auto b =
            Dense<V>::from_rows(exec, {{V{1}, V{2}}, {V{2}, V{4}}, {V{3}, V{6}}, {V{4}, V{8}}, {V{6}, V{12}}});
        auto w = Dense<V>::from_rows(exec, {{V{10}, V{20}}, {V{20}, V{40}}, {V{}, V{}}, {V{}, V{}}, {V{}, V{}}});
        auto x = Dense<V>::filled(exec, {5, 2}, V{7});
        sweep_forward<V, S, J>(exec, colour.view(), scale.data(), b.view(), sources.data(), w.view(), x.view(),
                               targets.data());
        // w2 = 2 b4 - w0, w3 = b0 - 2 w1, w4 = b2 / 2 - (3 w1 - w2)
        EXPECT_EQ(w.to_host(),
                  (std::vector<V>{V{10}, V{20}, V{20}, V{40}, V{2}, V{4}, V{-39}, V{-78}, V{-56.5}, V{-113}}));
        EXPECT_EQ(x.to_host(), (std::vector<V>{V{-56.5}, V{-113}, V{2}, V{4}, V{7}, V{7}, V{-39}, V{-78}, V{7}, V{7}}));
        sweep_forward<V, S, J>(exec, colour.view(), scale.data(), b.view(), nullptr, w.view(), {}, nullptr);
        // w2 = 2 b2 - w0, w3 = b3 - 2 w1, w4 = b4 / 2 - (3 w1 - w2)
        EXPECT_EQ(w.to_host(),
                  (std::vector<V>{V{10}, V{20}, V{20}, V{40}, V{-4}, V{-8}, V{-36}, V{-72}, V{-61}, V{-122}}));
    });
}

/// Blocks b, w, x.
template <class S, class J, class V>
void expect_forward_like_reference(Random& random, const ColourShape& shape, size_type k, size_type padding,
                                   size_type slice_rows, bool has_ends)
{
    const auto entries = random_colour<V>(random, shape, Side::lower);
    const auto scale = random_dense<V>(random, reference_executor(), {shape.size(), 1}, 0).to_host();
    const auto sources = random_order(random, shape.size());
    const auto targets = random_order(random, shape.size());
    const auto operands = random_blocks<V>(random, 3, {shape.size(), k}, padding);
    expect_like_reference(operands, 200, [&](const Executor& exec, Blocks<V>& blocks) {
        const Colour<S, J> colour(exec, entries, shape, slice_rows, entries.values.empty() && has_ends);
        const Array<V> scale_here(exec, scale);
        const Array<std::int32_t> from(exec, sources), to(exec, targets);
        sweep_forward<V, S, J>(exec, colour.view(), scale_here.data(), std::as_const(blocks[0]).view(),
                               has_ends ? from.data() : nullptr, blocks[1].view(),
                               has_ends ? blocks[2].view() : DenseView<V>{}, has_ends ? to.data() : nullptr);
    });
}

TYPED_TEST(SweepForward, LikeReference)
{
    using V = typename TypeParam::value_type;
    using S = typename TypeParam::stored_type;
    using J = typename TypeParam::column_type;
    Random random(611);
    for_each_colour_shape([&](const ColourShape& shape) {
        expect_forward_like_reference<S, J, V>(random, shape, 1, 0, 32, false);
        expect_forward_like_reference<S, J, V>(random, shape, 1, 0, 64, true);
        if (shape.rows < 1000) {
            expect_forward_like_reference<S, J, V>(random, shape, 1, 2, 64, true);
            expect_forward_like_reference<S, J, V>(random, shape, 3, 1, 32, true);
            expect_forward_like_reference<S, J, V>(random, shape, 3, 0, 128, false);
        }
        // whole packs of columns, that begin where packs do and elsewhere
        expect_forward_like_reference<S, J, V>(random, shape, 4, 0, 32, true);
        if (shape.rows < 1000) {
            expect_forward_like_reference<S, J, V>(random, shape, 2, 0, 32, true);
            expect_forward_like_reference<S, J, V>(random, shape, 2, 1, 32, true);
            expect_forward_like_reference<S, J, V>(random, shape, 6, 2, 64, false);
            expect_forward_like_reference<S, J, V>(random, shape, 15, 3, 32, true);
        }
    });
}

}  // namespace
}  // namespace linden::test
