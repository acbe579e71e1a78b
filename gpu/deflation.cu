#include "core/kernels/deflation.hpp"

#include "gpu/columns.cuh"

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

/// sums := products - sums / alpha
template <class V>
struct Difference {
    Scalar<V> alpha;
    DenseView<const V> products;
    DenseView<V> sums;

    __device__ V prepare(size_type col) const { return alpha[col]; }
    __device__ void operator()(Place<1> at, V step) const
    {
        V& sum = sums(at.row, at.col);
        sum = products(at.row, at.col) - (step == V{} ? V{} : sum / step);
    }
};

constexpr int project_threads = column_block_threads;
/// Rows of r that a block sums beside its row of Y; of domains that have more on average the pieces are summed before.
constexpr size_type most_project_rows = 8192;

/// A row of Y z - (1 / alpha) Z^H r for each block of threads. partials: the sums of r along pieces, or null.
template <class V, class I>
struct Projection {
    DomainsView<I> domains;
    CsrView<V, I> y;
    DirectionView<V> direction;
    Scalar<V> alpha;
    DenseView<const V> r;
    DenseView<V> c;
    const V* partials;

    /// What a thread adds to the sum of term(k) over [begin, end), some terms at a time.
    template <class Term>
    __device__ static V thread_sum(size_type begin, size_type end, Term term)
    {
        constexpr int in_flight = sizeof(V) > 8 ? 4 : 8;
        V sum{};
        for (size_type first = begin + thread_id(); first < end; first += in_flight * project_threads) {
            V terms[in_flight];
            LINDEN_UNROLL
            for (int i = 0; i < in_flight; ++i) {
                const size_type k = first + i * project_threads;
                terms[i] = term(k < end ? k : first);
            }
            LINDEN_UNROLL
            for (int i = 0; i < in_flight; ++i) {
                sum += first + i * project_threads < end ? terms[i] : V{};
            }
        }
        return sum;
    }
    /// What a thread adds to the row of Y z.
    __device__ V product(size_type domain, size_type col) const
    {
        const V* const values = y.values;
        const I* const cols = y.col_idxs;
        const auto& d = direction;
        const size_type begin = y.row_ptrs[domain], end = y.row_ptrs[domain + 1];
        if (d.rho == nullptr) {
            return thread_sum(begin, end, [&](size_type k) { return values[k] * d.z(cols[k], col); });
        }
        const V beta = d.rho[col] / d.rho_old[col];
        return thread_sum(begin, end, [&](size_type k) {
            const I row = cols[k];
            return values[k] * (d.z(row, col) + beta * d.p(row, col));
        });
    }
    /// What it adds to the sum of r over a domain.
    __device__ V restriction(size_type domain, size_type col) const
    {
        V sum{};
        const size_type first = domains.domain_pieces[domain], last = domains.domain_pieces[domain + 1];
        if (partials != nullptr) {
            for (size_type piece = first + thread_id(); piece < last; piece += project_threads) {
                sum += partials[piece * r.cols + col];
            }
            return sum;
        }
        const auto value = [&](size_type k) {
            return r(domains.order == nullptr ? k : size_type{domains.order[k]}, col);
        };
        return thread_sum(domains.piece_ptrs[first], domains.piece_ptrs[last], value);
    }
};

template <class V, class I>
__global__ void __launch_bounds__(project_threads) project_kernel(Projection<V, I> task)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    const size_type cols = task.c.cols;
    for (size_type element = block_id(); element < task.c.rows * cols; element += num_blocks()) {
        const size_type domain = element / cols, col = element % cols;
        const V step = task.alpha[col];
        V sum[1] = {task.product(domain, col)};
        if (!(step == V{})) {
            sum[0] -= task.restriction(domain, col) / step;
        }
        block_reduce<project_threads>(sum);
        if (thread_id() == 0) {
            task.c(domain, col) = sum[0];
        }
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
void project(const Executor& exec, DomainsView<I> domains, CsrView<V, I> y, DirectionView<V> d, Scalar<V> alpha,
             DenseView<const V> r, DenseView<V> c, WorkspaceView workspace)
{
    using D = device_type<V>;
    const size_type elements = c.rows * c.cols;
    const bool reads_r = alpha.data != nullptr || alpha.value != V{};
    D* const partials = reads_r && domains.rows > most_project_rows * domains.num_domains
                            ? reinterpret_cast<D*>(workspace.data)
                            : nullptr;
    if (partials != nullptr) {
        sum_all_pieces(exec, domains, as_device(r), partials);
    }
    if (elements != 0) {
        const DirectionView<D> direction{as_device(d.z), as_device(d.p), as_device(d.rho), as_device(d.rho_old)};
        const Projection<D, I> task{domains,      as_device(y), direction, as_device(alpha),
                                    as_device(r), as_device(c), partials};
        launch_overlapped_on(exec, project_kernel<D, I>, std::min(elements, max_grid), project_threads, 0, task);
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
void difference(const Executor& exec, Scalar<V> alpha, DenseView<const V> products, DenseView<V> sums)
{
    map_elements(exec, sums.rows, sums.cols,
                 Difference<device_type<V>>{as_device(alpha), as_device(products), as_device(sums)});
}

}  // namespace

void register_deflation()
{
    for_each_value([]<class V>() {
        deflation_begin<V>.bind(this_backend, begin<V>);
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
