#pragma once

#include <linden/distributed/communicator.hpp>
#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>

#include <string>

/// The vectors b and x of an application or a solve.
namespace linden::detail {

/// @throws DimensionMismatch{op: name of the operator::function} unless x := Op b can be formed, InvalidParameter if x
/// is b
template <class V>
void check_operands(const LinOp<V>& op, const char* function, const Dense<V>& b, const Dense<V>& x)
{
    const auto what = [&] { return op.name() + "::" + function; };
    if (b.size().rows != op.size().cols) {
        throw DimensionMismatch(what(), "the operator", op.size(), "b", b.size());
    }
    if (x.size().rows != op.size().rows || x.size().cols != b.size().cols) {
        throw DimensionMismatch(what(), "b under the operator", {op.size().rows, b.size().cols}, "x", x.size());
    }
    if (&b == &x || (b.data() == x.data() && b.data() != nullptr)) {
        throw InvalidParameter("x", "b itself", "a block that does not overlap b");
    }
}

/// `act`. If it throws, the ranks with which `op` is shared are told, so that they do not wait for this one. Throws,
/// too, if a kernel has found out that another rank failed.
template <class V, class Act>
auto telling_other_ranks(const LinOp<V>& op, Act&& act)
{
    try {
        if constexpr (std::is_void_v<decltype(act())>) {
            act();
            op.communicator().check();
        } else {
            auto result = act();
            op.communicator().check();
            return result;
        }
    } catch (...) {
        op.communicator().fail(std::current_exception());
        throw;
    }
}

/// Calls `f(b, x)` with copies of the operands on `exec` where they are elsewhere, and brings x back.
template <class V, class F>
void with_operands_on(const Executor& exec, const Dense<V>& b, Dense<V>& x, bool x_is_read, F&& f)
{
    if (b.executor() == exec && x.executor() == exec) {
        f(b, x);
    } else if (x.executor() == exec) {
        f(b.copy(exec), x);
    } else {
        Dense<V> here = x_is_read ? x.copy(exec) : Dense<V>(exec, x.size());
        if (b.executor() == exec) {
            f(b, here);
        } else {
            f(b.copy(exec), here);
        }
        x.copy_from(here);
    }
}

}  // namespace linden::detail
