#include <linden/matrix/multiply.hpp>

#include "core/matrix/pattern_arithmetic.hpp"
#include "core/matrix/result_plan.hpp"

// instantiate: Csr<V, I> add<V, I>(std::type_identity_t<V>, const Csr<V, I>&, std::type_identity_t<V>, const Csr<V, I>&)
// instantiate: class AddPlan<V, I>

namespace linden {
namespace {

template <class V, class I>
detail::Pattern<I> pattern_of_sum(const Csr<V, I>& a, const Csr<V, I>& b)
{
    if (a.size() != b.size()) {
        throw DimensionMismatch("add", "A", a.size(), "B", b.size());
    }
    detail::require_on(a.executor(), "B", b);
    return detail::sum_of_patterns<I>(a.executor(), a.view(), b.view(), "sum");
}

template <class V, class I>
void compute_values(V alpha, const Csr<V, I>& a, V beta, const Csr<V, I>& b, Csr<V, I>& c)
{
    spgeam_add<V, I>(a.executor(), alpha, a.view(), beta, b.view(), c.row_ptrs(), c.values());
}

}  // namespace

template <class V, class I>
Csr<V, I> add(std::type_identity_t<V> alpha, const Csr<V, I>& a, std::type_identity_t<V> beta, const Csr<V, I>& b)
{
    auto c = detail::matrix_of<V, I>(pattern_of_sum(a, b));
    compute_values(alpha, a, beta, b, c);
    return c;
}

template <class V, class I>
AddPlan<V, I>::AddPlan(const Csr<V, I>& a, const Csr<V, I>& b) : detail::ResultPlan<V, I>(a, b, pattern_of_sum(a, b))
{
}

template <class V, class I>
void AddPlan<V, I>::compute(V alpha, const Csr<V, I>& a, V beta, const Csr<V, I>& b, Csr<V, I>& c) const
{
    this->check("AddPlan::compute", a, b, c);
    compute_values(alpha, a, beta, b, c);
}

}  // namespace linden
