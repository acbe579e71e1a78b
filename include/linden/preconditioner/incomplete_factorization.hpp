#pragma once

#include <linden/csr_operator.hpp>
#include <linden/factory.hpp>
#include <linden/select.hpp>
#include <linden/solver/triangular.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace linden {

/// Which values a sweep over the entries of incomplete factors reads. `synchronous`: those from before the sweep.
/// `in_place`: those that the sweep itself has already found, where there are any.
enum class SweepOrder { synchronous, in_place };

/// Which matrix drop tolerances look at. `none`: the given one. `equilibrate`: the given one with its rows and columns
/// scaled by powers of two, so that the largest entry of each is 1 to 2 (for Cholesky factors: the diagonal is 1/2 to
/// 2). The factors are those of the given matrix in both cases.
enum class FactorScaling { none, equilibrate };

namespace detail {

template <class V>
class IncompleteFactors;

/// Which fill-in the factors have, and whether their values come from fixed-point iterations.
enum class Fill { none, levels, threshold, swept_levels, swept_threshold };

/// What is factorized, how, and how the triangular systems are solved.
struct FactorizationPlan {
    std::string_view name{};  ///< in static memory
    bool is_cholesky = false;
    Fill fill = Fill::none;
    size_type k = 0;
    double tolerance = 0;
    double pivoting = 0;
    FactorScaling scaling = FactorScaling::none;
    size_type steps = 0;
    size_type sweeps = 0;
    SweepOrder sweep_order = SweepOrder::synchronous;
    double fill_limit = 0;
    double row_limit = 0;
    double byte_limit = 0;
    Selection selection = Selection::exact;
    bool eliminates = false;
    double shift = 0;
    TriangularOptions triangular{};
    size_type blocks = 1;
    size_type block_rows = 0;
};

}  // namespace detail

/// x := (L U)^-1 b or (L L^H)^-1 b with incomplete factors of a sparse matrix: the common base of Ilu0, Iluk, Ilut,
/// ParIlu, ParIlut and of Ic0, Ick, Ict, ParIc, ParIct. [Naumov11], [Saad03, 10]
///
/// A pivot that is zero, or tiny relative to its row, is not an error: it is replaced by the 2-norm of A's row. See
/// `num_bad_pivots()` and `first_bad_row()`. `shift` adds shift ||a_i||_2 to each diagonal entry before the
/// factorization, which keeps pivots away from zero. [Manteuffel80]
///
/// Even if A is positive definite, pivots of Ic0, Ick and Ict may be bad. They then factorize again, with shifts of
/// 0.001, 0.002 and so on up to 2, until no pivot is bad; if none of these shifts helps, they take the given one. See
/// `shift()`.
///
/// `blocks` or `block_rows` split the rows into contiguous blocks, as in Ssor. Entries that couple different blocks are
/// ignored (block Jacobi with incomplete factors). The blocks are factorized and solved in parallel; in exchange the
/// solver takes more iterations. [MeijerinkVanDerVorst77]
///
/// New values keep the shift and the pattern of the factors, also a pattern that was found by drop tolerances (Ilut,
/// Ict) or by steps (ParIlut, ParIct).
template <class V>
class LINDEN_EXPORT IncompleteFactorization : public CsrOperator<IncompleteFactorization, V> {
public:
    std::string name() const override { return std::string(parameters_.name); }

    /// Number of replaced pivots. Waits for the executor.
    size_type num_bad_pivots() const;
    /// The shift of the factors: the given one, or what Ic0, Ick and Ict have found.
    double shift() const;
    bool has_found_shift() const { return shift() != parameters_.shift; }
    /// The first row with a replaced pivot, -1 if there is none. Waits for the executor.
    size_type first_bad_row() const;
    /// One Csr that holds the strict lower triangle of L (its unit diagonal is not stored) and U, or the Cholesky
    /// factor L. With pivoting, these are the factors of the matrix with exchanged columns.
    LinOpPtr<V> factors() const;
    size_type num_nonzeros() const;
    /// Columns that pivoting has moved.
    size_type num_moved_columns() const;
    /// The algorithm of the triangular solves; `automatic` is resolved.
    TriangularAlgorithm algorithm() const;
    /// Number of level sets of the solve with L, as Triangular::num_levels counts them.
    size_type num_levels() const;

protected:
    /// @throws NotSupported if the matrix is not a Csr, DimensionMismatch if it is not square, InvalidParameter
    IncompleteFactorization(Executor exec, detail::FactorizationPlan plan, LinOpPtr<V> matrix);
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;

private:
    friend CsrOperator<IncompleteFactorization, V>;

