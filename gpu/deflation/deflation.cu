#include "core/kernels/deflation.hpp"

#include "gpu/vector/columns.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

constexpr int piece_threads = column_block_threads;
constexpr size_type max_grid = 65536;

/// partials(piece, :) := the sums along a piece, by a block of threads in fixed order.
template <class V, class I>
__global__ void __launch_bounds__(piece_threads) sum_pieces(DomainsView<I> domains, DenseView<const V> b, V* partials)
{
    for (size_type piece = block_id(); piece < domains.num_pieces; piece += num_blocks()) {
        const size_type first = domains.piece_ptrs[piece];
        const size_type last = domains.piece_ptrs[piece + 1];
        for (size_type col = 0; col < b.cols; ++col) {
            V sum[1] = {V{}};
#pragma unroll 4
            for (size_type k = first + thread_id(); k < last; k += piece_threads) {
                sum[0] += b(domains.order == nullptr ? k : size_type{domains.order[k]}, col);
            }
            block_reduce<piece_threads>(sum);
            if (thread_id() == 0) {
                partials[piece * b.cols + col] = sum[0];
            }
        }
    }
}

/// c(domain, :) := the sum over the pieces of a domain
template <class V, class I>
struct JoinPieces : NothingToPrepare {
    const I* domain_pieces;
    const V* partials;
    DenseView<V> c;

    __device__ void operator()(Place<1> at, Nothing) const
    {
        const I last = domain_pieces[at.row + 1];
        V sum{};
        for (I piece = domain_pieces[at.row]; piece < last; ++piece) {
            sum += partials[piece * c.cols + at.col];
        }
        c(at.row, at.col) = sum;
    }
};

/// Z c at a place
template <class V, class I, int N>
__device__ Pack<V, N> prolonged(const I* domains, DenseView<const V> c, Place<N> at)
{
    Pack<V, N> values;
    LINDEN_UNROLL
    for (int i = 0; i < N; ++i) {
        values.v[i] = c(domains[at.row + i], at.col);
    }
    return values;
}

/// x := x + alpha Z c
template <class V, class I>
struct AddProlonged {
    const I* domains;
    Scalar<V> alpha;
    DenseView<const V> c;
    DenseView<V> x;

    __device__ V prepare(size_type col) const { return alpha[col]; }
    template <int N>
    __device__ void operator()(Place<N> at, V factor) const
    {
        at.store(x, at.load(x) + factor * prolonged(domains, c, at));
    }
};

/// x := x + alpha p, p := z - Z c + beta p
template <class V, class I>
struct UpdateDirection {
    using R = device_real<V>;
    const I* domains;
    DenseView<const V> c;
    DenseView<const V> z;
    DenseView<V> p;
    DenseView<V> x;
    const V *rho, *rho_old, *alpha;
    StopView<R> stop;

    struct Local {
        V alpha, beta;
        bool running;
    };
    __device__ Local prepare(size_type col) const
    {
        const bool running = stop.is_running(col);
        return {alpha[col], running ? rho[col] / rho_old[col] : V{}, running};
    }

    template <int N>
    __device__ void operator()(Place<N> at, const Local& local) const
    {
        if (local.alpha == V{} && !local.running) {
            return;
        }
        const auto direction = at.load(p);
        if (!(local.alpha == V{})) {
            at.store(x, at.load(x) + local.alpha * direction);
        }
        if (local.running) {
            at.store(p, at.load(z) - prolonged(domains, c, at) + local.beta * direction);
        }
    }
};

/// Row 0 is the place for what happens once per column.
template <class V>
struct Begin : NothingToPrepare {
    DenseView<V> c;
    StopView<device_real<V>> stop;

    __device__ void operator()(Place<1> at, Nothing) const
    {
        const bool running = stop.is_running(at.col);
        if (running && at.row == 0) {
            --stop.iterations[at.col];
        }
        if (!running && at.row < c.rows) {
            c(at.row, at.col) = V{};
        }
    }
};

