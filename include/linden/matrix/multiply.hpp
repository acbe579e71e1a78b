#pragma once

#include <linden/matrix/csr.hpp>

#include <cstddef>
#include <type_traits>

/// Products and sums of sparse matrices. All matrices of a call are on one executor, where the work is done.
namespace linden {

/// C = A B.  A: m x k, B: k x n. C's pattern is the one that A's and B's patterns give: entries that cancel stay.
/// The same bits in every run. Peak memory on devices, beside A and B: C and
/// two more words of I per row and per 512 entries.
/// @throws DimensionMismatch, InvalidParameter if B is on another executor or if I cannot hold C's entries, OutOfMemory
template <class V, class I>
LINDEN_EXPORT Csr<V, I> multiply(const Csr<V, I>& a, const Csr<V, I>& b);

/// R (A P), the coarse operator of multigrid. @throws as multiply
template <class V, class I>
LINDEN_EXPORT Csr<V, I> galerkin_product(const Csr<V, I>& r, const Csr<V, I>& a, const Csr<V, I>& p);

/// C = alpha A + beta B, all m x n. C's pattern is the union of those of A and B, also where a coefficient is zero.
/// @throws DimensionMismatch, InvalidParameter if B is on another executor or if I cannot hold C's entries, OutOfMemory
template <class V, class I>
LINDEN_EXPORT Csr<V, I> add(std::type_identity_t<V> alpha, const Csr<V, I>& a, std::type_identity_t<V> beta,
                            const Csr<V, I>& b);

namespace detail {

/// A pattern, from which matrices are made, and the sizes that its operands had.
template <class I>
struct ResultPattern {
    Dim size;
    Array<I> row_ptrs;
    Array<I> col_idxs;
    Dim a_size, b_size;
    size_type a_nonzeros, b_nonzeros;
};

}  // namespace detail

/// C = A B for many values on the same patterns of A and B: the symbolic half is done once. Holds C's pattern.
template <class V, class I>
class LINDEN_EXPORT MultiplyPlan {
public:
    /// @throws as multiply
    MultiplyPlan(const Csr<V, I>& a, const Csr<V, I>& b);

    Dim size() const { return pattern_.size; }
    size_type num_nonzeros() const { return pattern_.col_idxs.size(); }

    /// A matrix with C's pattern; its values are unspecified. @throws OutOfMemory
    Csr<V, I> result() const;
    /// C's values for A and B with the patterns that the plan was made for, which is only checked by their sizes and
    /// numbers of entries; c is a `result()`. Allocates nothing, does not wait.
    /// @throws DimensionMismatch, InvalidParameter if sizes, numbers of entries or executors differ from the plan's
    void compute(const Csr<V, I>& a, const Csr<V, I>& b, Csr<V, I>& c);

private:
    detail::ResultPattern<I> pattern_;
    Array<std::byte> workspace_;
};

/// C = alpha A + beta B for many values on the same patterns of A and B. Holds C's pattern.
template <class V, class I>
class LINDEN_EXPORT AddPlan {
public:
    /// @throws as add
    AddPlan(const Csr<V, I>& a, const Csr<V, I>& b);

    Dim size() const { return pattern_.size; }
    size_type num_nonzeros() const { return pattern_.col_idxs.size(); }

    /// A matrix with C's pattern; its values are unspecified. @throws OutOfMemory
    Csr<V, I> result() const;
    /// As MultiplyPlan::compute.
    void compute(V alpha, const Csr<V, I>& a, V beta, const Csr<V, I>& b, Csr<V, I>& c) const;

private:
    detail::ResultPattern<I> pattern_;
};

}  // namespace linden
