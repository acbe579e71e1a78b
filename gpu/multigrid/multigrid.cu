#include "core/kernels/multigrid.hpp"

#include "gpu/matrix/sell_rows.cuh"
#include "gpu/multigrid/column.cuh"
#include "gpu/multigrid/level_rows.cuh"
#include "gpu/multigrid/summary.cuh"
#include "gpu/vector/columns.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

/// One element of the way up per call.
template <class V, class S, class J>
struct GoUp : NothingToPrepare {
    SellRows<S, J> p, a;
    real_t<V> omega;
    DenseView<const V> y, r;
    DenseView<V> z;

    __device__ void operator()(Place<1> at, Nothing) const
    {
        const auto row_of_a = a.find(at.row);
        const auto row_of_p = p.find(at.row);
        const V product = a.template product<V>(row_of_a, at.row, [&](size_type col) { return r(col, at.col); });
        const V smoothed = omega * (real_t<V>{2} * r(at.row, at.col) - omega * product);
        const V correction = p.template product<V>(row_of_p, at.row, [&](size_type col) { return y(col, at.col); });
        z(at.row, at.col) = correction + smoothed;
    }
};

template <class V, class S, class J>
void up(const Executor& exec, SellView<S, J> p, SellView<S, J> a, double omega, DenseView<const V> y,
        DenseView<const V> r, DenseView<V> z)
{
    using D = device_type<V>;
    map_elements(exec, z.rows, z.cols,
                 GoUp<D, device_type<S>, J>{{},
                                            device_rows(p),
                                            device_rows(a),
                                            static_cast<real_t<V>>(omega),
                                            as_device(y),
                                            as_device(r),
                                            as_device(z)});
}

/// The rows of a matrix of the cycle.
template <class S, class J>
using LevelRows = SellRows<S, J, level_slice_rows>;

/// z + omega (b - A z)
template <class V, class S, class J, template <class> class Vector>
struct Sweep {
    LevelRows<S, J> rows;
    real_t<V> omega;
    Vector<const V> b, z;
    Vector<V> x;

    __device__ void operator()(typename LevelRows<S, J>::Found found, size_type row, size_type col) const
    {
        const V own = z(row, col);
        const V right = b.values == nullptr ? V{} : b(row, col);
        const V product = rows.template product<V>(found, row, [&](auto j) { return z(j, col); });
        x(row, col) = own + omega * (right - product);
    }
};

/// P y + omega r
template <class V, class S, class J, template <class> class Vector>
struct Correct {
    LevelRows<S, J> rows;
    real_t<V> omega;
    Vector<const V> y, r;
    Vector<V> z;

    __device__ void operator()(typename LevelRows<S, J>::Found found, size_type row, size_type col) const
    {
        const V own = omega * r(row, col);
        z(row, col) = rows.template product<V>(found, row, [&](auto j) { return y(j, col); }) + own;
    }
};

/// r := S b, t := r - omega A r
template <class V, class W, class S, class J, template <class> class Vector>
struct Enter {
    LevelRows<S, J> rows;
    const real_t<W>* scales;
    real_t<W> omega;
    Vector<const V> b;
    Vector<W> r, t;

    template <class I>
    __device__ W scaled(I row, size_type col) const
    {
        return static_cast<W>(static_cast<real_t<V>>(scales[row]) * b(row, col));
    }
    __device__ void operator()(typename LevelRows<S, J>::Found found, size_type row, size_type col) const
    {
        const W own = scaled(row, col);
        const W product = rows.template product<W>(found, row, [&](auto j) { return scaled(j, col); });
        r(row, col) = own;
        t(row, col) = own - omega * product;
    }
};

/// x := factor S (z + omega (r - A z)); returns it.
template <class V, class W, class S, class J, template <class> class Vector>
struct Leave {
    LevelRows<S, J> rows;
    const real_t<W>* scales;
    real_t<V> factor;
    real_t<W> omega;
    Vector<const W> r, z;
    Vector<V> x;

    __device__ V operator()(typename LevelRows<S, J>::Found found, size_type row, size_type col) const
    {
        const W own = z(row, col);
        const W right = r(row, col);
        const real_t<V> scale = factor * static_cast<real_t<V>>(scales[row]);
        const W product = rows.template product<W>(found, row, [&](auto j) { return z(j, col); });
        const V result = scale * static_cast<V>(own + omega * (right - product));
        x(row, col) = result;
        return result;
    }
};

/// A body by elements.
template <class Body>
struct ByElements : NothingToPrepare {
    Body body;

