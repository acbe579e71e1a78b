#include <linden/error.hpp>
#include <linden/matrix/permutation.hpp>
#include <linden/preconditioner/reordered.hpp>
#include <linden/reorder/matching.hpp>

#include <array>
#include <numeric>
#include <string>

#include "core/colouring/colouring.hpp"
#include "core/kernels/array.hpp"
#include "core/matrix/cuthill_mckee.hpp"
#include "core/matrix/key_order.hpp"
#include "core/matrix/metis/dissection.hpp"
#include "core/matrix/minimum_degree.hpp"
#include "core/matrix/pattern_arithmetic.hpp"
#include "core/matrix/visit_csr.hpp"
#include "core/preconditioner/alternating_copies.hpp"

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
    ReorderingOf(const Csr<V, I>& a, Ordering ordering, ColumnMatching matching, const std::vector<std::int64_t>& given)
        : exec_(a.executor()),
          pattern_{{}, Array<I>(exec_), Array<I>(exec_)}
    {
        Array<I> partners(exec_);  // of the diagonal entries; empty: no others than they have
        if (matching != ColumnMatching::none) {
            partners = Array<I>(exec_, matched_columns(a, matching));
        }
        const auto order = given.empty() ? order_of(matched_pattern(a, partners), ordering)
                                         : Array<I>(exec_, checked(given, a.size().rows));
        Permutation<V, I> p(exec_, order.clone());
        Permutation<V, I> q(exec_, partners.size() == 0 ? order.clone() : gathered(exec_, order, partners));
        Permutation<V, I> back = q.inverse();
        pattern_ = permuted_pattern<I>(exec_, a.view(), p.rows(), back.rows());
        this->rows = share(std::move(p));
        this->columns = share(std::move(q));
        this->columns_back = share(std::move(back));
    }

    LinOpPtr<V> transform(const LinOp<V>& matrix) override
    {
        const auto& a = csr_of<V, I>("Reordered", matrix, pattern_.source.size());
        const auto copy = copies_.next([&] {
            return Csr<V, I>(exec_, a.size(), pattern_.row_ptrs.clone(), pattern_.col_idxs.clone(),
                             Array<V>(exec_, pattern_.source.size()));
        });
        array_gather<V, V, I>(exec_, a.num_nonzeros(), pattern_.source.data(), a.values(), copy->values(),
                              Conjugate::no);
        return copy;
    }

private:
    /// The column of each row's diagonal entry.
    static std::vector<I> matched_columns(const Csr<V, I>& a, ColumnMatching how)
    {
        const auto matching =
            how == ColumnMatching::maximum ? maximum_product_matching(a) : approximate_product_matching(a);
        std::vector<I> partners;
        const auto left = matching.unmatched_columns();
        auto next = left.begin();
        for (const auto column : matching.column_of_row) {
            partners.push_back(static_cast<I>(column >= 0 ? column : *next++));
        }
        return partners;
    }
    static Pattern<I> matched_pattern(const Csr<V, I>& a, const Array<I>& partners)
    {
        if (partners.size() == 0) {
            return Pattern<I>::viewing(a.executor(), a.view());
        }
        const auto place = Permutation<V, I>(a.executor(), partners.clone()).inverse();
        return permuted_pattern<I>(a.executor(), a.view(), nullptr, place.rows());
    }
    static Array<I> order_of(const Pattern<I>& pattern, Ordering ordering)
    {
        const auto& exec = pattern.row_ptrs.executor();
        switch (ordering) {
        case Ordering::rcm:
            return cuthill_mckee_rows<I>(exec, pattern.view());
        case Ordering::amd:
            return Array<I>(exec, minimum_degree_order<I>(exec, pattern.view()));
        case Ordering::colamd:
            return Array<I>(exec, column_minimum_degree_order<I>(exec, pattern.view()));
        case Ordering::nested_dissection: {
            const auto transposed = transposed_pattern<I>(exec, pattern.view());
            const auto graph = sum_of_patterns<I>(exec, pattern.view(), transposed.view(), "the graph");
            return Array<I>(exec, dissection_order(graph.row_ptrs.to_host(), graph.col_idxs.to_host()));
        }
        case Ordering::colours:
            return ColourOrder<I>(exec, colour_pattern<I>(exec, pattern.view(), {})).order.clone();
        case Ordering::natural:
            break;
        }
        std::vector<I> order(static_cast<std::size_t>(pattern.size.rows));
        std::iota(order.begin(), order.end(), I{0});
        return Array<I>(exec, order);
    }
    /// @throws DimensionMismatch; what is no permutation is refused when P is made of it
    static std::vector<I> checked(const std::vector<std::int64_t>& given, size_type rows)
    {
        const auto count = static_cast<size_type>(given.size());
        if (count != rows) {
            throw DimensionMismatch("Reordered", "the matrix", {rows, rows}, "the given order", {count, 1});
        }
        std::vector<I> order;
        for (const auto row : given) {
            order.push_back(row < 0 || row >= rows ? I{-1} : static_cast<I>(row));
        }
        return order;
    }

    Executor exec_;
    Pattern<I> pattern_;
    AlternatingCopies<V> copies_;
};

}  // namespace
}  // namespace detail

template <class V>
void Reordered<V>::Parameters::describe(ParameterVisitor& v)
{
    static constexpr std::array<std::string_view, 6> orderings{"natural",           "rcm",    "amd", "colamd",
                                                               "nested_dissection", "colours"};
    v.choice(
        "ordering", ordering, orderings,
        "order of rows and columns: reverse Cuthill-McKee, minimum degree of A + A^T or A^T A, METIS, or by colour");
    static constexpr std::array<std::string_view, 3> matchings{"false", "true", "approximate"};
    v.choice(
        "matching", matching, matchings,
        "permute columns first, for a diagonal whose product is as large as possible, or nearly, found in parallel");
    v.factory("inner", inner, "preconditioner or solver for the reordered matrix; none: the identity");
}

template <class V>
Reordered<V>::Reordered(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : TransformedOperator<V>(exec, type_name, std::move(matrix)),
      parameters_(std::move(parameters))
{
    visit_csr(type_name, *this->matrix(), [&]<class I>(const Csr<V, I>& a) {
        reordering_ = std::make_shared<detail::ReorderingOf<V, I>>(a, parameters_.ordering, parameters_.matching,
                                                                   parameters_.order);
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
