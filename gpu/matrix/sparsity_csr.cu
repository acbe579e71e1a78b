#include "core/kernels/sparsity_csr.hpp"

#include "gpu/matrix/row_products.cuh"

/// One right-hand side: as many lanes to a row as it has entries on average, so that they read neighbouring columns.
/// With several, neighbouring lanes take the columns of a row, and read its entries together.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

/// So many entries are on their way to a lane at a time.
inline constexpr int in_flight = 4;

/// The sum of b at the row's columns first, first + step, ...
template <class V, class I, class Gather>
__device__ inline V sum_gathered(const PatternView<I>& a, size_type row, int first, int step, Gather gather)
{
    const size_type end = a.row_ptrs[row + 1];
    V sum{};
    for (size_type k = a.row_ptrs[row] + first; k < end; k += in_flight * step) {
        V gathered[in_flight];
        LINDEN_UNROLL
        for (int i = 0; i < in_flight; ++i) {
            const size_type at = k + i * step;
            gathered[i] = at < end ? gather(load_streaming(a.col_idxs + at)) : V{};
        }
        LINDEN_UNROLL
        for (int i = 0; i < in_flight; ++i) {
            sum += gathered[i];
        }
    }
    return sum;
}

template <int L, class V, class I>
__global__ void __launch_bounds__(column_block_threads)
    spmv_kernel(PatternView<I> a, V value, const V* b, StoreRow<V> store)
{
    using Group = Subgroup<L>;
    let_next_kernel_begin();
    wait_for_previous_kernel();
    const size_type row = Group::index();
    V sum{};
    if (row < a.rows) {
        sum = sum_gathered<V>(a, row, Group::lane(), L, [&](I col) { return b[col]; });
    }
    sum = Group::sum(sum);
    if (row < a.rows && Group::lane() == 0) {
        store(row, 0, value * sum);
    }
}

/// The rows of a matrix, see row_products.cuh.
template <class V, class I>
struct PatternRows {
    struct Found {};

    PatternView<I> a;
    V value;

    __host__ __device__ size_type num_rows() const { return a.rows; }
    __device__ size_type row(Found, size_type position) const { return position; }
    __device__ Found find(size_type) const { return {}; }
    template <class, class Gather>
    __device__ V product(Found, size_type row, Gather gather) const
    {
        return value * sum_gathered<V>(a, row, 0, 1, gather);
    }
};

template <class V, class I>
void spmv(const Executor& exec, PatternView<I> a, V value, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta,
          DenseView<V> x)
{
    using D = device_type<V>;
    const StoreRow<D> store{as_device(alpha), as_device(beta), as_device(x)};
    if (x.cols != 1 || !b.is_contiguous()) {
        multiply_columns(exec, PatternRows<D, I>{a, as_device(value)}, as_device(b), store);
        return;
    }
    const auto launch_with = [&](auto kernel, int lanes) {
        launch_overlapped_on(exec, kernel, blocks_for(x.rows * lanes, column_block_threads), column_block_threads, 0, a,
                             as_device(value), as_device(b.values), store);
    };
    const size_type mean = a.num_nonzeros / std::max<size_type>(a.rows, 1);
    if (mean <= 4) {
        launch_with(spmv_kernel<2, D, I>, 2);
    } else if (mean <= 24) {
        launch_with(spmv_kernel<8, D, I>, 8);
    } else {
        launch_with(spmv_kernel<32, D, I>, 32);
    }
}

}  // namespace

void register_sparsity_csr()
{
    for_each_value_index([]<class V, class I>() { sparsity_csr_spmv<V, I>.bind(this_backend, spmv<V, I>); });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
