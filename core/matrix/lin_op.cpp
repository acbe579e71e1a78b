#include <linden/distributed/communicator.hpp>
#include <linden/error.hpp>
#include <linden/lin_op.hpp>
#include <linden/matrix/dense.hpp>

#include "core/base/executor_state.hpp"
#include "core/kernels/dense.hpp"
#include "core/kernels/reduction.hpp"
#include "core/matrix/operands.hpp"

// instantiate: class LinOp<V>

namespace linden {

// Applications tell the ranks that share the operator of a failure, as Communicator::guard does. Here that is written
// out, so that nothing stands between a user's call and the operator's own code
// (doc/decisions/0032-from-a-step-to-a-kernel.md). What cannot be recorded is no failure: the loop does it again from
// the host, on all ranks.
namespace {

template <class V>
void tell_ranks(const LinOp<V>& op)
{
    if (!op.executor().state().is_recording()) {
        op.communicator().fail(std::current_exception());
    }
}

}  // namespace

template <class V>
void LinOp<V>::apply(const Dense<V>& b, Dense<V>& x) const
try {
    detail::check_operands(*this, b, x);
    detail::OperandsOn<V> here(exec_, b, x, false);
    apply_impl(here.b(), here.x());
    here.return_x();
    communicator().check();
} catch (...) {
    tell_ranks(*this);
    throw;
}

template <class V>
void LinOp<V>::apply(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const
try {
    detail::check_operands(*this, b, x);
    detail::OperandsOn<V> here(exec_, b, x, true);
    apply_impl(alpha, here.b(), beta, here.x());
    here.return_x();
    communicator().check();
} catch (...) {
    tell_ranks(*this);
    throw;
}

template <class V>
void LinOp<V>::apply_dot(const Dense<V>& b, Dense<V>& x, const DotRequest<V>& dots) const
try {
    detail::check_operands(*this, b, x);
    if (dots.w.size() != x.size()) {
        throw DimensionMismatch(name() + "::apply_dot", "w", dots.w.size(), "x", x.size());
    }
    apply_dot_impl(b, x, dots);
    communicator().check();
} catch (...) {
    tell_ranks(*this);
    throw;
}

template <class V>
void LinOp<V>::apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const
{
    Dense<V> product(exec_, x.size());
    apply_impl(b, product);
    dense_axpby<V>(exec_, alpha, product.view(), beta, x.view());
}

template <class V>
void LinOp<V>::apply_dot_impl(const Dense<V>& b, Dense<V>& x, const DotRequest<V>& dots) const
{
    apply_impl(b, x);
    HeldSums held(exec_.is_host() ? rank_sums(dots.workspace) : nullptr);  // both in one message
    dense_dot<V>(exec_, dots.w.view(), std::as_const(x).view(), dots.wx, dots.workspace);
    if (dots.xx != nullptr) {
        dense_dot<V>(exec_, std::as_const(x).view(), std::as_const(x).view(), dots.xx, dots.workspace);
    }
    held.release();
}

template <class V>
Communicator LinOp<V>::communicator() const
{
    return Communicator::self();
}

template <class V>
void LinOp<V>::update_values(LinOpPtr<V>)
{
    throw NotSupported(name() + "::update_values", "the operator was not generated from a matrix");
}

template <class V>
std::unique_ptr<LinOp<V>> LinOp<V>::clone(const Executor&) const
{
    throw NotSupported(name() + "::clone", "the operator cannot move to another executor");
}

}  // namespace linden
