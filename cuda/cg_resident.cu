#include "core/kernels/cg.hpp"
#include "cuda/grid_exchange.cuh"
#include "gpu/column_stop.cuh"
#include "gpu/executor.hpp"

/// CG of a system whose vectors fit on the chip, in one kernel: every multiprocessor holds its rows of r, x and q = A p
/// in shared memory, and all meet three times per iteration (grid_exchange.cuh). What passes through the L2 cache and
/// memory is A, p once out and once in, and nothing else: 2 words per row instead of 10.
///
/// Each block first lays out its rows of A anew, in slices of 32 rows, column by column, for accesses of whole cache
/// lines without staging (sliced ELLPACK). A part of A stays in the L2 cache from iteration to iteration.
namespace linden::cuda {
namespace {

constexpr int resident_threads = 512;
constexpr int slice_rows = 32;
constexpr int num_warps = resident_threads / 32;
static_assert(slice_rows == cg_resident_slice && GridExchange::bytes <= cg_resident_header_bytes);

/// Loads of the matrix: no space in the L1 cache, which is for p.
template <class T>
__device__ T load_matrix(const T* p, std::uint64_t policy)
{
    if constexpr (sizeof(T) == 4) {
        unsigned bits;
        asm volatile("ld.global.L1::no_allocate.L2::cache_hint.b32 %0, [%1], %2;" : "=r"(bits) : "l"(p), "l"(policy));
        return bits_to<T>(bits);
    } else if constexpr (sizeof(T) == 8) {
        unsigned long long bits;
        asm volatile("ld.global.L1::no_allocate.L2::cache_hint.b64 %0, [%1], %2;" : "=l"(bits) : "l"(p), "l"(policy));
        return bits_to<T>(bits);
    } else {
        ulonglong2 bits;
        asm volatile("ld.global.L1::no_allocate.L2::cache_hint.v2.b64 {%0, %1}, [%2], %3;"
                     : "=l"(bits.x), "=l"(bits.y)
                     : "l"(p), "l"(policy));
        return bits_to<T>(bits);
    }
}

/// Some of the lines stay in the L2 cache as long as they can, the others leave it first. On an H200 a quarter to a
/// half is best: 64 to 84 MB of matrix, beside p, in 60 MB of cache.
__device__ std::uint64_t keep_some_policy()
{
    std::uint64_t policy;
    asm volatile("createpolicy.fractional.L2::evict_last.L2::evict_first.b64 %0, 0.375;" : "=l"(policy));
    return policy;
}

/// The rows of a block and its part of each step.
template <class V, class I>
struct ResidentRows {
    /// Nonzeros of a row that are on their way at a time.
    static constexpr int batch = sizeof(V) > sizeof(device_real<V>) ? 4 : 8;

    size_type first;  ///< row
    int rows, num_slices;
    V *r, *x, *q;           // in shared memory
    unsigned *begin, *end;  // of each slice, in shared memory, in units of 32 nonzeros
    V* p;                   // the whole vector, in global memory
    V* values;              // this block's, in global memory
    unsigned* cols;
    std::uint64_t policy = keep_some_policy();

    __device__ ResidentRows(size_type num_rows, CgPartition part, V* p_, std::byte* matrix) : p(p_)
    {
        const auto max_rows = part.max_rows;
        first = block_id() * max_rows;
        rows = static_cast<int>(first >= num_rows ? 0 : num_rows - first < max_rows ? num_rows - first : max_rows);
        num_slices = (rows + slice_rows - 1) / slice_rows;
        r = dynamic_shared<V>();
        x = r + max_rows;
        q = x + max_rows;
        begin = reinterpret_cast<unsigned*>(q + max_rows);
        end = begin + max_rows / slice_rows;
        values = reinterpret_cast<V*>(matrix) + block_id() * part.max_nonzeros;
        cols = reinterpret_cast<unsigned*>(reinterpret_cast<V*>(matrix) + num_blocks() * part.max_nonzeros) +
               block_id() * part.max_nonzeros;
    }

    __device__ static int warp() { return thread_id() / 32; }
    __device__ static int lane() { return thread_id() % 32; }

