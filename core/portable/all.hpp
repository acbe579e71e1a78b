#pragma once

#include "core/portable/colour_rows.hpp"
#include "core/portable/deflation_setup.hpp"
#include "core/portable/formats_blocks.hpp"
#include "core/portable/formats_sell.hpp"
#include "core/portable/formats_triangle.hpp"
#include "core/portable/galerkin_precision.hpp"
#include "core/portable/incomplete_poisson.hpp"

namespace linden {

/// The struct with the pieces of a kernel; `f` in for_each_format_kernel is told by it what to bind.
template <class Body>
struct ItemsOf {
    using type = Body;
};

/// The kernels of core/kernels/deflation_setup.hpp, and those of galerkin.hpp that have pieces.
template <class F>
void for_each_deflation_kernel(const F& f)
{
    for_each_value([&]<class V>() {
        f(deflation_adjoint<V>, ItemsOf<TakeAdjoint<V>>());
        f(galerkin_widen<V>, ItemsOf<GalerkinWiden<V, wide_t<V>>>());
        f(galerkin_round<V>, ItemsOf<GalerkinRound<V, wide_t<V>>>());
    });
    for_each_value_index([&]<class V, class I>() {
        f(deflation_count_kept<V, I>, ItemsOf<CountUncancelled<V, I>>());
        f(deflation_take_kept<V, I>, ItemsOf<TakeUncancelled<V, I>>());
        f(deflation_spread<V, I>, ItemsOf<SpreadEntries<V, I>>());
    });
    for_each_index([&]<class I>() {
        f(deflation_deal_rows<I>, ItemsOf<DealRows<I>>());
        f(deflation_mark_outside<I>, ItemsOf<MarkOutside<I>>());
        f(deflation_mark_descents<I>, ItemsOf<MarkDescents<I>>());
        f(deflation_count_up<I>, ItemsOf<CountUp<I>>());
        f(deflation_count_pieces<I>, ItemsOf<CountPieces<I>>());
        f(deflation_fill_pieces<I>, ItemsOf<FillPieces<I>>());
    });
}

/// Calls f(kernel, ItemsOf<its pieces>) for every kernel of core/kernels/formats.hpp, incomplete_poisson.hpp,
/// colour_rows.hpp, deflation_setup.hpp and galerkin.hpp.
template <class F>
void for_each_format_kernel(const F& f)
{
    for_each_deflation_kernel(f);
    for_each_value([&]<class V>() {
        f(formats_gather<V, V>, ItemsOf<Gather<V, V>>());
        for_each_lower_storage<V>([&]<class S>() {
            f(formats_gather<V, S>, ItemsOf<Gather<V, S>>());
            f(formats_gather<S, V>, ItemsOf<Gather<S, V>>());
        });
        f(formats_mark_nonzeros<V>, ItemsOf<MarkNonzeros<V>>());
    });
    for_each_real([&]<class R>() { f(formats_take_every<R>, ItemsOf<TakeEvery<R>>()); });
    for_each_value_index([&]<class V, class I>() {
        f(formats_mark_different<V, I>, ItemsOf<MarkDifferent<V, I>>());
        f(incomplete_poisson_values<V, I>, ItemsOf<PoissonValues<V, I>>());
        f(incomplete_poisson_count_kept<V, I>, ItemsOf<CountKept<V, I>>());
        f(incomplete_poisson_take_kept<V, I>, ItemsOf<TakeKept<V, I>>());
        f(formats_fill_triangle<V, V, I>, ItemsOf<FillTriangle<V, V, I>>());
        for_each_lower_storage<V>(
            [&]<class S>() { f(formats_fill_triangle<V, S, I>, ItemsOf<FillTriangle<V, S, I>>()); });
    });
    for_each_index([&]<class I>() {
        f(formats_mark_longer<I>, ItemsOf<MarkLonger<I>>());
        f(formats_count_tails<I>, ItemsOf<CountTails<I>>());
        f(formats_fill_tails<I>, ItemsOf<FillTails<I>>());
        f(formats_find_row_ptrs<I>, ItemsOf<FindRowPtrs<I>>());
        f(formats_extract_tails<I>, ItemsOf<ExtractTails<I>>());
        f(formats_sort_rows<I>, ItemsOf<SortRows<I>>());
        f(formats_count_slices<I>, ItemsOf<CountSlices<I>>());
        f(formats_fill_sell<I>, ItemsOf<FillSell<I>>());
        f(formats_count_sell<I>, ItemsOf<CountSell<I>>());
        f(formats_extract_sell<I>, ItemsOf<ExtractSell<I>>());
        f(formats_count_triangle<I>, ItemsOf<CountTriangle<I>>());
        f(colour_rows_measure<I>, ItemsOf<MeasureRows<I>>());
        f(formats_mark_diagonals<I>, ItemsOf<MarkDiagonals<I>>());
        f(formats_collect_diagonals<I>, ItemsOf<CollectDiagonals<I>>());
        f(formats_fill_dia<I>, ItemsOf<FillDia<I>>());
        f(formats_count_dia<I>, ItemsOf<CountMarked<DiaLayout<I>, I>>());
        f(formats_extract_dia<I>, ItemsOf<ExtractMarked<DiaLayout<I>, I>>());
        f(formats_count_blocks<I>, ItemsOf<CountBlocks<I>>());
        f(formats_find_blocks<I>, ItemsOf<FindBlocks<I>>());
        f(formats_fill_bsr<I>, ItemsOf<FillBsr<I>>());
        f(formats_count_bsr<I>, ItemsOf<CountMarked<BsrLayout<I>, I>>());
        f(formats_extract_bsr<I>, ItemsOf<ExtractMarked<BsrLayout<I>, I>>());
    });
    f(formats_compress_sell, ItemsOf<CompressSell>());
    f(formats_mark_wide, ItemsOf<MarkWide>());
    f(formats_expand_sell, ItemsOf<ExpandSell>());
}

}  // namespace linden
