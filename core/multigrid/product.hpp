#pragma once

#include <linden/matrix/csr.hpp>

#include "core/kernels/spgemm.hpp"
#include "core/matrix/make_pattern.hpp"

namespace linden::detail {

/// C = A B, whose pattern is found once and whose values are computed again in the same place. Devices form rows in one
/// pass, columns with their values, where all are short enough.
template <class V, class I>
class Product {
public:
    /// Waits.
    Product(const Csr<V, I>& a, const Csr<V, I>& b) : workspace_(a.executor()), result_(make(a, b)) {}

    /// The values for new ones of A and B.
    void compute(const Csr<V, I>& a, const Csr<V, I>& b) { compute(a, b, result_); }
    /// The same for `c`, which has taken over the result.
    void compute(const Csr<V, I>& a, const Csr<V, I>& b, Csr<V, I>& c)
    {
        if (is_formed_) {
            spgemm_form<V, I>(a.executor(), a.view(), b.view(), c.view().row_ptrs, nullptr, c.values());
        } else {
            multiply(a, b, c.view(), c.values());
        }
    }

    const Csr<V, I>& result() const { return result_; }
    Csr<V, I>& result() { return result_; }

private:
    Csr<V, I> make(const Csr<V, I>& a, const Csr<V, I>& b)
    {
        const auto& exec = a.executor();
        const Dim size{a.size().rows, b.size().cols};
        resize_workspace(a, b, 0);
        Array<I> row_ptrs(exec, size.rows + 1);
        spgemm_count<I>(exec, a.view(), b.view(), row_ptrs.data(), {workspace_.data(), workspace_.size()});
        Array<std::int64_t> found(exec, 2);  // entries in all, and in the longest row
        array_largest<I>(exec, size.rows, row_ptrs.data(), found.data() + 1);
        scan_counts(row_ptrs, found);
        const auto counts = found.to_host();
        require_fits<I>(counts[0], "the product");
        Array<I> col_idxs(exec, counts[0]);
        Array<V> values(exec, counts[0]);
        is_formed_ = !exec.state().is_host() && counts[1] <= spgemm_form_entries;
        if (is_formed_) {
            spgemm_form<V, I>(exec, a.view(), b.view(), row_ptrs.data(), col_idxs.data(), values.data());
            workspace_.resize(0);
        } else {
            spgemm_fill<I>(exec, a.view(), b.view(), row_ptrs.data(), col_idxs.data(),
                           {workspace_.data(), workspace_.size()});
            resize_workspace(a, b, counts[0]);
            multiply(a, b, {size.rows, size.cols, counts[0], row_ptrs.data(), col_idxs.data()}, values.data());
        }
        return Csr<V, I>(exec, size, std::move(row_ptrs), std::move(col_idxs), std::move(values));
    }
    void resize_workspace(const Csr<V, I>& a, const Csr<V, I>& b, size_type num_nonzeros)
    {
        size_type bytes = 0;
        spgemm_workspace<I>(a.executor(), a.view(), b.view(), num_nonzeros, &bytes);
        workspace_.resize(bytes);
    }
    void multiply(const Csr<V, I>& a, const Csr<V, I>& b, PatternView<I> c, V* values)
    {
        spgemm_multiply<V, I>(a.executor(), a.view(), b.view(), c, values, {workspace_.data(), workspace_.size()});
    }

    Array<std::byte> workspace_;
    bool is_formed_ = false;
    Csr<V, I> result_;
};

}  // namespace linden::detail
