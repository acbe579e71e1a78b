#include "core/kernels/neumann.hpp"

#include "gpu/colouring/sweep_rows.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

/// x := D (b - sum)
template <class V>
struct TermStep : NothingToPrepare {
    using value_type = V;
    const V* d;
    DenseView<const V> b;
    DenseView<const V> gathered;  ///< y
    DenseView<V> x;

    __device__ V find(size_type p) const { return d == nullptr ? V{1} : d[p]; }
    __device__ V load(Nothing, V, size_type p, size_type col) const { return b(p, col); }
    __device__ void finish(Nothing, V scale, V value, size_type p, size_type col, V sum) const
    {
        x(p, col) = d == nullptr ? value - sum : scale * (value - sum);
    }
};

/// All rows as one colour: a thread reads where its next row begins, and its scale, while it forms one.
template <class V, class S, class J>
void term(const Executor& exec, SellView<S, J> t, const V* d, DenseView<const V> b, DenseView<const V> y,
          DenseView<V> x)
{
    const ColourView<S, J> rows{t, 0, 1};
    sweep_colour<sell_min_blocks<V, J>, false>(
        exec, device_rows(rows), TermStep<device_type<V>>{{}, as_device(d), as_device(b), as_device(y), as_device(x)});
}

}  // namespace

void register_neumann()
{
    for_each_sell_type([]<class V, class S, class J>() { neumann_term<V, S, J>.bind(this_backend, term<V, S, J>); });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
