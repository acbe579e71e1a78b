#pragma once

#include <linden/views.hpp>

#include "core/kernels/cg.hpp"

/// Kernels with the piecewise constant deflation vectors Z of n rows dealt to domains: Z(i, d) is 1 where row i is of
/// domain d, else 0. Z is never stored. Blocks c of coefficients have one row per domain, the others n.
/// [GuptaEtAl11, 4 to 6]
namespace linden {

/// The most rows of a piece, which one block of a device sums.
inline constexpr size_type deflation_piece_rows = 1024;

/// Which rows are of which domain. Rows in the order of their domains are cut into pieces, none of which has rows of
/// two domains. Sums go along pieces, then over the pieces of a domain.
template <class I>
struct DomainsView {
    size_type rows = 0;
    size_type num_domains = 0;
    size_type num_pieces = 0;
    const I* domains = nullptr;        ///< rows: the domain of each
    const I* order = nullptr;          ///< rows, by domains; null where that is 0, 1, ...
    const I* piece_ptrs = nullptr;     ///< num_pieces + 1, into `order`
    const I* domain_pieces = nullptr;  ///< num_domains + 1, into pieces
};

/// c := Z^H b. 0 for domains without rows. Deterministic. n (V + 2 I) bytes per column; workspace: num_pieces k values.
template <class V, class I>
inline constinit kernel<void(DomainsView<I> domains, DenseView<const V> b, DenseView<V> c, WorkspaceView workspace)>
    deflation_restrict{"deflation::restrict", types_of<V, I>};

/// Residuals r after a step r := r - alpha A p, and what Z^H r was before it. With it goes what is left of directions p
/// in the space: Y p = (sums - Z^H r) / alpha, so that p need not be read.
template <class V>
struct StepView {
    DenseView<const V> r;
    Scalar<V> alpha;
    const V* rho = nullptr;  ///< beta = rho / rho_old, column by column; null for 0, without sums
    const V* rho_old = nullptr;
    DenseView<V> sums{};  ///< k x m for k domains
};

/// c := Y z - (1 / alpha) s + (beta / alpha) (sums - s), s = Z^H r, sums := s column by column, where alpha is not 0;
/// else c := Y z, without reading r. [decision 0013]
/// Terms of a domain's row of Y and of its rows of r are one sum.  y: num_domains x n; z, r: n x m. Deterministic.
/// Bytes: Y, r, and z where Y has columns. Workspace: num_pieces m values.
template <class V, class I>
inline constinit kernel<void(DomainsView<I> domains, CsrView<V, I> y, DenseView<const V> z, StepView<V> step,
                             DenseView<V> c, WorkspaceView workspace)>
    deflation_project{"deflation::project", types_of<V, I>};

/// x := x + alpha Z c. n (2 V + I) bytes.
template <class V, class I>
inline constinit kernel<void(DomainsView<I> domains, Scalar<V> alpha, DenseView<const V> c, DenseView<V> x)>
    deflation_add_prolonged{"deflation::add_prolonged", types_of<V, I>};

/// cg_update_direction with z - Z c in place of z:
///     x := x + alpha p for columns with alpha != 0;  for columns that run on: p := z - Z c + (rho / rho_old) p.
/// n (5 V + I) bytes.
template <class V, class I>
inline constinit kernel<void(DomainsView<I> domains, DenseView<const V> c, DenseView<const V> z, DenseView<V> p,
                             DenseView<V> x, CgScalars<V> scalars, StopView<real_t<V>> stop)>
    deflation_update_direction{"deflation::update_direction", types_of<V, I>};

/// Before x is corrected by Z c at the start of an iteration: c := 0 in columns that do not run. For columns that do,
/// the count of iterations goes one back, so that the stopping rule with the corrected residual is that of the same
/// iteration.  c: any number of rows.
template <class V>
inline constinit kernel<void(DenseView<V> c, StopView<real_t<V>> stop)> deflation_begin{"deflation::begin",
                                                                                        types_of<V>};

/// sums := products - (1 / alpha) restricted column by column, where alpha[col] is not 0; else sums := products.
/// products, restricted, sums: k x m, sums none of the others.
template <class V>
inline constinit kernel<void(Scalar<V> alpha, DenseView<const V> products, DenseView<const V> restricted,
                             DenseView<V> sums)>
    deflation_difference{"deflation::difference", types_of<V>};

/// rho := rho - s^H c for columns that run: r^H p of a direction p := z + beta p - Z c, where rho = r^H z, s = Z^H r,
/// and r is orthogonal to the direction before.  s, c: k x m, rho: m. Deterministic. 2 k m words.
template <class V>
inline constinit kernel<void(DenseView<const V> s, DenseView<const V> c, V* rho, StopView<real_t<V>> stop)>
    deflation_correct_rho{"deflation::correct_rho", types_of<V>};

}  // namespace linden
