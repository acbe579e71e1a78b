#include <linden/matrix/multiply.hpp>

#include "core/matrix/pattern_arithmetic.hpp"
#include "core/matrix/result_plan.hpp"

// instantiate: Csr<V, I> multiply<V, I>(const Csr<V, I>&, const Csr<V, I>&)
// instantiate: Csr<V, I> galerkin_product<V, I>(const Csr<V, I>&, const Csr<V, I>&, const Csr<V, I>&)
// instantiate: class MultiplyPlan<V, I>

namespace linden {
namespace {

template <class V, class I>
Array<std::byte> make_workspace(const Csr<V, I>& a, const Csr<V, I>& b, size_type num_nonzeros)
{
    size_type bytes = 0;
    spgemm_workspace<I>(a.executor(), a.view(), b.view(), num_nonzeros, &bytes);
    return Array<std::byte>(a.executor(), bytes);
}

WorkspaceView view_of(Array<std::byte>& workspace) { return {workspace.data(), workspace.size()}; }

template <class V, class I>
detail::Pattern<I> pattern_of_product(const Csr<V, I>& a, const Csr<V, I>& b)
{
    if (a.size().cols != b.size().rows) {
        throw DimensionMismatch("multiply", "A", a.size(), "B", b.size());
    }
    detail::require_on(a.executor(), "B", b);
    return detail::product_of_patterns<I>(a.executor(), a.view(), b.view(), "product");
}

template <class V, class I>
void compute_values(const Csr<V, I>& a, const Csr<V, I>& b, Csr<V, I>& c, Array<std::byte>& workspace)
{
    spgemm_multiply<V, I>(a.executor(), a.view(), b.view(), c.view(), c.values(), view_of(workspace));
}

}  // namespace

template <class V, class I>
Csr<V, I> multiply(const Csr<V, I>& a, const Csr<V, I>& b)
{
    auto c = detail::matrix_of<V, I>(pattern_of_product(a, b));
    auto workspace = make_workspace(a, b, c.num_nonzeros());
    compute_values(a, b, c, workspace);
    return c;
}

template <class V, class I>
Csr<V, I> galerkin_product(const Csr<V, I>& r, const Csr<V, I>& a, const Csr<V, I>& p)
{
    return multiply(r, multiply(a, p));
}

template <class V, class I>
MultiplyPlan<V, I>::MultiplyPlan(const Csr<V, I>& a, const Csr<V, I>& b)
    : detail::ResultPlan<V, I>(a, b, pattern_of_product(a, b)),
      workspace_(make_workspace(a, b, this->num_nonzeros()))
{
}

template <class V, class I>
void MultiplyPlan<V, I>::compute(const Csr<V, I>& a, const Csr<V, I>& b, Csr<V, I>& c)
{
    this->check("MultiplyPlan::compute", a, b, c);
    compute_values(a, b, c, workspace_);
}

}  // namespace linden
