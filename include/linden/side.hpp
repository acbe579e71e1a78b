#pragma once

namespace linden {

/// The lower or upper triangle of a square matrix.
enum class Side : bool { lower, upper };

}  // namespace linden
