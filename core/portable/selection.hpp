#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/base/math.hpp"
#include "core/kernels/selection.hpp"
#include "core/portable/body.hpp"

/// What backends share, so that they choose the same sample, the same buckets and the same splitter.
namespace linden {

/// Numbers as unsigned integers of the same order: NaN is the largest, -0 is 0.
template <class R>
using SelectionKey = std::conditional_t<sizeof(R) == 8, std::uint64_t, std::uint32_t>;

template <class R>
inline constexpr SelectionKey<R> sign_bit = SelectionKey<R>{1} << (8 * sizeof(R) - 1);

template <class R>
LINDEN_HOST_DEVICE constexpr SelectionKey<R> selection_key(R value)
{
    const auto bits = std::bit_cast<SelectionKey<R>>(value + R{});  // 0 for -0
    const SelectionKey<R> ordered = (bits & sign_bit<R>) != 0 ? ~bits : bits | sign_bit<R>;
    return value != value ? static_cast<SelectionKey<R>>(-1) : ordered;
}

template <class R>
LINDEN_HOST_DEVICE constexpr R selection_value(SelectionKey<R> key)
{
    constexpr R nan = std::numeric_limits<R>::quiet_NaN();
    const auto value = std::bit_cast<R>((key & sign_bit<R>) != 0 ? key ^ sign_bit<R> : ~key);
    return key == static_cast<SelectionKey<R>>(-1) ? nan : value;
}

/// The keys from low to high.
template <class Key>
struct KeyRange {
    Key low = 0;
    Key high = static_cast<Key>(-1);

    LINDEN_HOST_DEVICE bool contains(Key key) const { return low <= key && key <= high; }
    LINDEN_HOST_DEVICE bool is_single() const { return low == high; }
};

/// Where sample i of n >= num_selection_samples values is: somewhere in the i-th of equally long runs, by SplitMix64
/// [SteeleEtAl14], since values of matrices have periods.
LINDEN_HOST_DEVICE inline size_type sample_position(size_type n, int i)
{
    const size_type begin = i * n / num_selection_samples;
    const size_type end = (i + size_type{1}) * n / num_selection_samples;
    auto z = (static_cast<std::uint64_t>(i) + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return begin + static_cast<size_type>(z % static_cast<std::uint64_t>(end - begin));
}

/// Which of the sorted samples is quantile j, 0 < j < num_selection_buckets.
LINDEN_HOST_DEVICE constexpr int sample_of_quantile(int j)
{
    return j * (num_selection_samples / num_selection_buckets);
}

/// Bucket j begins with splitter j and ends before splitter j + 1. The last of equal quantiles is put one up, so that
/// the bucket before it holds what equals them and nothing else.
template <class Key>
LINDEN_HOST_DEVICE Key splitter(const Key* quantiles, int j)
{
    const Key key = quantiles[j];
    const bool repeats = j > 1 && quantiles[j - 1] == key;
    const bool is_last = j + 1 == num_selection_buckets || quantiles[j + 1] != key;
    return repeats && is_last && key != static_cast<Key>(-1) ? key + 1 : key;
}

/// The keys of a bucket, of those in `range`.
template <class Key>
LINDEN_HOST_DEVICE KeyRange<Key> bucket_range(const Key* quantiles, int bucket, KeyRange<Key> range)
{
    return {bucket == 0 ? range.low : splitter(quantiles, bucket),
            bucket + 1 == num_selection_buckets ? range.high : splitter(quantiles, bucket + 1) - 1};
}

/// The bucket of the wanted rank.
struct FoundBucket {
    int bucket;
    size_type before;  ///< values in the buckets before it
    size_type count;
};

/// What `found`, the bucket of rank `rank`, gives as the approximate value: the nearer one of the quantiles around it,
/// or what all values of the bucket equal.
template <class Key>
LINDEN_HOST_DEVICE Key nearest_quantile(const Key* quantiles, FoundBucket found, size_type rank)
{
    const bool has_lower = found.bucket > 0;
    const bool has_upper = found.bucket + 1 < num_selection_buckets;
    const auto range = bucket_range(quantiles, found.bucket, KeyRange<Key>());
    if (has_lower && range.is_single()) {
        return range.low;
    }
    const bool is_nearer = rank - found.before <= found.before + found.count - rank;
    return quantiles[has_lower && (is_nearer || !has_upper) ? found.bucket : found.bucket + 1];
}

/// The splitters as a complete binary tree, level by level: node i has the children 2 i + 1 and 2 i + 2.
inline constexpr int selection_tree_height = 8;
static_assert(1 << selection_tree_height == num_selection_buckets);

template <class Key>
LINDEN_HOST_DEVICE Key tree_node(const Key* quantiles, int node)
{
    int depth = 0;
    while ((node + 1) >> (depth + 1) != 0) {
        ++depth;
    }
    const int place = node + 1 - (1 << depth);
    return splitter(quantiles, (2 * place + 1) << (selection_tree_height - 1 - depth));
}

template <class Key>
LINDEN_HOST_DEVICE int child_of(const Key* tree, int node, Key key)
{
    return 2 * node + (key < tree[node] ? 1 : 2);
}
/// The bucket of the leaf that selection_tree_height steps from the root lead to.
LINDEN_HOST_DEVICE constexpr int bucket_of_leaf(int node) { return node - (num_selection_buckets - 1); }

/// The quantiles of the sample of n >= num_selection_samples values, from 1 on; on hosts.
template <class R>
std::array<SelectionKey<R>, num_selection_buckets> sample_quantiles(const R* values, size_type n)
{
    std::array<SelectionKey<R>, num_selection_samples> sample;
    for (int i = 0; i < num_selection_samples; ++i) {
        sample[i] = selection_key(values[sample_position(n, i)]);
    }
    std::sort(sample.begin(), sample.end());
    std::array<SelectionKey<R>, num_selection_buckets> quantiles{};
    for (int j = 1; j < num_selection_buckets; ++j) {
        quantiles[j] = sample[sample_of_quantile(j)];
    }
    return quantiles;
}

/// The bucket of rank `rank` by the buckets' sizes; on hosts.
inline FoundBucket find_bucket(const size_type* counts, size_type rank)
{
    FoundBucket found{0, 0, counts[0]};
    while (rank >= found.before + found.count) {
        found.before += found.count;
        found.count = counts[++found.bucket];
    }
    return found;
}

template <class V>
struct Magnitudes {
    size_type n;
    const V* values;
    real_t<V>* magnitudes;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type k) const { magnitudes[k] = magnitude(values[k]) + real_t<V>{}; }
};

template <class F>
void for_each_portable_selection(const F& f)
{
    for_each_value([&]<class V>() { f(selection_magnitudes<V>, BodyOf<Magnitudes<V>>()); });
}

}  // namespace linden
