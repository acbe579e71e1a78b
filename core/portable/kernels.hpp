#pragma once

#include "core/portable/aggregation.hpp"
#include "core/portable/array.hpp"
#include "core/portable/auction.hpp"
#include "core/portable/bicgstab_l.hpp"
#include "core/portable/breadth_first.hpp"
#include "core/portable/bsr.hpp"
#include "core/portable/classical.hpp"
#include "core/portable/coarsening.hpp"
#include "core/portable/colour_rows.hpp"
#include "core/portable/coo.hpp"
#include "core/portable/deflation_setup.hpp"
#include "core/portable/dense_inverse.hpp"
#include "core/portable/dia.hpp"
#include "core/portable/direct.hpp"
#include "core/portable/directions.hpp"
#include "core/portable/equilibration.hpp"
#include "core/portable/exchange.hpp"
#include "core/portable/galerkin.hpp"
#include "core/portable/golub_kahan.hpp"
#include "core/portable/grid.hpp"
#include "core/portable/grid_product.hpp"
#include "core/portable/hybrid.hpp"
#include "core/portable/idr.hpp"
#include "core/portable/ilu.hpp"
#include "core/portable/incomplete_poisson.hpp"
#include "core/portable/isai.hpp"
#include "core/portable/jacobi.hpp"
#include "core/portable/krylov_cycle.hpp"
#include "core/portable/lanczos.hpp"
#include "core/portable/lsmr.hpp"
#include "core/portable/lsqr.hpp"
#include "core/portable/minres.hpp"
#include "core/portable/mirror.hpp"
#include "core/portable/multi_elimination.hpp"
#include "core/portable/multigrid.hpp"
#include "core/portable/pivoting.hpp"
#include "core/portable/selection.hpp"
#include "core/portable/sell.hpp"
#include "core/portable/stencil.hpp"
#include "core/portable/sweep.hpp"

namespace linden {

/// Calls f(kernel, BodyOf<body>()) for every portable kernel and type combination.
template <class F>
void for_each_portable_kernel(const F& f)
{
    for_each_portable_aggregation(f);
    for_each_portable_array(f);
    for_each_portable_auction(f);
    for_each_portable_bicgstab_l(f);
    for_each_portable_breadth_first(f);
    for_each_portable_bsr(f);
    for_each_portable_colour_rows(f);
    for_each_portable_classical(f);
    for_each_portable_coarsening(f);
    for_each_portable_coo(f);
    for_each_portable_deflation_setup(f);
    for_each_portable_dense_inverse(f);
    for_each_portable_dia(f);
    for_each_portable_direct(f);
    for_each_portable_directions(f);
    for_each_portable_equilibration(f);
    for_each_portable_exchange(f);
    for_each_portable_galerkin(f);
    for_each_portable_golub_kahan(f);
    for_each_portable_grid(f);
    for_each_portable_grid_product(f);
    for_each_portable_hybrid(f);
    for_each_portable_idr(f);
    for_each_portable_ilu(f);
    for_each_portable_incomplete_poisson(f);
    for_each_portable_isai(f);
    for_each_portable_jacobi(f);
    for_each_portable_krylov_cycle(f);
    for_each_portable_lanczos(f);
    for_each_portable_lsmr(f);
    for_each_portable_lsqr(f);
    for_each_portable_minres(f);
    for_each_portable_mirror(f);
    for_each_portable_multi_elimination(f);
    for_each_portable_multigrid(f);
    for_each_portable_pivoting(f);
    for_each_portable_selection(f);
    for_each_portable_sell(f);
    for_each_portable_stencil(f);
    for_each_portable_sweep(f);
}

}  // namespace linden
