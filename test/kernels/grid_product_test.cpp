#include "core/multigrid/grid_product.hpp"

#include <linden/matrix/multiply.hpp>
#include <linden/matrix/operations.hpp>

#include <map>

#include "core/matrix/stencil_search.hpp"
#include "test/support/grids.hpp"
#include "test/support/same_matrix.hpp"

/// R A P on grids whose rows are copies of a few, by the steps of the class that calls them.
namespace linden::test {
namespace {

using linden::detail::CopiedRows;
using linden::detail::GridProduct;

/// A on a grid, where the points beyond a plane have other values, and prolongators with an entry for the block of each
/// point and those beside it.
template <class V, class I>
struct Operands {
    CsrData<V, I> a, p, r;
};
template <class V, class I>
Operands<V, I> operands(const GridBlocks& blocks, double beyond, bool is_symmetric)
{
    const auto& points = blocks.fine.points;
    std::vector<Neighbour> neighbours;
    for (int axis = 0; axis < num_axes; ++axis) {
        for (const size_type by : {-1, 1}) {
            GridStep step;
            step.along[axis] = by;
            if (points[axis] > 1) {
                neighbours.push_back({step, is_symmetric ? -1.0 - axis : -1.0 - axis - 0.5 * static_cast<double>(by)});
            }
        }
    }
    Operands<V, I> result{on_grid<V, I>(blocks.fine, neighbours, 16), {}, {}};
    auto& a = result.a;
    const auto is_beyond = [&](size_type row) { return 3 * (row % points[0]) > 2 * points[0]; };
    for (size_type row = 0; row < a.size.rows; ++row) {
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            a.values[k] *= V{static_cast<real_t<V>>(is_beyond(row) && is_beyond(a.col_idxs[k]) ? beyond : 1)};
        }
    }
    const auto& host = reference_executor();
    Array<I> of_rows(host, a.size.rows);
    grid_aggregates<I>(host, blocks, of_rows.data());
    const auto aggregates = of_rows.to_host();
    auto& p = result.p;
    p = {{a.size.rows, blocks.coarse.size()}, {0}, {}, {}};
    for (size_type row = 0; row < a.size.rows; ++row) {
        std::map<I, V> sums;
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            sums[aggregates[static_cast<std::size_t>(a.col_idxs[k])]] += a.values[k];
        }
        for (const auto& [col, value] : sums) {
            p.col_idxs.push_back(col);
            p.values.push_back(value);
        }
        p.row_ptrs.push_back(static_cast<I>(p.values.size()));
    }
    result.r = conjugate_transpose(Csr<V, I>(host, p)).to_host();
    return result;
}

/// The same on an executor, with the numbers of A's rows by its stencils.
template <class V, class I>
struct OperandsOn {
    Csr<V, I> a, p, r;
    linden::detail::StencilSearch<V, I> search;

    OperandsOn(const Executor& exec, const Operands<V, I>& host)
        : a(exec, host.a),
          p(exec, host.p),
          r(exec, host.r),
          search(exec, {a.view(), nullptr, nullptr}, 512)
    {
        search.search({a.view(), nullptr, nullptr});
    }
    CopiedRows copied() const { return {search.view().stencils, search.are_valid()}; }
    CsrData<V, I> expected() const { return multiply(multiply(r, a), p).to_host(); }
};

constexpr GridBlocks tested_blocks[] = {
    {{{31, 22, 13}}, {{16, 11, 7}}, {2, 2, 2}},  // last blocks of 1, 2 and 1 points
    {{{40, 34, 1}}, {{13, 11, 1}}, {3, 3, 1}},   // of 4
    {{{24, 9, 8}}, {{8, 9, 8}}, {3, 1, 1}},
};

ProductWindow window_of(const GridBlocks& blocks) { return {blocks, {1, 1, blocks.fine.points[2] > 1 ? 1 : 0}}; }

template <class T>
class GridProducts : public ::testing::Test {
};
TYPED_TEST_SUITE(GridProducts, TestedValueIndices, TypeNames);

