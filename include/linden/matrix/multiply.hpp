#pragma once

#include <linden/matrix/csr.hpp>
#include <linden/matrix/pattern.hpp>

#include <cstddef>
#include <string_view>
#include <type_traits>

/// Products and sums of sparse matrices. All matrices of a call are on one executor, which does the work.
namespace linden {

/// C = A B.  A: m x k, B: k x n. C has the structural pattern of the product: entries that cancel are kept as zeros.
/// Deterministic. Peak memory on devices, besides A and B: C, and two words of I per row and per 512 entries.
/// @throws DimensionMismatch, InvalidParameter if B is on another executor or if I cannot hold C's entries, OutOfMemory
template <class V, class I>
LINDEN_EXPORT Csr<V, I> multiply(const Csr<V, I>& a, const Csr<V, I>& b);

/// R (A P), the coarse operator of multigrid. @throws as multiply
template <class V, class I>
LINDEN_EXPORT Csr<V, I> galerkin_product(const Csr<V, I>& r, const Csr<V, I>& a, const Csr<V, I>& p);

/// C = alpha A + beta B, all m x n. C has the union of the patterns of A and B, even if a coefficient is zero.
/// @throws DimensionMismatch, InvalidParameter if B is on another executor or if I cannot hold C's entries, OutOfMemory
template <class V, class I>
LINDEN_EXPORT Csr<V, I> add(std::type_identity_t<V> alpha, const Csr<V, I>& a, std::type_identity_t<V> beta,
                            const Csr<V, I>& b);

namespace detail {

/// The pattern of a product or sum, and the sizes of the operands it was computed for.
template <class V, class I>
class LINDEN_EXPORT ResultPlan {
public:
    Dim size() const { return pattern_.size; }
    size_type num_nonzeros() const { return pattern_.col_idxs.size(); }
    /// A matrix with C's pattern; its values are unspecified. @throws OutOfMemory
    Csr<V, I> result() const;

protected:
    ResultPlan(const Csr<V, I>& a, const Csr<V, I>& b, Pattern<I> pattern);
    /// @throws DimensionMismatch, InvalidParameter if the matrices are not like those that this was made for
    void check(std::string_view who, const Csr<V, I>& a, const Csr<V, I>& b, const Csr<V, I>& c) const;

private:
    Pattern<I> pattern_;
    Dim a_size_, b_size_;
    size_type a_nonzeros_, b_nonzeros_;
};

}  // namespace detail

/// C = A B for repeated values on the same patterns of A and B: the symbolic phase is done once. Holds C's pattern.
template <class V, class I>
class LINDEN_EXPORT MultiplyPlan : public detail::ResultPlan<V, I> {
public:
    /// @throws as multiply
    MultiplyPlan(const Csr<V, I>& a, const Csr<V, I>& b);

    /// C's values for A and B with the patterns that the plan was made for, which is only checked by their sizes and
    /// numbers of entries; c is a `result()`. Allocates nothing, does not wait.
    /// @throws DimensionMismatch, InvalidParameter if sizes, numbers of entries or executors differ from the plan's
    void compute(const Csr<V, I>& a, const Csr<V, I>& b, Csr<V, I>& c);

private:
    Array<std::byte> workspace_;
};

/// C = alpha A + beta B for repeated values on the same patterns of A and B. Holds C's pattern.
template <class V, class I>
class LINDEN_EXPORT AddPlan : public detail::ResultPlan<V, I> {
public:
    /// @throws as add
    AddPlan(const Csr<V, I>& a, const Csr<V, I>& b);

    /// As MultiplyPlan::compute.
    void compute(V alpha, const Csr<V, I>& a, V beta, const Csr<V, I>& b, Csr<V, I>& c) const;
};

}  // namespace linden
