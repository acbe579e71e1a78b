#include "core/portable/selection.hpp"

#include "gpu/device/scan.cuh"
#include "gpu/vector/row_groups.cuh"

/// A level is three launches: one block sorts the sample; all count the buckets, and the last block to arrive finds the
/// wanted one; all move its values to the workspace. The host reads nothing: it launches as many levels as n asks for,
/// which end at once where few values are left, and one block at last finds the value among them.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

#if defined(LINDEN_HIP_PLATFORM_HOST)
inline constexpr int single_block_threads = 128;
inline constexpr size_type few_values = 1024;
inline constexpr int values_per_thread = 2;
inline constexpr int words_per_thread = 2;
#else
inline constexpr int single_block_threads = 1024;
/// As many as one block does in the time of a level's launches.
inline constexpr size_type few_values = 8192;
/// Values that a thread takes through the tree together.
inline constexpr int values_per_thread = 4;
/// Words of four bytes that a thread has on their way when it looks for a bucket.
inline constexpr int words_per_thread = 16;
#endif
static_assert(few_values >= num_selection_samples);
/// A level leaves fewer than one of so many values, unless they were chosen to defeat the sample.
inline constexpr size_type level_reduction = 128;

/// What is known of the wanted value.
template <class R>
struct State {
    const R* items;  ///< it is among these
    size_type num_items;
    KeyRange<SelectionKey<R>> range;
    size_type num_left;  ///< items in `range`
    size_type rank;      ///< among those
    R* target;           ///< where they are moved to; null: they stay
    size_type num_moved;
    int bucket;  ///< the one whose values are moved; -1: none
    std::uint32_t num_arrived;
};

template <class R>
struct Search {
    using Key = SelectionKey<R>;

    size_type n;
    const R* values;
    size_type rank;
    Selection how;
    R* result;
    State<R>* state;
    Key* quantiles;        ///< num_selection_buckets, the first is not used
    size_type* counts;     ///< num_selection_buckets
    std::uint32_t* bytes;  ///< the buckets of the items, four to a word
    R* room;

    Search(size_type count, const R* from, size_type wanted, Selection how_exactly, R* to, WorkspaceView workspace)
        : n(count),
          values(from),
          rank(wanted),
          how(how_exactly),
          result(to),
          state(reinterpret_cast<State<R>*>(workspace.data)),
          quantiles(reinterpret_cast<Key*>(workspace.data + 256)),
          counts(reinterpret_cast<size_type*>(workspace.data + 256 + num_selection_buckets * sizeof(Key))),
          bytes(reinterpret_cast<std::uint32_t*>(workspace.data + selection_header_bytes)),
          room(reinterpret_cast<R*>(workspace.data + selection_room_offset(n)))
    {
        static_assert(sizeof(State<R>) <= 256 && 256 + num_selection_buckets * 16 <= selection_header_bytes);
    }

    /// Sets the state of the first level, or enters the values that the level before has moved. Called by all threads
    /// of one block.
    __device__ void begin(bool is_first) const
    {
        if (thread_id() == 0) {
            if (is_first) {
                *state = {values, n, {}, n, rank, nullptr, 0, -1, 0};
            } else if (state->target != nullptr) {
                state->items = state->target;
                state->num_items = state->num_left;
                state->target = nullptr;
            }
        }
        block_barrier();
    }
};

/// Whether a level is worth its launches.
template <class R>
__device__ inline bool takes_level(const State<R>& state, bool is_first)
{
    return is_first || (state.num_left == state.num_items && state.num_left > few_values && !state.range.is_single());
}

// ---- splitters ------------------------------------------------------------------------------------------------------

/// Bitonic network [Batcher68] of one block.
template <class Key>
__device__ inline void sort_sample(Key* sample)
{
    for (int run = 2; run <= num_selection_samples; run *= 2) {
        for (int stride = run / 2; stride > 0; stride /= 2) {
            for (int pair = thread_id(); pair < num_selection_samples / 2; pair += block_threads()) {
                const int low = 2 * pair - (pair & (stride - 1));
                const Key first = sample[low];
                const Key second = sample[low + stride];
                if ((first > second) == ((low & run) == 0)) {
                    sample[low] = second;
                    sample[low + stride] = first;
                }
            }
            block_barrier();
        }
    }
}

