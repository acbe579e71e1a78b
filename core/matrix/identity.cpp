#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/matrix/identity.hpp>

#include "core/kernels/dense.hpp"
#include "core/matrix/new_values.hpp"
#include "core/matrix/square.hpp"

// instantiate: class Identity<V>

namespace linden {

template <class V>
void Identity<V>::Parameters::describe(ParameterVisitor&)
{
}

template <class V>
Identity<V>::Identity(Executor exec, size_type size) : LinOp<V>(std::move(exec), {size, size})
{
    if (size < 0) {
        throw InvalidParameter("size", std::to_string(size), "at least 0");
    }
}

template <class V>
Identity<V>::Identity(Executor exec, Parameters, LinOpPtr<V> matrix) : LinOp<V>(std::move(exec), matrix->size())
{
    detail::square("Identity", matrix->size());
}

template <class V>
std::unique_ptr<LinOp<V>> Identity<V>::clone(const Executor& exec) const
{
    return std::make_unique<Identity>(exec, this->size().rows);
}

template <class V>
void Identity<V>::update_values(LinOpPtr<V> matrix)
{
    check_new_values(*this, matrix);
}

template <class V>
void Identity<V>::apply_impl(const Dense<V>& b, Dense<V>& x) const
{
    dense_copy<V>(this->executor(), b.view(), x.view());
}

template <class V>
void Identity<V>::apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const
{
    dense_axpby<V>(this->executor(), alpha, b.view(), beta, x.view());
}

}  // namespace linden
