#include "core/portable/selection.hpp"

namespace linden::reference {
namespace {

template <class R>
R exact_value(size_type n, const R* values, size_type rank, WorkspaceView workspace)
{
    auto* const keys = reinterpret_cast<SelectionKey<R>*>(workspace.data);
    std::transform(values, values + n, keys, selection_key<R>);
    std::nth_element(keys, keys + rank, keys + n);
    return selection_value<R>(keys[rank]);
}

template <class R>
R approximate_value(size_type n, const R* values, size_type rank)
{
    const auto quantiles = sample_quantiles(values, n);
    std::array<SelectionKey<R>, num_selection_buckets> splitters{};
    for (int j = 1; j < num_selection_buckets; ++j) {
        splitters[j] = splitter(quantiles.data(), j);
    }
    std::array<size_type, num_selection_buckets> counts{};
    for (size_type i = 0; i < n; ++i) {
        const auto next = std::upper_bound(splitters.begin() + 1, splitters.end(), selection_key(values[i]));
        ++counts[next - splitters.begin() - 1];
    }
    return selection_value<R>(nearest_quantile(quantiles.data(), find_bucket(counts.data(), rank), rank));
}

template <class R>
void select(const Executor&, size_type n, const R* values, size_type rank, Selection how, R* result,
            WorkspaceView workspace)
{
    *result = how == Selection::exact || n <= num_selection_samples ? exact_value(n, values, rank, workspace)
                                                                    : approximate_value(n, values, rank);
}

}  // namespace

void register_selection()
{
    for_each_real([]<class R>() { selection_select<R>.bind(Backend::reference, select<R>); });
}

}  // namespace linden::reference
