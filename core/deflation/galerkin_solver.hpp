#pragma once

#include <linden/array.hpp>
#include <linden/deflation.hpp>
#include <linden/matrix/dense.hpp>

#include "core/kernels/galerkin.hpp"

namespace linden::detail {

/// Solves with the Galerkin matrix E of deflation vectors (k x k), some of which may depend on others: those get
/// coefficients of 0. The inverse costs a product of k^2 words, which all units of an executor share; factors cost as
/// many in steps that wait for each other, and half the operations to form.
template <class V>
class GalerkinSolver {
public:
    GalerkinSolver(const Executor& exec, size_type num_vectors, CoarseSolve how);

    /// scales[i]: the magnitude of what E(i, i) was summed from. Where a pivot is rounding of that, the vector depends
    /// on others. e: k x k, contiguous. Waits for the executor.
    void factorize(const Dense<V>& e, const Array<real_t<V>>& scales);

    /// x := E^-1 b.  b, x: k x m. Nothing is allocated, and nothing waited for.
    void apply(const Dense<V>& b, Dense<V>& x) const;

    size_type size() const { return matrix_.size().rows; }
    size_type num_dropped() const { return num_dropped_; }

private:
    CoarseSolve how_;
    Dense<V> matrix_;  ///< E^-1, or factors of E
    size_type num_dropped_ = 0;
};

}  // namespace linden::detail
