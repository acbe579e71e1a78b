#include "core/kernels/deflation_setup.hpp"
#include "core/kernels/array.hpp"

#include "core/kernels/deflation.hpp"
#include "test/support/kernel_cases.hpp"
#include "test/support/patterns.hpp"

/// The kernels of core/kernels/deflation_setup.hpp, whose pieces all backends share.
namespace linden::test {
namespace {

template <class I>
class DeflationSetupIndices : public testing::Test {
};
TYPED_TEST_SUITE(DeflationSetupIndices, TestedIndices, TypeNames);

TYPED_TEST(DeflationSetupIndices, DealsRowsByHand)
{
    using I = TypeParam;
    on_each_executor([](const Executor& exec) {
        Array<I> stripes(exec, 7);
        deflation_deal_rows<I>(exec, {{7, 1, 1}, {3, 1, 1}}, stripes.data());
        EXPECT_EQ(stripes.to_host(), (std::vector<I>{0, 0, 0, 1, 1, 2, 2}));
        Array<I> boxes(exec, 12);
        deflation_deal_rows<I>(exec, {{3, 2, 2}, {2, 1, 2}}, boxes.data());
        EXPECT_EQ(boxes.to_host(), (std::vector<I>{0, 0, 1, 0, 0, 1, 2, 2, 3, 2, 2, 3}));
        deflation_deal_rows<I>(exec, {{0, 1, 1}, {1, 1, 1}}, nullptr);
    });
}

TYPED_TEST(DeflationSetupIndices, MarksByHand)
{
    using I = TypeParam;
    on_each_executor([](const Executor& exec) {
        const Array<I> values(exec, std::vector<I>{-1, 0, 4, 5, 2});
        Array<I> marks(exec, 5);
        array_mark_outside<I>(exec, 5, values.data(), 5, marks.data());
        EXPECT_EQ(marks.to_host(), (std::vector<I>{1, 0, 0, 1, 0}));
        Array<I> descents(exec, 4);
        array_mark_descents<I>(exec, 4, values.data(), descents.data());
        EXPECT_EQ(descents.to_host(), (std::vector<I>{0, 0, 0, 1}));
    });
}

TYPED_TEST(DeflationSetupIndices, NamedOnesAreMarkedByHand)
{
    using I = TypeParam;
    on_each_executor([](const Executor& exec) {
        const Array<I> numbers(exec, std::vector<I>{3, -1, 0, 3});
        Array<I> marks(exec, std::vector<I>{0, 0, 7, 0});
        array_mark_named<I>(exec, 4, numbers.data(), marks.data());
        EXPECT_EQ(marks.to_host(), (std::vector<I>{1, 0, 7, 1}));
    });
}

TYPED_TEST(DeflationSetupIndices, ShiftsAndRenumbersByHand)
{
    using I = TypeParam;
    on_each_executor([](const Executor& exec) {
        Array<I> numbers(exec, std::vector<I>{5, -1, 6});
        Array<I> shifted(exec, 3);
        array_shift<I>(exec, 3, -5, numbers.data(), shifted.data());
        EXPECT_EQ(shifted.to_host(), (std::vector<I>{0, -6, 1}));
        const Array<I> map(exec, std::vector<I>{40, 50});
        array_renumber<I>(exec, 3, map.data(), shifted.data());
        EXPECT_EQ(shifted.to_host(), (std::vector<I>{40, -6, 50}));
        array_shift<I>(exec, 3, 1, numbers.data(), numbers.data());
        EXPECT_EQ(numbers.to_host(), (std::vector<I>{6, 0, 7}));
    });
}

/// Values of one, two and four words.
template <class I, class T>
void expect_picked(const Executor& exec, const std::vector<T>& host)
{
    const int words = sizeof(T) / sizeof(std::uint32_t);
    const auto bits = [](const T* values) { return reinterpret_cast<const std::uint32_t*>(values); };
    const Array<I> rows(exec, std::vector<I>{4, 0, 2});
    const Array<T> values(exec, host);
    Array<T> picked(exec, 3);
    array_pick<I>(exec, 3, words, rows.data(), bits(values.data()), reinterpret_cast<std::uint32_t*>(picked.data()));
    EXPECT_EQ(picked.to_host(), (std::vector<T>{host[4], host[0], host[2]}));
}

TYPED_TEST(DeflationSetupIndices, ArePicked)
{
    using I = TypeParam;
    on_each_executor([](const Executor& exec) {
        expect_picked<I, float>(exec, {1, 2, 3, 4, 5});
        expect_picked<I, std::uint64_t>(exec, {11, 12, ~std::uint64_t{}, 14, 15});
        expect_picked<I, std::complex<double>>(exec, {{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}});
    });
}

TYPED_TEST(DeflationSetupIndices, CountsUpByHand)
{
    using I = TypeParam;
    on_each_executor([](const Executor& exec) {
        Array<I> numbers(exec, 4);
        array_iota<I>(exec, 4, numbers.data());
        EXPECT_EQ(numbers.to_host(), (std::vector<I>{0, 1, 2, 3}));
    });
}

/// Domains of 1, 0, one piece and one row, and two rows.
TYPED_TEST(DeflationSetupIndices, CutsIntoPiecesByHand)
{
    using I = TypeParam;
    constexpr I most = deflation_piece_rows;
    on_each_executor([](const Executor& exec) {
        const Array<I> ptrs(exec, std::vector<I>{0, 1, 1, most + 2, most + 4});
        Array<I> counts(exec, 4);
        deflation_count_pieces<I>(exec, 4, ptrs.data(), counts.data());
        EXPECT_EQ(counts.to_host(), (std::vector<I>{1, 0, 2, 1}));
        const Array<I> domain_pieces(exec, std::vector<I>{0, 1, 1, 3, 4});
        Array<I> piece_ptrs(exec, 5);
        deflation_fill_pieces<I>(exec, 4, 4, ptrs.data(), domain_pieces.data(), piece_ptrs.data());
        EXPECT_EQ(piece_ptrs.to_host(), (std::vector<I>{0, 1, most + 1, most + 2, most + 4}));
    });
}

template <class V>
class DeflationSetup : public testing::Test {
};
TYPED_TEST_SUITE(DeflationSetup, TestedValues, TypeNames);

/// Sums of at most three terms in row 0, of one in row 1.
TYPED_TEST(DeflationSetup, KeepsWhatDoesNotCancelByHand)
{
    using V = TypeParam;
    using I = DefaultIndex;
    const real_t<V> e = std::numeric_limits<real_t<V>>::epsilon();
    const std::vector<V> sums{V{3 * e}, V{4 * e}, not_a_number<V>(), number<V>(2 * e, 2.5 * e), V{0}};
    on_each_executor([&](const Executor& exec) {
        const Array<I> row_ptrs(exec, std::vector<I>{0, 3, 5}), cols(exec, std::vector<I>{0, 2, 3, 1, 3});
        const Array<I> factor_ptrs(exec, std::vector<I>{0, 3, 4});
        const Array<V> values(exec, sums), magnitudes(exec, std::vector<V>{V{1}, V{1}, V{1}, V{1}, V{0}});
        const CancellingProduct<V, I> product{.pattern = {2, 4, 5, row_ptrs.data(), cols.data()},
                                              .factor_ptrs = factor_ptrs.data(),
                                              .sums = values.data(),
                                              .magnitudes = magnitudes.data()};
        Array<I> counts(exec, 2);
        deflation_count_kept<V, I>(exec, product, counts.data());
        EXPECT_EQ(counts.to_host(), (std::vector<I>{2, 1}));
        const Array<I> new_ptrs(exec, std::vector<I>{0, 2, 3});
        Array<I> new_cols(exec, 3);
        Array<V> kept(exec, 3), kept_magnitudes(exec, 3);
        deflation_take_kept<V, I>(exec, product, new_ptrs.data(), new_cols.data(), kept.data(), kept_magnitudes.data());
        EXPECT_EQ(new_cols.to_host(), (std::vector<I>{2, 3, 1}));
        EXPECT_EQ(kept.to_host()[0], sums[1]);
        EXPECT_EQ(kept.to_host()[2], sums[3]);
        EXPECT_EQ(kept_magnitudes.to_host(), (std::vector<V>{V{1}, V{1}, V{1}}));
    });
}

TYPED_TEST(DeflationSetup, MakesBlocksByHand)
{
    using V = TypeParam;
    using I = DefaultIndex;
    on_each_executor([](const Executor& exec) {
        const Array<I> row_ptrs(exec, std::vector<I>{0, 1, 1, 3}), cols(exec, std::vector<I>{1, 0, 1});
        const Array<V> values(exec, std::vector<V>{number<V>(1, 2), V{3}, V{4}});
        auto block = Dense<V>::filled(exec, {3, 2}, V{7});
        deflation_spread<V, I>(exec, {3, 2, 3, row_ptrs.data(), cols.data()}, values.data(), block.data());
        EXPECT_EQ(block.to_host(), (std::vector<V>{V{7}, number<V>(1, 2), V{7}, V{7}, V{3}, V{4}}));
        Dense<V> adjoint(exec, {2, 3});
        deflation_adjoint<V>(exec, 3, 2, block.data(), adjoint.data());
        EXPECT_EQ(adjoint.to_host(), (std::vector<V>{V{7}, V{7}, V{3}, number<V>(1, -2), V{7}, V{4}}));
    });
}

}  // namespace
}  // namespace linden::test
