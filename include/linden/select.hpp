#pragma once

#include <linden/array.hpp>

#include <cstdint>

namespace linden {

/// How exactly a value of some rank is found; see `select_threshold`.
enum class Selection : std::uint8_t {
    exact,
    approximate,  ///< from fewer bytes; off by 0.1 % of all ranks on average, and by 1 % in the worst of 4000 trials
};

/// The magnitude that stands at position `rank`, counted from 0, when the magnitudes of `values` are sorted in
/// ascending order. So `rank` of them are not larger, and dropping those below it leaves at least size - rank values.
/// NaN counts as larger than infinity. SampleSelect [AnztEtAl19b, III].
///
/// | | reads and writes, beside the magnitudes of n values (of r bytes each) | result |
/// |---|---|---|
/// | exact | n (r + 2) bytes, and a few hundredths of that | that of rank `rank` |
/// | approximate | n r bytes | the nearest of 255 quantiles of 1024 values; exact up to 1024 values |
///
/// Deterministic: the same bits in every run, and for the same magnitudes on every executor. Magnitudes of complex
/// numbers are rounded as the platform's hypot rounds them. Runs on the executor of `values`, allocates about n (2 r +
/// 1) bytes there, and waits for it.
/// @throws InvalidParameter unless 0 <= rank < size, also for an empty array
template <class V>
LINDEN_EXPORT real_t<V> select_threshold(const Array<V>& values, size_type rank, Selection how = Selection::exact);

}  // namespace linden
