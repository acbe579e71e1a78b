#pragma once

#include <linden/matrix/csr.hpp>

#include "core/kernels/array.hpp"
#include "core/kernels/mirror.hpp"

namespace linden::detail {

/// The adjoint of a square matrix with a symmetric pattern, which it shares: no entry changes its place, as in a
/// transposition, and none is sorted.
template <class V, class I>
class Mirrored {
public:
    /// a: sorted rows, a symmetric pattern; its arrays live until `update` or the end.
    explicit Mirrored(const Csr<V, I>& a)
        : source_(a.executor(), a.num_nonzeros()),
          values_(a.executor(), a.num_nonzeros()),
          result_(view_on(a))
    {
        mirror_adjoint<V, I>(a.executor(), a.view(), source_.data(), values_.data());
    }

    /// Takes the values of a matrix with the same pattern, whose arrays live as those of the one before.
    void update(const Csr<V, I>& a)
    {
        result_ = view_on(a);
        array_gather<V, V, I>(a.executor(), values_.size(), source_.data(), a.view().values, values_.data(),
                              Conjugate::yes);
    }

    const Csr<V, I>& result() const { return result_; }

private:
    Csr<V, I> view_on(const Csr<V, I>& a)
    {
        const auto p = a.view();
        return csr_view_unchecked<V, I>(a.executor(), p.rows, p.cols, p.num_nonzeros, p.row_ptrs, p.col_idxs,
                                        values_.data());
    }

    Array<I> source_;
    Array<V> values_;
    Csr<V, I> result_;
};

}  // namespace linden::detail
