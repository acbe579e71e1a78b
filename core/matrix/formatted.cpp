#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/matrix/formatted.hpp>

#include "core/matrix/new_values.hpp"

// instantiate: class Formatted<V>

namespace linden {
namespace {

template <class V>
const LinOp<V>& required(const LinOp<V>* op)
{
    if (op == nullptr) {
        throw InvalidParameter("operators", "null", "operators");
    }
    return *op;
}

}  // namespace

template <class V>
Formatted<V>::Formatted(LinOpPtr<V> source, LinOpPtr<V> applied)
    : LinOp<V>(required(source.get()).executor(), required(source.get()).size()),
      source_(std::move(source)),
      applied_(std::move(applied))
{
    const auto& other = required(applied_.get());
    if (!(other.executor() == this->executor())) {
        throw InvalidParameter("applied", "on " + other.executor().name(), "on " + this->executor().name());
    }
    if (other.size() != this->size()) {
        throw DimensionMismatch("Formatted", "the source", this->size(), "what is applied", other.size());
    }
}

template <class V>
std::string Formatted<V>::name() const
{
    return applied_->name() + " of " + source_->name();
}

template <class V>
std::unique_ptr<LinOp<V>> Formatted<V>::clone(const Executor& exec) const
{
    return std::make_unique<Formatted>(source_->clone(exec), applied_->clone(exec));
}

template <class V>
void Formatted<V>::update_values(LinOpPtr<V> matrix)
{
    auto here = new_values_here(*this, *source_, std::move(matrix));
    std::shared_ptr<LinOp<V>> fresh = applied_->clone(this->executor());
    fresh->update_values(here);
    source_ = std::move(here);
    applied_ = std::move(fresh);
}

template <class V>
void Formatted<V>::apply_impl(const Dense<V>& b, Dense<V>& x) const
{
    applied_->apply(b, x);
}

template <class V>
void Formatted<V>::apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const
{
    applied_->apply(alpha, b, beta, x);
}

template <class V>
void Formatted<V>::apply_dot_impl(const Dense<V>& b, Dense<V>& x, const DotRequest<V>& dots) const
{
    applied_->apply_dot(b, x, dots);
}

}  // namespace linden
