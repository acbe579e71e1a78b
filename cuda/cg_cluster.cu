#include "core/kernels/cg_cluster.hpp"

#include "core/kernels/cg.hpp"
#include "cuda/cg_sums.cuh"
#include "gpu/device/bulk_copy.cuh"
#include "gpu/vector/column_stop.cuh"
#include "gpu/vector/columns.cuh"

/// CG of a small system in one kernel: a cluster of 16 blocks holds the matrix and the vectors in its shared memory and
/// meets at cluster barriers (0.23 us each on an H200), three per iteration. Nothing but the residual history leaves
/// the chip, and nothing but a diagonal preconditioner comes in after the start.
///
/// Rows are dealt to the blocks in contiguous parts. A nonzero's column is kept as the address of its p in the
/// cluster's shared memory, so that a gather is one load wherever p lies.
namespace linden::cuda {
namespace {

constexpr int cluster_threads = 1024;

__device__ unsigned block_rank()
{
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

/// The same place in the shared memory of block `rank`.
__device__ unsigned address_in(unsigned address, unsigned rank)
{
    unsigned mapped;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
    return mapped;
}

__device__ void cluster_barrier()
{
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

template <class V>
__device__ V load_cluster(unsigned address)
{
    if constexpr (sizeof(V) == 4) {
        unsigned bits;
        asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(bits) : "r"(address) : "memory");
        return bits_to<V>(bits);
    } else if constexpr (sizeof(V) == 8) {
        unsigned long long bits;
        asm volatile("ld.shared::cluster.u64 %0, [%1];" : "=l"(bits) : "r"(address) : "memory");
        return bits_to<V>(bits);
    } else {
        ulonglong2 bits;
        asm volatile("ld.shared::cluster.v2.u64 {%0, %1}, [%2];"
                     : "=l"(bits.x), "=l"(bits.y)
                     : "r"(address)
                     : "memory");
        return bits_to<V>(bits);
    }
}

template <class V>
__device__ void store_cluster(unsigned address, V value)
{
    if constexpr (sizeof(V) == 4) {
        asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(address), "r"(bits_to<unsigned>(value)) : "memory");
    } else if constexpr (sizeof(V) == 8) {
        asm volatile("st.shared::cluster.u64 [%0], %1;" ::"r"(address), "l"(bits_to<unsigned long long>(value))
                     : "memory");
    } else {
        const auto bits = bits_to<ulonglong2>(value);
        asm volatile("st.shared::cluster.v2.u64 [%0], {%1, %2};" ::"r"(address), "l"(bits.x), "l"(bits.y) : "memory");
    }
}

/// values[k] := the sum over the cluster of each thread's values[k], in all threads and in fixed order. `slots`: one
/// per value and block.
template <class V, int K>
__device__ void cluster_sum(V (&values)[K], V* slots)
{
    block_reduce<cluster_threads>(values);
    for (int k = 0; k < K; ++k) {
        const V block_sum = block_broadcast(values[k], 0);
        if (thread_id() < cluster_blocks) {
            store_cluster(address_in(shared_address(slots + k * cluster_blocks + block_rank()), thread_id()),
                          block_sum);
        }
    }
    cluster_barrier();
    for (int k = 0; k < K; ++k) {
        values[k] = V{};
        for (int i = 0; i < cluster_blocks; ++i) {
            values[k] += slots[k * cluster_blocks + i];
        }
    }
}

/// What a block keeps in dynamic shared memory.
template <class V>
struct BlockMemory {
    V *values, *p, *r, *x, *q;
    unsigned *addresses, *row_ptrs;

    __device__ BlockMemory(int max_rows, int max_nonzeros)
    {
        values = dynamic_shared<V>();
        p = values + max_nonzeros;
        r = p + max_rows;
        x = r + max_rows;
        q = x + max_rows;
        addresses = reinterpret_cast<unsigned*>(q + max_rows);
        row_ptrs = addresses + max_nonzeros;
    }
};

/// The part of the system that a block has, and its part of each step. z = M^-1 r has the place of q, or is r without
/// preconditioner.
template <bool preconditioned, class V, class I>
struct BlockSystem {
    using Sums = CgSums<V, preconditioned>;

    CsrView<V, I> a;
    const V* inverse;  ///< of M, all rows
    BlockMemory<V> m;
    size_type first;  ///< row
    int rows;

    __device__ BlockSystem(const CsrView<V, I>& a_, const V* inverse_, int max_rows, int max_nonzeros)
        : a(a_),
          inverse(inverse_),
          m(max_rows, max_nonzeros),
          first(static_cast<size_type>(block_rank()) * max_rows)
    {
        rows = first < a.rows ? static_cast<int>(first + max_rows < a.rows ? max_rows : a.rows - first) : 0;
    }

    template <class F>
    __device__ void for_rows(F f) const
    {
        for (int i = thread_id(); i < rows; i += cluster_threads) {
            f(i);
        }
    }

    /// z, and what the residual of row i adds to the sums.
    __device__ V precondition(int i, Sums& sums) const
    {
        return sums.add(m.r[i], preconditioned ? inverse[first + i] : V{});
    }

    /// Takes in the matrix, x and r, with z as p; returns this thread's part of the sums.
    __device__ Sums load(const V* global_r, const V* global_x, int max_rows) const
    {
        const I begin = rows > 0 ? a.row_ptrs[first] : I{};
        const int nonzeros = rows > 0 ? static_cast<int>(a.row_ptrs[first + rows] - begin) : 0;
        for (int k = thread_id(); k < nonzeros; k += cluster_threads) {
            const auto col = static_cast<unsigned>(a.col_idxs[begin + k]);
            m.values[k] = a.values[begin + k];
            m.addresses[k] = address_in(shared_address(m.p + col % max_rows), col / max_rows);
        }
        Sums sums;
        for_rows([&](int i) {
            m.row_ptrs[i] = static_cast<unsigned>(a.row_ptrs[first + i] - begin);
            m.x[i] = global_x[first + i];
            m.r[i] = global_r[first + i];
            m.p[i] = precondition(i, sums);
        });
        if (thread_id() == 0) {
            m.row_ptrs[rows] = static_cast<unsigned>(nonzeros);
        }
        return sums;
    }

