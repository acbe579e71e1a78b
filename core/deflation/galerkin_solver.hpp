#pragma once

#include <linden/array.hpp>
#include <linden/deflation.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>

#include "core/kernels/dissected.hpp"
#include "core/kernels/galerkin.hpp"

namespace linden::detail {

/// Solves with the Galerkin matrix E of deflation vectors (k x k), some of which may depend on others: those get
/// coefficients of 0. The inverse costs a product of k^2 words, which all units of an executor share. Where E is sparse
/// and large it is a product of two matrices with a fraction of these; see core/kernels/dissected.hpp. Factors cost k^2
/// words in steps that wait for each other.
template <class V>
class GalerkinSolver {
public:
    GalerkinSolver(const Executor& exec, size_type num_vectors, CoarseSolve how);

    /// scales[i]: the magnitude of what E(i, i) was summed from. Where a pivot is rounding of that, the vector depends
    /// on others. e: k x k, contiguous. Waits for the executor.
    void factorize(const Dense<V>& e, const Array<real_t<V>>& scales);
    /// The same; magnitudes have the pattern of e, those of the diagonal are scales.
    template <class I>
    void factorize(const Csr<V, I>& e, const Csr<V, I>& magnitudes);

    /// x := E^-1 b.  b, x: k x m; t: memory for num_temporaries() x m. Nothing is allocated, and nothing waited for.
    void apply(const Dense<V>& b, V* t, Dense<V>& x) const;

    size_type size() const { return matrix_.size().rows; }
    /// Does not depend on E.
    size_type num_temporaries() const { return size() / 2; }
    size_type num_dropped() const { return num_dropped_; }
    /// Rows of E that separate parts of the others, 0 where it has one part.
    size_type num_separators() const { return size() - tail_; }

private:
    /// The parts, then what is behind them. Waits for the executor.
    void eliminate(const Dense<V>& e, const Array<real_t<V>>& scales, const GalerkinParts& parts);

    CoarseSolve how_;
    Dense<V> matrix_;  ///< E^-1, or factors of E, or what elimination of parts and separators leaves
    size_type tail_;   ///< the first separator
    Array<std::int32_t> order_;
    Array<ColumnRange> ranges_;
    size_type num_dropped_ = 0;
};

}  // namespace linden::detail
