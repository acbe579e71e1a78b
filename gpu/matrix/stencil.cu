#include "core/kernels/stencil.hpp"

#include "gpu/matrix/stencil_rows.cuh"
#include "gpu/vector/store_row.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

/// x := alpha A b + beta x for one column.
template <class V, class I>
struct Multiply {
    using Stored = V;
    using Index = I;

    StencilView<V, I> a;
    const V* values;
    const V* b;
    StoreRow<V> store;

    __device__ V gather(I col) const { return b[col]; }
    __device__ void operator()(size_type row, int, V product) const
    {
        store.prepare(0).store(product, store.x(row, 0));
    }
};

/// x := A b for one column; gives it.
template <class V, class I>
struct MultiplyPlainly {
    using Stored = V;
    using Index = I;

    StencilView<V, I> a;
    const V* values;
    const V* b;
    V* x;

    __device__ V gather(I col) const { return b[col]; }
    __device__ V operator()(size_type row, int, V product) const
    {
        x[row] = product;
        return product;
    }
};

/// A column of a block.
template <class V, class I>
struct OfColumn {
    using Stored = V;
    using Index = I;

    StencilView<V, I> a;
    const V* values;
    DenseView<const V> b;
    size_type col;

    __device__ V gather(I row) const { return b(row, col); }
    __device__ V product(size_type row) const { return long_stencil_product(*this, row, a.stencils[row]); }
};

/// x := alpha A b + beta x, one element per call.
template <class V, class I>
struct MultiplyColumns {
    StencilView<V, I> a;
    DenseView<const V> b;
    StoreRow<V> store;

    __device__ Factors<V> prepare(size_type col) const { return store.prepare(col); }
    __device__ void operator()(Place<1> at, const Factors<V>& factors) const
    {
        factors.store(OfColumn<V, I>{a, a.values, b, at.col}.product(at.row), store.x(at.row, at.col));
    }
};

/// x := A b with w^H x and x^H x, one element per call.
template <class V, class I>
struct MultiplyDot : NothingToPrepare, StoreDots<V> {
    StencilView<V, I> a;
    DenseView<const V> b;
    DenseView<V> x;
    DenseView<const V> w;

    __device__ void operator()(Place<1> at, Nothing, V (&sums)[2]) const
    {
        const V product = OfColumn<V, I>{a, a.values, b, at.col}.product(at.row);
        x(at.row, at.col) = product;
        sums[0] += conj(w(at.row, at.col)) * product;
        sums[1] += V{abs2(product)};
    }
};

template <class V, class I>
void spmv(const Executor& exec, StencilView<V, I> a, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta,
          DenseView<V> x)
{
    using D = device_type<V>;
    const StoreRow<D> store{as_device(alpha), as_device(beta), as_device(x)};
    const auto matrix = as_device(a);
    if (x.cols == 1 && b.is_contiguous()) {
        run_stencil_rows<4>(exec, Multiply<D, I>{matrix, matrix.values, as_device(b).values, store});
    } else {
        map_elements(exec, x.rows, x.cols, MultiplyColumns<D, I>{matrix, as_device(b), store});
    }
}

template <class V, class I>
void spmv_dot(const Executor& exec, StencilView<V, I> a, DenseView<const V> b, DenseView<V> x, DenseView<const V> w,
              V* wx, V* xx, WorkspaceView workspace)
{
    using D = device_type<V>;
    const StoreDots<D> finish{{}, as_device(wx), as_device(xx)};
    const auto matrix = as_device(a);
    if (x.cols == 1 && b.is_contiguous() && x.is_contiguous() && w.is_contiguous()) {
        const MultiplyPlainly<D, I> body{matrix, matrix.values, as_device(b).values, as_device(x).values};
        run_stencil_rows_with_sums<4>(exec, body, as_device(w).values, finish, workspace);
    } else {
        const MultiplyDot<D, I> body{{}, finish, matrix, as_device(b), as_device(x), as_device(w)};
        reduce_elements<D, 2>(exec, workspace, x.rows, x.cols, body, body);
    }
}

}  // namespace

void register_stencil()
{
    for_each_value_index([]<class V, class I>() {
        stencil_spmv<V, I>.bind(this_backend, spmv<V, I>);
        stencil_spmv_dot<V, I>.bind(this_backend, spmv_dot<V, I>);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
