#include "core/matrix/result_plan.hpp"

#include <string>

// instantiate: class detail::ResultPlan<V, I>

namespace linden::detail {
namespace {

template <class V, class I>
void require_like_plan(std::string_view who, std::string_view what, const Csr<V, I>& matrix, const Executor& exec,
                       Dim size, size_type num_nonzeros)
{
    require_on(exec, what, matrix);
    if (matrix.size() != size) {
        throw DimensionMismatch(who, "the plan's " + std::string(what), size, what, matrix.size());
    }
    if (matrix.num_nonzeros() != num_nonzeros) {
        throw InvalidParameter(what, std::to_string(matrix.num_nonzeros()) + " entries",
                               "the " + std::to_string(num_nonzeros) + " entries that the plan was made for");
    }
}

}  // namespace

template <class V, class I>
ResultPlan<V, I>::ResultPlan(const Csr<V, I>& a, const Csr<V, I>& b, Pattern<I> pattern)
    : pattern_(std::move(pattern)),
      a_size_(a.size()),
      b_size_(b.size()),
      a_nonzeros_(a.num_nonzeros()),
      b_nonzeros_(b.num_nonzeros())
{
}

template <class V, class I>
Csr<V, I> ResultPlan<V, I>::result() const
{
    return matrix_of<V, I>({size(), pattern_.row_ptrs.clone(), pattern_.col_idxs.clone()});
}

template <class V, class I>
void ResultPlan<V, I>::check(std::string_view who, const Csr<V, I>& a, const Csr<V, I>& b, const Csr<V, I>& c) const
{
    const Executor& exec = pattern_.row_ptrs.executor();
    require_like_plan(who, "A", a, exec, a_size_, a_nonzeros_);
    require_like_plan(who, "B", b, exec, b_size_, b_nonzeros_);
    require_like_plan(who, "C", c, exec, size(), num_nonzeros());
}

}  // namespace linden::detail
