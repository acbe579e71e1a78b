#pragma once

#include "core/kernels/levels.hpp"
#include "core/kernels/sweep.hpp"
#include "test/support/kernel_cases.hpp"
#include "test/support/sell_matrix.hpp"

/// Colours of triangles for tests of kernels that sweep over them.
namespace linden::test {

/// The rows of a colour and what stands before and behind them.
struct ColourShape {
    size_type rows = 0;
    size_type block_rows = 1;
    size_type before = 0;  ///< positions of other colours
    size_type behind = 0;
    size_type most_entries = 4;  ///< in a row, beside those of its own block
    size_type slice_rows = 0;    ///< unless 0, in place of what the test chooses: 1 for long rows
    bool knows_width = false;    ///< whether the layout says how many columns its slices have

    size_type size() const { return before + rows + behind; }
};

/// A colour on an executor; without entries it has no slices either where `is_bare`.
template <class S, class J>
struct Colour {
    template <class V>
    Colour(const Executor& exec, const CsrData<V, std::int32_t>& entries, const ColourShape& a_shape,
           size_type slice_rows, bool is_bare = false)
        : shape(a_shape),
          matrix(exec, entries, shape.slice_rows == 0 ? slice_rows : shape.slice_rows, false)
    {
        matrix.layout.width = shape.knows_width ? matrix.values.size() / matrix.layout.slice_rows : 0;
        if (is_bare) {
            matrix.layout = {shape.rows, shape.size(), 1, 0, nullptr, nullptr};
        }
    }

    ColourView<S, J> view() const { return {matrix.view(), shape.before, shape.block_rows}; }

    ColourShape shape;
    SellMatrix<S, J> matrix;
};

/// Random entries in the columns of earlier colours, or of later ones, and in some of those of the row's own block that
/// are found before it.
template <class V>
CsrData<V, std::int32_t> random_colour(Random& random, const ColourShape& shape, Side side)
{
    using I = std::int32_t;
    CsrData<V, I> a{{shape.rows, shape.size()}, {0}, {}, {}};
    const ColourView<V, I> colour{
        {{shape.rows, shape.size()}, nullptr, nullptr, nullptr}, shape.before, shape.block_rows};
    std::vector<std::vector<I>> cols(static_cast<std::size_t>(shape.rows));
    const size_type first = side == Side::lower ? 0 : shape.before + shape.rows;
    const size_type last = side == Side::lower ? shape.before : shape.size();
    for (size_type block = 0; block < colour.num_blocks(); ++block) {
        for (size_type j = 0; j < colour.rows_of(block); ++j) {
            auto& row = cols[static_cast<std::size_t>(colour.row(j, block))];
            for (size_type i = first == last ? 0 : random.integer(0, shape.most_entries + 1); i > 0; --i) {
                row.push_back(static_cast<I>(random.integer(first, last)));
            }
            for (size_type other = 0; other < colour.rows_of(block); ++other) {
                if ((side == Side::lower ? other < j : other > j) && random.unit() < 0.6) {
                    row.push_back(static_cast<I>(shape.before + colour.row(other, block)));
                }
            }
            std::sort(row.begin(), row.end());
            row.erase(std::unique(row.begin(), row.end()), row.end());
        }
    }
    for (const auto& row : cols) {
        a.col_idxs.insert(a.col_idxs.end(), row.begin(), row.end());
        a.row_ptrs.push_back(static_cast<I>(a.col_idxs.size()));
    }
    for (std::size_t k = 0; k < a.col_idxs.size(); ++k) {
        a.values.push_back(random.value<V>());
    }
    return a;
}

/// A permutation of 0, ..., n - 1.
inline std::vector<std::int32_t> random_order(Random& random, size_type n)
{
    std::vector<std::int32_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    for (size_type i = n - 1; i > 0; --i) {
        std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(random.integer(0, i + 1))]);
    }
    return order;
}

/// Calls f(shape): colours with and without blocks, of a few and many rows, with none, and with rows alone.
template <class F>
void for_each_colour_shape(F&& f)
{
    const auto call = [&](const ColourShape& shape) {
        SCOPED_TRACE(std::to_string(shape.rows) + " rows in blocks of " + std::to_string(shape.block_rows) +
                     " between " + std::to_string(shape.before) + " and " + std::to_string(shape.behind));
        f(shape);
    };
    for (const size_type block_rows : {1, 2, 5}) {
        for (const size_type rows : {0, 1, 31, 32, 33, 64, 597}) {
            call({rows, block_rows, 40, 30});
        }
        call({13, block_rows, 0, 0});
        call({200, block_rows, 50, 50, 0});
    }
    call({20001, 1, 3000, 3000});
    call({20001, 2, 3000, 3000});
    call({12003, 5, 3000, 3000});
    call({300, 1, 500, 500, 25});
    // So many entries that two threads share a row, if the width is known.
    call({597, 1, 500, 500, 25, 0, true});
    call({5, 1, 60, 60, 45, 0, true});
    // Rows with slices to themselves: about 500 or 3 entries in each, on either side of where devices take a block of
    // threads for one.
    for (const bool knows_width : {false, true}) {
        call({9, 1, 900, 700, 1500, 1, knows_width});
        call({1, 1, 9, 5, 20, 1, knows_width});
        call({1, 5, 900, 700, 1500, 1, knows_width});
        call({300, 1, 50, 50, 6, 1, knows_width});
        call({13, 5, 40, 30, 4, 1, knows_width});
    }
    call({20, 1, 900, 900, 2500, 1, true});
}

}  // namespace linden::test
