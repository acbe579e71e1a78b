#pragma once

#include <linden/preconditioner/transformed_operator.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace linden {

namespace detail {
template <class V>
class Reordering;
}  // namespace detail

/// How rows and columns are ordered together.
enum class Ordering {
    natural,
    rcm,                ///< reverse Cuthill-McKee: entries come close to the diagonal
    amd,                ///< approximate minimum degree of A + A^T: little fill
    colamd,             ///< approximate minimum degree of A^T A: little fill with any pivots
    nested_dissection,  ///< of A + A^T, by METIS: little fill for large grids, and wide elimination trees
    colours             ///< rows of one colour together: few level sets of triangular solves
};

/// Which permutation of columns brings large entries to the diagonal first.
enum class ColumnMatching {
    none,
    maximum,     ///< the largest product, on the host: maximum_product_matching
    approximate  ///< at least half of it in geometric mean, on the executor: approximate_product_matching
};

/// x := Q^T M~^-1 P b: the inner operator M~^-1, a preconditioner or a solver, is generated from the reordered matrix
/// A~ = P A Q^T. Where entries are close to the diagonal, incomplete factors drop less, and rows that are needed
/// together are close in memory.
///
/// Without `matching` Q is P. With it, Q is P after the permutation of columns that brings large entries to the
/// diagonal; this helps matrices of grids, circuits and saddle points, whose diagonal has zeros. Columns that no row
/// can be matched with are given to the rows that are left. The order is that of the matched matrix.
///
/// The order is found once, on the host (rcm, colours and approximate matchings: on the executor). New values keep it;
/// from the second time on they allocate nothing.
template <class V>
class LINDEN_EXPORT Reordered : public TransformedOperator<V> {
public:
    static constexpr std::string_view type_name = "Reordered";

    struct Parameters {
        Ordering ordering = Ordering::rcm;
        ColumnMatching matching = ColumnMatching::none;  ///< in texts false, true and approximate
        FactoryPtr<V> inner{};                           ///< none: the identity
        /// Unless empty, the order in place of `ordering`: row i of P A Q^T is row order[i] of A. Not for texts.
        std::vector<std::int64_t> order{};
        void describe(ParameterVisitor& v);
    };

    static Factory<Reordered> factory(Parameters parameters = {}) { return Factory<Reordered>(std::move(parameters)); }

    /// @throws NotSupported if the matrix is not a Csr, or the build has no METIS for nested dissection;
    /// DimensionMismatch if it is not square or `order` has another size, InvalidParameter if `order` is no
    /// permutation, and what the inner factory throws
    Reordered(Executor exec, Parameters parameters, LinOpPtr<V> matrix);

    std::string name() const override { return "Reordered"; }
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;

    /// P
    const LinOp<V>& row_permutation() const { return left(); }

protected:
    LinOpPtr<V> transform(const LinOp<V>& matrix) override;
    const LinOp<V>& left() const override;
    const LinOp<V>& right() const override;
    void apply_right_inverse(const Dense<V>& x, Dense<V>& y) const override;

private:
    Parameters parameters_;
    std::shared_ptr<detail::Reordering<V>> reordering_;
};

}  // namespace linden
