#include "core/kernels/jacobi.hpp"

#include "core/portable/jacobi.hpp"
#include "gpu/vector/columns.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

/// A subgroup inverts a block in shared memory, one lane per column.
using Group = Subgroup<static_cast<int>(max_jacobi_block_size)>;

template <class V>
struct Inverse {
    __device__ V operator()(V value) const { return V{1} / value; }
};
template <class V>
struct InverseRoot {
    __device__ V operator()(V value) const { return V{1 / sqrt(abs(value))}; }
};

/// d := Invert(d), where an entry 0 turns into 1
template <class V, template <class> class Invert>
struct InvertNonzeros : NothingToPrepare {
    DenseView<V> d;
    size_type* num_zeros;

    __device__ void operator()(Place<1> at, Nothing) const
    {
        V& value = d(at.row, 0);
        if (value == V{}) {
            atomic_add(num_zeros, 1);
            value = V{1};
        } else {
            value = Invert<V>()(value);
        }
    }
};

/// x := D b with w^H x and x^H x
template <class V>
struct ApplyDot : NothingToPrepare, StoreDots<V> {
    DenseView<const V> d, b;
    DenseView<V> x;
    DenseView<const V> w;

    template <int N>
    __device__ void operator()(Place<N> at, Nothing, V (&sums)[2]) const
    {
        const auto product = Place<N>{at.row, 0}.load(d) * at.load(b);
        at.store(x, product);
        sums[0] += dot(at.load(w), product);
        sums[1] += V{squared_norm(product)};
    }
};

/// same[row] := whether `row` has the columns of row - 1
template <class I>
struct MarkRows : NothingToPrepare {
    const I* row_ptrs;
    const I* col_idxs;
    std::uint8_t* same;

    __device__ void operator()(Place<1> at, Nothing) const
    {
        same[at.row] = at.row > 0 && has_columns_of_previous(row_ptrs, col_idxs, at.row);
    }
};

/// The marks, read 16 at a time by the one thread that goes through them in order.
class MarkReader {
public:
    __device__ explicit MarkReader(const std::uint8_t* marks) : marks_(marks) {}
    __device__ bool operator()(size_type row) const
    {
        if (row / 16 != chunk_) {
            chunk_ = row / 16;
            loaded_ = load_vec<16>(marks_ + chunk_ * 16);
        }
        return loaded_[static_cast<int>(row % 16)] != 0;
    }

private:
    const std::uint8_t* marks_;
    mutable size_type chunk_ = -1;
    mutable Vec<std::uint8_t, 16> loaded_;
};

__global__ void agglomerate_kernel(size_type rows, size_type max_size, const std::uint8_t* marks, size_type* block_ptrs,
                                   size_type* value_ptrs, DiagonalBlockCounts* counts)
{
    agglomerate_blocks(rows, max_size, MarkReader(marks), block_ptrs, value_ptrs, counts);
}

/// One lane per row of a block: sum over j of m_ij b_j.
template <class V, class S>
struct BlockProduct {
    DiagonalBlocksView<const S> m;
    int lanes;  ///< per block, at least its rows

    __device__ bool row_of(size_type thread, size_type& row) const
    {
        const size_type block = thread / lanes;
        row = m.block_ptrs[block] + thread % lanes;
        return row < m.block_ptrs[block + 1];
    }
    __device__ V operator()(size_type thread, DenseView<const V> b, size_type col) const
    {
        const size_type block = thread / lanes;
        const size_type first = m.block_ptrs[block];
        const size_type size = m.block_ptrs[block + 1] - first;
        const S* const values = m.values + m.value_ptrs[block] + thread % lanes;
        V sum{};
        for (size_type j = 0; j < size; ++j) {
            sum += V(values[j * size]) * b(first + j, col);
        }
        return sum;
    }
};

template <class V, class S>
struct ApplyBlocks {
    BlockProduct<V, S> product;
    Scalar<V> alpha, beta;
    DenseView<const V> b;
    DenseView<V> x;

    struct Local {
        V alpha, beta;
    };
    __device__ Local prepare(size_type col) const { return {alpha[col], beta[col]}; }
    __device__ void operator()(Place<1> at, const Local& local) const
    {
        size_type row;
        if (product.row_of(at.row, row)) {
            const V sum = local.alpha * product(at.row, b, at.col);
            V& target = x(row, at.col);
            target = local.beta == V{} ? sum : sum + local.beta * target;
        }
    }
};

template <class V, class S>
struct ApplyBlocksDot : NothingToPrepare, StoreDots<V> {
    BlockProduct<V, S> product;
    DenseView<const V> b;
    DenseView<V> x;
    DenseView<const V> w;

    __device__ void operator()(Place<1> at, Nothing, V (&sums)[2]) const
    {
        size_type row;
        if (product.row_of(at.row, row)) {
            const V sum = product(at.row, b, at.col);
            x(row, at.col) = sum;
            sums[0] += conj(w(row, at.col)) * sum;
            sums[1] += V{abs2(sum)};
        }
    }
};

