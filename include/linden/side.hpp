#pragma once

namespace linden {

/// The part of a square matrix on one side of its diagonal.
enum class Side : bool { lower, upper };

}  // namespace linden
