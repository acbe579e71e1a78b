#pragma once

#include "core/kernels/multigrid.hpp"
#include "core/portable/stored.hpp"
#include "gpu/multigrid/column.cuh"
#include "gpu/vector/row_groups.cuh"

/// The cycle on levels whose rows follow each other, some lanes to a row. These levels are small: what a kernel takes
/// is how long its loads wait for each other. The first entries of a row are on their way before the kernel before has
/// ended, so that behind its end only the vector is waited for.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace level_rows {

/// So many entries of a row are on their way in a lane at a time.
template <class V, class I, int wanted>
inline constexpr int in_flight = sizeof(V) > sizeof(device_real<V>) || sizeof(I) > 4 ? (wanted + 1) / 2 : wanted;

/// A lane's entries of a row of a matrix, N of them loaded; L lanes to a row.
template <int L, int N, class S, class I>
struct RowPart {
    I next = 0, last = 0;
    I cols[N];
    S values[N];

    __device__ bool exists(int i) const { return i * L < last - next; }
    __device__ void load(const CsrView<S, I>& a)
    {
        LINDEN_UNROLL
        for (int i = 0; i < N; ++i) {
            cols[i] = exists(i) ? a.col_idxs[next + i * L] : I{};
            values[i] = exists(i) ? a.values[next + i * L] : S{};
        }
    }
    /// Of a row that does not exist, no entries.
    __device__ RowPart(const CsrView<S, I>& a, size_type row, int lane)
    {
        if (row < a.rows) {
            next = a.row_ptrs[row] + lane;
            last = a.row_ptrs[row + 1];
        }
        load(a);
    }
    /// The lane's part of the product with the vector that has gather(j) at j. Moves to the row's end.
    template <class V, class Gather>
    __device__ V product(const CsrView<S, I>& a, const Gather& gather)
    {
        V sum{};
        while (next < last) {
            V gathered[N];
            LINDEN_UNROLL
            for (int i = 0; i < N; ++i) {
                gathered[i] = exists(i) ? gather(cols[i]) : V{};
            }
            LINDEN_UNROLL
            for (int i = 0; i < N; ++i) {
                sum += to_arithmetic<V>(values[i]) * gathered[i];
            }
            next += N * L;
            load(a);
        }
        return sum;
    }
};

/// x := R b
template <class V, class S, class I, template <class> class Vector>
struct GoDown {
    CsrView<S, I> r;
    size_type cols;
    Vector<const V> b;
    Vector<V> x;

    using Value = V;
    static constexpr int entries_at_once = in_flight<V, I, 8>;
    static constexpr int entries_in_turn = entries_at_once;
    __host__ __device__ const CsrView<S, I>& longest() const { return r; }
    template <int L>
    struct Parts {
        RowPart<L, entries_at_once, S, I> of_r;

        __device__ Parts(const GoDown& body, size_type row, int lane) : of_r(body.r, row, lane) {}
    };
    template <class Group, class P>
    __device__ void operator()(Group, size_type row, const P& parts) const
    {
        for (size_type col = 0; col < cols; ++col) {
            auto of_r = parts.of_r;
            const V sum = Group::sum(of_r.template product<V>(r, [&](I j) { return b(j, col); }));
            if (Group::lane() == 0) {
                x(row, col) = sum;
            }
        }
    }
};

/// z := P y + omega (2 r - omega A r)
template <class V, class S, class I, template <class> class Vector>
struct GoUp {
    CsrView<S, I> p, a;
    real_t<V> omega;
    size_type cols;
    Vector<const V> y, r;
    Vector<V> z;

    using Value = V;
    static constexpr int entries_at_once = in_flight<V, I, 4>;
    static constexpr int entries_in_turn = usual_part;
    __host__ __device__ const CsrView<S, I>& longest() const { return a; }
    template <int L>
    struct Parts {
        RowPart<L, (L > 1 ? 1 : 2) * entries_at_once, S, I> of_a;
        RowPart<L, in_flight<V, I, (L > 4 ? 1 : L > 1 ? 2 : 4)>, S, I> of_p;

        __device__ Parts(const GoUp& body, size_type row, int lane) : of_a(body.a, row, lane), of_p(body.p, row, lane)
        {
        }
    };
    template <class Group, class Q>
    __device__ void operator()(Group, size_type row, const Q& parts) const
    {
        for (size_type col = 0; col < cols; ++col) {
            auto of_a = parts.of_a;
            auto of_p = parts.of_p;
            const V own = r(row, col);
            const V own_product = of_a.template product<V>(a, [&](I j) { return r(j, col); });
            const V own_correction = of_p.template product<V>(p, [&](I j) { return y(j, col); });
            const V product = Group::sum(own_product);
            const V correction = Group::sum(own_correction);
            if (Group::lane() == 0) {
                z(row, col) = correction + omega * (real_t<V>{2} * own - omega * product);
            }
        }
    }
};

/// x := z + omega (b - A z)
template <class V, class S, class I, template <class> class Vector>
struct SweepRows {
    CsrView<S, I> a;
    real_t<V> omega;
    size_type cols;
    Vector<const V> b, z;
    Vector<V> x;

    using Value = V;
    static constexpr int entries_at_once = in_flight<V, I, 4>;
    static constexpr int entries_in_turn = usual_part;
    __host__ __device__ const CsrView<S, I>& longest() const { return a; }
    template <int L>
    struct Parts {
        RowPart<L, (L > 1 ? 1 : 2) * entries_at_once, S, I> of_a;