    detail::FactorizationPlan parameters_;
    LinOpPtr<V> matrix_;
    std::shared_ptr<detail::IncompleteFactors<V>> impl_;
};

/// Parameters of Ilu0 and Ic0: factors on the pattern of A and its diagonal.
struct LINDEN_EXPORT ZeroFill {
    static constexpr std::string_view lu_name = "Ilu0", cholesky_name = "Ic0";

    double shift = 0;          ///< adds shift ||a_i||_2 to a_ii, see IncompleteFactorization
    size_type blocks = 1;      ///< number of diagonal blocks; their numbers of rows differ by one at most
    size_type block_rows = 0;  ///< rows per block, instead of `blocks`; the last may have fewer; 0: use `blocks`
    TriangularOptions triangular{};
    void describe(ParameterVisitor& v);
};

/// Parameters of Iluk and Ick: factors on the pattern with k levels of fill. The symbolic phase runs on the host, as a
/// search of the matrix's graph. [Saad03, 10.3.3], [HysomPothen02]
struct LINDEN_EXPORT LevelFill {
    static constexpr std::string_view lu_name = "Iluk", cholesky_name = "Ick";

    size_type k = 1;           ///< levels of fill
    double shift = 0;          ///< adds shift ||a_i||_2 to a_ii, see IncompleteFactorization
    size_type blocks = 1;      ///< number of diagonal blocks; their numbers of rows differ by one at most
    size_type block_rows = 0;  ///< rows per block, instead of `blocks`; the last may have fewer; 0: use `blocks`
    TriangularOptions triangular{};
    void describe(ParameterVisitor& v);
};

/// Parameters of Ilut and Ict: each row of L and of U, or of L^H, has at most nnz/n + k entries besides the diagonal,
/// all of magnitude at least tol ||a_i||_2. [Naumov11, 5], [Saad94]
///
/// Computed on the matrix's executor; every executor gives the same factors, bit by bit.
///
/// Unless `scaling` is none, entries are compared, and a shift is added, as if the matrix had been equilibrated. Powers
/// of two that scale rows (Ict: rows and columns alike) then change nothing, so that units do not matter. The factors
/// are those of A itself; scaling costs set-up alone.
///
/// With `pivoting`, Ilut is ILUTP, for matrices with zeros on the diagonal: if the largest entry right of the diagonal,
/// times `pivoting`, exceeds the diagonal entry, its column is exchanged with that of the diagonal. The columns are
/// found on the host by one core, since the choice of each row decides for all later rows. The factors of the matrix in
/// this order are then computed on its executor, as without pivoting. New values keep the columns. [Saad03, 10.4.4]
struct LINDEN_EXPORT ThresholdFill {
    static constexpr std::string_view lu_name = "Ilut", cholesky_name = "Ict";

    size_type k = 10;     ///< entries kept per row of a factor: at most nnz/n + k
    double tol = 1e-5;    ///< drop tolerance: entries below tol ||a_i||_2 are dropped
    double pivoting = 0;  ///< of Ilut, 0 to 1: 0: pivots from the diagonal; 1: the largest entry of each row
    FactorScaling scaling = FactorScaling::equilibrate;
    double shift = 0;          ///< adds shift ||a_i||_2 to a_ii, see IncompleteFactorization
    size_type blocks = 1;      ///< number of diagonal blocks; their numbers of rows differ by one at most
    size_type block_rows = 0;  ///< rows per block, instead of `blocks`; the last may have fewer; 0: use `blocks`
    TriangularOptions triangular{};
    void describe(ParameterVisitor& v);
};

/// Parameters of ParIlu and ParIc: factors on the pattern with k levels of fill, approximated by sweeps over all their
/// entries at once, in place of one row after the other. [ChowPatel15]
///
/// A sweep replaces s_ij by a_ij - sum over k < min(i, j) of s_ik s_kj / s_kk, where S holds U above and L diag(U)
/// below. The first sweep starts from A. In exact arithmetic, as many sweeps as the longest chain of dependent rows
/// give the factors of Iluk. Every executor gives the same factors, bit by bit.
///
/// With sweep_order = in_place a sweep goes through blocks of 1024 rows, and through each block row by row. It reads
/// the new values of earlier entries in the same block, and the old values of all others. As many sweeps as there are
/// blocks give the factors of Iluk. With several blocks the first sweeps may be worse than synchronous ones. The
/// factors have the same bits for any number of threads and on any executor.
struct LINDEN_EXPORT SweptFill {
    static constexpr std::string_view lu_name = "ParIlu", cholesky_name = "ParIc";