TYPED_TEST(GridProducts, AreTheProducts)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    for (const auto& blocks : tested_blocks) {
        for (const bool is_symmetric : {true, false}) {
            const auto host = operands<V, I>(blocks, 8, is_symmetric);
            on_each_executor([&](const Executor& exec) {
                const OperandsOn<V, I> on(exec, host);
                GridProduct<V, I> product(exec, window_of(blocks));
                product.search(on.r, on.a, on.p, on.copied());
                const auto found = product.found().to_host();
                ASSERT_TRUE(product.accept(found.data()));
                EXPECT_LT(found[copied_leaders], blocks.coarse.size());
                EXPECT_EQ(found[copied_strays], 0);
                EXPECT_EQ(product.reach()[0], blocks.widths[0] == 2 ? 2 : 1);
                auto c = product.take();
                const auto first = c.to_host();
                expect_same_matrix(first, on.expected(), 512);
                // rows with the same number are copies
                std::vector<std::uint16_t> numbers(static_cast<std::size_t>(blocks.coarse.size()));
                exec.state().copy_to_host(product.copied_rows().numbers, numbers.data(),
                                          numbers.size() * sizeof(std::uint16_t));
                std::map<std::uint16_t, std::vector<V>> rows;
                for (size_type row = 0; row < blocks.coarse.size(); ++row) {
                    const std::vector<V> values(first.values.begin() + first.row_ptrs[row],
                                                first.values.begin() + first.row_ptrs[row + 1]);
                    const auto [at, is_new] = rows.try_emplace(numbers[static_cast<std::size_t>(row)], values);
                    EXPECT_EQ(at->second, values) << "row " << row;
                }
                EXPECT_EQ(static_cast<std::int64_t>(rows.size()), found[copied_leaders]);
            });
        }
    }
}

/// New values have other copies, too many different rows, and the first copies again.
TYPED_TEST(GridProducts, TakeNewValues)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    for (const auto& blocks : tested_blocks) {
        const auto old = operands<V, I>(blocks, 8, false);
        const auto other = operands<V, I>(blocks, 1, false);
        auto wild = old;
        for (auto* const values : {&wild.a.values, &wild.p.values}) {
            for (std::size_t k = 0; k < values->size(); ++k) {
                (*values)[k] *= V{static_cast<real_t<V>>(1 + static_cast<double>(k % 1021) / 1024)};
            }
        }
        wild.r = conjugate_transpose(Csr<V, I>(reference_executor(), wild.p)).to_host();
        on_each_executor([&](const Executor& exec) {
            const OperandsOn<V, I> on(exec, old);
            GridProduct<V, I> product(exec, window_of(blocks));
            product.search(on.r, on.a, on.p, on.copied());
            ASSERT_TRUE(product.accept(product.found().to_host().data()));
            auto c = product.take();
            const auto first = c.to_host();
            for (const auto* const next : std::initializer_list<const Operands<V, I>*>{&other, &wild, &old}) {
                const OperandsOn<V, I> now(exec, *next);
                const auto before = exec.counters();
                product.compute(now.r, now.a, now.p, now.copied(), c);
                EXPECT_EQ(exec.counters().allocations, before.allocations);
                expect_same_matrix(c.to_host(), now.expected(), 512);
                EXPECT_EQ(product.found().to_host()[copies_are_valid] != 0, next != &wild);
            }
            EXPECT_EQ(c.to_host().values, first.values);
        });
    }
}

/// Entries further away than the window says, and rows without numbers.
TYPED_TEST(GridProducts, SayWhatTheyCannotDo)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto blocks = tested_blocks[1];
    const auto host = operands<V, I>(blocks, 1, true);
    // row 20 of line 17 and row 4 of line 30 are neighbours, too
    CsrData<V, I> far{host.a.size, {0}, {}, {}};
    const size_type ends[] = {20 + 40 * 17, 4 + 40 * 30};
    for (size_type row = 0; row < far.size.rows; ++row) {
        std::map<I, V> entries;
        for (I k = host.a.row_ptrs[row]; k < host.a.row_ptrs[row + 1]; ++k) {
            entries[host.a.col_idxs[k]] = host.a.values[k];
        }
        for (int end : {0, 1}) {
            if (row == ends[end]) {
                entries[static_cast<I>(ends[1 - end])] = V{-1};
            }
        }
        for (const auto& [col, value] : entries) {
            far.col_idxs.push_back(col);
            far.values.push_back(value);
        }
        far.row_ptrs.push_back(static_cast<I>(far.values.size()));
    }
    on_each_executor([&](const Executor& exec) {
        const OperandsOn<V, I> on(exec, {far, host.p, host.r});
        GridProduct<V, I> product(exec, window_of(blocks));
        product.search(on.r, on.a, on.p, on.copied());
        const auto found = product.found().to_host();
        EXPECT_FALSE(product.accept(found.data()));
        EXPECT_GT(found[copied_strays], 0);

        const Array<std::int64_t> none(exec, std::vector<std::int64_t>{0});
        product.search(on.r, on.a, on.p, {on.copied().numbers, none.data()});
        EXPECT_FALSE(product.accept(product.found().to_host().data()));
    });
}

}  // namespace
}  // namespace linden::test
