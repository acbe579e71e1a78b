#pragma once

#include <linden/matrix_data.hpp>

#include <array>
#include <cstdint>

/// Linear elasticity on a bar of nx x ny x nz cubes with trilinear elements, clamped where x = 0: Young's modulus 1,
/// Poisson's ratio 0.3. Three unknowns per node, which are numbered with x fastest; those that are clamped are none.
namespace hexahedra {

using Size = linden::size_type;
using Stiffness = std::array<std::array<double, 24>, 24>;

/// Row 3 a + i, column 3 b + j: the integral over a unit cube of
///     lambda d_i N_a d_j N_b + mu (d_j N_a d_i N_b + delta_ij grad N_a . grad N_b),
/// by two Gauss points in each direction. Corner a is at (a & 1, a >> 1 & 1, a >> 2).
inline Stiffness stiffness()
{
    constexpr double ratio = 0.3, lambda = ratio / ((1 + ratio) * (1 - 2 * ratio)), mu = 1 / (2 * (1 + ratio));
    constexpr double points[] = {0.21132486540518713, 0.78867513459481287};
    Stiffness k{};
    for (int point = 0; point < 8; ++point) {
        std::array<std::array<double, 3>, 8> gradient;
        for (int corner = 0; corner < 8; ++corner) {
            for (int along = 0; along < 3; ++along) {
                double value = 1;
                for (int axis = 0; axis < 3; ++axis) {
                    const double x = points[point >> axis & 1];
                    const bool is_far = (corner >> axis & 1) != 0;
                    value *= axis == along ? (is_far ? 1 : -1) : is_far ? x : 1 - x;
                }
                gradient[corner][along] = value;
            }
        }
        for (int row = 0; row < 24; ++row) {
            for (int col = 0; col < 24; ++col) {
                const auto &a = gradient[row / 3], &b = gradient[col / 3];
                const int i = row % 3, j = col % 3;
                const double dot = i == j ? a[0] * b[0] + a[1] * b[1] + a[2] * b[2] : 0;
                k[row][col] += (lambda * a[i] * b[j] + mu * (a[j] * b[i] + dot)) / 8;
            }
        }
    }
    return k;
}

struct Bar {
    linden::MatrixData<double, std::int32_t> matrix;
    linden::DenseData<double> coordinates;  ///< nodes x 3
};

inline Bar bar(Size nx, Size ny, Size nz)
{
    const auto k = stiffness();
    const Size nodes = nx * (ny + 1) * (nz + 1);
    Bar result{{{3 * nodes, 3 * nodes}, {}, {}, {}}, {{nodes, 3}, {}}};
    const auto node = [&](Size x, Size y, Size z) { return x - 1 + nx * (y + (ny + 1) * z); };  // x = 0 is clamped
    for (Size element = 0; element < nx * ny * nz; ++element) {
        const Size x = element % nx, y = element / nx % ny, z = element / nx / ny;
        const auto corner = [&](int a) {
            return x + (a & 1) == 0 ? -1 : node(x + (a & 1), y + (a >> 1 & 1), z + (a >> 2));
        };
        for (int row = 0; row < 24; ++row) {
            for (int col = 0; col < 24; ++col) {
                if (corner(row / 3) >= 0 && corner(col / 3) >= 0) {
                    result.matrix.rows.push_back(static_cast<std::int32_t>(3 * corner(row / 3) + row % 3));
                    result.matrix.cols.push_back(static_cast<std::int32_t>(3 * corner(col / 3) + col % 3));
                    result.matrix.values.push_back(k[row][col]);
                }
            }
        }
    }
    for (Size i = 0; i < nodes; ++i) {
        for (const Size value : {i % nx + 1, i / nx % (ny + 1), i / nx / (ny + 1)}) {
            result.coordinates.values.push_back(static_cast<double>(value));
        }
    }
    return result;
}

}  // namespace hexahedra