    __device__ void operator()(Place<1> at, Nothing) const { body(body.rows.find(at.row), at.row, at.col); }
};

/// So many blocks are beside each other on a multiprocessor: leaves a thread registers enough. For the ends of a cycle,
/// too, between V and W.
template <class V>
inline constexpr int row_blocks = sizeof(V) > 8   ? 3
                                  : sizeof(V) > 4 ? 4
                                                  : 5;
template <class V, class W>
inline constexpr int end_blocks = sizeof(V) > 8   ? 2
                                  : sizeof(W) > 4 ? 3
                                                  : 4;

/// A body for one column: a thread finds its next row while it works on one.
template <int min_blocks, class Body>
__global__ void __launch_bounds__(column_block_threads, min_blocks) run_rows(Body body)
{
    wait_for_previous_kernel();
    let_next_kernel_begin();
    const size_type rows = body.rows.num_rows();
    auto next = body.rows.find(global_id());
    for (size_type row = global_id(); row < rows; row += grid_threads()) {
        const auto found = next;
        next = body.rows.find(row + grid_threads());
        body(found, row, 0);
    }
}

/// The same with w^H x and x^H x.
template <int min_blocks, class V, class Body>
__global__ void __launch_bounds__(column_block_threads, min_blocks)
    run_rows_with_sums(Body body, const V* w, StoreDots<V> finish, detail::Partials<V, 2> partials)
{
    wait_for_previous_kernel();
    const size_type rows = body.rows.num_rows();
    V sums[2] = {};
    auto next = body.rows.find(global_id());
    for (size_type row = global_id(); row < rows; row += grid_threads()) {
        const auto found = next;
        next = body.rows.find(row + grid_threads());
        const V other = conj(w[row]);
        const V x = body(found, row, 0);
        sums[0] += other * x;
        sums[1] += V{abs2(x)};
    }
    let_next_kernel_begin();
    detail::finish_reduction<column_block_threads, Sum>(sums, partials, finish);
}

/// The same by elements.
template <class V, class Body>
struct ByElementsWithSums : NothingToPrepare, StoreDots<V> {
    Body body;
    DenseView<const V> w;

    __device__ void operator()(Place<1> at, Nothing, V (&sums)[2]) const
    {
        const V x = body(body.rows.find(at.row), at.row, at.col);
        sums[0] += conj(w(at.row, at.col)) * x;
        sums[1] += V{abs2(x)};
    }
};

/// Blocks that share the rows evenly where `most` of them are beside each other.
inline size_type even_blocks(size_type rows, size_type most)
{
    const size_type blocks = blocks_for(rows, column_block_threads);
    const size_type rounds = (blocks + most - 1) / most;
    return rounds > 1 ? (blocks + rounds - 1) / rounds : blocks;
}

inline size_type blocks_beside(const Executor& exec, int min_blocks)
{
    return static_cast<size_type>(gpu(exec).num_multiprocessors()) * min_blocks;
}

/// Runs `body.operator()<Vector>()`, the body for vectors seen as `Vector`, for all elements.
template <int min_blocks, class MakeBody>
void for_all_rows(const Executor& exec, size_type rows, size_type cols, bool are_columns, MakeBody body)
{
    if (are_columns) {
        launch_overlapped_on(exec, run_rows<min_blocks, decltype(body.template operator()<Column>())>,
                             even_blocks(rows, blocks_beside(exec, min_blocks)), column_block_threads, 0,
                             body.template operator()<Column>());
    } else {
        map_elements(
            exec, rows, cols,
            ByElements<decltype(body.template operator()<DenseView>())>{{}, body.template operator()<DenseView>()});
    }
}

template <class V, class S, class J>
void sweep(const Executor& exec, SellView<S, J> a, double omega, DenseView<const V> b, DenseView<const V> z,
           DenseView<V> x)
{
    using D = device_type<V>;
    for_all_rows<row_blocks<D>>(exec, x.rows, x.cols, (b.values == nullptr || are_columns(b)) && are_columns(z, x),
                                [&]<template <class> class Vector>() {
                                    return Sweep<D, device_type<S>, J, Vector>{
                                        device_rows<level_slice_rows>(a), static_cast<real_t<V>>(omega),
                                        Vector(as_device(b)), Vector(as_device(z)), Vector(as_device(x))};
                                });
}

