#include "core/kernels/permutation.hpp"

#include "gpu/vector/columns.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

/// inverse[p[i]] := i where that is a place
template <class I>
struct Invert : NothingToPrepare {
    size_type n;
    const I* p;
    I* inverse;

    __device__ void operator()(Place<1> at, Nothing) const
    {
        const I target = p[at.row];
        if (target >= 0 && target < n) {
            inverse[target] = static_cast<I>(at.row);
        }
    }
};

/// Counts the i that are not what stands in their place.
template <class I>
struct CountInvalid : NothingToPrepare {
    size_type n;
    const I* p;
    const I* inverse;
    size_type* num_invalid;

    __device__ void operator()(Place<1> at, Nothing) const
    {
        const I target = p[at.row];
        if (target < 0 || target >= n || inverse[target] != at.row) {
            atomic_add(num_invalid, 1);
        }
    }
};

template <class V, class I>
struct Apply {
    const I* p;
    Scalar<V> alpha, beta;
    DenseView<const V> b;
    DenseView<V> x;

    struct Local {
        V alpha, beta;
    };
    __device__ Local prepare(size_type col) const { return {alpha[col], beta[col]}; }
    __device__ void operator()(Place<1> at, const Local& local) const
    {
        const V gathered = local.alpha * b(p[at.row], at.col);
        V& target = x(at.row, at.col);
        target = local.beta == V{} ? gathered : gathered + local.beta * target;
    }
};

template <class I>
void invert(const Executor& exec, size_type n, const I* p, I* inverse, size_type* num_invalid)
{
    exec.state().fill_zero(num_invalid, sizeof *num_invalid);
    map_elements(exec, n, 1, Invert<I>{{}, n, p, inverse});
    map_elements(exec, n, 1, CountInvalid<I>{{}, n, p, inverse, num_invalid});
}

template <class V, class I>
void apply(const Executor& exec, const I* p, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta, DenseView<V> x)
{
    map_elements(exec, x.rows, x.cols,
                 Apply<device_type<V>, I>{p, as_device(alpha), as_device(beta), as_device(b), as_device(x)});
}

}  // namespace

void register_permutation()
{
    for_each_index([]<class I>() { permutation_invert<I>.bind(this_backend, invert<I>); });
    for_each_value_index([]<class V, class I>() { permutation_apply<V, I>.bind(this_backend, apply<V, I>); });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