    size_type k = 0;              ///< levels of fill
    size_type factor_sweeps = 5;  ///< number of sweeps, at least 0; 0 takes the values of A
    SweepOrder sweep_order = SweepOrder::synchronous;
    double shift = 0;          ///< adds shift ||a_i||_2 to a_ii, see IncompleteFactorization
    size_type blocks = 1;      ///< number of diagonal blocks; their numbers of rows differ by one at most
    size_type block_rows = 0;  ///< rows per block, instead of `blocks`; the last may have fewer; 0: use `blocks`
    TriangularOptions triangular{};
    void describe(ParameterVisitor& v);
};

/// Parameters of ParIlut and ParIct: sweeps as of ParIlu, on a pattern that follows the values. [AnztEtAl19b]
///
/// A step has three parts:
/// - It forms candidates: the swept values on the pattern of S, and the residuals a_ij - (L U)_ij in the other places
///   of the pattern of A + L U.
/// - It keeps those that are largest relative to sqrt(|s_ii s_jj|), as many as the limit allows. Entries of equal
///   magnitude stay or go together.
/// - It sweeps on the new pattern.
///
/// A + L U is never stored: a sample of the rows tells which entries may be among the largest.
///
/// With `eliminate` each step computes its values by elimination, row by row, instead of approximating them by sweeps.
/// The solver then takes fewer iterations, but rows wait for each other in the set-up, and executors may differ in the
/// last bits.
///
/// With selection = approximate the sample alone decides, and S may exceed the limit by some per cent. Matrices of at
/// most 4096 rows are their own sample. Every executor gives the same factors, bit by bit.
///
/// With sweep_order = in_place, explained at ParIlu, a step stores all of A + L U, sweeps on it once, and then keeps
/// the largest entries of all rows. Fewer steps and iterations are needed, but a step takes several times the memory
/// and the time. In ParIct the lower triangle counts; the upper one is its mirror image in the limit only.
struct LINDEN_EXPORT SweptThresholdFill {
    static constexpr std::string_view lu_name = "ParIlut", cholesky_name = "ParIct";

    size_type k = 0;              ///< levels of fill of the pattern that steps start from
    size_type steps = 5;          ///< number of steps, at least 0; 0 takes the triangles of A
    double fill = 2;              ///< limit of the entries of S, as a multiple of A's; the diagonal always stays
    double row_fill = 0;          ///< limit of the entries of S per row on average; 0: none
    double bytes = 0;             ///< limit of the bytes of S's entries; 0: none
    size_type factor_sweeps = 2;  ///< number of sweeps on the new pattern in each step, at least 0
    SweepOrder sweep_order = SweepOrder::synchronous;
    Selection selection = Selection::exact;
    bool eliminate = false;    ///< values by elimination, row by row, in place of sweeps
    double shift = 0;          ///< adds shift ||a_i||_2 to a_ii, see IncompleteFactorization
    size_type blocks = 1;      ///< number of diagonal blocks; their numbers of rows differ by one at most
    size_type block_rows = 0;  ///< rows per block, instead of `blocks`; the last may have fewer; 0: use `blocks`
    TriangularOptions triangular{};
    void describe(ParameterVisitor& v);
};

/// The incomplete factorizations, which linden/preconditioner/ilu.hpp and ic.hpp name: LU or Cholesky factors with
/// the fill-in that `Fill` describes.
template <class V, class Fill, bool is_cholesky>
class LINDEN_EXPORT FactorizationWith : public IncompleteFactorization<V> {
public:
    static constexpr std::string_view type_name = is_cholesky ? Fill::cholesky_name : Fill::lu_name;

    using Parameters = Fill;

    static Factory<FactorizationWith> factory(Parameters parameters = {})
    {
        return Factory<FactorizationWith>(parameters);
    }

    FactorizationWith(Executor exec, Parameters parameters, LinOpPtr<V> matrix);
};

}  // namespace linden
