#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/arguments.hpp"
#include "core/inspect/fault.hpp"

/// Differences of what two runs of a kernel have left, element by element.
namespace linden::inspect {

/// Half the distance from 1 to the next number; 0 for what is no floating-point number.
double unit_roundoff_of(ElementKind kind);

struct Difference {
    double error = 0;             ///< the largest |a - b|; infinity where one is not a number, or no number has a place
    double scale = 0;             ///< the largest |b| of elements that the kernel has changed
    double ulps = 0;              ///< the largest |a - b| / (eps |b|)
    std::size_t num_changed = 0;  ///< elements that the kernel has changed
    std::size_t num_different = 0;
    std::size_t first = 0;  ///< of the different ones
};

/// `count` elements of `a` against those of `b`. `before`: what they were before the kernel ran.
Difference compare(ElementType element, const std::byte* a, const std::byte* b, const std::byte* before,
                   std::size_t count);

/// Changes each floating-point number by one part in 2 / eps, up or down at random; zeros stay.
void perturb(ElementType element, std::byte* values, std::size_t count, std::uint64_t seed);

/// Makes `after` wrong in one element, as if the kernel had left it so; false where no element shows it: an old value
/// that has half of the digits of a number of unit roundoff `roundoff` may be right, too.
bool plant_fault(Fault fault, ElementType element, const std::byte* before, std::byte* after, std::size_t count,
                 double roundoff);

}  // namespace linden::inspect
