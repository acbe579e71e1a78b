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

/// Inner products fused into an application, which save a pass over the result.
///
/// After x := Op b, for each of k columns: `wx[col]` := w^H x, and `xx[col]` := x^H x unless `xx` is null. All are in
/// the memory of the operator's executor. `w` may be `b` itself. `workspace` is from a `ReductionWorkspace` for 2 k
/// values.
template <class V>
struct DotRequest {
    const Dense<V>& w;
    V* wx;
    V* xx = nullptr;
    WorkspaceView workspace;
};

/// A linear operator V^n -> V^m, the base of every matrix, preconditioner and solver.
///
/// A user-defined operator derives from it and implements `apply_impl(b, x)`; see examples/custom_operator.cpp.
template <class V>
class LINDEN_EXPORT LinOp {
    static_assert(is_value_type<V>, "values are float, double, std::complex<float> or std::complex<double>");

public:
    using value_type = V;

    virtual ~LinOp() = default;

    Dim size() const { return size_; }
    const Executor& executor() const { return exec_; }
    /// A human-readable name: `Csr`, `Cg`.
    virtual std::string name() const = 0;

    /// x := Op b.  b: n x k, x: m x k; they must not overlap.  Operands on other executors are copied to this one, and
    /// the result is copied back.
    /// @throws DimensionMismatch, OutOfMemory, InvalidParameter if x is b
    void apply(const Dense<V>& b, Dense<V>& x) const;
    /// x := alpha Op b + beta x.  If beta = 0, x is not read. Scalars in memory are in this executor's memory.
    /// @throws DimensionMismatch, OutOfMemory, InvalidParameter if x is b
    void apply(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const;
    /// x := Op b and the inner products that `dots` requests. All operands are on this executor.
    /// @throws DimensionMismatch
    void apply_dot(const Dense<V>& b, Dense<V>& x, const DotRequest<V>& dots) const;

    /// Repeats the numeric phase for new values on the same pattern, here and in all this was built from. Another
    /// pattern with as many entries gives wrong results; with LINDEN_CHECK_PATTERNS it throws InvalidParameter.
    /// @throws NotSupported if the operator was not generated from a matrix
    virtual void update_values(LinOpPtr<V> matrix);

    /// A copy on another executor. @throws NotSupported if the operator cannot be copied
    virtual std::unique_ptr<LinOp<V>> clone(const Executor& exec) const;

    /// Whether `apply` only launches kernels, so that a device can record it once and replay it. Must be false if each
    /// application runs host code.
    virtual bool is_capturable() const { return false; }
    /// Whether the operator is the identity; solvers skip it.
    virtual bool is_identity() const { return false; }
    /// The processes over which the rows of the operator and of its operands are spread, each with `size()` of its own:
    /// `Communicator::self()` unless overridden. A solver sums over the communicator of its matrix.
    virtual Communicator communicator() const;

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

    /// x := Op b. Sizes match, operands are on this executor, b and x do not overlap.
    virtual void apply_impl(const Dense<V>& b, Dense<V>& x) const = 0;
    /// x := alpha Op b + beta x; the default uses a temporary.
    virtual void apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const;
    /// x := Op b with inner products; the default takes a second pass.
    virtual void apply_dot_impl(const Dense<V>& b, Dense<V>& x, const DotRequest<V>& dots) const;

private:
    Executor exec_;
    Dim size_;
};

/// Moves a value into shared ownership, as factories take it: `share(std::move(a))`.
template <class Op>
requires(!std::is_lvalue_reference_v<Op>) std::shared_ptr<const Op> share(Op&& op)
{
    return std::make_shared<const Op>(std::move(op));
}

}  // namespace linden
