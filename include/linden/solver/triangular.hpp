#pragma once

#include <linden/factory.hpp>
#include <linden/side.hpp>
#include <linden/storage_precision.hpp>

#include <memory>

namespace linden {

namespace detail {
template <class V>
class TriangularSolve;
}  // namespace detail

/// How systems with triangular matrices are solved. Rows that do not need each other form a level.
///
/// | algorithm | exact | how |
/// |---|---|---|
/// | `levels` | yes | level after level; runs of thin levels by one block of a device, all on hosts by the team |
/// | `syncfree` | yes | all rows at once, each waits for the values that it needs |
/// | `parts` | yes | the same with runs of neighbouring rows on each multiprocessor; on devices, hosts take `levels` |
/// | `sweeps` | no | x := x + M^-1 (b - T x), from x = 0, with M the blocks of T's diagonal |
/// | `automatic` | yes | `levels` on hosts; on devices `parts` where levels are many and thin, else `syncfree` |
/// | `vendor` | yes | by cuSPARSE on CUDA, hipSPARSE on HIP; executors without throw NotSupported |
///
/// `vendor` takes SpSV for one right-hand side, which it analyses at construction, and SpSM for several, which it
/// analyses at the first application with as many.
enum class TriangularAlgorithm { automatic, levels, syncfree, parts, sweeps, vendor };

struct LINDEN_EXPORT TriangularOptions {
    TriangularAlgorithm algorithm = TriangularAlgorithm::automatic;
    size_type sweeps = 3;                               ///< for the algorithm of that name: M^-1 is applied so often
    size_type block_size = 1;                           ///< for sweeps: the most rows of a block of M, 1 to 32
    StoragePrecision storage = StoragePrecision::same;  ///< of entries off the diagonal; not for sweeps, vendor
    void describe(ParameterVisitor& v);
};

/// Which matrix of a matrix T is meant.
enum class MatrixOperation { none, transpose, conjugate_transpose };

/// x := T^-1 b, T^-T b or T^-H b for a triangle T of a sparse matrix. [Naumov11, 3]
///
/// The other triangle of the matrix is passed over. Where the diagonal has a zero, or nothing, it counts as 1;
/// `num_zero_diagonals()` tells. Construction analyses the pattern; new values on it cost one pass. Applications
/// allocate nothing after the first with as many right-hand sides. A movable value.
template <class V>
class LINDEN_EXPORT Triangular : public LinOp<V> {
public:
    static constexpr std::string_view type_name = "Triangular";

    struct Parameters {
        Side side = Side::lower;
        bool unit_diagonal = false;  ///< take the diagonal for ones, whatever is there
        MatrixOperation operation = MatrixOperation::none;
        TriangularOptions solve{};
        void describe(ParameterVisitor& v);
    };

    static Factory<Triangular> factory(Parameters parameters = {}) { return Factory<Triangular>(parameters); }

    /// @throws NotSupported if the matrix is no Csr, DimensionMismatch if it is not square, InvalidParameter,
    /// KernelNotAvailable
    Triangular(Executor exec, Parameters parameters, LinOpPtr<V> matrix);
    ~Triangular() override;
    Triangular(Triangular&&) noexcept;
    Triangular& operator=(Triangular&&) noexcept;

    std::string name() const override { return "Triangular"; }
    bool is_capturable() const override;
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;
    /// @throws NotSupported, DimensionMismatch
    void update_values(LinOpPtr<V> matrix) override;

    /// What `automatic` has become.
    TriangularAlgorithm algorithm() const;
    /// Levels that a solve takes: of rows, or with `levels` on hosts of runs of rows, of which one thread takes all at
    /// once. 0 for sweeps, which need none, and for vendor, whose library does not tell.
    size_type num_levels() const;
    /// Diagonal entries that were taken for 1; waits for the executor.
    size_type num_zero_diagonals() const;

protected:
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;

private:
    Parameters parameters_;
    LinOpPtr<V> matrix_;
    std::unique_ptr<detail::TriangularSolve<V>> solve_;
};

}  // namespace linden
