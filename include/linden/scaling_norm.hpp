#pragma once

namespace linden {

/// Which norm of each row and column scaling makes 1; see Scaled.
enum class ScalingNorm { infinity, two, one };

}  // namespace linden
