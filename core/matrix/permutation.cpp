#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/matrix/permutation.hpp>

#include "core/kernels/dense.hpp"
#include "core/kernels/permutation.hpp"

// instantiate: class Permutation<V, I>

namespace linden {
namespace {

/// The inverse of a permutation. @throws InvalidParameter if it is not a permutation
template <class I>
Array<I> inverse_of(const Array<I>& rows)
{
    const auto& exec = rows.executor();
    Array<I> inverse(exec, rows.size());
    Array<size_type> num_invalid(exec, 1);
    permutation_invert<I>(exec, rows.size(), rows.data(), inverse.data(), num_invalid.data());
    if (const auto invalid = num_invalid.to_host().front(); invalid != 0) {
        throw InvalidParameter(
            "rows",
            std::to_string(invalid) + " of " + std::to_string(rows.size()) + " entries out of range or repeated",
            "each of 0, ..., n - 1 once");
    }
    return inverse;
}

}  // namespace

template <class V, class I>
Permutation<V, I>::Permutation(Executor exec, Array<I> rows, Checked)
    : LinOp<V>(std::move(exec), {rows.size(), rows.size()}),
      rows_(std::move(rows))
{
}

template <class V, class I>
Permutation<V, I>::Permutation(Executor exec, Array<I> rows) : Permutation(exec, std::move(rows), Checked{})
{
    if (!(rows_.executor() == exec)) {
        throw InvalidParameter("rows", "on " + rows_.executor().name(), "on the operator's executor, " + exec.name());
    }
    (void)inverse_of(rows_);
}

template <class V, class I>
Permutation<V, I>::Permutation(Executor exec, const std::vector<I>& rows) : Permutation(exec, Array<I>(exec, rows))
{
}

template <class V, class I>
std::unique_ptr<LinOp<V>> Permutation<V, I>::clone(const Executor& exec) const
{
    return std::make_unique<Permutation>(copy(exec));
}

template <class V, class I>
Permutation<V, I> Permutation<V, I>::copy(const Executor& exec) const
{
    return Permutation(exec, rows_.clone(exec), Checked{});
}

template <class V, class I>
Permutation<V, I> Permutation<V, I>::inverse() const
{
    return Permutation(this->executor(), inverse_of(rows_), Checked{});
}

template <class V, class I>
void Permutation<V, I>::apply_impl(const Dense<V>& b, Dense<V>& x) const
{
    dense_gather_rows<V, I>(this->executor(), rows_.data(), b.view(), x.view());
}

template <class V, class I>
void Permutation<V, I>::apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const
{
    permutation_apply<V, I>(this->executor(), rows_.data(), alpha, b.view(), beta, x.view());
}

}  // namespace linden
