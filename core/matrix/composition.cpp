#include <linden/composition.hpp>
#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>

#include <algorithm>

#include "core/matrix/block_cache.hpp"
#include "core/matrix/operators.hpp"

// instantiate: class Composition<V>

namespace linden {
namespace {

template <class V>
Dim size_of_product(const std::vector<LinOpPtr<V>>& operators)
{
    return {operators.front()->size().rows, operators.back()->size().cols};
}

std::string numbered(std::size_t i) { return "operator " + std::to_string(i + 1); }

}  // namespace

template <class V>
Composition<V>::Composition(std::vector<LinOpPtr<V>> operators)
    : LinOp<V>(detail::executor_of_first(operators), {}),
      operators_(std::move(operators)),
      blocks_(std::make_unique<detail::BlockCache<V>>(this->executor()))
{
    for (auto& op : operators_) {
        op = detail::operator_on(this->executor(), std::move(op));
    }
    for (std::size_t i = 1; i < operators_.size(); ++i) {
        const Dim left = operators_[i - 1]->size();
        const Dim right = operators_[i]->size();
        if (left.cols != right.rows) {
            throw DimensionMismatch("Composition", numbered(i - 1), left, numbered(i), right);
        }
    }
    this->set_size(size_of_product(operators_));
}

template <class V>
Composition<V>::~Composition() = default;
template <class V>
Composition<V>::Composition(Composition&&) noexcept = default;
template <class V>
Composition<V>& Composition<V>::operator=(Composition&&) noexcept = default;

template <class V>
Communicator Composition<V>::communicator() const
{
    return detail::communicator_of<V>(operators_);
}

template <class V>
bool Composition<V>::is_capturable() const
{
    return std::all_of(operators_.begin(), operators_.end(), [](const auto& op) { return op->is_capturable(); });
}

template <class V>
bool Composition<V>::is_identity() const
{
    return std::all_of(operators_.begin(), operators_.end(), [](const auto& op) { return op->is_identity(); });
}

template <class V>
std::unique_ptr<LinOp<V>> Composition<V>::clone(const Executor& exec) const
{
    std::vector<LinOpPtr<V>> copies;
    for (const auto& op : operators_) {
        copies.push_back(op->clone(exec));
    }
    return std::make_unique<Composition>(std::move(copies));
}

/// f(A_2 ... A_n b)
template <class V>
template <class F>
void Composition<V>::with_product_of_rest(const Dense<V>& b, F&& f) const
{
    const auto n = operators_.size();
    const auto cols = b.size().cols;
    size_type rows = 0;
    for (std::size_t i = 1; i < n; ++i) {
        rows = std::max(rows, operators_[i]->size().rows);
    }
    // Products alternate between two blocks; two operators have only one product in between.
    typename detail::BlockCache<V>::Lease odd(*blocks_, n > 1 ? rows * cols : 0);
    typename detail::BlockCache<V>::Lease even(*blocks_, n > 2 ? rows * cols : 0);
    Dense<V> product(this->executor());
    const Dense<V>* last = &b;
    for (auto i = n - 1; i > 0; --i) {
        auto next = (i % 2 == 1 ? odd : even).block({operators_[i]->size().rows, cols});
        operators_[i]->apply(*last, next);
        product = std::move(next);
        last = &product;
    }
    f(*last);
}

template <class V>
void Composition<V>::apply_impl(const Dense<V>& b, Dense<V>& x) const
{
    with_product_of_rest(b, [&](const Dense<V>& rest) { operators_.front()->apply(rest, x); });
}

template <class V>
void Composition<V>::apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const
{
    with_product_of_rest(b, [&](const Dense<V>& rest) { operators_.front()->apply(alpha, rest, beta, x); });
}

template <class V>
void Composition<V>::apply_dot_impl(const Dense<V>& b, Dense<V>& x, const DotRequest<V>& dots) const
{
    with_product_of_rest(b, [&](const Dense<V>& rest) { operators_.front()->apply_dot(rest, x, dots); });
}

}  // namespace linden
