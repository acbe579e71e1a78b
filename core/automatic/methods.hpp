#pragma once

#include <linden/matrix/statistics.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Which methods a matrix is given to, and in which order.
namespace linden::detail {

/// What a choice depends on besides the number of rows.
enum class MatrixKind {
    laplacian,   ///< Hermitian, diagonally dominant, with the signs of an M-matrix: diffusion
    definite,    ///< Hermitian, a diagonal of one sign: may be definite
    indefinite,  ///< other Hermitian ones
    dominant,    ///< not Hermitian, diagonally dominant
    general,     ///< not Hermitian
    hollow       ///< not Hermitian, with zeros or tiny entries on the diagonal
};
inline constexpr std::string_view matrix_kind_names[] = {"laplacian", "definite", "indefinite",
                                                         "dominant",  "general",  "hollow"};

MatrixKind kind_of(const MatrixStatistics& matrix);

/// The iterations of CG: in its natural order a mesh is as many bandwidths long as it has layers, and CG takes some two
/// iterations for each. Where the order says nothing, few are expected, and the rate tells.
double iterations_by_layers(const MatrixStatistics& matrix);

/// In words: size, symmetry, diagonal, scales.
std::string description_of(const MatrixStatistics& matrix);

/// A method as short names: `name` in the table below, JSON of its factory without a stopping rule.
struct Method {
    std::string_view name;
    std::string_view json;
    double expected_seconds = 0;  ///< of set-up and solve for the matrix at hand; 0: not known

    bool is_direct() const { return name == "lu" || name == "ldlt" || name == "cholesky"; }
};

/// All methods that the table of choices may name.
std::span<const Method> all_methods();

/// Whether direct solvers may take far longer than typically for so many rows, so that the symbolic phase has to tell
/// before a method is left for them: if rows of A + A^T have more than six entries, and are not few.
bool may_fill(const MatrixStatistics& matrix);

/// The same before a direct solver is the first method. Networks, with symmetric patterns but for a few entries and up
/// to eight entries to a row, are spared the symbolic phase: it would be a fifth of all that they take.
bool may_fill_at_once(const MatrixStatistics& matrix);

/// Of set-up and solve by Lu for so many rows and entries, on a host. Devices take much of that, too.
double typical_seconds_of_lu(const MatrixStatistics& matrix);

/// What a direct solver with so many operations takes on a quiet host behind its order.
double seconds_of_factors(double operations, size_type rows);

/// The methods for a matrix on a host, where `num_devices` is 0, or on so many devices; the most promising first, the
/// last resort last.
std::vector<Method> methods_for(const MatrixStatistics& matrix, int num_devices);

}  // namespace linden::detail
