#pragma once

#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>

#include <vector>

/// Operators of matrices, applied to one column.
namespace linden::test {

template <class V, class I>
LinOpPtr<V> csr(const Executor& exec, const CsrData<V, I>& a)
{
    return share(Csr<V, I>(exec, a));
}

template <class V>
std::vector<V> applied(const LinOp<V>& op, const std::vector<V>& b)
{
    Dense<V> x(op.executor(), {op.size().rows, 1});
    op.apply(Dense<V>::vector(op.executor(), b), x);
    return x.to_host();
}

}  // namespace linden::test
