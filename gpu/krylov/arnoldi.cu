#include "core/kernels/arnoldi.hpp"

#include "gpu/krylov/basis.cuh"
#include "gpu/vector/columns.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

/// So many vectors are multiplied by v and w at a time: more sums than 16 take more registers than there are.
constexpr int vectors_per_group = 8;
constexpr int sums_per_group = 2 * vectors_per_group;
/// Groups of one launch: the workspace has so many counters in front.
constexpr size_type max_groups = reduction_header_bytes / static_cast<size_type>(sizeof(std::uint32_t));

template <class V>
ArnoldiScalars<device_type<V>> device_arnoldi(ArnoldiScalars<V> s)
{
    return {device_scalars(s.gmres), as_device(s.column), as_device(s.product), s.norm, s.correct, s.open};
}

/// The products of v and w with the vectors (V, v, w), `count` of them from `first` on: sum 2 i is that of v with
/// vector first + i, 2 i + 1 that of w. The product w^H v, which is among them, is not wanted.
template <class V, class S>
struct Project : FinishNothing {
    using R = device_real<V>;
    BasisView<const S> basis;
    DenseView<const V> v, w;
    ArnoldiScalars<V> scalars;
    bool settles;
    StopView<R> stop;
    size_type first = 0;
    int count = vectors_per_group;

    __host__ __device__ size_type num_vectors() const { return basis.count + 2; }
    /// To the vectors of one group.
    __device__ void enter(int group, int per_group)
    {
        first += static_cast<size_type>(group) * per_group;
        const size_type rest = num_vectors() - first;
        count = rest < per_group ? static_cast<int>(rest) : per_group;
    }

    __device__ bool prepare(size_type col) const { return stop.is_running(col); }
    template <int N>
    __device__ void operator()(Place<N> at, bool running, V (&sums)[sums_per_group]) const
    {
        if (!running) {
            return;
        }
        const auto of_v = at.load(v);
        const auto of_w = at.load(w);
#pragma unroll
        for (int i = 0; i < vectors_per_group; ++i) {
            if (i < count) {
                const size_type vector = first + i;
                const auto values = vector < basis.count    ? load_vector<V>(at, basis, vector)
                                    : vector == basis.count ? of_v
                                                            : of_w;
                sums[2 * i] += dot(values, of_v);
                sums[2 * i + 1] += dot(values, of_w);
            }
        }
    }

    __device__ bool skip() const { return stop.header->running == 0 || (settles && !arnoldi_is_open(scalars, stop)); }
    __device__ bool ready(size_type col) const { return stop.is_running(col); }
    /// Sum `index` of all of a column.
    __device__ void value(size_type index, size_type col, V sum) const
    {
        const auto& s = scalars.gmres;
        const size_type vector = index / 2;
        if (vector <= basis.count) {
            (index % 2 == 0 ? s.c : s.h)[vector * w.cols + col] = sum;
        } else if (index % 2 != 0) {
            s.ww[col] = real(sum);
        }
    }
    __device__ std::int32_t column(size_type col, const V (&sums)[sums_per_group], bool running) const
    {
        for (int i = 0; running && i < 2 * count; ++i) {
            value(2 * first + i, col, sums[i]);
        }
        return 0;
    }
    /// The same for one column over ranks.
    __device__ void value(size_type index, V sum) const
    {
        if (stop.is_running(0)) {
            value(index, 0, sum);
        }
    }
};

