#include "core/kernels/stencil_cycle.hpp"

#include "core/portable/level_storage.hpp"
#include "gpu/matrix/stencil_rows.cuh"
#include "gpu/multigrid/column.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

/// At most so many blocks beside each other leave a thread registers enough for V and W.
template <class V, class W>
inline constexpr int end_blocks = sizeof(V) > 8   ? 2
                                  : sizeof(W) > 4 ? 3
                                                  : 4;

/// What both ends know of the matrix.
template <class W, class I>
struct Matrix {
    using Stored = W;
    using Index = I;

    StencilView<W, I> a;
    const W* values;
    const real_t<W>* left;
    const std::int64_t* valid;
    ScaledView<W, I> source;

    __device__ bool are_valid() const { return valid == nullptr || *valid != 0; }
    __device__ real_t<W> scale(size_type row, int stencil) const
    {
        return stencil == no_stencil ? source.left[row] : left[stencil];
    }
    /// The sum of value(k) gather(column) over a row of the matrix itself.
    template <class Value, class Gather>
    __device__ W sum_of_source(size_type row, const Value& value, const Gather& gather) const
    {
        W sum{};
        const I last = source.a.row_ptrs[row + 1];
#pragma unroll 1
        for (I k = source.a.row_ptrs[row]; k < last; ++k) {
            sum += value(k) * gather(source.a.col_idxs[k]);
        }
        return sum;
    }
};

template <class W, class I>
Matrix<device_type<W>, I> matrix_of(const ScaledStencils<W, I>& scaled, const W* values)
{
    return {as_device(scaled.a),
            as_device(values),
            scaled.left,
            scaled.are_valid,
            {as_device(scaled.source.a), scaled.source.left, scaled.source.right}};
}

/// r := S b, t := r - omega (A S) b
template <class V, class W, class I, template <class> class Vector>
struct Enter : Matrix<W, I> {
    real_t<W> omega;
    Vector<const V> b;
    Vector<W> r, t;
    size_type col = 0;

    __device__ W gather(I row) const { return static_cast<W>(b(row, col)); }
    __device__ W source_product(size_type row) const
    {
        const auto& matrix = this->source;
        return this->sum_of_source(
            row, [&](I k) { return scaled_value(matrix, row, k) * matrix.right[matrix.a.col_idxs[k]]; },
            [&](I j) { return gather(j); });
    }
    __device__ void operator()(size_type row, int stencil, W product) const
    {
        const W own = static_cast<W>(static_cast<real_t<V>>(this->scale(row, stencil)) * b(row, col));
        r(row, col) = own;
        t(row, col) = own - omega * product;
    }
};

/// x := factor S (z + omega (r - A z)); gives it.
template <class V, class W, class I, template <class> class Vector>
struct Leave : Matrix<W, I> {
    real_t<V> factor;
    real_t<W> omega;
    Vector<const W> r, z;
    Vector<V> x;
    size_type col = 0;

    __device__ W gather(I row) const { return z(row, col); }
    __device__ W source_product(size_type row) const
    {
        return this->sum_of_source(
            row, [&](I k) { return scaled_value(this->source, row, k); }, [&](I j) { return gather(j); });
    }
    __device__ V operator()(size_type row, int stencil, W product) const
    {
        const real_t<V> scale = factor * static_cast<real_t<V>>(this->scale(row, stencil));
        const V result = scale * static_cast<V>(z(row, col) + omega * (r(row, col) - product));
        x(row, col) = result;
        return result;
    }
};

/// A body for each element of a block.
template <class Body>
struct ByElements : NothingToPrepare {
    Body body;

    __device__ auto run(Place<1> at) const
    {
        Body here = body;
        here.col = at.col;
        const int stencil = body.are_valid() ? int{body.a.stencils[at.row]} : no_stencil;
        return here(at.row, stencil,
                    stencil == no_stencil ? here.source_product(at.row) : long_stencil_product(here, at.row, stencil));
    }
    __device__ void operator()(Place<1> at, Nothing) const { run(at); }
};

template <class V, class Body>
struct ByElementsWithSums : NothingToPrepare, StoreDots<V> {
    ByElements<Body> elements;
    DenseView<const V> w;

    __device__ void operator()(Place<1> at, Nothing, V (&sums)[2]) const
    {
        const V x = elements.run(at);
        sums[0] += conj(w(at.row, at.col)) * x;
        sums[1] += V{abs2(x)};
    }
};

template <class V, class W, class I>
void enter(const Executor& exec, ScaledStencils<W, I> a, double omega, DenseView<const V> b, DenseView<W> r,
           DenseView<W> t)
{
    using D = device_type<V>;
    using E = device_type<W>;
    const auto body = [&]<template <class> class Vector>() {
        return Enter<D, E, I, Vector>{matrix_of(a, a.entering), static_cast<real_t<W>>(omega), Vector(as_device(b)),
                                      Vector(as_device(r)), Vector(as_device(t))};
    };
    if (are_columns(b) && are_columns(r, t)) {
        run_stencil_rows<end_blocks<D, E>>(exec, body.template operator()<Column>());
    } else {
        using Body = decltype(body.template operator()<DenseView>());
        map_elements(exec, r.rows, r.cols, ByElements<Body>{{}, body.template operator()<DenseView>()});
    }
}

template <class V, class W, class I>
void leave(const Executor& exec, ScaledStencils<W, I> a, double factor, double omega, DenseView<const W> r,
           DenseView<const W> z, DenseView<V> x, WantedDots<V> dots)
{
    using D = device_type<V>;
    using E = device_type<W>;
    const auto body = [&]<template <class> class Vector>() {
        return Leave<D, E, I, Vector>{matrix_of(a, a.a.values),      static_cast<real_t<V>>(factor),
                                      static_cast<real_t<W>>(omega), Vector(as_device(r)),
                                      Vector(as_device(z)),          Vector(as_device(x))};
    };
    const bool is_column = are_columns(r, z) && are_columns(x);
    using Body = decltype(body.template operator()<DenseView>());
    const StoreDots<D> finish{{}, as_device(dots.wx), as_device(dots.xx)};
    if (dots.wx == nullptr && is_column) {
        run_stencil_rows<end_blocks<D, E>>(exec, body.template operator()<Column>());
    } else if (dots.wx == nullptr) {
        map_elements(exec, x.rows, x.cols, ByElements<Body>{{}, body.template operator()<DenseView>()});
    } else if (is_column && are_columns(dots.w)) {
        run_stencil_rows_with_sums<end_blocks<D, E>>(exec, body.template operator()<Column>(), as_device(dots.w).values,
                                                     finish, dots.workspace);
    } else {
        const ByElementsWithSums<D, Body> elements{
            {}, finish, {{}, body.template operator()<DenseView>()}, as_device(dots.w)};
        reduce_elements<D, 2>(exec, dots.workspace, x.rows, x.cols, elements, elements);
    }
}

}  // namespace

void register_stencil_cycle()
{
    for_each_stencil_cycle([]<class V, class W, class I>() {
        stencil_cycle_enter<V, W, I>.bind(this_backend, enter<V, W, I>);
        stencil_cycle_leave<V, W, I>.bind(this_backend, leave<V, W, I>);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
