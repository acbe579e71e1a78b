#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/sum.hpp>

#include <algorithm>

#include "core/kernels/dense.hpp"
#include "core/matrix/block_cache.hpp"
#include "core/matrix/operators.hpp"

// instantiate: class Sum<V>

namespace linden {
namespace {

template <class V>
std::vector<LinOpPtr<V>> operators_of(const std::vector<typename Sum<V>::Term>& terms)
{
    std::vector<LinOpPtr<V>> operators;
    for (const auto& term : terms) {
        operators.push_back(term.op);
    }
    return operators;
}

}  // namespace

template <class V>
Sum<V>::Sum(std::vector<Term> terms)
    : LinOp<V>(detail::executor_of_first(operators_of<V>(terms)), {}),
      terms_(std::move(terms)),
      blocks_(std::make_unique<detail::BlockCache<V>>(this->executor()))
{
    const Dim size = terms_.front().op->size();
    for (std::size_t i = 0; i < terms_.size(); ++i) {
        auto& op = terms_[i].op;
        op = detail::operator_on(this->executor(), std::move(op));
        if (op->size() != size) {
            throw DimensionMismatch("Sum", "operator 1", size, "operator " + std::to_string(i + 1), op->size());
        }
    }
    this->set_size(size);
}

template <class V>
Sum<V>::~Sum() = default;
template <class V>
Sum<V>::Sum(Sum&&) noexcept = default;
template <class V>
Sum<V>& Sum<V>::operator=(Sum&&) noexcept = default;

template <class V>
Communicator Sum<V>::communicator() const
{
    return detail::communicator_of<V>(operators_of<V>(terms_));
}

template <class V>
bool Sum<V>::is_capturable() const
{
    return std::all_of(terms_.begin(), terms_.end(), [](const auto& term) { return term.op->is_capturable(); });
}

template <class V>
std::unique_ptr<LinOp<V>> Sum<V>::clone(const Executor& exec) const
{
    std::vector<Term> copies;
    for (const auto& term : terms_) {
        copies.push_back({term.coefficient, LinOpPtr<V>(term.op->clone(exec))});
    }
    return std::make_unique<Sum>(std::move(copies));
}

template <class V>
void Sum<V>::apply_impl(const Dense<V>& b, Dense<V>& x) const
{
    Scalar<V> beta = V{};
    for (const auto& term : terms_) {
        term.op->apply(term.coefficient, b, beta, x);
        beta = V{1};
    }
}

template <class V>
void Sum<V>::apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const
{
    const bool unscaled =
        std::all_of(terms_.begin(), terms_.end(), [](const auto& term) { return term.coefficient == V{1}; });
    if (alpha.data != nullptr && !unscaled) {
        // The products alpha c_i would have to be computed on the executor.
        typename detail::BlockCache<V>::Lease lease(*blocks_, x.size().rows * x.size().cols);
        auto sum = lease.block(x.size());
        apply_impl(b, sum);
        dense_axpby<V>(this->executor(), alpha, std::as_const(sum).view(), beta, x.view());
        return;
    }
    for (const auto& term : terms_) {
        term.op->apply(unscaled ? alpha : Scalar<V>(alpha.value * term.coefficient), b, beta, x);
        beta = V{1};
    }
}

}  // namespace linden
