#pragma once

#include <linden/solver/solver.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linden {

namespace detail {
template <class V>
class DirectFactors;
}  // namespace detail

/// In which order rows and columns are eliminated.
enum class FillOrdering {
    automatic,          ///< amd, and nested dissection where amd leaves much fill; the one that leaves less
    amd,                ///< approximate minimum degree
    nested_dissection,  ///< by METIS, where the build has it
    rcm,                ///< reverse Cuthill-McKee
    natural
};

/// How Lu chooses pivots.
enum class Pivoting {
    /// Fixed, and partial where refinement does not reach the backward error. Hosts: any for networks, and partial for
    /// matrices with 55 % of all entries or more, as dense ones.
    automatic,
    fixed,   ///< on the diagonal after the matching, in the order that leaves little fill
    partial  ///< the largest of a column, unless the diagonal one has a tenth of it; found on the host
};

/// Which entries Lu brings to the diagonal.
enum class PivotMatching {
    maximum,     ///< those of the largest product: maximum_product_matching
    approximate  ///< of half of it or more in geometric mean, found in parallel: approximate_product_matching
};

/// Signs of a Hermitian matrix's eigenvalues, which are those of the pivots.
struct Inertia {
    size_type positive = 0, negative = 0, zero = 0;
};

/// The entry of A in whose place a pivot is.
struct PivotPlace {
    size_type row = 0, column = 0;
};

/// det A = argument * exp(log_magnitude), |argument| = 1.
template <class V>
struct LogDeterminant {
    double log_magnitude = 0;
    V argument{1};
};

/// What factors take, known before the numeric phase.
struct FactorSize {
    size_type entries = 0;  ///< of L and U, where there are blocks of these and what is kept, or of the Cholesky factor
    /// On the executor at most, besides the matrix: factors, what new values and solves need, the vectors of the set-up
    /// and of a solve with one right-hand side. Devices: about so many.
    size_type bytes = 0;
    double operations = 0;  ///< multiplications and additions of the numeric phase
};

/// Parameters of Lu, Cholesky and Ldlt.
struct LINDEN_EXPORT DirectParameters {
    Stop stop{.max_iterations = 20, .relative_residual = 0};  ///< without `divergence`
    /// A solution of at most this componentwise backward error max |b - A x|_i / (|A| |x| + |b|)_i is converged when
    /// refinement no longer halves it; 0: 4096 eps.
    double backward_error = 0;
    FillOrdering ordering = FillOrdering::automatic;
    void describe(ParameterVisitor& v);
};

/// Parameters of Lu.
struct LINDEN_EXPORT LuParameters : DirectParameters {
    Pivoting pivoting = Pivoting::automatic;
    PivotMatching matching = PivotMatching::maximum;  ///< in texts true and approximate
    void describe(ParameterVisitor& v);
};

/// Solves A x = b by factors of A: the common base of Lu, Cholesky and Ldlt. `solve` improves x by iterative
/// refinement, x := x + M^-1 (b - A x), where M ~ A is the product of the factors, until the componentwise backward
/// error is a few eps or no longer halves. [ArioliEtAl89], [LiDemmel98]
///
/// In a result, an iteration is a step of refinement, and `tolerance` is the residual that was accepted
/// (`ColumnResult::by_backward_error`). For ill-conditioned matrices it may be larger than the stopping rule asks for.
/// A residual of a hundredth of ||b|| or more is not accepted if fixed pivots did not suffice: A is then singular up to
/// rounding, and the column ends as `stagnated`.
///
/// As a preconditioner with stop.max_iterations = 1, `apply` is x := M^-1 b without refinement.
///
/// | phase | when | where |
/// |---|---|---|
/// | matching, scaling, order, elimination tree, pattern | once | host |
/// | values of the factors | once, and for new values | executor |
/// | solves and refinement | each solve | executor |
///
/// Pivots are fixed before the numeric phase. Pivots that are too small are replaced and counted; refinement makes up
/// for the difference, if it is small enough for convergence. A pivot is too small
/// - if it is less than sqrt(eps) times both its row and what elimination leaves right of it, or less than n eps times
///   its row; it is then replaced by sqrt(eps) times its row;
/// - in Cholesky, if it is at most eps times its row; it is then replaced by the norm of the row.
///
/// So small pivots of definite matrices and of dominant rows stay. New values keep the order, the scaling and the
/// pattern, and allocate nothing. Hosts factorize nearly full matrices as dense ones, with partial pivoting, without a
/// matching and an order: these find their pivots anew for new values. Singular ones are factorized as sparse ones.
///
/// Singular matrices are not an error. Replaced pivots tell of them, and solves do not converge unless b is in the
/// range of A.
template <class V>
class LINDEN_EXPORT DirectSolver : public Solver<V> {
public:
    ~DirectSolver() override;

    /// Number of replaced pivots. Waits for the executor.
    size_type num_replaced_pivots() const;
    /// Rows that no entry of A can be matched with: if there are any, A is structurally singular. 0 for Cholesky.
    size_type num_unmatched_rows() const;
    /// These rows in increasing order, and as many unmatched columns. They show where the structure of A is deficient.
    std::vector<size_type> unmatched_rows() const;
    std::vector<size_type> unmatched_columns() const;
    /// The replaced pivot that is eliminated first, if any is replaced. Up to rounding, its row and column of A depend
    /// on others that are eliminated before. Waits for the executor.
    std::optional<PivotPlace> first_replaced_pivot() const;
    FactorSize factor_size() const;
    /// Whether pivots were found by partial pivoting.
    bool has_partial_pivoting() const;
    /// One Csr that holds the strict lower triangle of L (its unit diagonal is not stored) and U, or the Cholesky
    /// factor, of the scaled and reordered matrix. A copy where the factors are in another form.
    LinOpPtr<V> factors() const;

