#pragma once

#include <type_traits>

#include "core/kernels/stop.hpp"

/// How solver kernels leave out columns that have stopped.
namespace linden::omp {

template <class R>
bool any_running(const StopView<R>& stop)
{
    for (size_type col = 0; col < stop.cols; ++col) {
        if (stop.is_running(col)) {
            return true;
        }
    }
    return false;
}

/// Calls loop(all, chosen): `all` says at compile time whether every lane takes part, else chosen[lane] does. Nothing
/// is called where no lane does.
template <class L, class Chosen, class Loop>
void for_chosen_lanes(L lanes, const Chosen& is_chosen, const Loop& loop)
{
    const auto chosen = lanes.gather([&](size_type col) -> bool { return is_chosen(col); });
    if (lanes.all(is_chosen)) {
        loop(std::true_type{}, chosen);
    } else if (!lanes.all([&](size_type col) { return !is_chosen(col); })) {
        loop(std::false_type{}, chosen);
    }
}

}  // namespace linden::omp
