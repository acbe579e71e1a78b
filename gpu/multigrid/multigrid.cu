#include "core/kernels/multigrid.hpp"

#include "gpu/matrix/sell_rows.cuh"
#include "gpu/vector/elements.cuh"

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

/// z + omega (b - A z)
template <class V, class S, class J>
struct Sweep : NothingToPrepare {
    SellRows<S, J> a;
    real_t<V> omega;
    DenseView<const V> b, z;
    DenseView<V> x;

    __device__ void operator()(Place<1> at, Nothing) const
    {
        const V product = a.template product<V>(a.find(at.row), at.row, [&](size_type col) { return z(col, at.col); });
        const V right = b.values == nullptr ? V{} : b(at.row, at.col);
        x(at.row, at.col) = z(at.row, at.col) + omega * (right - product);
    }
};

template <class V, class S, class J>
void sweep(const Executor& exec, SellView<S, J> a, double omega, DenseView<const V> b, DenseView<const V> z,
           DenseView<V> x)
{
    using D = device_type<V>;
    map_elements(exec, x.rows, x.cols,
                 Sweep<D, device_type<S>, J>{
                     {}, device_rows(a), static_cast<real_t<V>>(omega), as_device(b), as_device(z), as_device(x)});
}

/// P y + omega r
template <class V, class S, class J>
struct Correct : NothingToPrepare {
    SellRows<S, J> p;
    real_t<V> omega;
    DenseView<const V> y, r;
    DenseView<V> z;

    __device__ void operator()(Place<1> at, Nothing) const
    {
        const V product = p.template product<V>(p.find(at.row), at.row, [&](size_type col) { return y(col, at.col); });
        z(at.row, at.col) = product + omega * r(at.row, at.col);
    }
};

template <class V, class S, class J>
void correct(const Executor& exec, SellView<S, J> p, double omega, DenseView<const V> y, DenseView<const V> r,
             DenseView<V> z)
{
    using D = device_type<V>;
    map_elements(exec, z.rows, z.cols,
                 Correct<D, device_type<S>, J>{
                     {}, device_rows(p), static_cast<real_t<V>>(omega), as_device(y), as_device(r), as_device(z)});
}

}  // namespace

void register_multigrid()
{
    for_each_sell_type([]<class V, class S, class J>() {
        multigrid_up<V, S, J>.bind(this_backend, up<V, S, J>);
        multigrid_sweep<V, S, J>.bind(this_backend, sweep<V, S, J>);
        multigrid_correct<V, S, J>.bind(this_backend, correct<V, S, J>);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
