#pragma once

#include <linden/types.hpp>

#include "core/base/kernel.hpp"
#include "core/kernels/stored_types.hpp"

/// Arrays of values, marks and numbers, element by element. All kernels are deterministic.
namespace linden {

enum class Conjugate : bool { no, yes };

/// Calls `f.operator()<V, W, I>()` for what `array_gather` has: from a value type to itself and to its storage types,
/// with maps of all index types and of size_type; from storage types to the value type, with maps of size_type.
template <class F>
void for_each_gather_type(F&& f)
{
    const auto with_map = [&]<class I>() {
        for_each_value([&]<class V>() {
            f.template operator()<V, V, I>();
            for_each_lower_storage<V>([&]<class S>() { f.template operator()<V, S, I>(); });
        });
    };
    for_each_index([&]<class I>() {
        if constexpr (!std::is_same_v<I, size_type>) {
            with_map.template operator()<I>();
        }
    });
    with_map.template operator()<size_type>();
    for_each_value(
        [&]<class V>() { for_each_lower_storage<V>([&]<class S>() { f.template operator()<S, V, size_type>(); }); });
}

/// target[k] := source[map[k]], or its conjugate, rounded to W; 0 where map[k] < 0.  map, target: n values.
template <class V, class W, class I>
inline constinit kernel<void(size_type n, const I* map, const V* source, W* target, Conjugate conjugated)> array_gather{
    "array::gather", types_of<V, W, I>};

/// out[i] := values[stride i].  n values; for the real parts of complex values.
template <class R>
inline constinit kernel<void(size_type n, size_type stride, const R* values, R* out)> array_copy_strided{
    "array::copy_strided", types_of<R>};

/// out[r] := sum of values[source[k]] over run r, from left to right. Run r is run_begins[r] <= k < run_begins[r + 1],
/// the last one ends at `count`.  run_begins, out: num_runs values; source: count.
template <class V, class I>
inline constinit kernel<void(size_type num_runs, const I* run_begins, size_type count, const I* source, const V* values,
                             V* out)>
    array_sum_runs{"array::sum_runs", types_of<V, I>};

/// out[k] := |values[k]|.  n values; out may be values.
template <class V>
inline constinit kernel<void(size_type n, const V* values, V* out)> array_absolute{"array::absolute", types_of<V>};

/// numbers[i] := i.  n values.
template <class I>
inline constinit kernel<void(size_type n, I* numbers)> array_iota{"array::iota", types_of<I>};

/// out[i] := values[i] + delta.  n values; out may be values.
template <class I>
inline constinit kernel<void(size_type n, I delta, const I* values, I* out)> array_shift{"array::shift", types_of<I>};

/// picked[k] := values[rows[k]] for values of `words` words of 32 bits.  rows: n.
template <class I>
inline constinit kernel<void(size_type n, int words, const I* rows, const std::uint32_t* values, std::uint32_t* picked)>
    array_pick{"array::pick", types_of<I>};

/// marks[numbers[i]] := 1; negative numbers are none.  n values.
template <class I>
inline constinit kernel<void(size_type n, const I* numbers, I* marks)> array_mark_named{"array::mark_named",
                                                                                        types_of<I>};

/// numbers[i] := map[numbers[i]]; negative ones stay.  n values.
template <class I>
inline constinit kernel<void(size_type n, const I* map, I* numbers)> array_renumber{"array::renumber", types_of<I>};

/// marks[i] := values[i] != 0.  n values; NaN is marked.
template <class V>
inline constinit kernel<void(size_type n, const V* values, std::uint8_t* marks)> array_mark_nonzeros{
    "array::mark_nonzeros", types_of<V>};

/// marks[i] := values[i] != values[0].  n values.
template <class V, class I>
inline constinit kernel<void(size_type n, const V* values, I* marks)> array_mark_different{"array::mark_different",
                                                                                           types_of<V, I>};

/// marks[i] := 1 where values[i] is none of 0, ..., count - 1, else 0.  n values.
template <class I>
inline constinit kernel<void(size_type n, const I* values, size_type count, I* marks)> array_mark_outside{
    "array::mark_outside", types_of<I>};

/// marks[i] := 1 where values[i] > values[i + 1], else 0.  values: n + 1.
template <class I>
inline constinit kernel<void(size_type n, const I* values, I* marks)> array_mark_descents{"array::mark_descents",
                                                                                          types_of<I>};

}  // namespace linden