        __device__ Parts(const SweepRows& body, size_type row, int lane) : of_a(body.a, row, lane) {}
    };
    template <class Group, class P>
    __device__ void operator()(Group, size_type row, const P& parts) const
    {
        for (size_type col = 0; col < cols; ++col) {
            auto of_a = parts.of_a;
            const V own = z(row, col);
            const V right = b(row, col);
            const V product = Group::sum(of_a.template product<V>(a, [&](I j) { return z(j, col); }));
            if (Group::lane() == 0) {
                x(row, col) = own + omega * (right - product);
            }
        }
    }
};

/// So many blocks fit beside each other: leaves a thread registers for what it has on its way.
template <int L, class V>
inline constexpr int blocks_beside = sizeof(V) > 4 ? 2
                                     : L > 1       ? 4
                                                   : 3;

/// Long rows are done by all lanes of a warp together, one after the other.
template <int L, class V, class Body>
__global__ void __launch_bounds__(column_block_threads, (blocks_beside<L, V>)) run(Body body)
{
    using All = Subgroup<32>;
    using Parts = typename Body::template Parts<L>;
    let_next_kernel_begin();
    const size_type rows = body.longest().rows;
    const int lane = Subgroup<L>::lane();
    const auto is_long = [&](size_type row) {
        const auto* const ptrs = body.longest().row_ptrs + row;
        return L < 32 && row < rows && ptrs[1] - ptrs[0] > L * long_part;
    };
    const auto finish = [&](size_type first, const Parts& parts) {
        const size_type row = first + All::lane() / L;
        const bool waits = is_long(row);
        if (row < rows && !waits) {
            body(Subgroup<L>{}, row, parts);
        }
        if constexpr (L < 32) {
            auto long_rows = static_cast<std::uint32_t>(All::ballot(waits && lane == 0));
            for (; long_rows != 0; long_rows &= long_rows - 1) {
                const size_type long_row = first + lowest_bit(long_rows) / L;
                body(All{}, long_row, typename Body::template Parts<32>(body, long_row, All::lane()));
            }
        }
    };
    size_type first = All::index() * (32 / L);
    const Parts ahead(body, first + All::lane() / L, lane);
    wait_for_previous_kernel();
    if (first < rows) {
        finish(first, ahead);
    }
    // From here on other warps hide what a row waits for: more on the way would cost registers, and with them warps.
    for (first += grid_threads() / L; first < rows; first += grid_threads() / L) {
        finish(first, Parts(body, first + All::lane() / L, lane));
    }
}

/// With a lane to a row where they keep the device busy, or a few, which may take several entries in turn; else with as
/// few as load a row of average length at once. Idle lanes cost instructions: 108,000 rows of 89 entries go up in 55 us
/// with four lanes and in 82 with 32, 16,000 rows of 41 go down in 8 with eight and in 10 with 32 (an H100).
template <class Body>
void run_by_length(const Executor& exec, const Body& body)
{
    const auto& a = body.longest();
    const auto launch = [&]<int L>() {
        launch_overlapped_on(exec, run<L, typename Body::Value, Body>, busy_blocks(exec, a.rows * L),
                             column_block_threads, 0, body);
    };
    const size_type busy_threads = static_cast<size_type>(gpu(exec).num_multiprocessors()) * busy_threads_each;
    const auto suffices = [&](int lanes) {
        const bool is_busy = a.rows * lanes >= busy_threads;
        return a.num_nonzeros <= a.rows * lanes * (is_busy ? Body::entries_in_turn : Body::entries_at_once);
    };
    if (a.rows >= busy_threads && a.num_nonzeros <= a.rows * usual_part) {
        launch.template operator()<1>();
    } else if (suffices(4)) {
        launch.template operator()<4>();
    } else if (suffices(8)) {
        launch.template operator()<8>();
    } else if (suffices(16)) {
        launch.template operator()<16>();
    } else {
        launch.template operator()<32>();
    }
}

template <class V, class S, class I>
void down(const Executor& exec, CsrView<S, I> r, DenseView<const V> b, DenseView<V> x)
{
    with_vectors(are_columns(b) && are_columns(x), [&]<template <class> class Vector>() {
        run_by_length(exec, GoDown<device_type<V>, device_type<S>, I, Vector>{
                                as_device(r), x.cols, Vector(as_device(b)), Vector(as_device(x))});
    });
}

template <class V, class S, class I>
void up(const Executor& exec, CsrView<S, I> p, CsrView<S, I> a, double omega, DenseView<const V> y,
        DenseView<const V> r, DenseView<V> z)
{
    with_vectors(are_columns(y, r) && are_columns(z), [&]<template <class> class Vector>() {
        run_by_length(exec, GoUp<device_type<V>, device_type<S>, I, Vector>{
                                as_device(p), as_device(a), static_cast<real_t<V>>(omega), z.cols, Vector(as_device(y)),
                                Vector(as_device(r)), Vector(as_device(z))});
    });
}

template <class V, class S, class I>
void sweep(const Executor& exec, CsrView<S, I> a, double omega, DenseView<const V> b, DenseView<const V> z,
           DenseView<V> x)
{
    with_vectors(are_columns(b, z) && are_columns(x), [&]<template <class> class Vector>() {
        run_by_length(exec, SweepRows<device_type<V>, device_type<S>, I, Vector>{
                                as_device(a), static_cast<real_t<V>>(omega), x.cols, Vector(as_device(b)),
                                Vector(as_device(z)), Vector(as_device(x))});
    });
}

}  // namespace level_rows
}  // namespace linden::LINDEN_GPU_NAMESPACE
