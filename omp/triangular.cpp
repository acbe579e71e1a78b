#include "core/kernels/triangular.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/base/math.hpp"
#include "omp/levels.hpp"
#include "omp/tiles.hpp"

namespace linden::omp {
namespace {

/// The values of a block w that nobody else writes at the time.
template <class V>
struct PlainBlock {
    V* w;

    V operator[](size_type at) const { return w[at]; }
    void put(size_type at, V value) const { w[at] = value; }
};

/// The values of a block w that come while others wait for them: each is all there is to know, so that no order with
/// other accesses is needed. Parts of complex values come one by one.
template <class V>
struct SharedBlock {
    using R = real_t<V>;
    using Bits = std::conditional_t<sizeof(R) == 8, std::uint64_t, std::uint32_t>;
    static constexpr size_type parts = is_complex<V> ? 2 : 1;

    R* w;

    static bool is_there(R value) { return std::bit_cast<Bits>(value) != ~Bits{0}; }

    static R wait_for(R& place)
    {
        const std::atomic_ref<R> shared(place);
        R value = shared.load(std::memory_order_relaxed);
        if (!is_there(value)) [[unlikely]] {
            wait_until([&] { return is_there(value = shared.load(std::memory_order_relaxed)); });
        }
        return value;
    }
    V operator[](size_type at) const
    {
        if constexpr (is_complex<V>) {
            const R re = wait_for(w[2 * at]);
            return V(re, wait_for(w[2 * at + 1]));
        } else {
            return wait_for(w[at]);
        }
    }
    void put(size_type at, V value) const
    {
        const auto* const from = reinterpret_cast<const R*>(&value);
        for (size_type part = 0; part < parts; ++part) {
            const R known = is_there(from[part]) ? from[part] : std::numeric_limits<R>::quiet_NaN();
            std::atomic_ref<R>(w[parts * at + part]).store(known, std::memory_order_relaxed);
        }
    }
    /// Takes the values [begin, end) away.
    void empty(size_type begin, size_type end) const
    {
        std::fill(w + parts * begin, w + parts * end, std::bit_cast<R>(~Bits{0}));
    }
};

/// Asks for what a row so far ahead reads of b and writes to x: rows of a level may lie far apart there, so that the
/// processor does not guess which come next.
inline constexpr size_type rows_ahead = 32;

template <class V, class S, class I>
void prefetch_row(size_type p, size_type col, const LevelFactorView<V, S, I>& f, DenseView<const V> b, DenseView<V> x)
{
    if (p < f.rows) {
        __builtin_prefetch(&b(f.sources[p], col), 0);
        __builtin_prefetch(&x(f.targets[p], col), 1);
    }
}

/// Rows [begin, end) by positions, for the columns of some lanes. `cols`: the number of columns, as a constant where it
/// is one.
template <class L, class Cols, class V, class S, class I, class Block>
void solve_lanes(L lanes, Cols cols, size_type begin, size_type end, const LevelFactorView<V, S, I>& f,
                 DenseView<const V> b, DenseView<V> x, const Block& w)
{
    for (size_type p = begin; p < end; ++p) {
        prefetch_row(p + rows_ahead, lanes.first_column, f, b, x);
        std::array<V, L::width> sum;
        for (int lane = 0; lane < L::width; ++lane) {
            sum[lane] = b(f.sources[p], lanes.first_column + lane);
        }
        for (I k = f.row_ptrs[p]; k < f.row_ptrs[p + 1]; ++k) {
            const auto factor = static_cast<V>(f.values[k]);
            const size_type from = size_type{f.cols[k]} * cols + lanes.first_column;
            for (int lane = 0; lane < L::width; ++lane) {
                sum[lane] -= multiply(factor, w[from + lane]);
            }
        }
        for (int lane = 0; lane < L::width; ++lane) {
            const V value = f.inverse_diagonal == nullptr ? sum[lane] : multiply(f.inverse_diagonal[p], sum[lane]);
            w.put(p * cols + lanes.first_column + lane, value);
            x(f.targets[p], lanes.first_column + lane) = value;
        }
    }
}

template <class V, class S, class I, class Block>
void solve_rows(size_type begin, size_type end, const LevelFactorView<V, S, I>& f, DenseView<const V> b, DenseView<V> x,
                const Block& w)
{
    if (x.cols == 1) {
        solve_lanes(Lanes<1, false>{0}, std::integral_constant<size_type, 1>{}, begin, end, f, b, x, w);
        return;
    }
    for_each_column_tile(begin, end, x.cols, [&](auto lanes, size_type first, size_type last) {
        solve_lanes(lanes, x.cols, first, last, f, b, x, w);
    });
}

template <class V, class S, class I>
LevelSchedule<I> schedule_of(const LevelFactorView<V, S, I>& f, LevelRange range, size_type cols)
{
    return {f.level_ptrs, range, (f.num_nonzeros / std::max<size_type>(f.rows, 1) + 2) * cols};
}

template <class V, class S, class I>
void solve_levels(const Executor& exec, LevelFactorView<V, S, I> f, LevelRange range, DenseView<const V> b,
                  DenseView<V> x, V* w)
{
    const auto follows = [&](size_type p) {
        return f.row_ptrs[p] < f.row_ptrs[p + 1] && f.cols[f.row_ptrs[p + 1] - 1] == p - 1;
    };
    run_levels(exec, schedule_of(f, range, x.cols), follows,
               [&](size_type begin, size_type end) { solve_rows(begin, end, f, b, x, PlainBlock<V>{w}); });
}

/// Rows that a thread takes at a time: enough that tickets cost nothing, few enough that all have some of a level.
size_type rows_per_ticket(size_type level_rows, int threads)
{
    return std::clamp<size_type>(level_rows / (4 * threads), 16, 256);
}

/// Threads take rows in the order of positions, so that the first of those under way never waits. The state is of
/// interest for teams only: which block is in use follows from the number of solves, which is what `tickets` counts.
template <class V, class S, class I>
void solve_syncfree(const Executor& exec, LevelFactorView<V, S, I> f, DenseView<const V> b, DenseView<V> x,
                    SyncFreeState<V> state)
{
    const LevelRange all{0, f.num_levels, 0, f.rows};
    const int threads = num_threads_for(exec, schedule_of(f, all, x.cols));
    if (threads == 1) {
        solve_rows(0, f.rows, f, b, x, PlainBlock<V>{state.blocks});
        return;
    }
    auto* const blocks = reinterpret_cast<real_t<V>*>(state.blocks);
    const size_type block_parts = f.rows * x.cols * SharedBlock<V>::parts;
    const SharedBlock<V> w{blocks + (*state.tickets % 2 == 0 ? 0 : block_parts)};
    const SharedBlock<V> before{blocks + (*state.tickets % 2 == 0 ? block_parts : 0)};
    ++*state.tickets;
    const size_type chunk = rows_per_ticket(f.rows / std::max<size_type>(f.num_levels, 1), threads);
    std::atomic<size_type> next{0};
    Survivor survivor;
    run_team(threads, [&](int thread, int running) {
        TeamMember member(survivor, thread, running);
        for (size_type begin = 0;
             member.goes_on() && (begin = next.fetch_add(chunk, std::memory_order_relaxed)) < f.rows;) {
            const size_type end = std::min(begin + chunk, f.rows);
            solve_rows(begin, end, f, b, x, w);
            before.empty(begin * x.cols, end * x.cols);
        }
    });
}

template <class V>
void start_state(const Executor& exec, size_type count, SyncFreeState<V> state)
{
    parallel_rows(exec, count, [&](size_type begin, size_type end) {
        if (begin < end) {
            std::memset(static_cast<void*>(state.blocks + begin), 0xFF,
                        static_cast<std::size_t>(end - begin) * sizeof(V));
        }
    });
    *state.tickets = 0;
}

template <class V, class I>
void invert_diagonal(const Executor& exec, size_type n, const I* order, const I* diagonal, const V* values,
                     bool conjugated, V* inverse_diagonal, size_type* num_zeros)
{
    *num_zeros = 0;
    parallel_rows(exec, n, [&](size_type begin, size_type end) {
        size_type zeros = 0;
        for (size_type p = begin; p < end; ++p) {
            const I at = diagonal[order == nullptr ? p : size_type{order[p]}];
            const V value = at < 0 ? V{} : values[at];
            const bool is_zero = value == V{};
            zeros += is_zero;
            inverse_diagonal[p] = is_zero ? V{1} : V{1} / (conjugated ? conj(value) : value);
        }
#pragma omp atomic
        *num_zeros += zeros;
    });
}

}  // namespace

void register_triangular()
{
    for_each_factor_type([]<class V, class S, class I>() {
        triangular_solve_levels<V, S, I>.bind(Backend::omp, solve_levels<V, S, I>);
        triangular_solve_syncfree<V, S, I>.bind(Backend::omp, solve_syncfree<V, S, I>);
    });
    for_each_value([]<class V>() { triangular_start_state<V>.bind(Backend::omp, start_state<V>); });
    for_each_value_index(
        []<class V, class I>() { triangular_invert_diagonal<V, I>.bind(Backend::omp, invert_diagonal<V, I>); });
}

}  // namespace linden::omp
