#pragma once

#include <linden/array.hpp>
#include <linden/deflation.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>

#include "core/deflation/kept_memory.hpp"
#include "core/kernels/galerkin.hpp"
#include "core/kernels/nested_dissection.hpp"

namespace linden::detail {

struct NestedDissection;

/// Solves with the Galerkin matrix E (k x k). Linearly dependent deflation vectors get the coefficient 0. With the
/// inverse a solve is a dense product of k^2 words, which runs in parallel. If E is large and sparse, the inverse is
/// applied as a product of two sparser matrices, see core/kernels/nested_dissection.hpp. With factors a solve also
/// reads k^2 words, but in sequential steps.
template <class V>
class GalerkinSolver {
public:
    GalerkinSolver(const Executor& exec, size_type num_vectors, CoarseSolve how);

    /// scales[i]: the sum of magnitudes of the terms of E(i, i). If a pivot is below rounding of that, the vector is
    /// linearly dependent. e: k x k, contiguous. Waits for the executor. What fails leaves E^-1 as
    /// it was. `memory`: for the time of the call.
    void factorize(const Dense<V>& e, const Array<real_t<V>>& scales, KeptMemory& memory);
    /// Factorizes a sparse e; magnitudes have its pattern, and their diagonal has the scales.
    template <class I>
    void factorize(const Csr<V, I>& e, const Csr<V, I>& magnitudes, KeptMemory& memory);

    /// x := E^-1 b.  b, x: k x m; t: memory for num_temporaries() x m values. Neither allocates nor waits.
    void apply(const Dense<V>& b, V* t, Dense<V>& x) const;

    size_type size() const { return matrix_.size().rows; }
    /// Does not depend on E.
    size_type num_temporaries() const { return size() / 2; }
    size_type num_dropped() const { return num_dropped_; }
    /// Number of rows of E in separators; 0 without nested dissection.
    size_type num_separators() const { return size() - separators_; }

private:
    /// Eliminates the blocks, then the Schur complement of the separators. Waits for the executor.
    void eliminate(const Dense<V>& e, const Array<real_t<V>>& scales, const GalerkinPartition& parts,
                   KeptMemory& memory);
    template <class I>
    void factorize_dissected(const Csr<V, I>& e, const Csr<V, I>& magnitudes, const NestedDissection& dissection,
                             KeptMemory& memory);

    CoarseSolve how_;
    Dense<V> matrix_;       ///< E^-1, or factors of E, or the result of eliminating blocks and separators
    size_type separators_;  ///< the first separator
    Array<std::int32_t> order_;
    Array<ColumnRange> ranges_;
    size_type num_dropped_ = 0;
};

}  // namespace linden::detail
