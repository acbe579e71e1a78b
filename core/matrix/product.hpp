#pragma once

#include <linden/matrix/csr.hpp>

#include "core/matrix/pattern_arithmetic.hpp"
#include "core/matrix/result_plan.hpp"

namespace linden::detail {

/// C = A B, whose pattern is found once and whose values are computed again in the same place.
template <class V, class I>
class Product {
public:
    /// Waits.
    Product(const Csr<V, I>& a, const Csr<V, I>& b)
        : Product(a, b, product_of_patterns<I>(a.executor(), a.view(), b.view(), "the product"))
    {
    }
    /// With its pattern.
    Product(const Csr<V, I>& a, const Csr<V, I>& b, Pattern<I> pattern)
        : result_(matrix_of<V>(std::move(pattern))),
          workspace_(a.executor())
    {
        size_type bytes = 0;
        spgemm_workspace<I>(a.executor(), a.view(), b.view(), result_.num_nonzeros(), &bytes);
        workspace_.resize(bytes);
        compute(a, b);
    }

    /// The values for new ones of A and B.
    void compute(const Csr<V, I>& a, const Csr<V, I>& b) { compute(a, b, result_); }
    /// The same for `c`, which has taken over the result.
    void compute(const Csr<V, I>& a, const Csr<V, I>& b, Csr<V, I>& c)
    {
        spgemm_multiply<V, I>(a.executor(), a.view(), b.view(), c.view(), c.values(),
                              {workspace_.data(), workspace_.size()});
    }

    const Csr<V, I>& result() const { return result_; }
    Csr<V, I>& result() { return result_; }

private:
    Csr<V, I> result_;
    Array<std::byte> workspace_;
};

}  // namespace linden::detail
