#pragma once

namespace linden {

/// Which sweeps an application of Gauss-Seidel or SSOR makes: forward, backward, or both (symmetric).
enum class SweepDirection { symmetric, forward, backward };

}  // namespace linden
