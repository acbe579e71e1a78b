#include "core/portable/selection.hpp"

#include <atomic>

#include "omp/parallel.hpp"

/// Two passes for each level: threads count buckets, each for itself, and note the bucket of each value in a byte; then
/// they copy the values of the wanted one.
namespace linden::omp {
namespace {

/// Below so many values std::nth_element takes over.
inline constexpr size_type few_values = 32768;
/// Each leaves a hundredth of the values, unless they were chosen to defeat the sample.
inline constexpr int max_levels = 4;

template <class R>
using Tree = std::array<SelectionKey<R>, num_selection_buckets - 1>;

/// Values that go through the tree together, in vectors where the processor has them: 4.8 ns a value, and 11 one by one
/// (one core of an EPYC with AVX-512).
inline constexpr int batch_size = 32;

/// The buckets of `size` values, of batch_size at most.
template <class R>
std::array<std::uint8_t, batch_size> buckets_of(const R* values, size_type size, const Tree<R>& tree)
{
    std::array<SelectionKey<R>, batch_size> keys{};
    std::array<int, batch_size> nodes{};
    std::transform(values, values + size, keys.begin(), selection_key<R>);
    for (int level = 0; level < selection_tree_height; ++level) {
        for (int j = 0; j < batch_size; ++j) {
            nodes[j] = child_of(tree.data(), nodes[j], keys[j]);
        }
    }
    std::array<std::uint8_t, batch_size> buckets;
    std::transform(nodes.begin(), nodes.end(), buckets.begin(), bucket_of_leaf);
    return buckets;
}

/// bytes: null, or overwritten by the values' buckets.
template <class R>
FoundBucket count_buckets(const Executor& exec, size_type n, const R* values, size_type rank,
                          const SelectionKey<R>* quantiles, std::uint8_t* bytes)
{
    Tree<R> tree;
    for (int node = 0; node < num_selection_buckets - 1; ++node) {
        tree[node] = tree_node(quantiles, node);
    }
    std::array<size_type, num_selection_buckets> totals{};
    parallel_rows(exec, n, [&](size_type begin, size_type end) {
        std::array<size_type, num_selection_buckets> counts{};
        for (size_type i = begin; i < end; i += batch_size) {
            const size_type size = std::min<size_type>(end - i, batch_size);
            const auto buckets = buckets_of(values + i, size, tree);
            for (size_type j = 0; j < size; ++j) {
                ++counts[buckets[j]];
            }
            if (bytes != nullptr) {
                std::copy_n(buckets.begin(), size, bytes + i);
            }
        }
        for (int bucket = 0; bucket < num_selection_buckets; ++bucket) {
            std::atomic_ref(totals[bucket]).fetch_add(counts[bucket], std::memory_order_relaxed);
        }
    });
    return find_bucket(totals.data(), rank);
}

/// target := the values of the bucket, in any order.
template <class R>
void extract(const Executor& exec, size_type n, const R* values, const std::uint8_t* bytes, int bucket, R* target)
{
    std::atomic<size_type> next{0};
    parallel_rows(exec, n, [&](size_type begin, size_type end) {
        std::array<R, 512> found;
        std::size_t count = 0;
        const auto flush = [&] {
            const auto size = static_cast<size_type>(count);
            std::copy_n(found.data(), size, target + next.fetch_add(size, std::memory_order_relaxed));
            count = 0;
        };
        for (size_type i = begin; i < end; ++i) {
            if (bytes[i] == bucket) {
                found[count++] = values[i];
                if (count == found.size()) {
                    flush();
                }
            }
        }
        flush();
    });
}

/// The value of rank `rank` by partial sorting of values[0], ..., values[n - 1].
template <class R>
R sorted_value(size_type n, R* values, size_type rank)
{
    std::nth_element(values, values + rank, values + n, [](R a, R b) { return selection_key(a) < selection_key(b); });
    return selection_value<R>(selection_key(values[rank]));
}

template <class R>
R exact_value(const Executor& exec, size_type n, const R* values, size_type rank, WorkspaceView workspace)
{
    auto* const bytes = reinterpret_cast<std::uint8_t*>(workspace.data + selection_header_bytes);
    R* room = reinterpret_cast<R*>(workspace.data + selection_room_offset(n));
    const R* const end = room + selection_room(n);
    R* left = nullptr;  // the values of the bucket searched, where they may be moved
    KeyRange<SelectionKey<R>> range;
    for (int level = 0; level < max_levels && n > few_values; ++level) {
        const auto quantiles = sample_quantiles(values, n);
        const auto found = count_buckets(exec, n, values, rank, quantiles.data(), bytes);
        if (found.count > end - room) {
            break;
        }
        rank -= found.before;
        range = bucket_range(quantiles.data(), found.bucket, range);
        if (range.is_single()) {
            return selection_value<R>(range.low);
        }
        extract(exec, n, values, bytes, found.bucket, room);
        values = left = room;
        n = found.count;
        room += n;
    }
    if (left == nullptr) {
        left = std::copy_n(values, n, room) - n;
    }
    return sorted_value(n, left, rank);
}

template <class R>
R approximate_value(const Executor& exec, size_type n, const R* values, size_type rank)
{
    const auto quantiles = sample_quantiles(values, n);
    const auto found = count_buckets(exec, n, values, rank, quantiles.data(), nullptr);
    return selection_value<R>(nearest_quantile(quantiles.data(), found, rank));
}

template <class R>
void select(const Executor& exec, size_type n, const R* values, size_type rank, Selection how, R* result,
            WorkspaceView workspace)
{
    *result = how == Selection::exact || n <= num_selection_samples ? exact_value(exec, n, values, rank, workspace)
                                                                    : approximate_value(exec, n, values, rank);
}

}  // namespace

void register_selection()
{
    for_each_real([]<class R>() { selection_select<R>.bind(Backend::omp, select<R>); });
}

}  // namespace linden::omp
