#include <linden/matrix/permutation.hpp>
#include <linden/preconditioner/reordered.hpp>
#include <linden/reorder/matching.hpp>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>

#include "core/kernels/array.hpp"
#include "core/matrix/cuthill_mckee.hpp"
#include "core/matrix/pattern_operations.hpp"
#include "core/matrix/visit_csr.hpp"

// instantiate: class Reordered<V>

namespace linden {
namespace detail {

/// P, Q and A~ for matrices with one pattern, of any index type.
template <class V>
class Reordering {
public:
    virtual ~Reordering() = default;
    virtual LinOpPtr<V> transform(const LinOp<V>& matrix) = 0;

    LinOpPtr<V> rows;          ///< P
    LinOpPtr<V> columns;       ///< Q
    LinOpPtr<V> columns_back;  ///< Q^T
};

namespace {

template <class V, class I>
class ReorderingOf final : public Reordering<V> {
public:
    ReorderingOf(const Csr<V, I>& a, Ordering ordering, bool matching)
        : exec_(a.executor()),
          pattern_{{}, Array<I>(exec_), Array<I>(exec_)}
    {
        std::vector<I> partners(static_cast<std::size_t>(a.size().rows));  // of the diagonal entries
        std::iota(partners.begin(), partners.end(), I{0});
        if (matching) {
            partners = matched_columns(a);
        }
        const auto matched = Permutation<V, I>(exec_, partners).inverse();
        auto order = order_of(permuted_pattern<I>(exec_, a.view(), nullptr, matched.rows()), ordering);
        Permutation<V, I> p(exec_, order);
        std::transform(order.begin(), order.end(), order.begin(), [&](I row) { return partners[row]; });
        Permutation<V, I> q(exec_, order);
        Permutation<V, I> back = q.inverse();
        pattern_ = permuted_pattern<I>(exec_, a.view(), p.rows(), back.rows());
        this->rows = share(std::move(p));
        this->columns = share(std::move(q));
        this->columns_back = share(std::move(back));
    }

    LinOpPtr<V> transform(const LinOp<V>& matrix) override
    {
        const auto& a = csr_of<V, I>("Reordered", matrix, pattern_.source.size());
        Array<V> values(exec_, pattern_.source.size());
        array_gather<V, V, I>(exec_, values.size(), pattern_.source.data(), a.values(), values.data(), Conjugate::no);
        return share(
            Csr<V, I>(exec_, a.size(), pattern_.row_ptrs.clone(), pattern_.col_idxs.clone(), std::move(values)));
    }

private:
    /// The column of each row's diagonal entry.
    static std::vector<I> matched_columns(const Csr<V, I>& a)
    {
        const auto matching = maximum_product_matching(a);
        std::vector<I> partners;
        const auto left = matching.unmatched_columns();
        auto next = left.begin();
        for (const auto column : matching.column_of_row) {
            partners.push_back(static_cast<I>(column >= 0 ? column : *next++));
        }
        return partners;
    }
    static std::vector<I> order_of(const Pattern<I>& pattern, Ordering ordering)
    {
        if (ordering == Ordering::rcm) {
            return cuthill_mckee_order<I>(pattern.row_ptrs.executor(), pattern.view());
        }
        std::vector<I> order(static_cast<std::size_t>(pattern.size.rows));
        std::iota(order.begin(), order.end(), I{0});
        return order;
    }

    Executor exec_;
    Pattern<I> pattern_;
};

}  // namespace
}  // namespace detail

template <class V>
void Reordered<V>::Parameters::describe(ParameterVisitor& v)
{
    static constexpr std::array<std::string_view, 2> orderings{"natural", "rcm"};
    v.choice("ordering", ordering, orderings, "order of rows and columns; rcm: reverse Cuthill-McKee");
    v("matching", matching, "permute columns first, so that the product of the diagonal is as large as possible");
    v.factory("inner", inner, "preconditioner or solver for the reordered matrix; none: the identity");
}

template <class V>
Reordered<V>::Reordered(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : TransformedOperator<V>(exec, type_name, std::move(matrix)),
      parameters_(std::move(parameters))
{
    visit_csr(type_name, *this->matrix(), [&]<class I>(const Csr<V, I>& a) {
        reordering_ = std::make_shared<detail::ReorderingOf<V, I>>(a, parameters_.ordering, parameters_.matching);
    });
    this->generate(parameters_.inner);
}

template <class V>
std::unique_ptr<LinOp<V>> Reordered<V>::clone(const Executor& exec) const
{
    return std::make_unique<Reordered>(exec, parameters_, this->matrix()->clone(exec));
}

template <class V>
LinOpPtr<V> Reordered<V>::transform(const LinOp<V>& matrix)
{
    return reordering_->transform(matrix);
}

template <class V>
const LinOp<V>& Reordered<V>::left() const
{
    return *reordering_->rows;
}

template <class V>
const LinOp<V>& Reordered<V>::right() const
{
    return *reordering_->columns_back;
}

template <class V>
void Reordered<V>::apply_right_inverse(const Dense<V>& x, Dense<V>& y) const
{
    reordering_->columns->apply(x, y);
}

}  // namespace linden