    /// Lays out the matrix.
    __device__ void load(const CsrView<V, I>& a) const
    {
        const auto length_of = [&](int row) {
            return row < rows ? a.row_ptrs[first + row + 1] - a.row_ptrs[first + row] : I{};
        };
        for (int s = warp(); s < num_slices; s += num_warps) {
            const I longest = Subgroup<32>::reduce(length_of(s * slice_rows + lane()), Max{});
            if (lane() == 0) {
                end[s] = static_cast<unsigned>(longest);
            }
        }
        block_barrier();
        if (thread_id() == 0) {
            unsigned sum = 0;
            for (int s = 0; s < num_slices; ++s) {
                begin[s] = sum;
                sum += end[s];
                end[s] = sum;
            }
        }
        block_barrier();
        for (int s = warp(); s < num_slices; s += num_warps) {
            const int row = s * slice_rows + lane();
            const I length = length_of(row);
            for (unsigned j = begin[s]; j < end[s]; ++j) {
                const I k = static_cast<I>(j - begin[s]);
                const bool exists = k < length;
                const I from = exists ? a.row_ptrs[first + row] + k : I{};
                values[j * 32 + lane()] = exists ? a.values[from] : V{};
                // What fills a slice up multiplies 0 with a value that the block uses anyway.
                cols[j * 32 + lane()] = static_cast<unsigned>(exists ? static_cast<size_type>(a.col_idxs[from])
                                                                     : first + (row < rows ? row : 0));
            }
        }
    }

    /// Takes in x, and r also as p; returns this thread's part of r^H r.
    __device__ V load(const V* global_r, const V* global_x) const
    {
        V rr{};
        for (int i = thread_id(); i < rows; i += resident_threads) {
            x[i] = global_x[first + i];
            r[i] = p[first + i] = global_r[first + i];
            rr += V{abs2(r[i])};
        }
        return rr;
    }

    /// q := A p; returns this thread's part of p^H q. Columns are loaded one batch ahead, so that values and p come
    /// together.
    __device__ V multiply() const
    {
        V pq{};
        V sum{};
        unsigned next_cols[batch];
        int s = warp();
        unsigned j = s < num_slices ? begin[s] : 0;
        const auto load_cols = [&](int slice, unsigned from) {
            if (slice < num_slices) {
#pragma unroll
                for (int i = 0; i < batch; ++i) {
                    if (from + i < end[slice]) {
                        next_cols[i] = load_matrix(cols + (from + i) * 32 + lane(), policy);
                    }
                }
            }
        };
        load_cols(s, j);
        while (s < num_slices) {
            const unsigned last = end[s];
            const int row = s * slice_rows + lane();
            V factors[batch], gathered[batch];
#pragma unroll
            for (int i = 0; i < batch; ++i) {
                if (j + i < last) {
                    factors[i] = load_matrix(values + (j + i) * 32 + lane(), policy);
                    gathered[i] = p[next_cols[i]];
                }
            }
            const bool row_ends = j + batch >= last;
            const V own = row_ends && row < rows ? p[first + row] : V{};
            const unsigned here = j;
            const int slice = s;
            s = row_ends ? s + num_warps : s;
            j = !row_ends ? j + batch : s < num_slices ? begin[s] : 0;
            load_cols(s, j);
#pragma unroll
            for (int i = 0; i < batch; ++i) {
                if (here + i < last) {
                    sum += factors[i] * gathered[i];
                }
            }
            if (row_ends) {
                if (row < rows) {
                    q[slice * slice_rows + lane()] = sum;
                    pq += conj(own) * sum;
                }
                sum = V{};
            }
        }
        return pq;
    }

    /// r := r - alpha q; returns this thread's part of r^H r.
    __device__ V move(V alpha) const
    {
        V rr{};
        for (int i = thread_id(); i < rows; i += resident_threads) {
            const V updated = r[i] - alpha * q[i];
            r[i] = updated;
            rr += V{abs2(updated)};
        }
        return rr;
    }