/// One contiguous column: a group of vectors for each y of the grid. No more blocks than run beside each other, so that
/// all groups read the same rows of v and w at about the same time, and these come from DRAM once. The last block of a
/// group has its sums, which go to `left` where there are other ranks.
template <int N, class V, class S>
__global__ void __launch_bounds__(column_block_threads, column_blocks_per_multiprocessor)
    project_flat(size_type rows, Project<V, S> body, int per_group, detail::Partials<V, sums_per_group> partials)
{
    wait_for_previous_kernel();
    const bool running = body.prepare(0);
    if (body.skip()) {
        return;
    }
    const int group = block_id_y();
    body.enter(group, per_group);
    V sums[sums_per_group] = {};
    detail::for_flat_places<N>(rows, [&](auto place) { body(place, running, sums); });
    let_next_kernel_begin();
    block_reduce<column_block_threads>(sums);
    partials.values += static_cast<size_type>(group) * sums_per_group * num_blocks();
    if (thread_id() == 0) {
        for (int k = 0; k < sums_per_group; ++k) {
            partials.of(0, k, num_blocks())[block_id()] = sums[k];
        }
    }
    if (detail::is_last_block(partials.counter + group)) {
        const V sum = detail::group_sum<column_block_threads, Sum>(partials, 0);
        constexpr int threads_of_sum = column_block_threads / sums_per_group;
        const int k = thread_id() / threads_of_sum;
        if (thread_id() % threads_of_sum == 0 && k < 2 * body.count) {
            const size_type index = 2 * body.first + k;
            if (partials.left != nullptr) {
                partials.left[index] = sum;
            } else if (running) {
                body.value(index, 0, sum);
            }
        }
    }
}

/// The same by the tree of reproducible sums.
template <int N, class V, class S>
__global__ void __launch_bounds__(column_block_threads, detail::tree_blocks_per_multiprocessor<V>)
    project_tree(size_type rows, Project<V, S> body, int per_group, detail::TreeCut cut, detail::TreeNodes<V> nodes,
                 detail::Partials<V, sums_per_group> partials, std::int64_t* clock)
{
    wait_for_previous_kernel();
    if (body.skip()) {
        return;
    }
    const int group = block_id_y();
    body.enter(group, per_group);
    nodes.first = 2 * body.first;
    nodes.stored = 2 * body.count;
    partials.counter += group;
    partials.values += group * sums_per_group * static_cast<size_type>(cut.last_group - cut.first_group);
    const bool is_last = detail::leave_nodes<Sum>(
        1, cut, nodes, partials, [&](size_type col) { return body.prepare(col); },
        [&](const bool& running, size_type col) {
            return detail::BlocksOfRows<N, Sum, V, sums_per_group, Project<V, S>>{body, running, rows, col};
        });
    let_next_kernel_begin();
    if (is_last && clock != nullptr) {
        const V* const totals = detail::add_own_nodes<Sum>(nodes, nodes.stored, clock);
        if (thread_id() < nodes.stored) {
            body.value(nodes.first + thread_id(), totals[thread_id()]);
        }
    }
}

/// Launches of at most max_groups groups, in equal shares: launch(body, groups, most blocks for each of them).
template <class V, class S, class Launch>
void project_groups(const Executor& exec, Project<V, S> body, size_type room, const Launch& launch)
{
    const size_type num_vectors = body.num_vectors();
    const size_type num_groups = (num_vectors + vectors_per_group - 1) / vectors_per_group;
    const size_type per_group = (num_vectors + num_groups - 1) / num_groups;
    for (size_type done = 0; done < num_groups; done += max_groups) {
        const size_type groups = std::min(max_groups, num_groups - done);
        const size_type resident = size_type{gpu(exec).num_multiprocessors()} * column_blocks_per_multiprocessor;
        body.first = done * per_group;
        launch(body, groups, static_cast<int>(per_group),
               std::max<size_type>(1, std::min(room / sums_per_group, resident) / groups));
    }
}

template <class V, class S>
void project_column(const Executor& exec, const Project<V, S>& projection, WorkspaceView workspace)
{
    constexpr int N = rows_of_pack<V, S>;
    auto partials = detail::partials_in<V, sums_per_group>(workspace);
    const size_type room = (workspace.bytes - reduction_header_bytes) / static_cast<size_type>(sizeof(V));
    project_groups(exec, projection, room, [&](const auto& body, size_type groups, int per_group, size_type most) {
        const size_type parts = std::min(detail::column_shape(exec, body.w.rows, 1, N).grid.x, most);
        launch_overlapped_on(exec, project_flat<N, V, S>, Grid(parts, groups), column_block_threads, 0, body.w.rows,
                             body, per_group, partials);
    });
    detail::finish_values_over_ranks<Sum, V>(exec, workspace, 2 * projection.num_vectors(), projection);
}

