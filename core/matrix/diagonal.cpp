#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/matrix/diagonal.hpp>

#include "core/kernels/dense.hpp"
#include "core/kernels/jacobi.hpp"
#include "core/matrix/new_values.hpp"

// instantiate: class Diagonal<V>

namespace linden {
namespace {

/// d as a column.
template <class V>
DenseView<const V> column(const Diagonal<V>& d)
{
    return {d.size().rows, 1, 1, d.values()};
}

}  // namespace

template <class V>
Diagonal<V>::Diagonal(Executor exec, Array<V> diagonal)
    : LinOp<V>(exec, {diagonal.size(), diagonal.size()}),
      diagonal_(std::move(diagonal))
{
    if (!(diagonal_.executor() == exec)) {
        throw InvalidParameter("diagonal", "on " + diagonal_.executor().name(),
                               "on the operator's executor, " + exec.name());
    }
}

template <class V>
Diagonal<V>::Diagonal(Executor exec, const std::vector<V>& diagonal) : Diagonal(exec, Array<V>(exec, diagonal))
{
}

template <class V>
std::unique_ptr<LinOp<V>> Diagonal<V>::clone(const Executor& exec) const
{
    return std::make_unique<Diagonal>(copy(exec));
}

template <class V>
Diagonal<V> Diagonal<V>::copy(const Executor& exec) const
{
    return Diagonal(exec, diagonal_.clone(exec));
}

template <class V>
Diagonal<V> Diagonal<V>::inverse() const
{
    auto result = copy();
    Array<size_type> num_zeros(this->executor(), 1);
    jacobi_invert_diagonal<V>(this->executor(), {this->size().rows, 1, 1, result.values()}, num_zeros.data());
    if (const auto zeros = num_zeros.to_host().front(); zeros != 0) {
        throw InvalidParameter("diagonal", std::to_string(zeros) + " zeros", "no zeros where an inverse is asked for");
    }
    return result;
}

template <class V>
void Diagonal<V>::update_values(LinOpPtr<V> matrix)
{
    check_new_values(*this, matrix);
    const auto* other = dynamic_cast<const Diagonal*>(matrix.get());
    if (other == nullptr) {
        throw NotSupported("Diagonal::update_values", "the new values come in a " + matrix->name());
    }
    copy_bytes(other->executor(), other->values(), this->executor(), diagonal_.data(), diagonal_.bytes());
}

template <class V>
void Diagonal<V>::apply_impl(const Dense<V>& b, Dense<V>& x) const
{
    apply_impl(V{1}, b, V{}, x);
}

template <class V>
void Diagonal<V>::apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const
{
    dense_scale_rows<V>(this->executor(), column(*this), alpha, b.view(), beta, x.view());
}

template <class V>
void Diagonal<V>::apply_dot_impl(const Dense<V>& b, Dense<V>& x, const DotRequest<V>& dots) const
{
    jacobi_apply_dot<V>(this->executor(), column(*this), b.view(), x.view(), dots.w.view(), dots.wx, dots.xx,
                        dots.workspace);
}

}  // namespace linden