/// One block.
template <class R>
__global__ void __launch_bounds__(single_block_threads) choose_splitters(Search<R> search, bool is_first)
{
    LINDEN_SHARED(sample, SelectionKey<R>[num_selection_samples]);
    search.begin(is_first);
    State<R>& state = *search.state;
    if (!takes_level(state, is_first)) {
        if (thread_id() == 0) {
            state.bucket = -1;
        }
        return;
    }
    for (int i = thread_id(); i < num_selection_samples; i += block_threads()) {
        sample[i] = selection_key(state.items[sample_position(state.num_items, i)]);
    }
    block_barrier();
    sort_sample(&sample[0]);
    for (int j = thread_id(); j < num_selection_buckets; j += block_threads()) {
        search.quantiles[j] = sample[sample_of_quantile(j)];
        search.counts[j] = 0;
    }
    if (thread_id() == 0) {
        state.bucket = 0;
        state.num_moved = 0;
        state.num_arrived = 0;
    }
}

// ---- buckets --------------------------------------------------------------------------------------------------------

/// Calls use(found) in the thread that has the bucket of rank `rank`, of B threads. count(bucket) gives its size.
template <int B, class Count, class Use>
__device__ inline void find_bucket_by_block(size_type rank, Count count, Use use)
{
    constexpr int buckets_per_thread = num_selection_buckets > B ? num_selection_buckets / B : 1;
    const int first = thread_id() * buckets_per_thread;
    size_type own[buckets_per_thread];
    size_type sum = 0;
    for (int j = 0; j < buckets_per_thread; ++j) {
        own[j] = first + j < num_selection_buckets ? count(first + j) : 0;
        sum += own[j];
    }
    size_type total{};
    size_type before = block_exclusive_scan<B>(sum, total);
    for (int j = 0; j < buckets_per_thread; ++j) {
        if (before <= rank && rank < before + own[j]) {
            use(FoundBucket{first + j, before, own[j]});
        }
        before += own[j];
    }
}

/// The state after the buckets are counted; one thread.
template <class R>
__device__ inline void enter_bucket(Search<R> search, FoundBucket found)
{
    State<R>& state = *search.state;
    if (search.how == Selection::approximate) {
        *search.result = selection_value<R>(nearest_quantile(search.quantiles, found, state.rank));
        return;
    }
    const bool is_first = state.items == search.values;
    R* const target = search.room + (is_first ? 0 : state.items - search.room + state.num_items);
    const size_type room = search.room + selection_room(search.n) - target;
    state.range = bucket_range(search.quantiles, found.bucket, state.range);
    state.rank -= found.before;
    state.num_left = found.count;
    const bool is_moved = !state.range.is_single() && found.count <= room;
    state.target = is_moved ? target : nullptr;
    state.bucket = is_moved ? found.bucket : -1;
}

/// The tree of splitters, and their upper 32 bits alone, which nearly always tell the bucket: shared memory hands out
/// words of so many bits, and the tree is what it has to do most.
template <class Key>
struct SplitterTree {
    const Key* nodes;
    const std::uint32_t* words;

    __device__ static std::uint32_t upper_word(Key key)
    {
        return static_cast<std::uint32_t>(key >> (8 * sizeof(Key) - 32));
    }
    __device__ int bucket_of(Key key) const
    {
        const std::uint32_t word = upper_word(key);
        std::uint32_t last = 0;  // of the splitters that are not above the key
        int node = 0;
        LINDEN_UNROLL
        for (int level = 0; level < selection_tree_height; ++level) {
            const std::uint32_t at_node = words[node];
            const bool is_above = word < at_node;
            last = is_above ? last : at_node;
            node = 2 * node + (is_above ? 1 : 2);
        }
        if (sizeof(Key) > 4 && last == word) {
            node = 0;
            for (int level = 0; level < selection_tree_height; ++level) {
                node = child_of(nodes, node, key);
            }
        }
        return bucket_of_leaf(node);
    }
};

