#pragma once

#include <linden/export.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/matrix_data.hpp>

namespace linden {

/// The modes in which a body moves without being deformed: the near-null space of linear elasticity. For nodes in the
/// plane two translations and a rotation, (2 nodes) x 3; in space three of each, (3 nodes) x 6. Row `dimension * node +
/// direction` is the displacement of a node in a direction. Rotations are about the centre of the nodes, in units of
/// the largest distance of a coordinate from it.
///
/// coordinates: nodes x 2 or 3. @throws InvalidParameter for other numbers of columns
template <class V>
LINDEN_EXPORT Dense<V> rigid_body_modes(const Executor& exec, const DenseData<double>& coordinates);

}  // namespace linden
