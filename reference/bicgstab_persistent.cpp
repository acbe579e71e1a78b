#include "core/kernels/bicgstab_persistent.hpp"

#include <vector>

#include "core/base/math.hpp"
#include "core/kernels/bicgstab.hpp"

namespace linden::reference {
namespace {

template <class V, class I>
void multiply(const CsrView<V, I>& a, DenseView<const V> b, DenseView<V> x, DenseView<const V> w, V& wx, V& xx)
{
    wx = xx = V{};
    for (size_type row = 0; row < a.rows; ++row) {
        x(row, 0) = V{};
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            x(row, 0) += a.values[k] * b(a.col_idxs[k], 0);
        }
        wx += conj(w(row, 0)) * x(row, 0);
        xx += V{abs2(x(row, 0))};
    }
}

/// M^-1 b in `result`, or b itself without M.
template <class V>
DenseView<V> preconditioned(const V* d, DenseView<V> b, DenseView<V> result)
{
    if (d == nullptr) {
        return b;
    }
    for (size_type row = 0; row < b.rows; ++row) {
        result(row, 0) = d[row] * b(row, 0);
    }
    return result;
}

/// Hosts keep no vectors in fast memory: the steps are those of the other kernels, one after another.
template <class V, class I>
void run_persistent(const Executor& exec, WholeSolve<V, I> solve, BiCgStabScratch<V> scratch, std::int32_t* halfway,
                    WorkspaceView, StopView<real_t<V>> stop)
{
    const auto& [a, d, partition, r, x] = solve;
    const auto& [shadow, p, p_hat, s_hat] = scratch;
    std::vector<V> products(2 * static_cast<std::size_t>(r.rows));
    const DenseView<V> v{r.rows, 1, 1, products.data()};
    const DenseView<V> t{r.rows, 1, 1, products.data() + r.rows};
    V values[8]{};
    real_t<V> shadow_norm{};
    const BiCgStabScalars<V> c{values,     values + 1, values + 2, values + 3,   values + 4,
                               values + 5, values + 6, values + 7, &shadow_norm, halfway};
    bicgstab_start<V>(exec, r, shadow, c, stop);
    while (stop.header->running != 0) {
        bicgstab_update_direction<V>(exec, r, v, p, c, stop);
        const auto p_moved = preconditioned(d, p, p_hat);
        multiply<V, I>(a, p_moved, v, shadow, *c.sigma, *c.vv);
        bicgstab_first_half<V>(exec, v, r, c, stop, {});
        const auto s_moved = preconditioned(d, r, s_hat);
        multiply<V, I>(a, s_moved, t, r, *c.st, *c.tt);
        bicgstab_second_half<V>(exec, {p_moved, s_moved, t, shadow, x, r}, c, stop, {});
    }
}

}  // namespace

void register_bicgstab_persistent()
{
    for_each_value_index(
        []<class V, class I>() { bicgstab_run_persistent<V, I>.bind(Backend::reference, run_persistent<V, I>); });
}

}  // namespace linden::reference
