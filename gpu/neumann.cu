#include "core/kernels/neumann.hpp"

#include "gpu/sell_rows.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

/// x := D (b - T y), one element per call.
template <class V, class Rows>
struct Term : NothingToPrepare {
    Rows rows;
    const V* d;
    DenseView<const V> b;
    DenseView<const V> y;
    DenseView<V> x;

    __device__ void operator()(Place<1> at, Nothing) const
    {
        const auto found = rows.find(at.row);
        const V difference =
            b(at.row, at.col) - rows.template product<V>(found, at.row, [&](size_type col) { return y(col, at.col); });
        x(at.row, at.col) = d == nullptr ? difference : d[at.row] * difference;
    }
};

template <class V, class S, class J>
void term(const Executor& exec, SellView<S, J> t, const V* d, DenseView<const V> b, DenseView<const V> y,
          DenseView<V> x)
{
    const auto rows = device_rows(t);
    map_elements(exec, x.rows, x.cols,
                 Term<device_type<V>, std::remove_const_t<decltype(rows)>>{
                     {}, rows, as_device(d), as_device(b), as_device(y), as_device(x)});
}

}  // namespace

void register_neumann()
{
    for_each_sell_type([]<class V, class S, class J>() { neumann_term<V, S, J>.bind(this_backend, term<V, S, J>); });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
