#include "core/kernels/spgeam.hpp"

#include "gpu/device/bisection.cuh"
#include "gpu/device/bits.cuh"
#include "gpu/vector/elements.cuh"

/// N lanes to a row. An entry's place in C's row is the number of columns before it in A and in B, found by bisection,
/// less those that both have.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

template <class I>
struct RowRange {
    const I* cols;
    I begin, end;

    __device__ RowRange(PatternView<I> m, size_type row)
        : cols(m.col_idxs),
          begin(m.row_ptrs[row]),
          end(m.row_ptrs[row + 1])
    {
    }
    __device__ I length() const { return end - begin; }
};

/// Calls use(i, j, place, is_common) for the entries i of `mine`: j is the first of `other` that is not left of it.
/// Returns how many columns are common. Called by all lanes of a subgroup.
template <int N, class I, class Use>
__device__ inline I rank_entries(RowRange<I> mine, RowRange<I> other, Use use)
{
    using Group = Subgroup<N>;
    const auto lanes_before = (LaneMask{1} << Group::lane()) - 1;
    I common = 0;
    for (I done = 0; done < mine.length(); done += N) {
        const I i = mine.begin + done + Group::lane();
        const bool exists = i < mine.end;
        const I j = exists ? lower_bound(other.cols, other.begin, other.end, mine.cols[i]) : other.end;
        const bool is_common = j < other.end && other.cols[j] == mine.cols[i];
        const LaneMask common_lanes = Group::ballot(is_common);
        if (exists) {
            const int before = popcount(static_cast<std::uint32_t>(common_lanes & lanes_before));
            use(i, j, (i - mine.begin) + (j - other.begin) - common - before, is_common);
        }
        common += popcount(static_cast<std::uint32_t>(common_lanes));
    }
    return common;
}

template <int N, class I>
struct Count {
    PatternView<I> a, b;
    I* counts;

    __device__ void operator()(size_type row) const
    {
        const RowRange<I> in_a(a, row), in_b(b, row);
        const I common = rank_entries<N>(in_a, in_b, [](I, I, I, bool) {});
        if (Subgroup<N>::lane() == 0) {
            counts[row] = in_a.length() + in_b.length() - common;
        }
    }
};

template <int N, class I>
struct Fill {
    PatternView<I> a, b;
    const I* row_ptrs;
    I* col_idxs;

    __device__ void operator()(size_type row) const
    {
        const RowRange<I> in_a(a, row), in_b(b, row);
        I* const target = col_idxs + row_ptrs[row];
        rank_entries<N>(in_a, in_b, [&](I i, I, I place, bool) { target[place] = in_a.cols[i]; });
        rank_entries<N>(in_b, in_a, [&](I j, I, I place, bool is_common) {
            if (!is_common) {
                target[place] = in_b.cols[j];
            }
        });
    }
};

template <int N, class V, class I>
struct Add {
    V alpha, beta;
    CsrView<V, I> a, b;
    const I* row_ptrs;
    V* values;

    __device__ void operator()(size_type row) const
    {
        const RowRange<I> in_a(a, row), in_b(b, row);
        V* const target = values + row_ptrs[row];
        rank_entries<N>(in_a, in_b, [&](I i, I j, I place, bool is_common) {
            const V first = alpha * a.values[i];
            target[place] = is_common ? first + beta * b.values[j] : first;
        });
        rank_entries<N>(in_b, in_a, [&](I j, I, I place, bool is_common) {
            if (!is_common) {
                target[place] = beta * b.values[j];
            }
        });
    }
};

template <int N, class Body>
__global__ void __launch_bounds__(column_block_threads, 4) for_rows_of_pair(size_type rows, Body body)
{
    for (size_type row = Subgroup<N>::index(); row < rows; row += grid_threads() / N) {
        body(row);
    }
}

template <int N, class Body>
void launch_rows(const Executor& exec, size_type rows, Body body)
{
    const size_type most = static_cast<size_type>(gpu(exec).num_multiprocessors()) * 4 * blocks_per_multiprocessor;
    launch_on(exec, for_rows_of_pair<N, Body>, std::min(blocks_for(rows, column_block_threads / N), most),
              column_block_threads, 0, rows, body);
}

/// Calls launch.operator()<N>() for the lanes that a row of average length keeps busy.
template <class I, class Launch>
void with_lanes(PatternView<I> a, PatternView<I> b, Launch launch)
{
    if (a.num_nonzeros + b.num_nonzeros > 32 * a.rows) {
        launch.template operator()<32>();
    } else {
        launch.template operator()<4>();
    }
}

template <class I>
void count(const Executor& exec, PatternView<I> a, PatternView<I> b, I* counts)
{
    with_lanes(a, b, [&]<int N>() { launch_rows<N>(exec, a.rows, Count<N, I>{a, b, counts}); });
}

template <class I>
void fill(const Executor& exec, PatternView<I> a, PatternView<I> b, const I* row_ptrs, I* col_idxs)
{
    with_lanes(a, b, [&]<int N>() { launch_rows<N>(exec, a.rows, Fill<N, I>{a, b, row_ptrs, col_idxs}); });
}

template <class V, class I>
void add(const Executor& exec, V alpha, CsrView<V, I> a, V beta, CsrView<V, I> b, const I* row_ptrs, V* values)
{
    using D = device_type<V>;
    with_lanes<I>(a, b, [&]<int N>() {
        launch_rows<N>(
            exec, a.rows,
            Add<N, D, I>{as_device(alpha), as_device(beta), as_device(a), as_device(b), row_ptrs, as_device(values)});
    });
}

}  // namespace

void register_spgeam()
{
    for_each_index([]<class I>() {
        spgeam_count<I>.bind(this_backend, count<I>);
        spgeam_fill<I>.bind(this_backend, fill<I>);
    });
    for_each_value_index([]<class V, class I>() { spgeam_add<V, I>.bind(this_backend, add<V, I>); });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
