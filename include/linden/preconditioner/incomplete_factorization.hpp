#pragma once

#include <linden/factory.hpp>
#include <linden/solver/triangular.hpp>

#include <memory>
#include <string>

namespace linden {

namespace detail {

template <class V>
class IncompleteFactors;

/// Which fill-in the factors have.
enum class Fill { none, levels, threshold };

/// What is factorized, how, and how the triangular systems are solved.
struct FactorizationPlan {
    std::string name{};
    bool is_cholesky = false;
    Fill fill = Fill::none;
    size_type k = 0;
    double tolerance = 0;
    double shift = 0;
    TriangularOptions triangular{};
    size_type blocks = 1;
    size_type block_rows = 0;
};

}  // namespace detail

/// x := (L U)^-1 b or (L L^H)^-1 b with incomplete factors of a sparse matrix: the common base of Ilu0, Iluk, Ilut,
/// Ic0, Ick and Ict. [Naumov11], [Saad03, 10]
///
/// A pivot that is zero, or tiny relative to its row, is not an error: it is replaced by the 2-norm of A's row. See
/// `num_bad_pivots()` and `first_bad_row()`. `shift` adds shift ||a_i||_2 to each diagonal entry before the
/// factorization, which keeps pivots away from zero.
///
/// `blocks` or `block_rows` split the rows into contiguous blocks, as in Ssor. Entries that couple different blocks are
/// ignored (block Jacobi with incomplete factors). The blocks are factorized and solved in parallel; in exchange the
/// solver takes more iterations. [MeijerinkVanDerVorst77]
template <class V>
class LINDEN_EXPORT IncompleteFactorization : public LinOp<V> {
public:
    ~IncompleteFactorization() override;
    IncompleteFactorization(IncompleteFactorization&&) noexcept;
    IncompleteFactorization& operator=(IncompleteFactorization&&) noexcept;

    std::string name() const override { return plan_.name; }
    bool is_capturable() const override;
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;
    /// Repeats the numeric phase with new values on the same pattern; the symbolic phase is not repeated. With drop
    /// tolerances (Ilut, Ict) the factors keep the pattern found at construction.
    /// @throws NotSupported, DimensionMismatch
    void update_values(LinOpPtr<V> matrix) override;

    /// Number of replaced pivots. Waits for the executor.
    size_type num_bad_pivots() const;
    /// The first row with a replaced pivot, -1 if there is none. Waits for the executor.
    size_type first_bad_row() const;
    /// One Csr with the strict lower triangle of L (its unit diagonal is not stored) and U; or the Cholesky factor L.
    LinOpPtr<V> factors() const;
    size_type num_nonzeros() const;
    /// The algorithm of the triangular solves; `automatic` is resolved.
    TriangularAlgorithm algorithm() const;
    /// Number of level sets of the solve with L, as Triangular::num_levels counts them.
    size_type num_levels() const;

protected:
    /// @throws NotSupported if the matrix is not a Csr, DimensionMismatch if it is not square, InvalidParameter
    IncompleteFactorization(Executor exec, detail::FactorizationPlan plan, LinOpPtr<V> matrix);
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;

private:
    detail::FactorizationPlan plan_;
    LinOpPtr<V> matrix_;
    std::unique_ptr<detail::IncompleteFactors<V>> factors_;
};

}  // namespace linden
