#include <linden/matrix/compact_sell.hpp>

#include "core/matrix/sell_pattern.hpp"

// needs: int32
// instantiate: class CompactSell<V>

namespace linden {
namespace {

using I = std::int32_t;

/// @throws InvalidParameter naming the first row whose offset does not fit. Reads the pattern to the host.
[[noreturn]] void refuse(const detail::SellPattern<I>& pattern, const detail::ColumnOffsets& found)
{
    const auto cols = pattern.col_idxs.to_host();
    const auto slice_ptrs = pattern.slice_ptrs.to_host();
    const auto order = pattern.row_order.to_host();
    const auto bases = found.bases.to_host();
    const auto spans = found.spans.to_host();
    std::size_t column = 0;
    while (spans[column] <= 0xFFFE) {
        ++column;
    }
    const auto c = static_cast<size_type>(column);
    size_type place = 0;
    while (cols[static_cast<std::size_t>(c * pattern.slice_rows + place)] - bases[column] != spans[column]) {
        ++place;
    }
    const auto slice = std::upper_bound(slice_ptrs.begin(), slice_ptrs.end(), c) - slice_ptrs.begin() - 1;
    const auto position = slice * pattern.slice_rows + place;
    const size_type row = order.empty() ? position : order[static_cast<std::size_t>(position)];
    throw InvalidParameter("index_bits", "16",
                           "32: row " + std::to_string(row) + " has an entry " + std::to_string(spans[column]) +
                               " columns right of the leftmost beside it, 16 bits hold up to 65534");
}

/// The slices, without their columns. @throws InvalidParameter
template <class V>
detail::SellPattern<I> make_slices(const Csr<V, I>& matrix, const typename CompactSell<V>::Parameters& p)
{
    if (p.index_bits != 0 && p.index_bits != 16 && p.index_bits != 32) {
        throw InvalidParameter("index_bits", std::to_string(p.index_bits), "16, 32, or 0 for 16 where they suffice");
    }
    detail::check_storage<V, std::int32_t>(p.storage);
    return detail::make_slices<I>(matrix.executor(), matrix.view(), p.slice_rows, p.sigma);
}

}  // namespace

template <class V>
void CompactSell<V>::Parameters::describe(ParameterVisitor& v)
{
    v.choice("storage", storage, detail::storage_names, "precision in which values are kept");
    size_type bits = index_bits;
    v("index_bits", bits, "bits of column indices: 16, 32, or 0 for 16 where they suffice");
    index_bits = static_cast<int>(bits);
    detail::describe_slices(v, slice_rows, sigma);
    detail::describe_max_fill(v, max_fill);
}

template <class V>
CompactSell<V> CompactSell<V>::from_csr(const Csr<V, I>& matrix, Parameters parameters)
{
    auto pattern = make_slices(matrix, parameters);
    detail::check_fill("CompactSell", pattern.num_entries(), matrix.num_nonzeros(), matrix.size().rows,
                       parameters.max_fill);
    CompactSell result(matrix, std::move(pattern), parameters.storage);
    if (parameters.index_bits == 32) {
        return result;
    }
    auto found = detail::find_offsets(result.pattern_);
    if (found.num_wide == 0) {
        detail::take_offsets(result.pattern_, std::move(found));
    } else if (parameters.index_bits == 16) {
        refuse(result.pattern_, found);
    }
    return result;
}

template <class V>
bool CompactSell<V>::fits16(const Csr<V, I>& matrix, Parameters parameters)
{
    auto pattern = make_slices(matrix, parameters);
    Array<size_type> map(matrix.executor(), pattern.num_entries());
    detail::fill_sell<I>(pattern, matrix.view(), map.data());
    return detail::find_offsets(pattern).num_wide == 0;
}

}  // namespace linden
