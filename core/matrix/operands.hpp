#pragma once

#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>

#include <optional>
#include <string>

/// The vectors b and x of an application or a solve.
namespace linden::detail {

template <class V>
void check_apart(const Dense<V>& b, const Dense<V>& x)
{
    if (&b == &x || (b.data() == x.data() && b.data() != nullptr)) {
        throw InvalidParameter("x", "b itself", "a block that does not overlap b");
    }
}

/// @throws DimensionMismatch{op: name of the operator::apply} unless x := Op b can be formed, InvalidParameter if x
/// is b
template <class V>
void check_operands(const LinOp<V>& op, const Dense<V>& b, const Dense<V>& x)
{
    const auto what = [&] { return op.name() + "::apply"; };
    if (b.size().rows != op.size().cols) {
        throw DimensionMismatch(what(), "the operator", op.size(), "b", b.size());
    }
    if (x.size().rows != op.size().rows || x.size().cols != b.size().cols) {
        throw DimensionMismatch(what(), "the result", {op.size().rows, b.size().cols}, "x", x.size());
    }
    check_apart(b, x);
}

/// The same for A x = b, solver ~ A^-1: {op: name of the solver::solve}, with the size of A.
template <class V>
void check_system(const LinOp<V>& solver, const Dense<V>& b, const Dense<V>& x)
{
    const auto what = [&] { return solver.name() + "::solve"; };
    const Dim matrix{solver.size().cols, solver.size().rows};
    if (b.size().rows != matrix.rows) {
        throw DimensionMismatch(what(), "the matrix", matrix, "b", b.size());
    }
    if (x.size().rows != matrix.cols) {
        throw DimensionMismatch(what(), "the matrix", matrix, "x", x.size());
    }
    if (x.size().cols != b.size().cols) {
        throw DimensionMismatch(what(), "b", b.size(), "x", x.size());
    }
    check_apart(b, x);
}

/// b and x on `exec`: they themselves, or copies of those that are elsewhere.
template <class V>
class OperandsOn {
public:
    OperandsOn(const Executor& exec, const Dense<V>& b, Dense<V>& x, bool x_is_read) : given_b_(b), given_x_(x)
    {
        if (!(b.executor() == exec)) [[unlikely]] {
            b_.emplace(b.copy(exec));
        }
        if (!(x.executor() == exec)) [[unlikely]] {
            x_.emplace(x_is_read ? x.copy(exec) : Dense<V>(exec, x.size()));
        }
    }

    const Dense<V>& b() const { return b_ ? *b_ : given_b_; }
    Dense<V>& x() { return x_ ? *x_ : given_x_; }
    /// Brings a copy of x to where x is.
    void return_x()
    {
        if (x_) {
            given_x_.copy_from(*x_);
        }
    }

private:
    const Dense<V>& given_b_;
    Dense<V>& given_x_;
    std::optional<Dense<V>> b_, x_;
};

}  // namespace linden::detail
