#pragma once

#include <linden/csr_operator.hpp>
#include <linden/factory.hpp>
#include <linden/side.hpp>
#include <linden/storage_precision.hpp>

#include <memory>

namespace linden {

namespace detail {
template <class V>
class TriangularSolve;
}  // namespace detail

/// How triangular systems T x = b are solved. A level set consists of rows that depend on rows of earlier levels only.
///
/// | algorithm | exact | how |
/// |---|---|---|
/// | `levels` | yes | level by level; on devices one block solves consecutive thin levels |
/// | `syncfree` | yes | all rows in one kernel; each row waits for the values that it depends on |
/// | `segments` | yes | as `syncfree`, with a segment of consecutive rows per multiprocessor; hosts use `levels` |
/// | `jacobi` | no | Jacobi sweeps x := x + M^-1 (b - T x) from x = 0, with M the (block) diagonal of T |
/// | `isai` | no | x := M b with an incomplete sparse approximate inverse M ~ T^-1; then sweeps x := x + M (b - T x) |
/// | `automatic` | yes | `levels` on hosts; on devices `segments` if there are many thin levels, else `syncfree` |
/// | `vendor` | yes | cuSPARSE on CUDA, hipSPARSE on HIP; other executors throw NotSupported |
///
/// `vendor` uses SpSV for one right-hand side, analysed at construction, and SpSM for several, analysed at the first
/// application with that number.
///
/// `isai` finds M on the pattern of T^power with (M T)_ij = delta_ij there, by one small triangular system per row. A
/// solve is a sparse product, in which no row waits for another. M of T^T is the transpose of M of T, so that solves
/// with L and L^H together are Hermitian. [AnztEtAl18]
enum class TriangularAlgorithm { automatic, levels, syncfree, segments, jacobi, vendor, isai };

struct LINDEN_EXPORT TriangularOptions {
    TriangularAlgorithm algorithm = TriangularAlgorithm::automatic;
    size_type sweeps = 0;      ///< jacobi: number of sweeps, 0 for 3; isai: number of products with M, 0 for 1
    size_type block_size = 1;  ///< jacobi: maximum rows of a diagonal block, 1 to 32
    size_type power = 1;       ///< isai: M has the pattern of T^power, at least 1
    StoragePrecision storage = StoragePrecision::same;  ///< of off-diagonal entries; not for jacobi, vendor, isai
    void describe(ParameterVisitor& v);
};

/// Whether T, T^T or T^H is meant.
enum class MatrixOperation { none, transpose, conjugate_transpose };

/// x := T^-1 b, T^-T b or T^-H b for the lower or upper triangle T of a sparse matrix. [Naumov11, 3]
///
/// The other triangle is ignored. Zero or missing diagonal entries count as 1; `num_zero_diagonals()` counts them.
/// Construction analyses the pattern; new values on it cost one pass. Applications allocate nothing after the first
/// with the same number of right-hand sides. A movable value.
template <class V>
class LINDEN_EXPORT Triangular : public CsrOperator<Triangular, V> {
public:
    static constexpr std::string_view type_name = "Triangular";

    struct Parameters {
        Side side = Side::lower;
        bool unit_diagonal = false;  ///< assume ones on the diagonal; stored diagonal entries are ignored
        MatrixOperation operation = MatrixOperation::none;
        TriangularOptions solve{};
        void describe(ParameterVisitor& v);
    };

    static Factory<Triangular> factory(Parameters parameters = {}) { return Factory<Triangular>(parameters); }

    /// @throws NotSupported if the matrix is not a Csr, DimensionMismatch if it is not square, InvalidParameter,
    /// KernelNotAvailable
    Triangular(Executor exec, Parameters parameters, LinOpPtr<V> matrix);

    std::string name() const override { return "Triangular"; }

    /// The algorithm in use; `automatic` is resolved.
    TriangularAlgorithm algorithm() const;
    /// Number of level sets of a solve. With `levels` on hosts a level set consists of runs of consecutive rows, each
    /// solved by one thread. 0 for jacobi and isai, which need no levels, and for vendor, whose library does not tell.
    size_type num_levels() const;
    /// Number of zero or missing diagonal entries, which count as 1. Waits for the executor.
    size_type num_zero_diagonals() const;

protected:
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;

private:
    friend CsrOperator<Triangular, V>;

    Parameters parameters_;
    LinOpPtr<V> matrix_;
    std::shared_ptr<detail::TriangularSolve<V>> impl_;
};

}  // namespace linden