/// The same where sums are reproducible.
template <int N, class V, class S>
void project_reproducibly(const Executor& exec, const Project<V, S>& projection, WorkspaceView workspace)
{
    const size_type rows = projection.w.rows;
    const size_type total = 2 * projection.num_vectors();
    const size_type room = (workspace.bytes - reduction_header_bytes) / static_cast<size_type>(sizeof(V));
    bool goes_on = false;
    project_groups(exec, projection, room, [&](const auto& body, size_type groups, int per_group, size_type most) {
        const auto s = detail::tree_shape<V, sums_per_group>(exec, workspace, rows, 1, total, 0, groups);
        launch_overlapped_on(exec, project_tree<N, V, S>, Grid(std::min(s.blocks, most), groups), column_block_threads,
                             0, rows, body, per_group, s.cut, s.nodes, s.partials, s.clock);
        goes_on = s.clock != nullptr;
    });
    if (!goes_on) {
        detail::finish_values_over_ranks<Sum, V>(exec, workspace, total, projection);
    }
}

template <class V, class S>
void project(const Executor& exec, BasisView<const S> basis, DenseView<const V> v, DenseView<const V> w,
             ArnoldiScalars<V> scalars, bool settles, StopView<real_t<V>> stop, WorkspaceView workspace)
{
    using D = device_type<V>;
    Project<D, device_type<S>> body{
        {}, device_basis(basis), as_device(v), as_device(w), device_arnoldi(scalars), settles, stop};
    const bool is_reproducible = detail::is_reproducible(workspace);
    if (detail::is_flat(body.v) && detail::is_flat(body.w) && detail::is_flat(shape_of(body.basis))) {
        is_reproducible ? project_reproducibly<max_vec<D>>(exec, body, workspace)
                        : project_column(exec, body, workspace);
        return;
    }
    if (is_reproducible && w.cols == 1) {
        project_reproducibly<1>(exec, body, workspace);
        return;
    }
    for (; body.first < body.num_vectors(); body.first += vectors_per_group) {
        body.count = static_cast<int>(std::min<size_type>(vectors_per_group, body.num_vectors() - body.first));
        reduce_elements<D, sums_per_group>(exec, workspace, w.rows, w.cols, body, body);
    }
}

/// v := (v - V c) / alpha, w := scale (w - (V, v) h)
template <class V, class S>
struct Orthogonalize {
    using R = device_real<V>;
    static constexpr bool stores = !std::is_same_v<V, S>;
    BasisView<StoredVectors<V, S>> basis;
    DenseView<V> v, w;
    ArnoldiScalars<V> scalars;
    bool is_last;
    StopView<R> stop;

    struct Local {
        bool running, again, changes_w;
        R scale, correct;
        V last;
    };
    __device__ Local prepare(size_type col) const
    {
        const auto& s = scalars.gmres;
        return {stop.is_running(col), s.again[col] != 0,    !is_last || arnoldi_is_open(scalars, stop),
                s.scale[col],         scalars.correct[col], s.h[basis.count * w.cols + col]};
    }
    template <int N>
    __device__ void operator()(Place<N> at, const Local& local) const
    {
        const auto& s = scalars.gmres;
        const bool subtracts = local.changes_w && local.running;
        if (local.again) {
            auto of_v = at.load(v);
            auto of_w = subtracts ? at.load(w) : Pack<V, N>{};
#pragma unroll 4
            for (size_type i = 0; i < basis.count; ++i) {
                const auto values = load_vector<V>(at, basis, i);
                of_v = of_v - s.c[i * basis.cols + at.col] * values;
                of_w = of_w - s.h[i * basis.cols + at.col] * values;
            }
            of_v = V{local.correct} * of_v;
            at.store(v, of_v);
            if constexpr (stores) {
                store_vector(at, basis, of_v);
            }
            if (local.changes_w) {
                at.store(w, subtracts ? V{local.scale} * (of_w - local.last * of_v) : Pack<V, N>{});
            }
            return;
        }
        if (stores || subtracts) {
            const auto of_v = at.load(v);
            if constexpr (stores) {
                store_vector(at, basis, of_v);
            }
            if (subtracts) {
                const auto start = at.load(w) - local.last * of_v;
                at.store(w, V{local.scale} * minus_combination(at, start, basis, basis.count, s.h));
                return;
            }
        }
        if (local.changes_w) {
            at.store(w, Pack<V, N>{});
        }
    }
};

