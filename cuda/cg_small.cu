#include "core/kernels/cg.hpp"
#include "gpu/bulk_copy.cuh"
#include "gpu/column_stop.cuh"
#include "gpu/columns.cuh"

/// CG of a small system in one kernel: a cluster of 16 blocks holds the matrix and the vectors in its shared memory and
/// meets at cluster barriers (0.23 us each on an H200), three per iteration. Nothing but the residual history leaves
/// the chip.
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

/// The sum over the cluster of each thread's value, in all threads and in fixed order. `slots`: one per block.
template <class V>
__device__ V cluster_sum(V value, V* slots)
{
    V sums[1] = {value};
    block_reduce<cluster_threads>(sums);
    const V block_sum = block_broadcast(sums[0], 0);
    if (thread_id() < cluster_blocks) {
        store_cluster(address_in(shared_address(slots + block_rank()), thread_id()), block_sum);
    }
    cluster_barrier();
    V total{};
    for (int i = 0; i < cluster_blocks; ++i) {
        total += slots[i];
    }
    return total;
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

/// The part of the system that a block has, and its part of each step.
template <class V, class I>
struct BlockSystem {
    CsrView<V, I> a;
    BlockMemory<V> m;
    size_type first;  ///< row
    int rows;

    __device__ BlockSystem(const CsrView<V, I>& a_, int max_rows, int max_nonzeros)
        : a(a_),
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

    /// Takes in the matrix, x, and r also as p; returns this thread's part of r^H r.
    __device__ V load(const V* global_r, const V* global_x, int max_rows) const
    {
        const I begin = rows > 0 ? a.row_ptrs[first] : I{};
        const int nonzeros = rows > 0 ? static_cast<int>(a.row_ptrs[first + rows] - begin) : 0;
        for (int k = thread_id(); k < nonzeros; k += cluster_threads) {
            const auto col = static_cast<unsigned>(a.col_idxs[begin + k]);
            m.values[k] = a.values[begin + k];
            m.addresses[k] = address_in(shared_address(m.p + col % max_rows), col / max_rows);
        }
        V rr{};
        for_rows([&](int i) {
            m.row_ptrs[i] = static_cast<unsigned>(a.row_ptrs[first + i] - begin);
            m.x[i] = global_x[first + i];
            m.r[i] = m.p[i] = global_r[first + i];
            rr += V{abs2(m.r[i])};
        });
        if (thread_id() == 0) {
            m.row_ptrs[rows] = static_cast<unsigned>(nonzeros);
        }
        return rr;
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

    /// x := x + alpha p, r := r - alpha q; returns this thread's part of r^H r.
    __device__ V move(V alpha) const
    {
        V rr{};
        for_rows([&](int i) {
            m.x[i] += alpha * m.p[i];
            m.r[i] -= alpha * m.q[i];
            rr += V{abs2(m.r[i])};
        });
        return rr;
    }

    /// p := r + beta p
    __device__ void turn(V beta) const
    {
        for_rows([&](int i) { m.p[i] = m.r[i] + beta * m.p[i]; });
    }

    __device__ void store(V* global_r, V* global_x) const
    {
        for_rows([&](int i) {
            global_x[first + i] = m.x[i];
            global_r[first + i] = m.r[i];
        });
    }
};

template <class V, class I>
__global__ void __launch_bounds__(cluster_threads)
    run_kernel(CsrView<V, I> a, V* global_r, V* global_x, int max_rows, int max_nonzeros, StopView<device_real<V>> stop)
{
    using R = device_real<V>;
    LINDEN_SHARED(pq_slots, V[cluster_blocks]);
    LINDEN_SHARED(rr_slots, V[cluster_blocks]);
    LINDEN_SHARED(goes_on, unsigned);
    LINDEN_SHARED(local_stop, ColumnStop<R>);
    const BlockSystem<V, I> system(a, max_rows, max_nonzeros);
    const bool decides = block_rank() == 0 && thread_id() == 0;
    if (thread_id() == 0) {
        local_stop.load(stop);
        goes_on = local_stop.header.running != 0;
    }
    const V rr = system.load(global_r, global_x, max_rows);
    cluster_barrier();  // all blocks have begun, so that their memory is there to be written
    V rho = cluster_sum(rr, rr_slots);
    while (goes_on != 0) {
        const V pq = cluster_sum(system.multiply(), pq_slots);
        V alpha{};
        SolveStatus status = SolveStatus::running;
        const bool moves = cg_step_length(rho, pq, status, alpha);
        const V rho_old = rho;
        rho = cluster_sum(moves ? system.move(alpha) : V{}, rr_slots);
        if (decides) {
            local_stop.status = status;
            local_stop.header.running =
                local_stop.end_iteration(stop, 0, moves ? static_cast<R>(sqrt(real(rho))) : local_stop.residual);
            for (unsigned block = 0; block < cluster_blocks; ++block) {
                store_cluster(address_in(shared_address(&goes_on), block),
                              static_cast<unsigned>(local_stop.header.running != 0));
            }
        }
        system.turn(rho / rho_old);
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
void run(const Executor& exec, CsrView<V, I> a, DenseView<V> r, DenseView<V> x, DenseView<V>, DenseView<V>,
         RowPartition partition, StopView<real_t<V>> stop)
{
    using D = device_type<V>;
    const auto kernel = run_kernel<D, I>;
    const auto max_rows = static_cast<int>(partition.max_rows);
    const auto max_nonzeros = static_cast<int>(partition.max_nonzeros);
    const auto bytes = cg_small_block_bytes<V>(partition);
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
    check(cudaLaunchKernelEx(&config, kernel, as_device(a), as_device(r.values), as_device(x.values), max_rows,
                             max_nonzeros, stop),
          "LaunchKernelEx");
    state.count_launches(1);
}

}  // namespace

void register_cg_small()
{
    for_each_value_index([]<class V, class I>() { cg_run_small<V, I>.bind(Backend::cuda, run<V, I>); });
}

}  // namespace linden::cuda
