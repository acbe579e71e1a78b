#pragma once

#include <linden/executor.hpp>
#include <linden/fwd.hpp>
#include <linden/views.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace linden {

/// Inner products that an operator forms while it has the result at hand, saving a pass over it.
///
/// After x := Op b, for each column: `wx[col]` := w^H x, and `xx[col]` := x^H x unless `xx` is null. All are in the
/// memory of the operator's executor. `w` may be `b` itself. `workspace` comes from a `ReductionWorkspace` for 2 k
/// values.
template <class V>
struct DotRequest {
    const Dense<V>& w;
    V* wx;
    V* xx = nullptr;
    WorkspaceView workspace;
};

/// A linear operator V^n -> V^m: every matrix, preconditioner and solver is one.
///
/// To add an operator of your own derive from it and write `apply_impl(b, x)`; see examples/custom_operator.cpp.
template <class V>
class LINDEN_EXPORT LinOp {
public:
    using value_type = V;

    virtual ~LinOp() = default;

    Dim size() const { return size_; }
    const Executor& executor() const { return exec_; }
    /// What the operator is, for people: `Csr`, `Cg`.
    virtual std::string name() const = 0;

    /// x := Op b.  b: n x k, x: m x k, which do not overlap.  Operands on another executor are copied here, and the
    /// result back.
    /// @throws DimensionMismatch, OutOfMemory, InvalidParameter if x is b
    void apply(const Dense<V>& b, Dense<V>& x) const;
    /// x := alpha Op b + beta x.  With beta = 0 the old x is not read. Scalars in memory are in this executor's.
    /// @throws DimensionMismatch, OutOfMemory, InvalidParameter if x is b
    void apply(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const;
    /// x := Op b and the inner products that `dots` asks for. All operands on this executor.
    /// @throws DimensionMismatch
    void apply_dot(const Dense<V>& b, Dense<V>& x, const DotRequest<V>& dots) const;

    /// Refreshes the operator for new values on the same sparsity pattern, through everything it is built from,
    /// without repeating any analysis.
    /// @throws NotSupported if the operator was not generated from a matrix
    virtual void update_values(LinOpPtr<V> matrix);

    /// A copy on another executor. @throws NotSupported where an operator cannot move
    virtual std::unique_ptr<LinOp<V>> clone(const Executor& exec) const;

    /// Whether `apply` only launches kernels, so that a device may record it once and replay it. An operator that runs
    /// code of yours on the host at each application must leave this false.
    virtual bool is_capturable() const { return false; }
    /// The operator that leaves everything as it is; solvers skip it.
    virtual bool is_identity() const { return false; }

protected:
    LinOp(Executor exec, Dim size) : exec_(std::move(exec)), size_(size) {}
    LinOp(const LinOp&) = default;
    LinOp& operator=(const LinOp&) = default;
    /// A moved-from operator is 0 x 0 and keeps its executor.
    LinOp(LinOp&& other) noexcept : exec_(other.exec_), size_(std::exchange(other.size_, Dim{})) {}
    LinOp& operator=(LinOp&& other) noexcept
    {
        exec_ = other.exec_;
        size_ = std::exchange(other.size_, Dim{});
        return *this;
    }

    void set_size(Dim size) { size_ = size; }

    /// x := Op b. Sizes fit, operands are on this executor, b and x do not overlap.
    virtual void apply_impl(const Dense<V>& b, Dense<V>& x) const = 0;
    /// x := alpha Op b + beta x; by default through a temporary.
    virtual void apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const;
    /// x := Op b with inner products; by default a second pass.
    virtual void apply_dot_impl(const Dense<V>& b, Dense<V>& x, const DotRequest<V>& dots) const;

private:
    Executor exec_;
    Dim size_;
};

/// Puts a value under shared ownership, so that factories can take it: `share(std::move(a))`.
template <class Op>
requires(!std::is_lvalue_reference_v<Op>) std::shared_ptr<const Op> share(Op&& op)
{
    return std::make_shared<const Op>(std::move(op));
}

}  // namespace linden
