#pragma once

namespace linden {

/// In which precision an operator keeps its values in memory; it computes in the operator's. `single`: float, or
/// complex64; `half`: 16 bits, for real values only.
enum class StoragePrecision { same, single, half };

}  // namespace linden
