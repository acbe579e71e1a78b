#include "core/kernels/prefix_sum.hpp"

namespace linden::reference {
namespace {

template <class I>
void sum(const Executor&, size_type n, I* values, std::int64_t* total, WorkspaceView)
{
    std::int64_t before = 0;
    for (size_type i = 0; i < n; ++i) {
        const I value = values[i];
        values[i] = static_cast<I>(before);
        before += value;
    }
    values[n] = static_cast<I>(before);
    *total = before;
}

template <class I>
void totals_of_runs(const Executor&, size_type n, size_type num_runs, const I* values, std::int64_t* totals)
{
    for (size_type run = 0; run < num_runs; ++run) {
        totals[run] = 0;
        for (size_type i = 0; i < n; ++i) {
            totals[run] += values[run * n + i];
        }
    }
}

}  // namespace

void register_prefix_sum()
{
    for_each_index([]<class I>() {
        prefix_sum<I>.bind(Backend::reference, sum<I>);
        array_totals<I>.bind(Backend::reference, totals_of_runs<I>);
    });
}

}  // namespace linden::reference
