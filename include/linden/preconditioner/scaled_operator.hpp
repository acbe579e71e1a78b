#pragma once

#include <linden/factory.hpp>
#include <linden/matrix/diagonal.hpp>
#include <linden/solver/solver.hpp>

#include <memory>
#include <optional>
#include <string_view>

namespace linden {

namespace detail {
template <class V>
class BlockCache;
}  // namespace detail

/// x := C M~^-1 R b with diagonal R and C: the common base of SymmetricScaling and Scaled. The inner operator M~^-1, a
/// preconditioner or a solver, is generated from the scaled matrix A~ = R A C.
///
/// With a solver as the inner operator, `solve` solves the scaled system A~ x~ = b~ with it, x~ = C^-1 x, b~ = R b. A
/// movable value.
template <class V>
class LINDEN_EXPORT ScaledOperator : public LinOp<V> {
public:
    ~ScaledOperator() override;

    bool is_capturable() const override;
    /// Finds R and C anew. @throws NotSupported, DimensionMismatch
    void update_values(LinOpPtr<V> matrix) override;

    /// Improves x by the inner solver; x is unscaled on entry and on return. In the result, the initial and final
    /// residuals and the norm of b are those of A x = b. The inner solver decides when to stop, so status, tolerance
    /// and history refer to ||R (b - A x)||.
    /// @throws NotSupported if the inner operator is not a solver, and what Solver::solve throws
    SolveResult solve(const Dense<V>& b, Dense<V>& x, const SolveOptions& options = {}) const;

    /// Null for the identity.
    std::shared_ptr<const LinOp<V>> inner() const { return inner_; }
    /// R
    const Diagonal<V>& row_scaling() const { return rows_; }
    /// C
    const Diagonal<V>& column_scaling() const { return columns_ ? *columns_ : rows_; }

protected:
    /// is_symmetric: C is R. @throws DimensionMismatch if the matrix is not square
    ScaledOperator(Executor exec, std::string_view type_name, bool is_symmetric, LinOpPtr<V> matrix);
    ScaledOperator(ScaledOperator&&) noexcept;
    ScaledOperator& operator=(ScaledOperator&&) noexcept;

    /// Constructors of operators end with it. @throws NotSupported if the matrix is not a Csr, and what the inner
    /// factory throws
    void generate(const FactoryPtr<V>& inner);
    /// R, and C where `columns` is not null, of a Csr of any index type.
    virtual void find_scaling(const LinOp<V>& matrix, V* rows, V* columns) = 0;
    const LinOpPtr<V>& matrix() const { return matrix_; }

    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;

private:
    LinOpPtr<V> scale(const LinOp<V>& matrix);
    SolveResult solve_here(const Solver<V>& solver, const Dense<V>& b, Dense<V>& x, const SolveOptions& options) const;

    std::string_view type_name_;
    LinOpPtr<V> matrix_;
    Diagonal<V> rows_;
    std::optional<Diagonal<V>> columns_;
    std::shared_ptr<LinOp<V>> inner_;
    std::unique_ptr<detail::BlockCache<V>> between_;
};

}  // namespace linden
