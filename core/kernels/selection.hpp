#pragma once

#include <linden/select.hpp>
#include <linden/views.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// The value of a given rank among many: SampleSelect [AnztEtAl19b, III].
///
/// A sample of the values is sorted. Its quantiles, the splitters, part the values into buckets, whose sizes tell in
/// which one the wanted value lies; that bucket alone is searched further.
namespace linden {

inline constexpr int num_selection_buckets = 256;
inline constexpr int num_selection_samples = 1024;

/// A workspace begins with splitters, sizes of buckets and the state of a search. A byte per value follows, for its
/// bucket, then room for the values of a bucket, which may be nearly all, and of a bucket of that one.
inline constexpr size_type selection_header_bytes = 8192;
constexpr size_type selection_room_offset(size_type n)
{
    constexpr size_type granule = 16;
    return selection_header_bytes + (n + granule - 1) / granule * granule;
}
constexpr size_type selection_room(size_type n) { return n + n / 64; }

/// What selection_select needs as workspace, on any backend.
template <class R>
constexpr size_type selection_workspace_bytes(size_type n)
{
    return selection_room_offset(n) + selection_room(n) * static_cast<size_type>(sizeof(R));
}

/// *result := the value of 0-based rank `rank` among `values` in ascending order.  values: n >= 1, not changed;
/// 0 <= rank < n.  -inf < ... < -0 = 0 < ... < inf < NaN; the result is +0 for zeros, a quiet NaN for any NaN.
///
/// how = approximate, n > num_selection_samples: *result := the one of num_selection_buckets - 1 quantiles of a sample
/// whose rank is nearest to `rank`, the lower of two; the wanted value itself where it is two of the quantiles or more.
/// The sample has a value of each of num_selection_samples equally long runs of `values`. For fewer values as exact.
///
/// Deterministic, and the same bits on every backend: sizes are sums of integers. No synchronisation, no allocation.
/// Workspace: selection_workspace_bytes<R>(n), in any state, aligned to 16 bytes. Reads n values; for the exact one
/// also writes and reads n bytes, and each further level of buckets takes about a hundredth of the one before. Input
/// whose sample tells nothing of the other values takes longer, on devices by one block at worst. [AnztEtAl19b, III]
template <class R>
inline constinit kernel<void(size_type n, const R* values, size_type rank, Selection how, R* result,
                             WorkspaceView workspace)>
    selection_select{"selection::select", types_of<R>};

/// magnitudes[k] := |values[k]|, +0 for zeros.  n values each. Deterministic; of complex numbers as hypot of the
/// platform rounds.
template <class V>
inline constinit kernel<void(size_type n, const V* values, real_t<V>* magnitudes)> selection_magnitudes{
    "selection::magnitudes", types_of<V>};

}  // namespace linden