/// |re x| + |im x|
template <class V>
__device__ device_real<V> taxicab(V x)
{
    return abs(real(x)) + abs(imag(x));
}

/// a := the n x n diagonal block of A from row `first` on, column-major, by the lanes of a subgroup: one row each.
template <class V, class I>
__device__ void load_block(const CsrView<V, I>& a, size_type first, int n, V* block)
{
    const int i = Group::lane();
    for (int j = 0; j < n && i < n; ++j) {
        block[j * n + i] = V{};
    }
    for (I k = i < n ? a.row_ptrs[first + i] : I{}; i < n && k < a.row_ptrs[first + i + 1]; ++k) {
        const I col = a.col_idxs[k];
        if (col >= first && col < first + n) {
            block[(col - first) * n + i] = a.values[k];
        }
    }
    Group::sync();
}

/// The row with the largest entry of column k from row k on, the first of equals.
template <class V>
__device__ int find_pivot(const V* block, int n, int k)
{
    using R = device_real<V>;
    int row = Group::lane();
    R size = row >= k && row < n ? taxicab(block[k * n + row]) : R{-1};
    for (int distance = Group::size / 2; distance > 0; distance /= 2) {
        const R other_size = Group::shuffle_xor(size, distance);
        const int other_row = Group::shuffle_xor(row, distance);
        if (other_size > size || (other_size == size && other_row < row)) {
            size = other_size;
            row = other_row;
        }
    }
    return row;
}

/// a := a^-1 in place by a subgroup, the steps of `invert_block` with one lane per column; false if singular to
/// rounding.
template <class V>
__device__ bool invert_in_group(V* a, int n, V* factors, int* pivots)
{
    using R = device_real<V>;
    constexpr R rounding = 4 * std::numeric_limits<R>::epsilon();
    const int j = Group::lane();
    for (int k = 0; k < n; ++k) {
        const int p = find_pivot(a, n, k);
        if (a[k * n + p] == V{}) {
            return false;
        }
        Group::sync();
        if (j < n && p != k) {
            const V upper = a[j * n + k];
            a[j * n + k] = a[j * n + p];
            a[j * n + p] = upper;
        }
        Group::sync();
        const V inverse = V{1} / a[k * n + k];
        if (j < n) {
            factors[j] = a[k * n + j];
        }
        Group::sync();
        if (j < n) {
            a[k * n + j] = j == k ? V{1} : V{};
        }
        if (j == 0) {
            pivots[k] = p;
        }
        Group::sync();
        if (j < n) {
            V* const col = a + j * n;
            const V scaled = inverse * col[k];
            for (int i = 0; i < n; ++i) {
                const V product = factors[i] * scaled;
                const V difference = col[i] - product;
                const bool is_rounding = taxicab(difference) <= rounding * (taxicab(col[i]) + taxicab(product));
                col[i] = is_rounding ? V{} : difference;
            }
            col[k] = scaled;
        }
        Group::sync();
    }
    for (int k = n - 1; k >= 0; --k) {
        const int p = pivots[k];
        if (p != k && j < n) {  // columns k and p change places, one row per lane
            const V left = a[k * n + j];
            a[k * n + j] = a[p * n + j];
            a[p * n + j] = left;
        }
        Group::sync();
    }
    return true;
}

/// One subgroup per block of threads and diagonal block.
template <class V, class S, class I>
__global__ void __launch_bounds__(Group::size)
    generate_kernel(CsrView<V, I> a, DiagonalBlocksView<S> m, size_type* num_singular)
{
    V* const block = dynamic_shared<V>();
    LINDEN_SHARED(diagonal, V[max_jacobi_block_size]);
    LINDEN_SHARED(factors, V[max_jacobi_block_size]);
    LINDEN_SHARED(pivots, int[max_jacobi_block_size]);
    const int i = Group::lane();
    for (size_type b = block_id(); b < m.num_blocks; b += num_blocks()) {
        const size_type first = m.block_ptrs[b];
        const int n = static_cast<int>(m.block_ptrs[b + 1] - first);
        S* const inverse = m.values + m.value_ptrs[b];
        load_block(a, first, n, block);
        if (i < n) {
            diagonal[i] = block[i * n + i];
        }
        Group::sync();
        bool good = invert_in_group(block, n, factors, pivots);
        for (int j = 0; j < n && i < n && good; ++j) {
            const S stored = static_cast<S>(block[j * n + i]);
            inverse[j * n + i] = stored;
            good = is_finite(stored);
        }
        if (!Group::all(good)) {
            for (int j = 0; j < n && i < n; ++j) {
                inverse[j * n + i] = S{};
            }
            if (i < n) {
                const S entry = static_cast<S>(V{1} / diagonal[i]);
                inverse[i * n + i] = is_finite(entry) ? entry : S{1};
            }
            if (i == 0) {
                atomic_add(num_singular, 1);
            }
        }
        Group::sync();
    }
}