/// Takes the items through the tree and counts them in shared memory; `counts` are zeros.
template <class R>
__device__ inline void count_items(Search<R> search, SplitterTree<SelectionKey<R>> tree, std::uint32_t* counts)
{
    constexpr size_type tile = column_block_threads * values_per_thread;
    const R* const items = search.state->items;
    const size_type n = search.state->num_items;
    const size_type padded = (n + 3) / 4 * 4;
    auto* const bytes = reinterpret_cast<std::uint8_t*>(search.bytes);
    for (size_type first = block_id() * tile; first < padded; first += num_blocks() * tile) {
        SelectionKey<R> keys[values_per_thread];
        LINDEN_UNROLL
        for (int j = 0; j < values_per_thread; ++j) {
            const size_type i = first + j * column_block_threads + thread_id();
            keys[j] = i < n ? selection_key(load_streaming(items + i)) : 0;
        }
        LINDEN_UNROLL
        for (int j = 0; j < values_per_thread; ++j) {
            const size_type i = first + j * column_block_threads + thread_id();
            const int bucket = tree.bucket_of(keys[j]);
            if (i < n) {
                atomic_add(counts + bucket, 1);
            }
            if (i < padded && search.how == Selection::exact) {
                bytes[i] = static_cast<std::uint8_t>(bucket);
            }
        }
    }
}

template <class R>
__global__ void __launch_bounds__(column_block_threads) count_buckets(Search<R> search)
{
    using Tree = SplitterTree<SelectionKey<R>>;
    LINDEN_SHARED(nodes, SelectionKey<R>[num_selection_buckets]);
    LINDEN_SHARED(words, std::uint32_t[num_selection_buckets]);
    LINDEN_SHARED(counts, std::uint32_t[num_selection_buckets]);
    if (search.state->bucket < 0) {
        return;
    }
    for (int i = thread_id(); i < num_selection_buckets; i += block_threads()) {
        nodes[i] = i < num_selection_buckets - 1 ? tree_node(search.quantiles, i) : 0;
        words[i] = Tree::upper_word(nodes[i]);
        counts[i] = 0;
    }
    block_barrier();
    count_items(search, Tree{&nodes[0], &words[0]}, &counts[0]);
    block_barrier();
    for (int i = thread_id(); i < num_selection_buckets; i += block_threads()) {
        if (counts[i] != 0) {
            atomic_add(search.counts + i, counts[i]);
        }
    }
    block_barrier();
    bool is_last = false;
    if (thread_id() == 0) {
        thread_fence();  // the number of blocks is behind the counts
        is_last = atomic_add(&search.state->num_arrived, 1) == static_cast<std::uint32_t>(num_blocks()) - 1;
        thread_fence();
    }
    if (block_broadcast(is_last, 0)) {
        find_bucket_by_block<column_block_threads>(
            search.state->rank, [&](int bucket) { return load_cached_global(search.counts + bucket); },
            [&](FoundBucket found) { enter_bucket(search, found); });
    }
}

// ---- the values of a bucket -----------------------------------------------------------------------------------------

/// The highest bit of each byte of `word` that is 0.
__device__ inline std::uint32_t zero_bytes(std::uint32_t word)
{
    constexpr std::uint32_t low_bits = 0x7f7f7f7f;
    return ~(((word & low_bits) + low_bits) | word | low_bits);
}

/// Moves the items of the bucket to the target, in any order: a block reserves room for those of a tile.
template <class R>
__global__ void __launch_bounds__(column_block_threads) extract(Search<R> search)
{
    constexpr size_type tile = column_block_threads * words_per_thread;
    State<R>& state = *search.state;
    if (state.bucket < 0) {
        return;
    }
    const std::uint32_t wanted = static_cast<std::uint32_t>(state.bucket) * 0x01010101u;
    const R* const items = state.items;
    const size_type n = state.num_items;
    const size_type num_words = (n + 3) / 4;
    for (size_type first = block_id() * tile; first < num_words; first += num_blocks() * tile) {
        std::uint32_t found[words_per_thread];
        int count = 0;
        LINDEN_UNROLL
        for (int j = 0; j < words_per_thread; ++j) {
            const size_type w = first + j * column_block_threads + thread_id();
            const std::uint32_t bytes = w < num_words ? load_streaming(search.bytes + w) : ~wanted;
            const std::uint32_t valid = 4 * w + 4 <= n ? ~0u : (1u << 8 * (n & 3)) - 1;
            found[j] = zero_bytes(bytes ^ wanted) & valid;
            count += popcount(found[j]);
        }
        int total = 0;
        const int before = block_exclusive_scan<column_block_threads>(count, total);
        if (total == 0) {
            continue;
        }
        const size_type reserved = thread_id() == 0 ? atomic_add(&state.num_moved, total) : 0;
        R* target = state.target + block_broadcast(reserved, 0) + before;
        LINDEN_UNROLL
        for (int j = 0; j < words_per_thread; ++j) {
            const size_type w = first + j * column_block_threads + thread_id();
            for (std::uint32_t bits = found[j]; bits != 0; bits &= bits - 1) {
                *target++ = items[4 * w + lowest_bit(bits) / 8];
            }
        }
    }
}

