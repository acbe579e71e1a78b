#include "gpu/triangular/triangular.cuh"

/// Rows are in the order of levels, so that neighbouring threads have rows that are ready together, and their entries
/// and the values they gather lie together too. A unit of work is a row and a right-hand side.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

#if defined(LINDEN_HIP_PLATFORM_HOST)
inline constexpr int block_size = 64;
#else
inline constexpr int block_size = 128;
#endif
/// Threads of the one block that takes thin levels.
inline constexpr int thin_block_size = 8 * block_size;

/// The entries of a row that one of L lanes has, a batch at a time, all of a batch waited for at once.
template <int L, class V, class S, class I>
class AwaitedRow {
public:
    __device__ AwaitedRow(const LevelFactorView<V, S, I>& t, size_type position, const V* w, size_type cols)
        : t_(t),
          w_(w),
          cols_(cols),
          next_(t.row_ptrs[position] + static_cast<I>(Subgroup<L>::lane())),
          end_(t.row_ptrs[position + 1])
    {
        load_batch();
    }

    /// Adds what has come; whether all has.
    __device__ bool advance()
    {
        if (awaited_ == 0) {
            return true;
        }
        LINDEN_UNROLL
        for (int j = 0; j < batch_size; ++j) {
            if ((awaited_ >> j & 1u) != 0 && load_awaited(w_ + col_[j] * cols_, gathered_[j])) {
                awaited_ &= ~(1u << j);
            }
        }
        if (awaited_ != 0) {
            return false;
        }
        LINDEN_UNROLL
        for (int j = 0; j < batch_size; ++j) {
            sum_ += value_[j] * gathered_[j];
        }
        load_batch();
        note_progress();
        return awaited_ == 0;
    }

    __device__ V sum() const { return sum_; }

private:
    __device__ void load_batch()
    {
        LINDEN_UNROLL
        for (int j = 0; j < batch_size; ++j) {
            const bool exists = next_ < end_;
            col_[j] = exists ? size_type{load_streaming(t_.cols + next_)} : 0;
            value_[j] = exists ? to_arithmetic<V>(load_streaming(t_.values + next_)) : V{};
            gathered_[j] = V{};
            awaited_ |= exists ? 1u << j : 0u;
            next_ += L;
        }
    }

    const LevelFactorView<V, S, I>& t_;
    const V* w_;
    size_type cols_;
    I next_, end_;
    unsigned awaited_ = 0;
    size_type col_[batch_size];
    V value_[batch_size], gathered_[batch_size];
    V sum_{};
};

template <int L, class V, class S, class I>
__global__ void __launch_bounds__(block_size, 4)
    syncfree_kernel(TriangularProblem<V, S, I> problem, TicketRule rule, V* blocks, std::uint64_t* tickets)
{
    constexpr int units_per_block = block_size / L;
    using Lanes = Subgroup<L>;
    const size_type cols = problem.x.cols;
    for (;;) {
        const auto [part, parity] = draw_ticket(rule, tickets);
        if (part >= rule.num_parts) {
            return;
        }
        V* const w = blocks + parity * problem.num_units();
        V* const old = blocks + (1 - parity) * problem.num_units();
        const size_type unit = part * units_per_block + thread_id() / L;
        const bool exists = unit < problem.num_units();
        const size_type position = exists ? unit / cols : 0;
        const size_type col = exists ? unit % cols : 0;
        const Unit<V> at(problem, position, col);
        AwaitedRow<L, V, S, I> row(problem.t, position, w + col, cols);
        bool done = !exists;
        do {
            if (!done && Lanes::all(row.advance())) {
                const V result = at.inverse_diagonal * (at.source - Lanes::sum(row.sum()));
                if (Lanes::lane() == 0) {
                    store_awaited(w + unit, result);
                    store_missing(old + unit);
                    *at.target = result;
                }
                done = true;
            }
            pause();
        } while (Wave::any(!done));
    }
}

/// One level, or several of at most max_thin_level_rows rows, by one block.
template <class V, class S, class I>
__device__ void solve_row(const TriangularProblem<V, S, I>& problem, size_type unit, V* w)
{
    const auto& t = problem.t;
    const size_type cols = problem.x.cols;
    const size_type position = unit / cols;
    const size_type col = unit % cols;
    const Unit<V> at(problem, position, col);
    V sum{};
    for (I k = t.row_ptrs[position]; k < t.row_ptrs[position + 1]; ++k) {
        sum +=
            to_arithmetic<V>(load_streaming(t.values + k)) * load_cached_global(w + size_type{t.cols[k]} * cols + col);
    }
    const V result = at.inverse_diagonal * (at.source - sum);
    w[unit] = result;
    *at.target = result;
}

template <class V, class S, class I>
__global__ void __launch_bounds__(block_size, 4)
    level_kernel(TriangularProblem<V, S, I> problem, size_type first_row, size_type last_row, V* w)
{
    const size_type unit = first_row * problem.x.cols + global_id();
    if (unit < last_row * problem.x.cols) {
        solve_row(problem, unit, w);
    }
}

