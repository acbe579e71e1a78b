#pragma once

#include <linden/factory.hpp>
#include <linden/solver/solver.hpp>

#include <memory>
#include <string_view>

namespace linden {

namespace detail {
template <class V>
class BlockCache;
}  // namespace detail

/// x := R M~^-1 L b: the common base of operators that scale or reorder a matrix. The inner operator M~^-1, a
/// preconditioner or a solver, is generated from A~ = L A R.
///
/// With a solver as the inner operator, `solve` solves A~ x~ = b~ with it, x~ = R^-1 x, b~ = L b. A movable value.
template <class V>
class LINDEN_EXPORT TransformedOperator : public LinOp<V> {
public:
    ~TransformedOperator() override;

    bool is_capturable() const override;
    /// @throws NotSupported, DimensionMismatch
    void update_values(LinOpPtr<V> matrix) override;

    /// Improves x by the inner solver; x is that of A x = b on entry and on return. The initial and final residuals of
    /// the result, and its norm of b, are those of A x = b. The inner solver decides when to stop, so status, tolerance
    /// and history refer to ||L (b - A x)||.
    /// @throws NotSupported if the inner operator is not a solver, and what Solver::solve throws
    SolveResult solve(const Dense<V>& b, Dense<V>& x, const SolveOptions& options = {}) const;

    /// Null for the identity.
    std::shared_ptr<const LinOp<V>> inner() const { return inner_; }

protected:
    /// @throws DimensionMismatch if the matrix is not square
    TransformedOperator(Executor exec, std::string_view type_name, LinOpPtr<V> matrix);
    TransformedOperator(TransformedOperator&&) noexcept;
    TransformedOperator& operator=(TransformedOperator&&) noexcept;

    /// Constructors of operators end with it. @throws NotSupported if the matrix is not a Csr, and what the inner
    /// factory throws
    void generate(const FactoryPtr<V>& inner);
    /// A~ of a Csr of any index type; L and R are those of this matrix from now on.
    virtual LinOpPtr<V> transform(const LinOp<V>& matrix) = 0;
    virtual const LinOp<V>& left() const = 0;
    virtual const LinOp<V>& right() const = 0;
    /// y := R^-1 x
    virtual void apply_right_inverse(const Dense<V>& x, Dense<V>& y) const = 0;

    std::string_view type() const { return type_name_; }
    const LinOpPtr<V>& matrix() const { return matrix_; }
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;

private:
    SolveResult solve_here(const Solver<V>& solver, const Dense<V>& b, Dense<V>& x, const SolveOptions& options) const;

    std::string_view type_name_;
    LinOpPtr<V> matrix_;
    std::shared_ptr<LinOp<V>> inner_;
    std::unique_ptr<detail::BlockCache<V>> between_;
};

}  // namespace linden
