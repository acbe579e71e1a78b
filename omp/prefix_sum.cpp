#include "core/kernels/prefix_sum.hpp"

#include <numeric>
#include <vector>

#include "omp/parallel.hpp"

namespace linden::omp {
namespace {

/// Two regions wait for threads twice, and one thread sums 3 values in a nanosecond: fewer than these it sums alone.
/// The set-up of ParIlut on ani5_crop, 12561 rows, has 18 such sums: 0.06 ms of one thread, 0.9 of two that sleep
/// between.
constexpr size_type min_parallel_values = 65536;

/// Sums of the parts, then the values of each part from where the parts before it end.
template <class I>
void sum(const Executor& exec, size_type n, I* values, std::int64_t* total, WorkspaceView workspace)
{
    const RowPartition partition(n);
    const int parts = n < min_parallel_values
                          ? 1
                          : static_cast<int>(std::min<size_type>(num_parts(exec, partition), max_prefix_sum_parts));
    auto* const sums = reinterpret_cast<std::int64_t*>(workspace.data);
    run_parts(partition, parts, [&](int part, size_type begin, size_type end) {
        std::int64_t sum = 0;
        for (size_type i = begin; i < end; ++i) {
            sum += values[i];
        }
        sums[part] = sum;
    });
    std::int64_t before = 0;
    for (int part = 0; part < parts; ++part) {
        const auto sum = sums[part];
        sums[part] = before;
        before += sum;
    }
    run_parts(partition, parts, [&](int part, size_type begin, size_type end) {
        std::int64_t running = sums[part];
        for (size_type i = begin; i < end; ++i) {
            const I value = values[i];
            values[i] = static_cast<I>(running);
            running += value;
        }
    });
    values[n] = static_cast<I>(before);
    *total = before;
}

template <class I>
void totals_of_runs(const Executor& exec, size_type n, size_type num_runs, const I* values, std::int64_t* totals)
{
    const RowPartition partition(n);
    const int parts = static_cast<int>(std::min<size_type>(num_parts(exec, partition), max_prefix_sum_parts));
    std::vector<std::int64_t> sums(static_cast<std::size_t>(parts));
    for (size_type run = 0; run < num_runs; ++run) {
        const I* const of_run = values + run * n;
        run_parts(partition, parts, [&](int part, size_type begin, size_type end) {
            sums[static_cast<std::size_t>(part)] = std::accumulate(of_run + begin, of_run + end, std::int64_t{});
        });
        totals[run] = std::accumulate(sums.begin(), sums.end(), std::int64_t{});
    }
}

}  // namespace

void register_prefix_sum()
{
    for_each_index([]<class I>() {
        prefix_sum<I>.bind(Backend::omp, sum<I>);
        array_totals<I>.bind(Backend::omp, totals_of_runs<I>);
    });
}

}  // namespace linden::omp
