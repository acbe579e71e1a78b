#pragma once

#include <linden/reordered.hpp>
#include <linden/solver/ssor_cg.hpp>

#include <memory>
#include <vector>

#include "core/kernels/eisenstat.hpp"

namespace linden::detail {

/// The steps of core/kernels/eisenstat.hpp for all colours of a matrix, for any index type. All vectors are in the
/// ordering by colours.
template <class V>
class EisenstatSweeps {
public:
    using R = real_t<V>;

    virtual ~EisenstatSweeps() = default;

    /// r := (I + L')^-1 omega D^-1 residual
    virtual void transform(DenseView<const V> residual, DenseView<V> r) const = 0;
    /// p := r + beta p,  t := (I + U')^-1 p
    virtual void backward(DenseView<const V> r, DenseView<V> p, DenseView<V> t, EisenstatScalars<V> scalars,
                          StopView<R> stop) const = 0;
    /// w := (I + L')^-1 (p - (2 - omega) t),  pv := <p, t + w>_D
    virtual void forward(DenseView<const V> p, DenseView<const V> t, DenseView<V> w, EisenstatScalars<V> scalars,
                         StopView<R> stop, WorkspaceView workspace) const = 0;
    /// ||b - A x|| from r, in columns where it is due
    virtual void residual_norm(DenseView<const V> r, EisenstatScalars<V> scalars, StopView<R> stop,
                               WorkspaceView workspace) const = 0;
    /// D
    virtual const R* diagonal() const = 0;

    virtual void update(const LinOp<V>& matrix) = 0;
    virtual ReorderedSystem<V> system() const = 0;
    virtual std::vector<size_type> colour_sizes() const = 0;
};

/// @throws NotSupported if the matrix is not a Csr, InvalidParameter
template <class V>
std::unique_ptr<EisenstatSweeps<V>> make_eisenstat_sweeps(const LinOp<V>& matrix,
                                                          const typename SsorCg<V>::Parameters& parameters);

}  // namespace linden::detail