template <class V, class S, class I>
__global__ void thin_levels_kernel(TriangularProblem<V, S, I> problem, size_type first_level, size_type last_level,
                                   V* w)
{
    const size_type cols = problem.x.cols;
    for (size_type level = first_level; level < last_level; ++level) {
        const size_type end = problem.t.level_ptrs[level + 1] * cols;
        for (size_type unit = problem.t.level_ptrs[level] * cols + thread_id(); unit < end; unit += block_threads()) {
            solve_row(problem, unit, w);
        }
        block_barrier();
    }
}

template <class V, class S, class I>
void solve_syncfree(const Executor& exec, LevelFactorView<V, S, I> t, DenseView<const V> b, DenseView<V> x,
                    SyncFreeState<V> state)
{
    if (x.rows == 0 || x.cols == 0) {
        return;
    }
    using D = device_type<V>;
    using T = device_type<S>;
    const bool is_short = t.num_nonzeros <= 2 * batch_size * t.rows;
    const bool is_long = t.num_nonzeros > 16 * batch_size * t.rows;
    const int lanes = is_short ? 1 : is_long ? 32 : 8;
    const auto kernel = is_short  ? syncfree_kernel<1, D, T, I>
                        : is_long ? syncfree_kernel<32, D, T, I>
                                  : syncfree_kernel<8, D, T, I>;
    const size_type num_parts = blocks_for(t.rows * x.cols, block_size / lanes);
    const size_type most = static_cast<size_type>(gpu(exec).num_multiprocessors()) * (is_short ? 4 : 16);
    const size_type num_blocks = std::min(num_parts, most);
    launch_on(exec, kernel, num_blocks, block_size, 0, device_problem(t, b, x),
              TicketRule{num_parts, num_parts + num_blocks}, as_device(state.blocks), state.tickets);
}

template <class V, class S, class I>
void solve_levels(const Executor& exec, LevelFactorView<V, S, I> t, LevelRange range, DenseView<const V> b,
                  DenseView<V> x, V* w)
{
    if (range.first_row == range.last_row || x.cols == 0) {
        return;
    }
    using D = device_type<V>;
    using T = device_type<S>;
    const auto problem = device_problem(t, b, x);
    if (range.last_level - range.first_level == 1) {
        const size_type units = (range.last_row - range.first_row) * x.cols;
        launch_on(exec, level_kernel<D, T, I>, blocks_for(units, block_size), block_size, 0, problem, range.first_row,
                  range.last_row, as_device(w));
    } else {
        launch_on(exec, thin_levels_kernel<D, T, I>, 1, thin_block_size, 0, problem, range.first_level,
                  range.last_level, as_device(w));
    }
}

template <class V>
struct StartState : NothingToPrepare {
    SyncFreeState<V> state;

    __device__ void operator()(Place<1> at, Nothing) const
    {
        state.blocks[at.row] = missing<V>();
        if (at.row == 0) {
            *state.tickets = 0;
        }
    }
};

template <class V>
void start_state(const Executor& exec, size_type count, SyncFreeState<V> state)
{
    if (count == 0) {
        exec.state().fill_zero(state.tickets, sizeof(std::uint64_t));
        return;
    }
    map_elements(exec, count, 1, StartState<device_type<V>>{{}, {as_device(state.blocks), state.tickets}});
}

template <class V, class I>
struct InvertDiagonal : NothingToPrepare {
    const I* order;
    const I* diagonal;
    const V* values;
    bool conjugate;
    V* inverse;
    size_type* num_zeros;

    __device__ void operator()(Place<1> at, Nothing) const
    {
        const I entry = diagonal[order == nullptr ? at.row : size_type{order[at.row]}];
        const V d = entry < 0 ? V{} : values[entry];
        if (d == V{}) {
            atomic_add(num_zeros, 1);
        }
        inverse[at.row] = d == V{} ? V{1} : V{1} / (conjugate ? conj(d) : d);
    }
};

template <class V, class I>
void invert_diagonal(const Executor& exec, size_type n, const I* order, const I* diagonal, const V* values,
                     bool conjugate, V* inverse, size_type* num_zeros)
{
    exec.state().fill_zero(num_zeros, sizeof *num_zeros);
    map_elements(exec, n, 1,
                 InvertDiagonal<device_type<V>, I>{
                     {}, order, diagonal, as_device(values), conjugate, as_device(inverse), num_zeros});
}

}  // namespace

void register_triangular()
{
    for_each_value([]<class V>() { triangular_start_state<V>.bind(this_backend, start_state<V>); });
    for_each_value_index(
        []<class V, class I>() { triangular_invert_diagonal<V, I>.bind(this_backend, invert_diagonal<V, I>); });
    for_each_factor_type([]<class V, class S, class I>() {
        triangular_solve_levels<V, S, I>.bind(this_backend, solve_levels<V, S, I>);
        triangular_solve_syncfree<V, S, I>.bind(this_backend, solve_syncfree<V, S, I>);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
