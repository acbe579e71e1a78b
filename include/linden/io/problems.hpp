#pragma once

#include <linden/matrix_data.hpp>

#include <string>
#include <string_view>

/// Generated model problems. Rows are numbered with x fastest: row = x + N (y + N z).
///
///     lap2d:N                      N x N grid, 5-point Laplacian: 4, -1
///     lap3d:N                      N x N x N grid, 7-point Laplacian: 6, -1
///     st27:N                       N x N x N grid, 27-point: 26, -1
///     aniso2d:N:EPS                as lap2d, the y couplings times EPS: 2 + 2 EPS; x -1; y -EPS
///     aniso3d:N:EPS                as lap3d, the z couplings times EPS: 4 + 2 EPS; x and y -1; z -EPS
///     convdiff3d:N:C               lap3d with upwind convection along x: 6 + C; x-minus -(1 + C); others -1
///     twophase:N:CONTRAST          as lap2d with coefficient k = 1 in the lower half (rows y with 2 y < N) and
///                                  1 / CONTRAST in the upper half. A face between points with a and b has the
///                                  coefficient 2 a b / (a + b), a face on the boundary the k of its point; the
///                                  diagonal is the sum of the four faces. A third argument, as in twophase:64:1000:l,
///                                  names the sides with Dirichlet conditions, some of l, r (ends of x), b and t (of
///                                  y); faces on the other sides are 0
///     bubbles:N:COUNT:CONTRAST:SEED  as twophase, but k = 1 in COUNT circles in the unit square and 1 / CONTRAST
///                                  outside, sampled at the centre of a cell. Circles may overlap. Radii are uniform in
///                                  [R/2, R] with R^2 COUNT = 4/25, circles lie inside of the square, and all
///                                  coordinates are multiples of 1/4096. Equal on every platform
///     bubbles3d:N:COUNT:CONTRAST:SEED  as bubbles on an N x N x N grid with spheres, R^3 COUNT = 1/8
///     random:N:NNZ_PER_ROW:SEED    N x N, nonsymmetric: in each row the diagonal and one entry in each of
///                                  NNZ_PER_ROW - 1 equal ranges of the other columns, uniform in [-1, 1); the diagonal
///                                  is 1 + the sum of their absolute values. Equal on every platform
///     powerlaw:N:NNZ_PER_ROW:SEED  as random, but row lengths have a Pareto distribution with exponent 3/2 and this
///                                  mean, and the middle row is full
///
/// Dirichlet conditions: neighbours outside of the grid are dropped, and the diagonal is unchanged.
namespace linden {

/// Generates the problem that `spec` names, in compressed sparse rows, on all cores.
/// V is float, double, std::complex<float> or std::complex<double> (with imaginary parts 0); I is std::int32_t or
/// std::int64_t.
/// @throws InvalidParameter for an unknown name (with the nearest known one), a wrong number of arguments, an invalid
/// value, or more rows or entries than I can represent
template <class V, class I>
LINDEN_EXPORT CsrData<V, I> generate_problem(std::string_view spec);

/// One line per problem: its syntax and a description.
LINDEN_EXPORT std::string problem_help();

}  // namespace linden
