#include <linden/error.hpp>
#include <linden/matrix/operations.hpp>

#include "core/kernels/array.hpp"
#include "core/matrix/check_array.hpp"
#include "core/matrix/make_pattern.hpp"

// instantiate: Csr<V, I> assemble(const Executor&, Dim, const Array<I>&, const Array<I>&, const Array<V>&)

namespace linden {
namespace {

using detail::check_array;
using detail::Pattern;

template <class I>
void check_size(Dim size, size_type num_triplets)
{
    constexpr size_type most = std::numeric_limits<I>::max();
    if (size.rows < 0 || size.cols < 0 || size.rows > most || size.cols > most) {
        throw InvalidParameter("size", std::to_string(size.rows) + " x " + std::to_string(size.cols),
                               "rows and columns from 0 to " + std::to_string(most));
    }
    if (num_triplets > most) {
        throw InvalidParameter("rows", std::to_string(num_triplets) + " triplets", "at most " + std::to_string(most));
    }
}

/// The index at `k`, which may be on a device.
template <class I>
I read_index(const Array<I>& array, size_type k)
{
    I value{};
    copy_bytes(array.executor(), array.data() + k, detail::host(), &value, sizeof value);
    return value;
}

/// Counts the triplets of each row. @throws InvalidParameter naming the first that is out of bounds
template <class I>
void count(const Executor& exec, TripletsView<I> triplets, const Array<I>& rows, const Array<I>& cols, I* counts)
{
    Array<size_type> first_outside(exec, 1);
    pattern_count_triplets<I>(exec, triplets, counts, first_outside.data());
    const auto k = first_outside.to_host().front();
    if (k != INT64_MAX) {
        throw InvalidParameter(
            "triplet " + std::to_string(k),
            "(" + std::to_string(read_index(rows, k)) + ", " + std::to_string(read_index(cols, k)) + ")",
            "a position in a " + std::to_string(triplets.size.rows) + " x " + std::to_string(triplets.size.cols) +
                " matrix");
    }
}

}  // namespace

template <class V, class I>
Csr<V, I> assemble(const Executor& exec, Dim size, const Array<I>& rows, const Array<I>& cols, const Array<V>& values)
{
    const auto num_triplets = rows.size();
    check_array("rows", rows, exec, num_triplets);
    check_array("cols", cols, exec, num_triplets);
    check_array("values", values, exec, num_triplets);
    check_size<I>(size, num_triplets);

    const TripletsView<I> triplets{size, num_triplets, rows.data(), cols.data()};
    const auto grouped = detail::make_pattern<I>(
        exec, size, true, [&](I* counts) { count(exec, triplets, rows, cols, counts); },
        [&](Pattern<I>& g, WorkspaceView workspace) {
            pattern_group_triplets<I>(exec, triplets, g.row_ptrs.data(), g.col_idxs.data(), g.source.data(), workspace);
        });
    const auto groups = grouped.view();
    auto unique = detail::make_pattern<I>(
        exec, size, false, [&](I* counts) { pattern_unique_count<I>(exec, groups, counts); },
        [&](Pattern<I>& u, WorkspaceView) {
            pattern_unique_fill<I>(exec, groups, u.row_ptrs.data(), u.col_idxs.data(), u.source.data());
        });

    Array<V> sums(exec, unique.source.size());
    array_sum_runs<V, I>(exec, unique.source.size(), unique.source.data(), num_triplets, grouped.source.data(),
                         values.data(), sums.data());
    return Csr<V, I>(exec, size, std::move(unique.row_ptrs), std::move(unique.col_idxs), std::move(sums));
}

}  // namespace linden
