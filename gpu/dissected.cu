#include "core/kernels/dissected.hpp"

#include "gpu/elements.cuh"
#include "gpu/reduce.cuh"

/// A row of the gathering product is a block's, one of the expanding product a wave's: separators are few, their rows
/// long. Threads load their first entries of the matrix, which is there all along, before they wait for the vectors.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

constexpr int threads = 256;
using Wave = Subgroup<32>;

/// The entries of a row: columns [begin, begin + length), then those of the tail where the row is no separator's, or
/// those of the tail alone.
template <class V>
struct Entries {
    DissectedView<V> m;
    const V* row;
    size_type begin, length;
    size_type count;

    __device__ V value(size_type e) const { return row[e < length ? begin + e : m.tail + e - length]; }
    __device__ V term(size_type e, V value, DenseView<const V> b, DenseView<const V> t, size_type col) const
    {
        return value * (e < length ? b(m.order[begin + e], col) : t(e - length, col));
    }
};

/// Products of entries with columns of b and t, of which thread `lane` of `lanes` has every lanes-th.
template <class V>
struct Terms {
    static constexpr int in_flight = sizeof(V) > 8 ? 4 : 8;

    Entries<V> entries;
    int lane, lanes;
    V loaded[in_flight];

    __device__ void load()
    {
        LINDEN_UNROLL
        for (int i = 0; i < in_flight; ++i) {
            const size_type e = lane + i * lanes;
            loaded[i] = e < entries.count ? entries.value(e) : V{};
        }
    }
    __device__ V sum(DenseView<const V> b, DenseView<const V> t, size_type col) const
    {
        V result{};
        LINDEN_UNROLL
        for (int i = 0; i < in_flight; ++i) {
            const size_type e = lane + i * lanes;
            result += e < entries.count ? entries.term(e, loaded[i], b, t, col) : V{};
        }
#pragma unroll 4
        for (size_type e = lane + in_flight * lanes; e < entries.count; e += lanes) {
            result += entries.term(e, entries.value(e), b, t, col);
        }
        return result;
    }
};

template <class V>
__global__ void __launch_bounds__(threads) gather_kernel(DissectedView<V> m, DenseView<const V> b, DenseView<V> t)
{
    let_next_kernel_begin();
    const size_type position = m.tail + block_id();
    const auto range = m.ranges[position];
    const size_type length = range.end - range.begin;
    Terms<V> terms{{m, m.values + position * m.size, range.begin, length, length}, thread_id(), threads, {}};
    terms.load();
    wait_for_previous_kernel();
    for (size_type col = 0; col < b.cols; ++col) {
        V sum[1] = {terms.sum(b, b, col)};
        block_reduce<threads>(sum);
        if (thread_id() == 0) {
            t(block_id(), col) = b(m.order[position], col) + sum[0];
        }
    }
}

template <class V>
__global__ void __launch_bounds__(threads)
    expand_kernel(DissectedView<V> m, DenseView<const V> b, DenseView<const V> t, DenseView<V> x)
{
    let_next_kernel_begin();
    const size_type position = Wave::index();
    if (position >= m.size) {
        return;
    }
    const auto range = position < m.tail ? m.ranges[position] : ColumnRange{};
    const size_type length = range.end - range.begin;
    Terms<V> terms{{m, m.values + position * m.size, range.begin, length, length + m.size - m.tail},
                   Wave::lane(),
                   Wave::size,
                   {}};
    terms.load();
    wait_for_previous_kernel();
    for (size_type col = 0; col < b.cols; ++col) {
        const V sum = Wave::sum(terms.sum(b, t, col));
        if (Wave::lane() == 0) {
            x(m.order[position], col) = sum;
        }
    }
}

template <class V>
auto on_device(const DissectedView<V>& m)
{
    return DissectedView<device_type<V>>{m.size, m.tail, as_device(m.values), m.order, m.ranges};
}

template <class V>
void gather(const Executor& exec, DissectedView<V> m, DenseView<const V> b, DenseView<V> t)
{
    if (t.rows != 0 && t.cols != 0) {
        launch_overlapped_on(exec, gather_kernel<device_type<V>>, t.rows, threads, 0, on_device(m), as_device(b),
                             as_device(t));
    }
}

template <class V>
void expand(const Executor& exec, DissectedView<V> m, DenseView<const V> b, DenseView<const V> t, DenseView<V> x)
{
    if (x.rows != 0 && x.cols != 0) {
        launch_overlapped_on(exec, expand_kernel<device_type<V>>, blocks_for(m.size, threads / Wave::size), threads, 0,
                             on_device(m), as_device(b), as_device(t), as_device(x));
    }
}

}  // namespace

void register_dissected()
{
    for_each_value([]<class V>() {
        dissected_gather<V>.bind(this_backend, gather<V>);
        dissected_expand<V>.bind(this_backend, expand<V>);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
