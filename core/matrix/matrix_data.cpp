#include "core/base/parallel.hpp"
#include "core/matrix/csr_builder.hpp"
#include "core/matrix/pattern_checks/pattern_checks.hpp"

#include <linden/error.hpp>
#include <linden/matrix_data.hpp>

#include <algorithm>
#include <complex>
#include <limits>
#include <string>

// instantiate: CsrData<V, I> to_csr<V, I>(const MatrixData<V, I>&)
// instantiate: MatrixData<V, I> to_coo<V, I>(const CsrData<V, I>&)
// instantiate: void require_well_formed<V, I>(const CsrData<V, I>&)
// instantiate: void detail::require_well_formed<I>(PatternView<I>)
// instantiate: void detail::require_sorted_rows<I>(PatternView<I>)

namespace linden {
namespace {

/// Entries per unit of parallel work.
constexpr size_type grain = 1 << 16;

std::string element(std::string_view array, size_type k) { return std::string(array) + "[" + std::to_string(k) + "]"; }

void require_length(std::string_view array, size_type length, size_type expected)
{
    if (length != expected) {
        throw InvalidParameter("length of " + std::string(array), std::to_string(length),
                               "expected " + std::to_string(expected));
    }
}

void require_size(Dim size)
{
    if (size.rows < 0 || size.cols < 0) {
        throw InvalidParameter("size", std::to_string(size.rows) + " x " + std::to_string(size.cols),
                               "rows and columns must not be negative");
    }
}

template <class I>
void require_fits(std::string_view what, size_type count)
{
    if (count > std::numeric_limits<I>::max()) {
        throw InvalidParameter(what, std::to_string(count),
                               "the index type " + std::string(name(index_type_of<I>)) + " holds at most " +
                                   std::to_string(std::numeric_limits<I>::max()));
    }
}

/// All of the n `indices` lie in [0, bound).
template <class I>
void require_in_range(std::string_view array, size_type n, const I* indices, size_type bound)
{
    parallel_ranges(n, grain, [&](size_type begin, size_type end) {
        for (auto k = begin; k < end; ++k) {
            if (indices[k] < 0 || indices[k] >= bound) {
                throw InvalidParameter(element(array, k), std::to_string(indices[k]),
                                       "must be at least 0 and less than " + std::to_string(bound));
            }
        }
    });
}

}  // namespace

template <class V, class I>
CsrData<V, I> to_csr(const MatrixData<V, I>& data)
{
    require_size(data.size);
    const auto n = data.num_entries();
    require_length("rows", static_cast<size_type>(data.rows.size()), n);
    require_length("cols", static_cast<size_type>(data.cols.size()), n);
    require_fits<I>("number of entries", n);
    require_in_range("rows", n, data.rows.data(), data.size.rows);
    require_in_range("cols", n, data.cols.data(), data.size.cols);

    std::vector<TripletView<V, I>> pieces;
    for (size_type begin = 0; begin < n; begin += grain) {
        const auto length = std::min(grain, n - begin);
        pieces.push_back({{data.rows.data() + begin, static_cast<std::size_t>(length)},
                          {data.cols.data() + begin, static_cast<std::size_t>(length)},
                          {data.values.data() + begin, static_cast<std::size_t>(length)}});
    }
    return compress(group_by_rows<V, I>(data.size, pieces));
}

template <class V, class I>
MatrixData<V, I> to_coo(const CsrData<V, I>& csr)
{
    require_well_formed(csr);
    MatrixData<V, I> data{csr.size, std::vector<I>(csr.values.size()), csr.col_idxs, csr.values};
    parallel_ranges(csr.size.rows, grain, [&](size_type begin, size_type end) {
        for (auto row = begin; row < end; ++row) {
            std::fill(data.rows.begin() + csr.row_ptrs[row], data.rows.begin() + csr.row_ptrs[row + 1],
                      static_cast<I>(row));
        }
    });
    return data;
}

template <class I>
void detail::require_well_formed(PatternView<I> a)
{
    if (a.row_ptrs[0] != 0) {
        throw InvalidParameter("row_ptrs[0]", std::to_string(a.row_ptrs[0]), "must be 0");
    }
    parallel_ranges(a.rows, grain, [&](size_type begin, size_type end) {
        for (auto row = begin; row < end; ++row) {
            if (a.row_ptrs[row + 1] < a.row_ptrs[row]) {
                throw InvalidParameter(element("row_ptrs", row + 1), std::to_string(a.row_ptrs[row + 1]),
                                       "must not be less than the one before, " + std::to_string(a.row_ptrs[row]));
            }
        }
    });
    if (a.row_ptrs[a.rows] != a.num_nonzeros) {
        throw InvalidParameter(element("row_ptrs", a.rows), std::to_string(a.row_ptrs[a.rows]),
                               "must be the number of entries, " + std::to_string(a.num_nonzeros));
    }
    require_in_range("col_idxs", a.num_nonzeros, a.col_idxs, a.cols);
}

template <class V, class I>
void require_well_formed(const CsrData<V, I>& csr)
{
    require_size(csr.size);
    require_length("row_ptrs", static_cast<size_type>(csr.row_ptrs.size()), csr.size.rows + 1);
    require_length("col_idxs", static_cast<size_type>(csr.col_idxs.size()), csr.num_nonzeros());
    detail::require_well_formed(detail::pattern_of(csr));
}

template <class I>
void detail::require_sorted_rows(PatternView<I> a)
{
    parallel_ranges(a.rows, grain, [&](size_type begin, size_type end) {
        for (auto row = begin; row < end; ++row) {
            for (auto k = a.row_ptrs[row] + 1; k < a.row_ptrs[row + 1]; ++k) {
                if (a.col_idxs[k] <= a.col_idxs[k - 1]) {
                    throw InvalidParameter("row " + std::to_string(row),
                                           "column " + std::to_string(a.col_idxs[k]) + " after column " +
                                               std::to_string(a.col_idxs[k - 1]),
                                           "columns that increase strictly; sort_rows makes a sorted copy, and to_csr "
                                           "of triplets adds entries of one place, too");
                }
            }
        }
    });
}

}  // namespace linden