    /// Of A, by its pivots. Copies the factors to the host.
    LogDeterminant<V> log_determinant() const;
    /// An estimate, from below, of ||A||_1 ||A^-1||_1: about ten solves with A and A^H. Not thread-safe.
    /// [Higham88]
    double condition_estimate() const;

protected:
    struct Method {
        std::string_view name;  ///< in static memory
        bool is_cholesky = false, is_symmetric = false;
        Pivoting pivoting = Pivoting::fixed;
        PivotMatching matching = PivotMatching::maximum;
    };

    /// @throws NotSupported if the matrix is not a Csr, or nested dissection not in the build; DimensionMismatch if it
    /// is not square; InvalidParameter; OutOfMemory, with the bytes of the factors
    DirectSolver(Executor exec, Method method, DirectParameters parameters, LinOpPtr<V> matrix);

    Inertia inertia_of_pivots() const;

    std::unique_ptr<SolverWorkspace<V>> make_workspace(const Executor& exec, size_type num_rhs) const override;
    void start(Dense<V>& x, SolverWorkspace<V>& w) const override;
    void step(Dense<V>& x, SolverWorkspace<V>& w) const override;
    bool leaves_true_residual() const override { return this->executor().is_host(); }
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;
    SolveResult solve_here(const Dense<V>& b, Dense<V>& x, const SolveOptions& options) const override;

private:
    const detail::DirectFactors<V>& direct_factors() const;

    double goal_, accepted_;
};

/// A = R^-1 P^T L U Q C^-1 for any nonsingular A: the matching of rows with columns whose entries have the largest
/// product gives the diagonal and the scalings R and C (maximum_product_matching), then an order of A + A^T its fill.
template <class V>
class LINDEN_EXPORT Lu : public DirectSolver<V> {
public:
    static constexpr std::string_view type_name = "Lu";
    using Parameters = LuParameters;

    static Factory<Lu> factory(Parameters parameters = {}) { return Factory<Lu>(std::move(parameters)); }
    Lu(Executor exec, Parameters parameters, LinOpPtr<V> matrix);

    /// Of the factors of this matrix, with fixed pivots, or of a dense matrix. Forms none, so cannot tell
    /// - of factors with partial pivoting, which follow where refinement fails with fixed pivots;
    /// - that a nearly full matrix is singular, which is then factorized as a sparse one: the size for Pivoting::fixed
    ///   is that of these factors, and the larger of both `bytes` bounds what the set-up takes.
    /// @throws as the constructor
    static FactorSize size_for(const LinOp<V>& matrix, const Parameters& parameters = {});

    std::string name() const override { return "Lu"; }
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;

private:
    Parameters parameters_;
};

/// A = S^-1 P^T L L^H P S^-1 for Hermitian positive definite A, all of whose entries are stored. If it is not definite,
/// pivots are replaced, and solves most likely end without convergence: see `is_positive_definite()`.
template <class V>
class LINDEN_EXPORT Cholesky : public DirectSolver<V> {
public:
    static constexpr std::string_view type_name = "Cholesky";
    using Parameters = DirectParameters;

    static Factory<Cholesky> factory(Parameters parameters = {}) { return Factory<Cholesky>(std::move(parameters)); }
    Cholesky(Executor exec, Parameters parameters, LinOpPtr<V> matrix);

    /// As Lu::size_for.
    static FactorSize size_for(const LinOp<V>& matrix, const Parameters& parameters = {});

    std::string name() const override { return "Cholesky"; }
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;
    bool is_positive_definite() const { return this->num_replaced_pivots() == 0; }

private:
    Parameters parameters_;
};

/// A = S^-1 P^T L D L^H P S^-1 for Hermitian A, also indefinite ones such as saddle points, with pivots of one or two
/// rows. Which rows form a pivot together is decided before the numeric phase, by a maximum product matching: a row
/// with a small or no diagonal entry is joined to one that it is strongly coupled with [DuffPralet05]. The factors are
/// those of A with the rows of such pairs exchanged: L and U, where U = D L^H elsewhere.
///
/// If pivots are replaced and refinement does not converge, the pivots are judged as in Cholesky. That is kept if it
/// leaves none replaced and converges: the matrix is then definite, with coefficients that jump by more than 1 / (n
/// eps). Otherwise try Lu, which has partial pivoting.
template <class V>
class LINDEN_EXPORT Ldlt : public DirectSolver<V> {
public:
    static constexpr std::string_view type_name = "Ldlt";
    using Parameters = DirectParameters;

    static Factory<Ldlt> factory(Parameters parameters = {}) { return Factory<Ldlt>(std::move(parameters)); }
    Ldlt(Executor exec, Parameters parameters, LinOpPtr<V> matrix);

    /// As Lu::size_for.
    static FactorSize size_for(const LinOp<V>& matrix, const Parameters& parameters = {});

    std::string name() const override { return "Ldlt"; }
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;
    /// Of A; replaced pivots count as zero. Copies the factors to the host.
    Inertia inertia() const { return this->inertia_of_pivots(); }

private:
    Parameters parameters_;
};

/// The componentwise backward error of each column of x: the maximum over the rows of |b - A x|_i / (|A| |x| + |b|)_i,
/// with 0 / 0 = 0. It tells how much the entries of A and b would have to change, relative to themselves, for x to be
/// the exact solution. [OettliPrager64]
/// @throws NotSupported if A is not a Csr, DimensionMismatch
template <class V>
LINDEN_EXPORT std::vector<double> componentwise_backward_error(const LinOp<V>& a, const Dense<V>& b, const Dense<V>& x);

}  // namespace linden
