#include "core/kernels/dia.hpp"

#include "gpu/matrix/row_products.cuh"

/// A thread for each row: neighbouring threads read neighbouring entries of a diagonal and of b.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

/// So many entries of a row are on their way at a time; complex values take twice the registers.
template <class V>
inline constexpr int in_flight = sizeof(V) > sizeof(device_real<V>) ? 4 : 8;

/// The rows of a matrix, see row_products.cuh.
template <class V, class I>
struct DiaRows {
    struct Found {};

    DiaView<V, I> a;

    __host__ __device__ size_type num_rows() const { return a.layout.rows; }
    __device__ size_type row(Found, size_type position) const { return position; }
    __device__ Found find(size_type) const { return {}; }

    template <class, class Gather>
    __device__ V product(Found, size_type row, Gather gather) const
    {
        constexpr int N = in_flight<V>;
        const auto& layout = a.layout;
        V sum{};
        for (size_type d = 0; d < layout.num_diagonals; d += N) {
            size_type cols[N];
            V values[N];
            V gathered[N];
            LINDEN_UNROLL
            for (int i = 0; i < N; ++i) {
                const size_type col = d + i < layout.num_diagonals ? row + layout.offsets[d + i] : -1;
                cols[i] = col < layout.cols ? col : -1;
            }
            LINDEN_UNROLL
            for (int i = 0; i < N; ++i) {
                values[i] = cols[i] >= 0 ? load_streaming(a.values + (d + i) * layout.stride + row) : V{};
                gathered[i] = cols[i] >= 0 ? gather(cols[i]) : V{};
            }
            LINDEN_UNROLL
            for (int i = 0; i < N; ++i) {
                sum += values[i] * gathered[i];
            }
        }
        return sum;
    }
};

template <class V, class I>
DiaRows<device_type<V>, I> device_rows(const DiaView<V, I>& a)
{
    return {{a.layout, as_device(a.values)}};
}

template <class V, class I>
void spmv(const Executor& exec, DiaView<V, I> a, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta, DenseView<V> x)
{
    using D = device_type<V>;
    multiply_rows<column_blocks_per_multiprocessor>(exec, device_rows(a), as_device(b),
                                                    StoreRow<D>{as_device(alpha), as_device(beta), as_device(x)});
}

template <class V, class I>
void spmv_dot(const Executor& exec, DiaView<V, I> a, DenseView<const V> b, DenseView<V> x, DenseView<const V> w, V* wx,
              V* xx, WorkspaceView workspace)
{
    multiply_rows_dot(exec, device_rows(a), as_device(b), as_device(x), as_device(w), as_device(wx), as_device(xx),
                      workspace);
}

}  // namespace

void register_dia()
{
    for_each_value_index([]<class V, class I>() {
        dia_spmv<V, I>.bind(this_backend, spmv<V, I>);
        dia_spmv_dot<V, I>.bind(this_backend, spmv_dot<V, I>);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