/// sums := products - restricted / alpha
template <class V>
struct Difference {
    Scalar<V> alpha;
    DenseView<const V> products;
    DenseView<const V> restricted;
    DenseView<V> sums;

    __device__ V prepare(size_type col) const { return alpha[col]; }
    __device__ void operator()(Place<1> at, V step) const
    {
        sums(at.row, at.col) = products(at.row, at.col) - (step == V{} ? V{} : restricted(at.row, at.col) / step);
    }
};

constexpr int rho_threads = 512;

/// A column for each block.
template <class V>
__global__ void __launch_bounds__(rho_threads)
    correct_rho_kernel(DenseView<const V> s, DenseView<const V> c, V* rho, StopView<device_real<V>> stop)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    const size_type col = block_id();
    V sum[1] = {V{}};
#pragma unroll 4
    for (size_type row = thread_id(); row < c.rows; row += rho_threads) {
        sum[0] += conj(s(row, col)) * c(row, col);
    }
    block_reduce<rho_threads>(sum);
    if (thread_id() == 0 && stop.is_running(col)) {
        rho[col] -= sum[0];
    }
}

constexpr int project_threads = column_block_threads;
/// Rows of r that a block sums beside its row of Y; of domains that have more on average the pieces are summed before.
constexpr size_type most_project_rows = 8192;

/// Threads that have an element together: a wave, or a block.
struct WaveTeam {
    using Subgroup32 = Subgroup<32>;
    static constexpr int size = Subgroup32::size;

    __device__ static size_type index() { return Subgroup32::index(); }
    __device__ static int rank() { return Subgroup32::lane(); }
    /// In rank 0.
    template <class V>
    __device__ static void add(V (&sums)[2])
    {
        sums[0] = Subgroup32::sum(sums[0]);
        sums[1] = Subgroup32::sum(sums[1]);
    }
};
struct BlockTeam {
    static constexpr int size = project_threads;

    __device__ static size_type index() { return block_id(); }
    __device__ static int rank() { return thread_id(); }
    template <class V>
    __device__ static void add(V (&sums)[2])
    {
        block_reduce<project_threads>(sums);
    }
};

/// What a thread has on its way at a time.
template <class V>
constexpr int project_batch = sizeof(V) > 8 ? 4 : 8;

/// Some entries of a row of Y.
template <class V, class I>
struct EntryBatch {
    static constexpr int count = project_batch<V>;
    V values[count];
    I cols[count];

    __device__ void load(const CsrView<V, I>& y, size_type first, size_type end, int step)
    {
        LINDEN_UNROLL
        for (int i = 0; i < count; ++i) {
            const size_type k = first + i * step;
            values[i] = k < end ? y.values[k] : V{};
            cols[i] = k < end ? y.col_idxs[k] : I{-1};
        }
    }
    __device__ V value(int i, DenseView<const V> z, size_type col) const
    {
        return cols[i] < 0 ? V{} : values[i] * z(cols[i], col);
    }
};

/// Some rows of a domain.
template <class V, class I>
struct RowBatch {
    static constexpr int count = project_batch<V>;
    I rows[count];

    /// order: null where that is 0, 1, ...
    __device__ void load(const I* order, size_type first, size_type end, int step)
    {
        LINDEN_UNROLL
        for (int i = 0; i < count; ++i) {
            const size_type k = first + i * step;
            rows[i] = k >= end ? I{-1} : order == nullptr ? static_cast<I>(k) : order[k];
        }
    }
    __device__ V value(int i, DenseView<const V> r, size_type col) const { return rows[i] < 0 ? V{} : r(rows[i], col); }
};

/// The values of a batch, all on their way at once.
template <class V>
struct BatchValues {
    V values[project_batch<V>];

    template <class Batch>
    __device__ void fetch(const Batch& batch, DenseView<const V> block, size_type col)
    {
        LINDEN_UNROLL
        for (int i = 0; i < Batch::count; ++i) {
            values[i] = batch.value(i, block, col);
        }
    }
    __device__ V sum() const
    {
        V result{};
        LINDEN_UNROLL
        for (int i = 0; i < project_batch<V>; ++i) {
            result += values[i];
        }
        return result;
    }
};