template <class V, class S>
void orthogonalize(const Executor& exec, BasisView<StoredVectors<V, S>> basis, DenseView<V> v, DenseView<V> w,
                   ArnoldiScalars<V> scalars, bool is_last, StopView<real_t<V>> stop)
{
    const Orthogonalize<device_type<V>, device_type<S>> body{device_basis(basis),     as_device(v), as_device(w),
                                                             device_arnoldi(scalars), is_last,      stop};
    map_packs<rows_of_pack<device_type<V>, device_type<S>>>(exec, body, body.w, body.v, shape_of(body.basis));
}

/// Ends an iteration, or counts what runs after columns were settled. One thread.
template <class V>
__device__ inline void end_step(const ArnoldiScalars<V>& a, bool settles, const StopView<device_real<V>>& stop)
{
    if (settles) {
        stop.header->running = num_running(stop);
    } else {
        arnoldi_end_iteration(a, stop, time_of(stop));
    }
}

/// One right-hand side: chains of rotations run on values in shared memory, since each step waits for the last.
template <class V>
__global__ void __launch_bounds__(scalar_threads, 1)
    advance_one_kernel(ArnoldiScalars<V> a, size_type j, bool flexible, bool settles, StopView<device_real<V>> stop)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    const auto& s = a.gmres;
    if (stop.header->running == 0 || (settles && a.open[0] == 0)) {
        if (thread_id() == 0) {
            s.again[0] = 0;
        }
        return;
    }
    const size_type steps = j < s.krylov_dim ? j + 1 : j;
    auto shared = dynamic_shared<std::byte>();
    auto staged = a;
    staged.gmres.h = stage(s.h, j + 1, shared);
    staged.gmres.c = stage(s.c, j + 1, shared);
    staged.column = stage(a.column, j + 1, shared);
    staged.gmres.cosine = stage(s.cosine, steps, shared);
    staged.gmres.sine = stage(s.sine, steps, shared);
    block_barrier();
    if (thread_id() == 0) {
        arnoldi_advance_column(staged, j, flexible, settles, 0, stop);
        // What the next steps will read.
        for (size_type i = j == 0 ? 0 : j - 1; i < steps; ++i) {
            s.cosine[i] = staged.gmres.cosine[i];
            s.sine[i] = staged.gmres.sine[i];
        }
        end_step(a, settles, stop);
    }
    block_barrier();
    for (size_type i = thread_id(); i <= j; i += scalar_threads) {
        s.h[i] = staged.gmres.h[i];
        a.column[i] = staged.column[i];
    }
}

template <class V>
__global__ void __launch_bounds__(scalar_threads, 1)
    advance_kernel(ArnoldiScalars<V> a, size_type j, bool flexible, bool settles, StopView<device_real<V>> stop)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    const bool skips = stop.header->running == 0;
    for (size_type col = thread_id(); col < stop.cols; col += scalar_threads) {
        arnoldi_advance_column(a, j, flexible, settles, col, stop);
    }
    thread_fence();
    block_barrier();
    if (thread_id() == 0 && !skips) {
        end_step(a, settles, stop);
    }
}

template <class V>
void advance(const Executor& exec, ArnoldiScalars<V> scalars, size_type j, bool flexible, bool settles,
             StopView<real_t<V>> stop)
{
    using D = device_type<V>;
    const size_type bytes = (j + 2) * static_cast<size_type>(4 * sizeof(V) + sizeof(real_t<V>)) + 80;
    if (stop.cols == 1 && bytes <= max_staged_bytes) {
        launch_overlapped_on(exec, advance_one_kernel<D>, 1, scalar_threads, bytes, device_arnoldi(scalars), j,
                             flexible, settles, stop);
    } else {
        launch_overlapped_on(exec, advance_kernel<D>, 1, scalar_threads, 0, device_arnoldi(scalars), j, flexible,
                             settles, stop);
    }
}

}  // namespace

void register_arnoldi()
{
    for_each_value([]<class V>() { arnoldi_advance<V>.bind(this_backend, advance<V>); });
    for_each_basis_storage([]<class V, class S>() {
        arnoldi_project<V, S>.bind(this_backend, project<V, S>);
        arnoldi_orthogonalize<V, S>.bind(this_backend, orthogonalize<V, S>);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
