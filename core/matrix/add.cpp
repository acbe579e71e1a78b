#include <linden/matrix/multiply.hpp>

#include "core/kernels/spgeam.hpp"
#include "core/matrix/result_pattern.hpp"

// instantiate: Csr<V, I> add<V, I>(std::type_identity_t<V>, const Csr<V, I>&, std::type_identity_t<V>, const Csr<V, I>&)
// instantiate: class AddPlan<V, I>

namespace linden {
namespace {

template <class V, class I>
detail::ResultPattern<I> pattern_of_sum(const Csr<V, I>& a, const Csr<V, I>& b)
{
    if (a.size() != b.size()) {
        throw DimensionMismatch("add", "A", a.size(), "B", b.size());
    }
    const auto& exec = a.executor();
    detail::require_on(exec, "B", b);
    return detail::make_pattern(
        "sum", a, b, a.size(), [&](I* counts) { spgeam_count<I>(exec, a.view(), b.view(), counts); },
        [&](const I* row_ptrs, I* col_idxs) { spgeam_fill<I>(exec, a.view(), b.view(), row_ptrs, col_idxs); });
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
AddPlan<V, I>::AddPlan(const Csr<V, I>& a, const Csr<V, I>& b) : pattern_(pattern_of_sum(a, b))
{
}

template <class V, class I>
Csr<V, I> AddPlan<V, I>::result() const
{
    return detail::matrix_on<V, I>(pattern_);
}

template <class V, class I>
void AddPlan<V, I>::compute(V alpha, const Csr<V, I>& a, V beta, const Csr<V, I>& b, Csr<V, I>& c) const
{
    detail::require_like_plan("AddPlan::compute", pattern_, a, b, c);
    compute_values(alpha, a, beta, b, c);
}

}  // namespace linden
