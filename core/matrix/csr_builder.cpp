#include "core/matrix/csr_builder.hpp"

#include "core/base/parallel.hpp"
#include "core/matrix/sort_row.hpp"

#include <algorithm>
#include <complex>
#include <utility>

// instantiate: BucketedTriplets<V, I> group_by_rows<V, I>(Dim, std::span<const TripletView<V, I>>)
// instantiate: CsrData<V, I> compress<V, I>(BucketedTriplets<V, I>)

namespace linden {
namespace {

/// Enough groups to keep many cores busy, few enough that the write positions of a scatter stay in the TLB.
constexpr size_type max_buckets = 256;
/// Smaller groups cost more than they save.
constexpr size_type min_bucket_entries = 1 << 14;

/// Grouping by row >> shift gives at most as many groups as are worth having.
int bucket_shift(size_type num_rows, size_type num_entries)
{
    const auto wanted = std::clamp(num_entries / min_bucket_entries, size_type{1}, max_buckets);
    int shift = 0;
    while (num_rows > 0 && ((num_rows - 1) >> shift) >= wanted) {
        ++shift;
    }
    return shift;
}

/// counts[p * num_buckets + b] becomes the position where piece p writes its first entry of group b.
std::vector<size_type> scan_buckets(std::vector<size_type>& counts, size_type num_pieces, size_type num_buckets)
{
    std::vector<size_type> bucket_ptrs(num_buckets + 1);
    size_type position = 0;
    for (size_type b = 0; b < num_buckets; ++b) {
        for (size_type p = 0; p < num_pieces; ++p) {
            auto& count = counts[p * num_buckets + b];
            position += std::exchange(count, position);
        }
        bucket_ptrs[b + 1] = position;
    }
    return bucket_ptrs;
}

/// Writes the sorted row [begin, end) to `out` (at or before begin) with equal columns summed; returns the new end.
template <class V, class I>
size_type sum_duplicates(I* cols, V* values, size_type begin, size_type end, size_type out)
{
    const auto first = out;
    for (auto k = begin; k < end; ++k) {
        if (out > first && cols[out - 1] == cols[k]) {
            values[out - 1] += values[k];
        } else {
            cols[out] = cols[k];
            values[out] = values[k];
            ++out;
        }
    }
    return out;
}

/// Replaces the triplets of group b by its rows; returns the number of entries left. `row_ends[r]` becomes the end of
/// row r as if summation had removed no entries from earlier groups.
template <class V, class I>
size_type compress_bucket(const BucketedTriplets<V, I>& in, size_type b, I* row_ends, I* cols, V* values)
{
    const auto first = in.bucket_ptrs[b];
    const auto last = in.bucket_ptrs[b + 1];
    const auto first_row = b << in.shift;
    const auto last_row = std::min(in.size.rows, (b + 1) << in.shift);
    for (auto k = first; k < last; ++k) {
        ++row_ends[in.rows[k]];
    }
    auto position = static_cast<I>(first);
    for (auto r = first_row; r < last_row; ++r) {
        position = static_cast<I>(position + std::exchange(row_ends[r], position));
    }
    // The start of each row moves to its end while the row fills.
    for (auto k = first; k < last; ++k) {
        const auto to = row_ends[in.rows[k]]++;
        cols[to] = in.cols[k];
        values[to] = in.values[k];
    }
    std::vector<std::pair<I, V>> buffer;
    auto begin = first;
    auto out = first;
    for (auto r = first_row; r < last_row; ++r) {
        const auto end = static_cast<size_type>(row_ends[r]);
        detail::sort_row(cols + begin, values + begin, end - begin, buffer);
        out = sum_duplicates(cols, values, begin, end, out);
        row_ends[r] = static_cast<I>(out);
        begin = end;
    }
    return out - first;
}

/// Closes the gaps that summation left at the ends of groups.
template <class V, class I>
void close_gaps(const BucketedTriplets<V, I>& in, const std::vector<size_type>& lengths, CsrData<V, I>& csr)
{
    size_type out = 0;
    for (size_type b = 0; b < in.num_buckets(); ++b) {
        const auto begin = in.bucket_ptrs[b];
        const auto length = lengths[b];
        const auto lost = begin - out;
        if (lost > 0) {
            std::copy_n(csr.col_idxs.begin() + begin, length, csr.col_idxs.begin() + out);
            std::copy_n(csr.values.begin() + begin, length, csr.values.begin() + out);
            for (auto r = b << in.shift; r < std::min(in.size.rows, (b + 1) << in.shift); ++r) {
                auto& row_end = csr.row_ptrs[r + 1];
                row_end = static_cast<I>(row_end - lost);
            }
        }
        out += length;
    }
    csr.col_idxs.resize(out);
    csr.values.resize(out);
}

}  // namespace

template <class V, class I>
BucketedTriplets<V, I> group_by_rows(Dim size, std::span<const TripletView<V, I>> pieces)
{
    const auto num_pieces = static_cast<size_type>(pieces.size());
    size_type num_entries = 0;
    for (const auto& piece : pieces) {
        num_entries += static_cast<size_type>(piece.values.size());
    }
    BucketedTriplets<V, I> out;
    out.size = size;
    out.shift = bucket_shift(size.rows, num_entries);
    const auto shift = out.shift;
    const auto num_buckets = size.rows > 0 ? ((size.rows - 1) >> shift) + 1 : 0;

    std::vector<size_type> positions(num_pieces * num_buckets);
    parallel_tasks(num_pieces, [&](size_type p) {
        auto* count = positions.data() + p * num_buckets;
        for (auto row : pieces[p].rows) {
            ++count[row >> shift];
        }
    });
    out.bucket_ptrs = scan_buckets(positions, num_pieces, num_buckets);
    out.rows = std::make_unique_for_overwrite<I[]>(num_entries);
    out.cols = std::make_unique_for_overwrite<I[]>(num_entries);
    out.values = std::make_unique_for_overwrite<V[]>(num_entries);
    parallel_tasks(num_pieces, [&](size_type p) {
        const auto& piece = pieces[p];
        auto* position = positions.data() + p * num_buckets;
        for (std::size_t k = 0; k < piece.values.size(); ++k) {
            const auto to = position[piece.rows[k] >> shift]++;
            out.rows[to] = piece.rows[k];
            out.cols[to] = piece.cols[k];
            out.values[to] = piece.values[k];
        }
    });
    return out;
}

template <class V, class I>
CsrData<V, I> compress(BucketedTriplets<V, I> in)
{
    const auto num_entries = in.bucket_ptrs.back();
    CsrData<V, I> csr;
    csr.size = in.size;
    csr.row_ptrs.resize(in.size.rows + 1);
    csr.col_idxs.resize(num_entries);
    csr.values.resize(num_entries);
    std::vector<size_type> lengths(in.num_buckets());
    parallel_tasks(in.num_buckets(), [&](size_type b) {
        lengths[b] = compress_bucket(in, b, csr.row_ptrs.data() + 1, csr.col_idxs.data(), csr.values.data());
    });
    close_gaps(in, lengths, csr);
    return csr;
}

}  // namespace linden
