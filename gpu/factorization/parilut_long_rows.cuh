#pragma once

#include "gpu/factorization/parilut_rows.cuh"

/// Rows of W of so many rows of U that to merge them, or to search them all for each column, takes seconds: S by
/// columns says which of them have an entry in one. A lane takes a column, and a wave together one of many entries.
namespace linden::LINDEN_GPU_NAMESPACE::parilut {

using Wave = Subgroup<32>;

/// What is subtracted in one row of W.
template <class V, class I>
class LongRow {
public:
    __device__ LongRow(const FixedPointView<V, I>& f, size_type row)
        : f_(f),
          row_(static_cast<I>(row)),
          begin_(f.s.row_ptrs[row]),
          end_(f.diagonal[row])
    {
    }

    /// Subtracts the products s_ik s_kj / s_kk from this lane's value of column j, in the order of k; has_product
    /// becomes true if there is one. Called by all lanes of a wave together, with a negative column by those that have
    /// none.
    __device__ void subtract_products(I col, V& value, bool& has_product) const
    {
        const auto* const ptrs = f_.long_rows.columns.row_ptrs;
        const I first = col < 0 ? I{} : ptrs[col], last = col < 0 ? I{} : ptrs[col + 1];
        const bool is_long_column = last - first > 2 * Wave::size;
        for (I at = first; at < last && !is_long_column; ++at) {
            V product{};
            if (find_product(at, col, product)) {
                value = value - product;
                has_product = true;
            }
        }
        for (LaneMask lanes = Wave::ballot(is_long_column); lanes != 0; lanes &= lanes - 1) {
            const int lane = lowest_bit(static_cast<std::uint32_t>(lanes));
            V sum = Wave::shuffle(value, lane);
            const bool is_found =
                subtract_together(Wave::shuffle(first, lane), Wave::shuffle(last, lane), Wave::shuffle(col, lane), sum);
            if (Wave::lane() == lane) {
                value = sum;
                has_product = has_product || is_found;
            }
        }
    }

private:
    __device__ bool subtract_together(I first, I last, I col, V& value) const
    {
        bool is_found = false;
        for (I base = first; base < last; base += Wave::size) {
            V product{};
            const I at = base + static_cast<I>(Wave::lane());
            const bool has_product = at < last && find_product(at, col, product);
            is_found = Wave::any(has_product) || is_found;
            subtract_in_order<Wave>(has_product, product, value);
        }
        return is_found;
    }
    /// Of entry `at` of S by columns.
    __device__ bool find_product(I at, I col, V& product) const
    {
        const I k = f_.long_rows.columns.col_idxs[at];
        if (k >= row_ || k >= col) {
            return false;
        }
        const I l = lower_bound(f_.s.col_idxs, begin_, end_, k);
        if (l == end_ || f_.s.col_idxs[l] != k) {
            return false;
        }
        product = triple_product(f_.s.values[l], f_.s.values[f_.long_rows.source[at]], f_.inverses[k]);
        return true;
    }

    const FixedPointView<V, I>& f_;
    I row_, begin_, end_;
};

namespace detail {

inline constexpr size_type most_blocks_of_rows = 32768;

template <class Body>
__global__ void __launch_bounds__(row_threads, row_occupancy)
    map_long_rows_kernel(size_type count, size_type waves, Body body)
{
    const size_type wave = Wave::index();
    for (size_type r = block_id_y(); wave < waves && r < count; r += most_blocks_of_rows) {
        body(r, wave);
    }
}

}  // namespace detail

/// Calls body(r, wave) in all lanes of so many waves for each long row, f.long_rows.rows[r].
template <class Body>
void map_long_rows(const Executor& exec, size_type count, size_type waves, Body body)
{
    const Grid grid{blocks_for(waves, row_threads / Wave::size), std::min(count, detail::most_blocks_of_rows)};
    launch_on(exec, detail::map_long_rows_kernel<Body>, grid, row_threads, 0, count, waves, body);
}

}  // namespace linden::LINDEN_GPU_NAMESPACE::parilut
