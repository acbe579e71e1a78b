#include <linden/error.hpp>
#include <linden/multigrid/near_nullspace.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

// instantiate: Dense<V> rigid_body_modes(const Executor&, const DenseData<double>&)

namespace linden {
namespace {

/// The coordinates from their centre on, the largest of which is 1.
DenseData<double> centred(DenseData<double> points)
{
    const auto [nodes, dimension] = points.size;
    std::vector<double> centre(static_cast<std::size_t>(dimension));
    for (std::size_t i = 0; i < points.values.size(); ++i) {
        centre[i % centre.size()] += points.values[i] / static_cast<double>(nodes);
    }
    double extent = 0;
    for (std::size_t i = 0; i < points.values.size(); ++i) {
        points.values[i] -= centre[i % centre.size()];
        extent = std::max(extent, std::abs(points.values[i]));
    }
    for (auto& value : points.values) {
        value = extent > 0 ? value / extent : 0;
    }
    return points;
}

}  // namespace

template <class V>
Dense<V> rigid_body_modes(const Executor& exec, const DenseData<double>& coordinates)
{
    const auto [nodes, dimension] = coordinates.size;
    if (dimension != 2 && dimension != 3) {
        throw InvalidParameter("coordinates", std::to_string(dimension) + " columns", "2 or 3 columns");
    }
    const auto points = centred(coordinates);
    const size_type vectors = dimension == 2 ? 3 : 6;
    std::vector<V> modes(static_cast<std::size_t>(nodes * dimension * vectors));
    const auto set = [&](size_type node, size_type direction, size_type mode, double value) {
        modes[static_cast<std::size_t>((node * dimension + direction) * vectors + mode)] =
            V{static_cast<real_t<V>>(value)};
    };
    for (size_type node = 0; node < nodes; ++node) {
        for (size_type direction = 0; direction < dimension; ++direction) {
            set(node, direction, direction, 1);
        }
        // The rotation about axis a takes the next axis to the one after it.
        for (size_type axis = dimension == 2 ? 2 : 0; axis < 3; ++axis) {
            const size_type next = (axis + 1) % 3, last = (axis + 2) % 3;
            const size_type mode = dimension == 2 ? 2 : 3 + axis;
            set(node, next, mode, -points.at(node, last));
            set(node, last, mode, points.at(node, next));
        }
    }
    Array<V> values(exec, modes);
    Dense<V> result(exec, {nodes * dimension, vectors});
    result.copy_from(Dense<V>::adopt(exec, result.size(), vectors, values.data()));
    return result;
}

}  // namespace linden
