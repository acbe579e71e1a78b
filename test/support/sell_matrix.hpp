#pragma once

#include <linden/array.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/views_formats.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <limits>
#include <numeric>
#include <vector>

#include "core/base/type_lists.hpp"
#include "core/kernels/stored_types.hpp"

/// Matrices in sliced ELLPACK for tests of kernels, with everything that the format allows.
namespace linden::test {

template <class V_, class S_, class J_>
struct SellTypes {
    using value_type = V_;
    using stored_type = S_;
    using column_type = J_;
};

namespace detail {

/// Those of `More` that this build has, after `Kept`.
template <class Kept, class... More>
struct BuiltSellTypes {
    using type = Kept;
};
template <class... Kept, class V, class S, class J, class... More>
struct BuiltSellTypes<testing::Types<Kept...>, SellTypes<V, S, J>, More...> {
    static constexpr bool is_built = has_types<V> && (sizeof(J) == 2 || has_types<J>);
    using kept = std::conditional_t<is_built, testing::Types<Kept..., SellTypes<V, S, J>>, testing::Types<Kept...>>;
    using type = typename BuiltSellTypes<kept, More...>::type;
};

}  // namespace detail

/// All of for_each_sell_type for double, what hosts have vector instructions for, and what complex values add.
using TestedSellTypes =
    detail::BuiltSellTypes<testing::Types<SellTypes<DefaultValue, DefaultValue, std::uint16_t>>,
                           SellTypes<double, double, std::int32_t>, SellTypes<double, float, std::int32_t>,
                           SellTypes<double, float, std::uint16_t>, SellTypes<double, half, std::int32_t>,
                           SellTypes<double, half, std::uint16_t>, SellTypes<float, half, std::uint16_t>,
                           SellTypes<std::complex<float>, std::complex<float>, std::int32_t>,
                           SellTypes<std::complex<float>, std::complex<float>, std::uint16_t>>::type;

/// A matrix in the formats of a kernel, on an executor: built on the host, entry by entry.
template <class S, class J>
struct SellMatrix {
    using I = std::int32_t;

    template <class V>
    SellMatrix(const Executor& exec, const CsrData<V, I>& a, size_type slice_rows, bool reversed)
        : slice_ptrs(exec),
          order(exec),
          bases(exec),
          col_idxs(exec),
          values(exec)
    {
        const auto rows = a.size.rows;
        std::vector<I> ptrs{0}, rows_at(static_cast<std::size_t>(rows)), base;
        std::iota(rows_at.begin(), rows_at.end(), I{0});
        if (reversed) {
            std::reverse(rows_at.begin(), rows_at.end());
        }
        std::vector<J> cols;
        std::vector<S> vals;
        for (size_type first = 0; first < rows; first += slice_rows) {
            const auto last = std::min(first + slice_rows, rows);
            I width = 0;
            for (auto p = first; p < last; ++p) {
                width = std::max(width, a.row_ptrs[rows_at[p] + 1] - a.row_ptrs[rows_at[p]]);
            }
            for (I j = 0; j < width; ++j) {
                I lowest = std::numeric_limits<I>::max();
                for (auto p = first; p < last; ++p) {
                    const auto k = a.row_ptrs[rows_at[p]] + j;
                    lowest = k < a.row_ptrs[rows_at[p] + 1] ? std::min(lowest, a.col_idxs[k]) : lowest;
                }
                base.push_back(lowest);
                for (auto p = first; p < first + slice_rows; ++p) {
                    const auto k = p < last ? a.row_ptrs[rows_at[p]] + j : 0;
                    const bool exists = p < last && k < a.row_ptrs[rows_at[p] + 1];
                    const auto offset = sizeof(J) == 2 ? lowest : 0;
                    cols.push_back(exists ? static_cast<J>(a.col_idxs[k] - offset) : no_column<J>);
                    vals.push_back(exists ? static_cast<S>(a.values[k]) : static_cast<S>(7));
                }
            }
            ptrs.push_back(ptrs.back() + width);
        }
        slice_ptrs = Array<I>(exec, ptrs);
        order = reversed ? Array<I>(exec, rows_at) : Array<I>(exec);
        bases = sizeof(J) == 2 ? Array<I>(exec, base) : Array<I>(exec);
        col_idxs = Array<J>(exec, cols);
        values = Array<S>(exec, vals);
        layout = {rows, a.size.cols, slice_rows, 0, slice_ptrs.data(), order.data()};
    }

    SellView<S, J> view() const { return {layout, col_idxs.data(), values.data(), bases.data()}; }

    SellLayout<I> layout;
    Array<I> slice_ptrs, order, bases;
    Array<J> col_idxs;
    Array<S> values;
};

}  // namespace linden::test