// ---- the rest -------------------------------------------------------------------------------------------------------

struct Larger {
    template <class T>
    __device__ static constexpr T identity()
    {
        return T{};
    }
    template <class T>
    __device__ constexpr T operator()(T a, T b) const
    {
        return a > b ? a : b;
    }
};

/// The work of one block on the items whose keys are in a range.
template <class R>
struct Rest {
    using Key = SelectionKey<R>;
    const R* items;
    size_type num_items;
    KeyRange<Key> range;
    size_type rank;

    template <class Use>
    __device__ void for_each_key(Use use) const
    {
        for (size_type i = thread_id(); i < num_items; i += block_threads()) {
            const Key key = selection_key(items[i]);
            if (range.contains(key)) {
                use(key);
            }
        }
    }

    /// The range from the least to the largest key.
    __device__ void tighten()
    {
        Key ends[2] = {0, 0};  // the largest, and the complement of the least
        for_each_key([&](Key key) {
            ends[0] = key > ends[0] ? key : ends[0];
            ends[1] = ~key > ends[1] ? ~key : ends[1];
        });
        block_reduce<single_block_threads>(ends, Larger{});
        const Key high = block_broadcast(ends[0], 0);
        range = {~block_broadcast(ends[1], 0), high};
    }

    /// Parts the range into num_selection_buckets equal ones, or fewer, and goes on with one of them.
    __device__ void narrow()
    {
        LINDEN_SHARED(counts, std::uint64_t[num_selection_buckets]);
        LINDEN_SHARED(found_bucket, FoundBucket);
        int shift = 0;
        while ((range.high - range.low) >> shift >= num_selection_buckets) {
            ++shift;
        }
        block_barrier();
        for (int i = thread_id(); i < num_selection_buckets; i += block_threads()) {
            counts[i] = 0;
        }
        block_barrier();
        for_each_key([&](Key key) { atomic_add(&counts[(key - range.low) >> shift], 1); });
        block_barrier();
        find_bucket_by_block<single_block_threads>(
            rank, [&](int bucket) { return static_cast<size_type>(counts[bucket]); },
            [&](FoundBucket found) { found_bucket = found; });
        block_barrier();
        const Key low = range.low + (static_cast<Key>(found_bucket.bucket) << shift);
        const Key length = (Key{1} << shift) - 1;
        range = {low, range.high - low < length ? range.high : low + length};
        rank -= found_bucket.before;
    }
};

/// One block: whatever is left, by bisection of the keys into 256 parts, at most as often as a key has bytes.
template <class R>
__global__ void __launch_bounds__(single_block_threads) find_among_rest(Search<R> search, bool is_first)
{
    search.begin(is_first);
    const State<R>& state = *search.state;
    Rest<R> rest{state.items, state.num_items, state.range, state.rank};
    if (!rest.range.is_single()) {
        rest.tighten();
    }
    while (!rest.range.is_single()) {
        rest.narrow();
    }
    if (thread_id() == 0) {
        *search.result = selection_value<R>(rest.range.low);
    }
}

template <class R>
void select(const Executor& exec, size_type n, const R* values, size_type rank, Selection how, R* result,
            WorkspaceView workspace)
{
    const bool is_exact = how == Selection::exact || n <= num_selection_samples;
    const Search<R> search(n, values, rank, is_exact ? Selection::exact : how, result, workspace);
    bool is_first = true;
    for (size_type num_items = n; !is_exact || num_items > few_values; num_items /= level_reduction) {
        launch_on(exec, choose_splitters<R>, 1, single_block_threads, 0, search, is_first);
        launch_on(exec, count_buckets<R>, busy_blocks(exec, blocks_for(num_items, values_per_thread)),
                  column_block_threads, 0, search);
        if (!is_exact) {
            return;
        }
        launch_on(exec, extract<R>, busy_blocks(exec, blocks_for(num_items, 4 * words_per_thread)),
                  column_block_threads, 0, search);
        is_first = false;
    }
    launch_on(exec, find_among_rest<R>, 1, single_block_threads, 0, search, is_first);
}

}  // namespace

void register_selection()
{
    for_each_real([]<class R>() { selection_select<R>.bind(this_backend, select<R>); });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