/// An element of Y z - (1 / alpha) s + (beta / alpha) (sums - s) for each team.
template <class V, class I>
struct Projection {
    DomainsView<I> domains;
    CsrView<V, I> y;
    DenseView<const V> z;
    StepView<V> step;
    DenseView<V> c;
    DenseView<const V> partials;  ///< the sums of r along pieces, or none
    bool reads_r;

    __device__ bool has_partials() const { return partials.values != nullptr; }
    __device__ V result(size_type domain, size_type col, V product, V restricted) const
    {
        const V alpha = step.alpha[col];
        if (alpha == V{}) {
            return product;
        }
        V correction = restricted / alpha;
        if (step.rho != nullptr) {
            const V beta = step.rho[col] / step.rho_old[col];
            correction -= beta * ((step.sums(domain, col) - restricted) / alpha);
            step.sums(domain, col) = restricted;
        }
        return product - correction;
    }
};

/// Y and the rows of domains are there all along: the first of them are on their way before the threads wait for z and
/// r, the next while those before are summed.
template <class Team, class V, class I>
__global__ void __launch_bounds__(project_threads) project_kernel(Projection<V, I> task)
{
    let_next_kernel_begin();
    const size_type element = Team::index();
    const size_type domain = element / task.c.cols, col = element % task.c.cols;
    if (domain >= task.c.rows) {
        return;
    }
    constexpr size_type step = static_cast<size_type>(project_batch<V>) * Team::size;
    const I* const order = task.has_partials() ? nullptr : task.domains.order;
    const DenseView<const V> summed = task.has_partials() ? task.partials : task.step.r;
    size_type row = task.domains.domain_pieces[domain], last_row = task.domains.domain_pieces[domain + 1];
    if (!task.has_partials()) {
        row = task.domains.piece_ptrs[row];
        last_row = task.domains.piece_ptrs[last_row];
    }
    row = (task.reads_r ? row : last_row) + Team::rank();
    size_type entry = task.y.row_ptrs[domain] + Team::rank();
    const size_type end = task.y.row_ptrs[domain + 1];
    EntryBatch<V, I> entries, next_entries;
    RowBatch<V, I> rows, next_rows;
    entries.load(task.y, entry, end, Team::size);
    rows.load(order, row, last_row, Team::size);
    wait_for_previous_kernel();

    V sums[2] = {};
    for (; entry < end || row < last_row; entry += step, row += step) {
        BatchValues<V> products, residuals;
        products.fetch(entries, task.z, col);
        residuals.fetch(rows, summed, col);
        next_entries.load(task.y, entry + step, end, Team::size);
        next_rows.load(order, row + step, last_row, Team::size);
        sums[0] += products.sum();
        sums[1] += residuals.sum();
        entries = next_entries;
        rows = next_rows;
    }
    Team::add(sums);
    if (Team::rank() == 0) {
        task.c(domain, col) = task.result(domain, col, sums[0], sums[1]);
    }
}

/// The sums along all pieces.
template <class V, class I>
void sum_all_pieces(const Executor& exec, DomainsView<I> domains, DenseView<const V> b, V* partials)
{
    if (domains.num_pieces != 0 && b.cols != 0) {
        launch_on(exec, sum_pieces<V, I>, std::min(domains.num_pieces, max_grid), piece_threads, 0, domains, b,
                  partials);
    }
}

