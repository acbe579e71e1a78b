#pragma once

#include <linden/types.hpp>

#include "core/base/host_device.hpp"

/// Rows that threads do together, see core/portable/body.hpp. Functions of lanes are called by all lanes of a row.
namespace linden {

/// The only lane of a row on hosts.
struct OneLane {
    static constexpr int size = 1;
    static constexpr int lane() { return 0; }
    /// What lanes have written before, all of them read after.
    static constexpr void sync() {}
    static constexpr bool any(bool predicate) { return predicate; }
    template <class T>
    static constexpr T sum(T value)
    {
        return value;
    }
    template <class T>
    static constexpr T max(T value)
    {
        return value;
    }
    /// The value of a lane.
    template <class T>
    static constexpr T of_lane(T value, int)
    {
        return value;
    }
    /// How many lanes before this one are chosen; count: how many in all.
    static constexpr int rank(bool is_chosen, int& count)
    {
        count = is_chosen ? 1 : 0;
        return 0;
    }
};

template <class Matrix>
LINDEN_HOST_DEVICE size_type row_length(const Matrix& a, size_type row)
{
    return a.row_ptrs[row + 1] - a.row_ptrs[row];
}

/// How many k of [begin, end) `keep(k)` holds for; every lane learns it.
template <class I, class Lanes, class Keep>
LINDEN_HOST_DEVICE I count_entries(Lanes, size_type begin, size_type end, const Keep& keep)
{
    I count = 0;
    for (size_type k = begin + Lanes::lane(); k < end; k += Lanes::size) {
        count += keep(k) ? 1 : 0;
    }
    return Lanes::sum(count);
}

/// Calls `use(at, k)` for those k of [begin, end) that `keep(k)` holds for, with at = first, first + 1, ... in the
/// order of k. Returns the next `at`.
template <class Lanes, class Keep, class Use>
LINDEN_HOST_DEVICE size_type compact_entries(Lanes, size_type begin, size_type end, size_type first, const Keep& keep,
                                             const Use& use)
{
    for (size_type base = begin; base < end; base += Lanes::size) {
        const size_type k = base + Lanes::lane();
        const bool is_kept = k < end && keep(k);
        int count = 0;
        const int rank = Lanes::rank(is_kept, count);
        if (is_kept) {
            use(first + rank, k);
        }
        first += count;
    }
    return first;
}

/// An item of a body on hosts.
template <class Body>
void do_item(const Body& body, size_type i)
{
    if constexpr (requires { body.length(i); }) {
        if (body.length(i) >= 0) {
            body(OneLane(), i);
        }
    } else if constexpr (requires { body.num_entries(); }) {
        body(OneLane(), i);
    } else {
        body(i);
    }
}

}  // namespace linden