    /// q := A p; returns this thread's part of p^H q.
    __device__ V multiply() const
    {
        V pq{};
        for_rows([&](int i) {
            V sum{};
            for (unsigned k = m.row_ptrs[i]; k < m.row_ptrs[i + 1]; ++k) {
                sum += m.values[k] * load_cluster<V>(m.addresses[k]);
            }
            m.q[i] = sum;
            pq += conj(m.p[i]) * sum;
        });
        return pq;
    }

    /// x := x + alpha p, r := r - alpha q, z := M^-1 r; returns this thread's part of the sums.
    __device__ Sums move(V alpha) const
    {
        Sums sums;
        for_rows([&](int i) {
            m.x[i] += alpha * m.p[i];
            m.r[i] -= alpha * m.q[i];
            const V z = precondition(i, sums);
            if constexpr (preconditioned) {
                m.q[i] = z;
            }
        });
        return sums;
    }

    /// p := z + beta p
    __device__ void turn(V beta) const
    {
        const V* const z = preconditioned ? m.q : m.r;
        for_rows([&](int i) { m.p[i] = z[i] + beta * m.p[i]; });
    }

    __device__ void store(V* global_r, V* global_x) const
    {
        for_rows([&](int i) {
            global_x[first + i] = m.x[i];
            global_r[first + i] = m.r[i];
        });
    }
};

template <bool preconditioned, class V, class I>
__global__ void __launch_bounds__(cluster_threads)
    run_kernel(CsrView<V, I> a, const V* inverse, V* global_r, V* global_x, int max_rows, int max_nonzeros,
               StopView<device_real<V>> stop)
{
    using R = device_real<V>;
    constexpr int num_residual_slots = CgSums<V, preconditioned>::num_values * cluster_blocks;
    LINDEN_SHARED(pq_slots, V[cluster_blocks]);
    LINDEN_SHARED(residual_slots, V[num_residual_slots]);
    LINDEN_SHARED(goes_on, unsigned);
    LINDEN_SHARED(local_stop, ColumnStop<R>);
    const BlockSystem<preconditioned, V, I> system(a, inverse, max_rows, max_nonzeros);
    const bool decides = block_rank() == 0 && thread_id() == 0;
    if (thread_id() == 0) {
        local_stop.load(stop);
        goes_on = local_stop.header.running != 0;
    }
    auto sums = system.load(global_r, global_x, max_rows);
    cluster_barrier();  // all blocks have begun, so that their memory is there to be written
    cluster_sum(sums.values, residual_slots);
    while (goes_on != 0) {
        V pq[1] = {system.multiply()};
        cluster_sum(pq, pq_slots);
        V alpha{};
        SolveStatus status = SolveStatus::running;
        const V rho = sums.rho();
        const bool moves = cg_step_length(rho, pq[0], status, alpha);
        sums = {};
        if (moves) {
            sums = system.move(alpha);
        }
        cluster_sum(sums.values, residual_slots);
        if (decides) {
            local_stop.status = status;
            const R norm = moves ? static_cast<R>(sqrt(real(sums.squared_residual()))) : local_stop.residual;
            local_stop.header.running = local_stop.end_iteration(stop, 0, norm);
            for (unsigned block = 0; block < cluster_blocks; ++block) {
                store_cluster(address_in(shared_address(&goes_on), block),
                              static_cast<unsigned>(local_stop.header.running != 0));
            }
        }
        system.turn(sums.rho() / rho);
        cluster_barrier();
    }
    system.store(global_r, global_x);
    if (decides) {
        local_stop.store(stop);
        stop.header->running = local_stop.header.running;
    }
    cluster_barrier();  // no block ends while another may still reach into its memory
}

template <class V, class I>
void run(const Executor& exec, WholeSolve<V, I> solve, DenseView<V>, DenseView<V>, StopView<real_t<V>> stop)
{
    using D = device_type<V>;
    const auto kernel = solve.d == nullptr ? run_kernel<false, D, I> : run_kernel<true, D, I>;
    const auto max_rows = static_cast<int>(solve.partition.max_rows);
    const auto max_nonzeros = static_cast<int>(solve.partition.max_nonzeros);
    const auto bytes = cg_cluster_block_bytes<V>(solve.partition);
    auto& state = gpu(exec);
    const DeviceScope scope(state.device());
    const auto function = reinterpret_cast<const void*>(kernel);
    check(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
          "FuncSetAttribute");
    check(cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), "FuncSetAttribute");
    cudaLaunchAttribute cluster{};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = cluster_blocks;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(cluster_blocks);
    config.blockDim = dim3(cluster_threads);
    config.dynamicSmemBytes = static_cast<std::size_t>(bytes);
    config.stream = state.stream();
    config.attrs = &cluster;
    config.numAttrs = 1;
    check(cudaLaunchKernelEx(&config, kernel, as_device(solve.a), as_device(solve.d), as_device(solve.r.values),
                             as_device(solve.x.values), max_rows, max_nonzeros, stop),
          "LaunchKernelEx");
    state.count_launches(1);
}

}  // namespace

void register_cg_cluster()
{
    for_each_value_index([]<class V, class I>() { cg_run_cluster<V, I>.bind(Backend::cuda, run<V, I>); });
}

}  // namespace linden::cuda
