#pragma once

#include <linden/matrix_data.hpp>

#include <string>
#include <string_view>

/// Model problems, made without files. Rows are numbered x fastest: row = x + N (y + N z).
///
///     lap2d:N                      N x N grid, 5-point Laplacian: 4, -1
///     lap3d:N                      N x N x N grid, 7-point Laplacian: 6, -1
///     st27:N                       N x N x N grid, 27-point: 26, -1
///     aniso2d:N:EPS                as lap2d, the y couplings times EPS: 2 + 2 EPS; x -1; y -EPS
///     aniso3d:N:EPS                as lap3d, the z couplings times EPS: 4 + 2 EPS; x and y -1; z -EPS
///     convdiff3d:N:C               lap3d with upwind convection along x: 6 + C; x-minus -(1 + C); others -1
///     twophase:N:CONTRAST          as lap2d with coefficient k = 1 in the lower half (rows y with 2 y < N) and
///                                  1 / CONTRAST in the upper half; a face between a and b has 2 a b / (a + b), a face
///                                  on the boundary the k of its point; the diagonal is the sum of the four faces.
///                                  With a third argument, as in twophase:64:1000:l, Dirichlet conditions hold on these
///                                  sides alone, some of l, r (ends of x), b and t (of y); a face on another is 0
///     bubbles:N:COUNT:CONTRAST:SEED  as twophase, but k = 1 in COUNT circles in the unit square and 1 / CONTRAST
///                                  around: in a cell, that at its centre. Circles may overlap. Radii are uniform in
///                                  [R/2, R] with R^2 COUNT = 4/25, centres are where a circle fits, all in multiples
///                                  of 1/4096. The same on every platform
///     bubbles3d:N:COUNT:CONTRAST:SEED  the same on an N x N x N grid with spheres, R^3 COUNT = 1/8
///     random:N:NNZ_PER_ROW:SEED    N x N, nonsymmetric: in each row the diagonal and one entry in each of
///                                  NNZ_PER_ROW - 1 equal slices of the other columns, uniform in [-1, 1); the diagonal
///                                  is 1 + the sum of their absolute values. The same on every platform
///     powerlaw:N:NNZ_PER_ROW:SEED  as random, but the lengths of the rows follow Pareto's law with the exponent 3/2
///                                  about this mean, and the row in the middle is full
///
/// Dirichlet conditions: neighbours outside of the grid are left out, the diagonal stays.
namespace linden {

/// Makes the problem that `spec` names, directly as compressed rows, on all cores.
/// V is float, double, std::complex<float> or std::complex<double> (with imaginary parts 0); I is std::int32_t or
/// std::int64_t.
/// @throws InvalidParameter for an unknown name (with the nearest known one), a wrong number of arguments, a bad value,
/// or more rows or entries than I can count.
template <class V, class I>
LINDEN_EXPORT CsrData<V, I> generate_problem(std::string_view spec);

/// One line per problem: its form and what it is.
LINDEN_EXPORT std::string problem_help();

}  // namespace linden