template <class V, class I>
void project(const Executor& exec, DomainsView<I> domains, CsrView<V, I> y, DenseView<const V> z, StepView<V> s,
             DenseView<V> c, WorkspaceView workspace)
{
    using D = device_type<V>;
    const size_type elements = c.rows * c.cols;
    const bool reads_r = s.alpha.data != nullptr || s.alpha.value != V{};
    D* const partials = reads_r && domains.rows > most_project_rows * domains.num_domains
                            ? reinterpret_cast<D*>(workspace.data)
                            : nullptr;
    if (partials != nullptr) {
        sum_all_pieces(exec, domains, as_device(s.r), partials);
    }
    if (elements != 0) {
        const StepView<D> step{as_device(s.r), as_device(s.alpha), as_device(s.rho), as_device(s.rho_old),
                               as_device(s.sums)};
        const DenseView<const D> sums{partials == nullptr ? 0 : domains.num_pieces, c.cols, c.cols, partials};
        const Projection<D, I> task{domains, as_device(y), as_device(z), step, as_device(c), sums, reads_r};
        constexpr int teams = project_threads / WaveTeam::size;
        if (elements >= teams * gpu(exec).num_multiprocessors()) {
            launch_overlapped_on(exec, project_kernel<WaveTeam, D, I>, (elements + teams - 1) / teams, project_threads,
                                 0, task);
        } else {
            launch_overlapped_on(exec, project_kernel<BlockTeam, D, I>, elements, project_threads, 0, task);
        }
    }
}

template <class V, class I>
void restrict_to_domains(const Executor& exec, DomainsView<I> domains, DenseView<const V> b, DenseView<V> c,
                         WorkspaceView workspace)
{
    using D = device_type<V>;
    D* const partials = reinterpret_cast<D*>(workspace.data);
    sum_all_pieces(exec, domains, as_device(b), partials);
    map_elements(exec, c.rows, c.cols, JoinPieces<D, I>{{}, domains.domain_pieces, partials, as_device(c)});
}

template <class V, class I>
void add_prolonged(const Executor& exec, DomainsView<I> domains, Scalar<V> alpha, DenseView<const V> c, DenseView<V> x)
{
    const AddProlonged<device_type<V>, I> body{domains.domains, as_device(alpha), as_device(c), as_device(x)};
    map_columns(exec, body, body.x);
}

template <class V, class I>
void update_direction(const Executor& exec, DomainsView<I> domains, DenseView<const V> c, DenseView<const V> z,
                      DenseView<V> p, DenseView<V> x, CgScalars<V> s, StopView<real_t<V>> stop)
{
    const UpdateDirection<device_type<V>, I> body{domains.domains,      as_device(c),       as_device(z),
                                                  as_device(p),         as_device(x),       as_device(s.rho),
                                                  as_device(s.rho_old), as_device(s.alpha), stop};
    map_columns(exec, body, body.p, body.z, body.x);
}

template <class V>
void begin(const Executor& exec, DenseView<V> c, StopView<real_t<V>> stop)
{
    map_elements(exec, std::max<size_type>(c.rows, 1), c.cols, Begin<device_type<V>>{{}, as_device(c), stop});
}

template <class V>
void difference(const Executor& exec, Scalar<V> alpha, DenseView<const V> products, DenseView<const V> restricted,
                DenseView<V> sums)
{
    const Difference<device_type<V>> body{as_device(alpha), as_device(products), as_device(restricted),
                                          as_device(sums)};
    map_elements(exec, sums.rows, sums.cols, body);
}

template <class V>
void correct_rho(const Executor& exec, DenseView<const V> s, DenseView<const V> c, V* rho, StopView<real_t<V>> stop)
{
    if (c.cols != 0) {
        launch_overlapped_on(exec, correct_rho_kernel<device_type<V>>, c.cols, rho_threads, 0, as_device(s),
                             as_device(c), as_device(rho), stop);
    }
}

}  // namespace

void register_deflation()
{
    for_each_value([]<class V>() {
        deflation_begin<V>.bind(this_backend, begin<V>);
        deflation_correct_rho<V>.bind(this_backend, correct_rho<V>);
        deflation_difference<V>.bind(this_backend, difference<V>);
    });
    for_each_value_index([]<class V, class I>() {
        deflation_restrict<V, I>.bind(this_backend, restrict_to_domains<V, I>);
        deflation_project<V, I>.bind(this_backend, project<V, I>);
        deflation_add_prolonged<V, I>.bind(this_backend, add_prolonged<V, I>);
        deflation_update_direction<V, I>.bind(this_backend, update_direction<V, I>);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