template <class V, class S, class J>
void correct(const Executor& exec, SellView<S, J> p, double omega, DenseView<const V> y, DenseView<const V> r,
             DenseView<V> z)
{
    using D = device_type<V>;
    for_all_rows<row_blocks<D>>(exec, z.rows, z.cols, are_columns(y, r, z), [&]<template <class> class Vector>() {
        return Correct<D, device_type<S>, J, Vector>{device_rows<level_slice_rows>(p), static_cast<real_t<V>>(omega),
                                                     Vector(as_device(y)), Vector(as_device(r)), Vector(as_device(z))};
    });
}

template <class V, class W, class S, class J>
void enter(const Executor& exec, SellView<S, J> a, const real_t<W>* scales, double omega, DenseView<const V> b,
           DenseView<W> r, DenseView<W> t)
{
    using D = device_type<V>;
    using E = device_type<W>;
    for_all_rows<end_blocks<D, E>>(exec, r.rows, r.cols, are_columns(b) && are_columns(r, t),
                                   [&]<template <class> class Vector>() {
                                       return Enter<D, E, device_type<S>, J, Vector>{device_rows<level_slice_rows>(a),
                                                                                     scales,
                                                                                     static_cast<real_t<W>>(omega),
                                                                                     Vector(as_device(b)),
                                                                                     Vector(as_device(r)),
                                                                                     Vector(as_device(t))};
                                   });
}

template <class V, class W, class S, class J>
void leave(const Executor& exec, SellView<S, J> a, LeaveRule<W> rule, DenseView<const W> r, DenseView<const W> z,
           DenseView<V> x, WantedDots<V> dots)
{
    using D = device_type<V>;
    constexpr int min_blocks = end_blocks<D, device_type<W>>;
    const auto body = [&]<template <class> class Vector>() {
        return Leave<D, device_type<W>, device_type<S>, J, Vector>{device_rows<level_slice_rows>(a),
                                                                   rule.scales,
                                                                   static_cast<real_t<V>>(rule.factor),
                                                                   static_cast<real_t<W>>(rule.omega),
                                                                   Vector(as_device(r)),
                                                                   Vector(as_device(z)),
                                                                   Vector(as_device(x))};
    };
    const bool is_column = are_columns(r, z) && are_columns(x);
    if (dots.wx == nullptr) {
        for_all_rows<min_blocks>(exec, x.rows, x.cols, is_column, body);
        return;
    }
    const StoreDots<D> finish{{}, as_device(dots.wx), as_device(dots.xx)};
    if (is_column && are_columns(dots.w)) {
        const auto most = detail::fitted<D, 2>({1, blocks_beside(exec, min_blocks)}, 1, dots.workspace).grid.x;
        launch_overlapped_on(exec, run_rows_with_sums<min_blocks, D, decltype(body.template operator()<Column>())>,
                             std::max<size_type>(1, even_blocks(x.rows, most)), column_block_threads, 0,
                             body.template operator()<Column>(), as_device(dots.w).values, finish,
                             detail::partials_in<D, 2>(dots.workspace));
        detail::finish_over_ranks<Sum, D, 2>(exec, dots.workspace, 1, finish);
    } else {
        using Body = decltype(body.template operator()<DenseView>());
        const ByElementsWithSums<D, Body> elements{
            {}, finish, body.template operator()<DenseView>(), as_device(dots.w)};
        reduce_elements<D, 2>(exec, dots.workspace, x.rows, x.cols, elements, elements);
    }
}

}  // namespace

void register_multigrid()
{
    for_each_value_index([]<class V, class I>() { multigrid_summarize<V, I>.bind(this_backend, summarize<V, I>); });
    for_each_sell_type([]<class V, class S, class J>() {
        multigrid_up<V, S, J>.bind(this_backend, up<V, S, J>);
        multigrid_sweep<V, S, J>.bind(this_backend, sweep<V, S, J>);
        multigrid_correct<V, S, J>.bind(this_backend, correct<V, S, J>);
    });
    for_each_slice_type([]<class V, class S, class I>() {
        multigrid_down<V, S, I>.bind(this_backend, level_rows::down<V, S, I>);
        multigrid_up_rows<V, S, I>.bind(this_backend, level_rows::up<V, S, I>);
        multigrid_sweep_rows<V, S, I>.bind(this_backend, level_rows::sweep<V, S, I>);
    });
    for_each_finest_type([]<class V, class W, class S, class J>() {
        multigrid_enter<V, W, S, J>.bind(this_backend, enter<V, W, S, J>);
        multigrid_leave<V, W, S, J>.bind(this_backend, leave<V, W, S, J>);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
