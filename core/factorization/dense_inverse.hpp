#pragma once

#include <linden/array.hpp>
#include <linden/storage_precision.hpp>
#include <linden/views.hpp>

#include "core/kernels/dense_inverse.hpp"

namespace linden::detail {

/// Where pivots are looked for: in whole columns; or on the diagonal, which suffices for definite matrices and takes
/// half of the time (an H100, 280 rows). Where a pivot there is below 10^-8 of its column's largest entry, whole
/// columns are searched.
enum class DensePivots { columns, diagonal };

/// The inverse of a general dense matrix A (n x n), found in double precision with partial pivoting and stored in V or
/// rounded. Where a column of A has no pivot above 8 eps n of its largest entry, eps that of V, A is singular to
/// rounding: this unknown and the equation that is left for it are dropped, which makes a row and a column of the
/// inverse zeros. Nothing becomes NaN by it, nor by entries of A that are not finite.
///
/// Memory: n^2 stored values, and for new values n^2 numbers in double precision.
template <class V>
class DenseInverse {
public:
    /// smallest_pivot: the share instead of 8 eps n, if that is smaller, for matrices that have rounding errors
    /// already.
    /// @throws InvalidParameter for complex values in half precision
    DenseInverse(const Executor& exec, size_type size, StoragePrecision storage,
                 DensePivots pivots = DensePivots::columns, double smallest_pivot = 0);

    /// a: n x n, row by row, on the executor. 2 n^3 operations. Waits for the executor.
    void factorize(const V* a);
    /// The same in two parts, of which the first one does not wait.
    void start(const V* a);
    void finish(const V* a);
    /// The inverse of new values, with the pivots that `factorize` found; those that are too small now are dropped, and
    /// num_singular() does not count them. Neither allocates nor waits.
    void update(const V* a);

    /// x := A^-1 b.  b, x: n x k, not the same. Reads n^2 stored values. Neither allocates nor waits.
    void apply(DenseView<const V> b, DenseView<V> x) const;

    size_type size() const { return size_; }
    /// Unknowns dropped by `factorize`.
    size_type num_singular() const { return num_singular_; }
    /// Of the stored inverse.
    size_type bytes() const { return static_cast<size_type>(stored_.bytes()); }

private:
    GalerkinView<V> view();
    /// values := (P A)^-1; prepare(first) comes before each step.
    template <class Prepare>
    void eliminate(const V* a, Elimination how, const Prepare& prepare);
    void look_for_pivots(const V* a);
    void take_pivots();
    void store();

    Executor exec_;
    size_type size_;
    StoragePrecision storage_;
    DensePivots pivots_;
    double smallest_pivot_;
    size_type stride_ = 0;  ///< of stored rows, which begin at multiples of 16 bytes
    size_type num_singular_ = 0;
    Array<std::byte> stored_;
    Array<wide_t<V>> values_;
    Array<real_t<V>> scales_;
    Array<std::int32_t> order_, positions_;
    Array<std::int32_t> has_pivot_;  ///< what `factorize` kept
    Array<std::int32_t> is_kept_;
    Array<std::byte> workspace_;
};

}  // namespace linden::detail