template <class V>
void invert_diagonal(const Executor& exec, DenseView<V> d, size_type* num_zeros)
{
    exec.state().fill_zero(num_zeros, sizeof *num_zeros);
    map_elements(exec, d.rows, 1, InvertNonzeros<device_type<V>, Inverse>{{}, as_device(d), num_zeros});
}

template <class V>
void inverse_root(const Executor& exec, DenseView<V> d, size_type* num_zeros)
{
    exec.state().fill_zero(num_zeros, sizeof *num_zeros);
    map_elements(exec, d.rows, 1, InvertNonzeros<device_type<V>, InverseRoot>{{}, as_device(d), num_zeros});
}

template <class V>
void apply_dot(const Executor& exec, DenseView<const V> d, DenseView<const V> b, DenseView<V> x, DenseView<const V> w,
               V* wx, V* xx, WorkspaceView workspace)
{
    const ApplyDot<device_type<V>> body{
        {}, {{}, as_device(wx), as_device(xx)}, as_device(d), as_device(b), as_device(x), as_device(w)};
    reduce_columns<device_type<V>, 2>(exec, workspace, body, body, body.x, body.d, body.b, body.w);
}

template <class I>
void find_blocks(const Executor& exec, PatternView<I> a, size_type max_size, size_type* block_ptrs,
                 size_type* value_ptrs, DiagonalBlockCounts* counts, WorkspaceView workspace)
{
    const auto marks = reinterpret_cast<std::uint8_t*>(workspace.data);
    map_elements(exec, a.rows, 1, MarkRows<I>{{}, a.row_ptrs, a.col_idxs, marks});
    launch_on(exec, agglomerate_kernel, 1, 1, 0, a.rows, max_size, marks, block_ptrs, value_ptrs, counts);
}

template <class S>
DiagonalBlocksView<device_type<S>> device_blocks(DiagonalBlocksView<S> m)
{
    return {m.num_blocks, m.max_size, m.block_ptrs, m.value_ptrs, as_device(m.values)};
}

template <class V, class S>
BlockProduct<device_type<V>, device_type<S>> block_product(DiagonalBlocksView<const S> m)
{
    int lanes = 1;
    while (lanes < m.max_size) {
        lanes *= 2;
    }
    return {device_blocks(m), lanes};
}

template <class V, class S, class I>
void generate_blocks(const Executor& exec, CsrView<V, I> a, DiagonalBlocksView<S> m, size_type* num_singular)
{
    using D = device_type<V>;
    exec.state().fill_zero(num_singular, sizeof *num_singular);
    constexpr size_type max_grid = 65536;
    launch_on(exec, generate_kernel<D, device_type<S>, I>, std::min(m.num_blocks, max_grid), Group::size,
              m.max_size * m.max_size * static_cast<size_type>(sizeof(V)), as_device(a), device_blocks(m),
              num_singular);
}

template <class V, class S>
void apply_blocks(const Executor& exec, DiagonalBlocksView<const S> m, Scalar<V> alpha, DenseView<const V> b,
                  Scalar<V> beta, DenseView<V> x)
{
    const auto product = block_product<V>(m);
    map_elements(exec, m.num_blocks * product.lanes, x.cols,
                 ApplyBlocks<device_type<V>, device_type<S>>{product, as_device(alpha), as_device(beta), as_device(b),
                                                             as_device(x)});
}

template <class V, class S>
void apply_blocks_dot(const Executor& exec, DiagonalBlocksView<const S> m, DenseView<const V> b, DenseView<V> x,
                      DenseView<const V> w, V* wx, V* xx, WorkspaceView workspace)
{
    const auto product = block_product<V>(m);
    const ApplyBlocksDot<device_type<V>, device_type<S>> body{
        {}, {{}, as_device(wx), as_device(xx)}, product, as_device(b), as_device(x), as_device(w)};
    reduce_elements<device_type<V>, 2>(exec, workspace, m.num_blocks * product.lanes, x.cols, body, body);
}

}  // namespace

void register_jacobi()
{
    for_each_value([]<class V>() {
        jacobi_invert_diagonal<V>.bind(this_backend, invert_diagonal<V>);
        jacobi_inverse_root<V>.bind(this_backend, inverse_root<V>);
        jacobi_apply_dot<V>.bind(this_backend, apply_dot<V>);
    });
    for_each_index([]<class I>() { block_jacobi_find_blocks<I>.bind(this_backend, find_blocks<I>); });
    for_each_value_storage([]<class V, class S>() {
        block_jacobi_apply<V, S>.bind(this_backend, apply_blocks<V, S>);
        block_jacobi_apply_dot<V, S>.bind(this_backend, apply_blocks_dot<V, S>);
        for_each_index([]<class I>() { block_jacobi_generate<V, S, I>.bind(this_backend, generate_blocks<V, S, I>); });
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
