#pragma once

#include <linden/csr_operator.hpp>
#include <linden/factory.hpp>
#include <linden/storage_precision.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace linden {

namespace detail {

template <class V>
class MultiEliminationFactors;

}  // namespace detail

/// What the rule says about the parameters of MultiElimination that are not set:
///
/// | | `modified` | `paper` | `exact` |
/// |---|---|---|---|
/// | for | symmetric positive definite matrices, and close ones | comparison with [LukarskiEtAl14] | grids, circuits |
/// | `pivots` | `degree` | `natural` | `off_diagonal` |
/// | `threshold` | `diagonal` | `mean` | `row` |
/// | `beta`, `decay` | 0.02, 0.8 | 0.1, 1 | 0, 1 |
/// | `omega`, `theta` | 1, 0.06 | 0, 0 | 0, 0 |
/// | `bottom_rows` | 1024, on hosts 256 | 12000 | 640; on hosts 256, or where less than 20 % of the rows are pivots |
/// | `bottom` | inverse | inverse | inverse; on hosts `lu` from 65 rows on |
enum class EliminationRule { modified, paper, exact };

/// How the pivots of a level are chosen.
///
/// All but `off_diagonal` take an independent set of rows, whose diagonal entries are the pivots. `natural` and
/// `hashed` visit the rows in the order that they name, and take a row if it has no neighbour in the set. `degree`
/// visits rows with few entries first, in rounds of parallel decisions. `largest_colour` takes the largest class of a
/// greedy colouring. `off_diagonal` takes large entries anywhere, those with the least fill-in first; zeros on the
/// diagonal do not matter. [Saad96], [Saad05]
enum class EliminationPivots { by_rule, natural, degree, off_diagonal, hashed, largest_colour };

/// An entry s_ij of a Schur complement S is dropped if its magnitude is at most beta times the mean magnitude in S
/// (`mean`), the 2-norm of its row (`row`), or sqrt(|s_ii s_jj|) (`diagonal`).
enum class EliminationThreshold { by_rule, mean, row, diagonal };

/// Multi-elimination ILU: x := M^-1 b by levels of pivots that do not depend on each other. [LukarskiEtAl14], [Saad96]
///
/// A level eliminates its pivots from A = (D F; E C), D diagonal. It leaves the Schur complement S = C - E D^-1 F,
/// without its small entries, as the matrix of the next level. `omega` adds dropped entries to the diagonal, which
/// keeps the sums of rows; matrices of diffusion then take far fewer iterations. The last matrix, of fewer than
/// `bottom_rows` rows, is inverted or handed to a factory.
///
/// All levels together are one incomplete factorization. An application goes down through the levels and up again, with
/// a kernel per level each way, and multiplies with the inverse in between.
///
/// Without dropping (rule exact) this is a direct solver for matrices that stay sparse, such as those of power grids
/// and circuits. Results are the same on every executor up to rounding; two runs give the same bits.
/// New values keep pivots and pattern.
template <class V>
class LINDEN_EXPORT MultiElimination : public CsrOperator<MultiElimination, V> {
public:
    static constexpr std::string_view type_name = "MultiElimination";

    /// A negative number or `by_rule` stands for what the rule says.
    struct Parameters {
        EliminationRule rule = EliminationRule::modified;
        EliminationPivots pivots = EliminationPivots::by_rule;
        EliminationThreshold threshold = EliminationThreshold::by_rule;
        double beta = -1;   ///< factor of the threshold; 0: only zeros are dropped
        double decay = -1;  ///< beta is multiplied by it from level to level
        double omega = -1;  ///< share of dropped entries that is added to the diagonal
        /// Neighbours i and j may both be pivots if |a_ij| is less than theta times the strength of row i and of row j.
        /// The strength of a row is |a_ii| or ten times its largest magnitude off the diagonal, whichever is less.
        double theta = -1;
        double delta = 0.1;          ///< pivots are at least delta times the largest magnitude of their row
        size_type depth = 0;         ///< number of levels; 0: as many as `bottom_rows` and `bottom_density` need
        size_type bottom_rows = -1;  ///< no more levels for fewer rows
        double bottom_density = 1;   ///< no more levels for a matrix with that share of nonzeros, or more
        /// Number of successive levels that together eliminate a block independent set, whose blocks are parts of
        /// coupled rows. What the blocks leave of other rows is exact; entries are dropped after the last of these
        /// levels. [SaadZhang99]
        size_type block_levels = 1;
        StoragePrecision storage = StoragePrecision::same;         ///< of the levels
        StoragePrecision bottom_storage = StoragePrecision::same;  ///< of the inverse
        FactoryPtr<V> bottom{};                                    ///< solves with the last matrix; none: its inverse
        void describe(ParameterVisitor& v);
    };

    /// The matrix of a level.
    struct Level {
        size_type rows = 0;
        size_type nonzeros = 0;
    };

    static Factory<MultiElimination> factory(Parameters parameters = {})
    {
        return Factory<MultiElimination>(std::move(parameters));
    }

    /// @throws NotSupported if the matrix is not a Csr, DimensionMismatch if it is not square, InvalidParameter,
    /// OutOfMemory, and what the bottom's factory throws
    MultiElimination(Executor exec, Parameters parameters, LinOpPtr<V> matrix);

    std::string name() const override { return "MultiElimination"; }

    /// A, the Schur complement of each level, and so as the last one the matrix at the bottom.
    const std::vector<Level>& levels() const;
    /// Nonzeros of L and U, without the bottom.
    size_type num_nonzeros() const;
    /// Bytes of an application's data on the executor, with padding and the inverse.
    size_type storage_bytes() const;
    /// Pivots that were zero, and rows of the bottom that depend on others. Waits for the executor.
    size_type num_bad_pivots() const;

protected:
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;

private:
    friend CsrOperator<MultiElimination, V>;

    Parameters parameters_;
    LinOpPtr<V> matrix_;
    std::shared_ptr<detail::MultiEliminationFactors<V>> impl_;
};

}  // namespace linden
