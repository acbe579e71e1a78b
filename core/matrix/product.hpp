#pragma once

#include <linden/matrix/csr.hpp>

#include <optional>
#include <string_view>
#include <utility>

#include "core/matrix/pattern_arithmetic.hpp"
#include "core/matrix/result_plan.hpp"

namespace linden::detail {

/// A B, whose entries have been counted: how many there are is in `num_nonzeros`, on the executor. Where the
/// backend has kernels for it, its values are found with its columns, which takes fewer passes.
template <class V, class I>
class StartedProduct {
public:
    StartedProduct(const Csr<V, I>& a, const Csr<V, I>& b) : a_(a.view()), b_(b.view())
    {
        const auto& exec = a.executor();
        if (!spgemm_form<V, I>.available(exec.backend())) {
            counted_.emplace(exec, a_, b_);
            return;
        }
        size_type bytes = 0;
        spgemm_form_workspace<V, I>(exec, a_, b_, &bytes);
        formed_.emplace(
            Formed{Array<std::byte>(exec, bytes), Array<I>(exec, a_.rows + 1), Array<std::int64_t>(exec, 1)});
        spgemm_form<V, I>(exec, a_, b_, formed_->row_ptrs.data(), formed_->workspace());
        scan_counts(formed_->row_ptrs, formed_->num_nonzeros.data());
    }

    const Array<std::int64_t>& num_nonzeros() const
    {
        return counted_ ? counted_->num_nonzeros() : formed_->num_nonzeros;
    }
    bool has_values() const { return formed_.has_value(); }
    /// The matrix; its values are unspecified unless it has them.  found: what `num_nonzeros` holds. Called once.
    Csr<V, I> finish(std::int64_t found, std::string_view what)
    {
        if (counted_) {
            return matrix_of<V>(counted_->fill(found, what));
        }
        require_fits<I>(found, what);
        const Executor exec = formed_->row_ptrs.executor();
        Array<I> col_idxs(exec, found);
        Array<V> values(exec, found);
        spgemm_take<V, I>(exec, a_, b_, formed_->row_ptrs.data(), col_idxs.data(), values.data(), formed_->workspace());
        return Csr<V, I>(exec, {a_.rows, b_.cols}, std::move(formed_->row_ptrs), std::move(col_idxs),
                         std::move(values));
    }

private:
    struct Formed {
        Array<std::byte> memory;
        Array<I> row_ptrs;
        Array<std::int64_t> num_nonzeros;

        WorkspaceView workspace() { return {memory.data(), memory.size()}; }
    };

    CsrView<V, I> a_, b_;
    std::optional<CountedProduct<I>> counted_;
    std::optional<Formed> formed_;
};

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
        : Product(a, b, matrix_of<V>(std::move(pattern)))
    {
    }
    /// In a matrix with its pattern.
    Product(const Csr<V, I>& a, const Csr<V, I>& b, Csr<V, I> result)
        : Product(a, b, WithoutValues{}, std::move(result))
    {
        compute(a, b);
    }
    /// What has been started for A and B.  found: the number of its entries.
    Product(const Csr<V, I>& a, const Csr<V, I>& b, StartedProduct<V, I>& started, std::int64_t found,
            std::string_view what)
        : Product(a, b, WithoutValues{}, started.finish(found, what))
    {
        if (!started.has_values()) {
            compute(a, b);
        }
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
    struct WithoutValues {};

    Product(const Csr<V, I>& a, const Csr<V, I>& b, WithoutValues, Csr<V, I> result)
        : result_(std::move(result)),
          workspace_(a.executor())
    {
        size_type bytes = 0;
        spgemm_workspace<I>(a.executor(), a.view(), b.view(), result_.num_nonzeros(), &bytes);
        workspace_.resize(bytes);
    }

    Csr<V, I> result_;
    Array<std::byte> workspace_;
};

}  // namespace linden::detail
