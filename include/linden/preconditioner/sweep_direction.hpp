#pragma once

namespace linden {

/// Which sweeps of Gauss-Seidel or SSOR an application has: from the first row to the last, back, or both.
enum class SweepDirection { symmetric, forward, backward };

}  // namespace linden
