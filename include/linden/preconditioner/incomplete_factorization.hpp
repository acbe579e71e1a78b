#pragma once

#include <linden/factory.hpp>
#include <linden/solver/triangular.hpp>

#include <memory>
#include <string>

namespace linden {

namespace detail {

template <class V>
class IncompleteFactors;

/// Which entries factors have beside those of the matrix.
enum class Fill { none, levels, threshold };

/// What is factorized, how, and how the factors are solved with.
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

/// x := (L U)^-1 b or (L L^H)^-1 b with incomplete factors of a sparse matrix: what Ilu0, Iluk, Ilut, Ic0, Ick and Ict
/// have in common. [Naumov11], [Saad03, 10]
///
/// A pivot that is zero, or tiny against its row, is no error: the norm of the row of A stands in for it, and
/// `num_bad_pivots()` and `first_bad_row()` tell. `shift` adds shift ||a_i||_2 to each diagonal entry before the
/// factorization, which keeps pivots away from zero.
///
/// Of several blocks of successive rows, as Ssor has them (`blocks`, `block_rows`), entries of A that couple different
/// ones are left out first: each block is factorized by itself, which costs iterations, and solved with at the same
/// time as the others. [MeijerinkVanDerVorst77]
template <class V>
class LINDEN_EXPORT IncompleteFactorization : public LinOp<V> {
public:
    ~IncompleteFactorization() override;
    IncompleteFactorization(IncompleteFactorization&&) noexcept;
    IncompleteFactorization& operator=(IncompleteFactorization&&) noexcept;

    std::string name() const override { return plan_.name; }
    bool is_capturable() const override;
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;
    /// Factors of new values on the pattern that there is: nothing is analysed again. After a factorization with
    /// thresholds this is the factorization on the pattern that these have found.
    /// @throws NotSupported, DimensionMismatch
    void update_values(LinOpPtr<V> matrix) override;

    /// Pivots that were replaced; waits for the executor.
    size_type num_bad_pivots() const;
    /// The least row with one, -1 if there is none; waits for the executor.
    size_type first_bad_row() const;
    /// A Csr that holds L without its diagonal of ones, and U; or the Cholesky factor L.
    LinOpPtr<V> factors() const;
    size_type num_nonzeros() const;
    /// How triangular systems are solved, and how many levels a solve with the lower one takes: of rows, or with
    /// `levels` on hosts of runs of rows, of which one thread takes all at once; 0 for sweeps and vendor.
    TriangularAlgorithm algorithm() const;
    size_type num_levels() const;

protected:
    /// @throws NotSupported if the matrix is no Csr, DimensionMismatch if it is not square, InvalidParameter
    IncompleteFactorization(Executor exec, detail::FactorizationPlan plan, LinOpPtr<V> matrix);
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;

private:
    detail::FactorizationPlan plan_;
    LinOpPtr<V> matrix_;
    std::unique_ptr<detail::IncompleteFactors<V>> factors_;
};

}  // namespace linden
