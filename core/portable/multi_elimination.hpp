#pragma once

#include "core/kernels/multi_elimination.hpp"
#include "core/portable/body.hpp"
#include "core/portable/elimination_drop.hpp"
#include "core/portable/elimination_factors.hpp"
#include "core/portable/elimination_pivots.hpp"
#include "core/portable/elimination_split.hpp"

namespace linden {

template <class F>
void for_each_portable_multi_elimination(const F& f)
{
    for_each_index([&]<class I>() {
        f(multi_elimination_take_members<I>, BodyOf<TakeMembers<I>>());
        f(multi_elimination_count<I>, BodyOf<CountParts<I>>());
        f(multi_elimination_mark<I>, BodyOf<MarkPivots<I>>());
        f(multi_elimination_number<I>, BodyOf<NumberPivots<I>>());
        f(multi_elimination_record<I>, BodyOf<RecordPivots<I>>());
    });
    for_each_value_index([&]<class V, class I>() {
        f(multi_elimination_measure<V, I>, BodyOf<MeasureStrengths<V, I>>());
        f(multi_elimination_decide<V, I>, BodyOf<DecideMembers<V, I>>());
        f(multi_elimination_split<V, I>, BodyOf<SplitRows<V, I>>());
        f(multi_elimination_norms<V, I>, BodyOf<NormsOfRows<V, I>>());
        f(multi_elimination_count_large<V, I>, BodyOf<CountLarge<V, I>>());
        f(multi_elimination_take_large<V, I>, BodyOf<TakeLarge<V, I>>());
        f(multi_elimination_compensate<V, I>, BodyOf<Compensate<V, I>>());
        f(multi_elimination_take_factors<V, I>, BodyOf<TakeFactors<V, I>>());
        f(multi_elimination_permute<V, I>, BodyOf<PermuteFactors<V, I>>());
        f(multi_elimination_scatter<V, I>, BodyOf<ScatterByName<V, I>>());
    });
}

}  // namespace linden