    /// x := x + alpha p, p := r + beta p
    __device__ void turn(V alpha, V beta) const
    {
        constexpr int unrolled = 4;
        for (int base = thread_id(); base < rows; base += unrolled * resident_threads) {
            V direction[unrolled];
#pragma unroll
            for (int k = 0; k < unrolled; ++k) {
                const int i = base + k * resident_threads;
                direction[k] = i < rows ? p[first + i] : V{};
            }
#pragma unroll
            for (int k = 0; k < unrolled; ++k) {
                const int i = base + k * resident_threads;
                if (i < rows) {
                    x[i] += alpha * direction[k];
                    p[first + i] = r[i] + beta * direction[k];
                }
            }
        }
    }

    __device__ void store(V* global_r, V* global_x) const
    {
        for (int i = thread_id(); i < rows; i += resident_threads) {
            global_x[first + i] = x[i];
            global_r[first + i] = r[i];
        }
    }
};

template <class V, class I>
__global__ void __launch_bounds__(resident_threads, 1)
    run_kernel(CsrView<V, I> a, V* global_r, V* global_x, V* p, CgPartition partition, std::byte* workspace,
               StopView<device_real<V>> stop)
{
    using R = device_real<V>;
    LINDEN_SHARED(goes_on, bool);
    LINDEN_SHARED(local_stop, ColumnStop<R>);
    GridExchange exchange(workspace);
    const ResidentRows<V, I> system(a.rows, partition, p, workspace + cg_resident_header_bytes);
    if (thread_id() == 0) {
        local_stop.load(stop);
        goes_on = local_stop.header.running != 0;
        if (block_id() != 0) {
            local_stop.header.history_capacity = 0;  // one block writes it
        }
    }
    system.load(a);
    std::uint64_t now = 0;
    V rho = exchange.sum<resident_threads>(system.load(global_r, global_x), now);
    exchange.barrier();  // p is there
    while (goes_on) {
        const V pq = exchange.sum<resident_threads>(system.multiply(), now);
        V alpha{};
        SolveStatus status = SolveStatus::running;
        const bool moves = cg_step_length(rho, pq, status, alpha);
        const V rho_old = rho;
        now = global_timer_ns();  // all blocks decide by the clock of one
        rho = exchange.sum<resident_threads>(moves ? system.move(alpha) : V{}, now);
        if (thread_id() == 0) {
            local_stop.status = status;
            goes_on = local_stop.end_iteration(stop, 0, moves ? static_cast<R>(sqrt(real(rho))) : local_stop.residual,
                                               static_cast<std::int64_t>(now)) != 0;
        }
        if (moves) {
            system.turn(alpha, rho / rho_old);
        }
        exchange.barrier();
    }
    system.store(global_r, global_x);
    exchange.finish();
    if (block_id() == 0 && thread_id() == 0) {
        local_stop.store(stop);
        stop.header->running = goes_on ? 1 : 0;
    }
}

template <class V, class I>
void run(const Executor& exec, CsrView<V, I> a, DenseView<V> r, DenseView<V> x, DenseView<V> p, CgPartition partition,
         WorkspaceView workspace, StopView<real_t<V>> stop)
{
    using D = device_type<V>;
    const auto kernel = run_kernel<D, I>;
    auto& state = gpu(exec);
    const DeviceScope scope(state.device());
    const auto bytes = cg_resident_block_bytes<V>(partition.max_rows);
    check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(bytes)),
          "FuncSetAttribute");
    cudaLaunchAttribute cooperative{};
    cooperative.id = cudaLaunchAttributeCooperative;
    cooperative.val.cooperative = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>((a.rows + partition.max_rows - 1) / partition.max_rows));
    config.blockDim = dim3(resident_threads);
    config.dynamicSmemBytes = static_cast<std::size_t>(bytes);
    config.stream = state.stream();
    config.attrs = &cooperative;
    config.numAttrs = 1;
    const CsrView<D, I> matrix{a.rows, a.cols, a.num_nonzeros, a.row_ptrs, a.col_idxs, as_device(a.values)};
    check(cudaLaunchKernelEx(&config, kernel, matrix, as_device(r.values), as_device(x.values), as_device(p.values),
                             partition, workspace.data, stop),
          "LaunchKernelEx");
    state.count_launches(1);
}

}  // namespace

void register_cg_resident()
{
    for_each_value_index([]<class V, class I>() { cg_run_resident<V, I>.bind(Backend::cuda, run<V, I>); });
}

}  // namespace linden::cuda
