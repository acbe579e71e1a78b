#pragma once

#include <linden/deflation.hpp>
#include <linden/reordered.hpp>

#include <memory>

#include "core/deflation/galerkin.hpp"
#include "core/deflation/galerkin_solver.hpp"
#include "core/kernels/deflation.hpp"

namespace linden::detail {

/// Temporary vectors for k right-hand sides, in the caller's memory.
template <class V>
struct DeflationBlocks {
    Dense<V> sums;           ///< Z^H b
    Dense<V> coefficients;   ///< E^-1 Z^H b
    Dense<V> residual_sums;  ///< Z^H r
    Dense<V> scratch;
    V* temporaries;  ///< for products with E^-1
};

/// The space of the deflation vectors Z (n x k) with a matrix A:
///     Y = Z^H A (k x n, (A Z)^H for Hermitian A),  E = Z^H A Z = Y Z,  Q = Z E^-1 Z^H.
/// Entries of Y that cancel are not stored: for stencils only those at interfaces of domains and at the boundary
/// remain. Y and E are formed on the executor, and again whenever values change, since other entries may cancel then.
/// Vectors that make E singular are dropped from E^-1.
template <class V>
class DeflationSpace {
public:
    virtual ~DeflationSpace() = default;

    size_type num_vectors() const { return coarse_.size(); }
    size_type num_dropped() const { return coarse_.num_dropped(); }
    size_type num_separators() const { return coarse_.num_separators(); }
    /// Size of the memory of DeflationBlocks, in values.
    size_type block_values(size_type cols) const
    {
        return (3 * num_vectors() + scratch_rows() + coarse_.num_temporaries()) * cols;
    }
    DeflationBlocks<V> blocks_in(const Executor& exec, V* memory, size_type cols) const;

    /// coefficients := E^-1 Z^H b
    void solve(const Dense<V>& b, DeflationBlocks<V>& w) const;
    /// coefficients := E^-1 Z^H (A z - r / alpha), without r in columns where alpha is 0
    void project(const Dense<V>& z, Scalar<V> alpha, const Dense<V>& r, DeflationBlocks<V>& w) const;
    /// Before the first step: p := z - Z E^-1 Z^H A z;  rho := r^H p, given r^H z.
    void first_direction(const Dense<V>& z, const Dense<V>& r, DeflationBlocks<V>& w, Dense<V>& p, CgScalars<V> s,
                         StopView<real_t<V>> stop) const;
    /// Before `advance`, for a space over ranks: sums of its rows go in one message with those that the solver holds in
    /// `sums`, and are there when these are released.
    virtual void sum_ahead(const Dense<V>&, const Dense<V>&, DeflationBlocks<V>&, WorkspaceView) const {}
    /// x := x + alpha Z coefficients
    virtual void add(Scalar<V> alpha, const DeflationBlocks<V>& w, Dense<V>& x) const = 0;
    /// x := x + alpha p;  p := z + beta p;  p := p - Z E^-1 Z^H (A p - r / alpha);  rho := r^H p, given r^H z; the
    /// first two as cg_update_direction.
    void advance(const Dense<V>& z, const Dense<V>& r, DeflationBlocks<V>& w, Dense<V>& p, Dense<V>& x, CgScalars<V> s,
                 StopView<real_t<V>> stop) const;

    /// Whether all but `update` only launches kernels.
    virtual bool is_capturable() const { return true; }

    /// Forms Y and E^-1 again; what fails leaves them as they were. Allocates the first time, and where more entries of
    /// Y stay than ever before. @throws NotSupported if `matrix` is not a Csr with indices of the same type
    virtual void update(const LinOp<V>& matrix) = 0;

protected:
    DeflationSpace(const Executor& exec, size_type num_vectors, CoarseSolve how) : coarse_(exec, num_vectors, how) {}

    virtual size_type scratch_rows() const = 0;
    /// c := Z^H b
    virtual void restrict_to(const Dense<V>& b, Dense<V>& c, DeflationBlocks<V>& w) const = 0;
    /// As `advance` without rho; residual_sums := Z^H r.
    virtual void move(const Dense<V>& z, const Dense<V>& r, DeflationBlocks<V>& w, Dense<V>& p, Dense<V>& x,
                      CgScalars<V> s, StopView<real_t<V>> stop) const;
    /// sums := Z^H (A z - r / alpha), and residual_sums := Z^H r unless alpha is 0 throughout
    virtual void sum_projected(const Dense<V>& z, Scalar<V> alpha, const Dense<V>& r, DeflationBlocks<V>& w) const;
    /// The operator Y.
    virtual const LinOp<V>& restricted_matrix() const = 0;

    GalerkinSolver<V> coarse_;  ///< E^-1

private:
    /// rho := rho - residual_sums^H coefficients
    void correct_rho(const DeflationBlocks<V>& w, CgScalars<V> s, StopView<real_t<V>> stop) const;
};

/// `to` is P if the system is in another ordering than `matrix`, else null. A Hermitian matrix need not be transposed.
/// @throws NotSupported if the matrix is neither a Csr nor a distributed::Matrix, DimensionMismatch, InvalidParameter
template <class V>
std::unique_ptr<DeflationSpace<V>> make_deflation_space(const Deflation<V>& options, const LinOp<V>& matrix,
                                                        const LinOp<V>* to, Symmetry symmetry);

/// The space over the ranks of a distributed::Matrix; null if the matrix is none. Collective.
/// @throws NotSupported, InvalidParameter, RemoteError if another rank fails
template <class V>
std::unique_ptr<DeflationSpace<V>> make_spread_deflation_space(const Deflation<V>& options, const LinOp<V>& matrix,
                                                               const LinOp<V>* to, Symmetry symmetry);

}  // namespace linden::detail
