#include "core/kernels/multigrid.hpp"

#include "core/portable/summary.hpp"
#include "reference/column_dots.hpp"
#include "reference/sell_rows.hpp"

namespace linden::reference {
namespace {

template <class V, class S, class J>
void up(const Executor&, SellView<S, J> p, SellView<S, J> a, double omega, DenseView<const V> y, DenseView<const V> r,
        DenseView<V> z)
{
    const auto w = static_cast<real_t<V>>(omega);
    for (size_type row = 0; row < z.rows; ++row) {
        for (size_type col = 0; col < z.cols; ++col) {
            const V smoothed = w * (real_t<V>{2} * r(row, col) - w * row_product(a, row, r, col));
            z(row, col) = row_product(p, row, y, col) + smoothed;
        }
    }
}

template <class V, class S, class J>
void sweep(const Executor&, SellView<S, J> a, double omega, DenseView<const V> b, DenseView<const V> z, DenseView<V> x)
{
    const auto w = static_cast<real_t<V>>(omega);
    for (size_type row = 0; row < x.rows; ++row) {
        for (size_type col = 0; col < x.cols; ++col) {
            const V right = b.values == nullptr ? V{} : b(row, col);
            x(row, col) = z(row, col) + w * (right - row_product(a, row, z, col));
        }
    }
}

template <class V, class S, class J>
void correct(const Executor&, SellView<S, J> p, double omega, DenseView<const V> y, DenseView<const V> r,
             DenseView<V> z)
{
    const auto w = static_cast<real_t<V>>(omega);
    for (size_type row = 0; row < z.rows; ++row) {
        for (size_type col = 0; col < z.cols; ++col) {
            z(row, col) = row_product(p, row, y, col) + w * r(row, col);
        }
    }
}

template <class V, class W, class S, class J>
void enter(const Executor& exec, SellView<S, J> a, const real_t<W>* scales, double omega, DenseView<const V> b,
           DenseView<W> r, DenseView<W> t)
{
    for (size_type row = 0; row < r.rows; ++row) {
        for (size_type col = 0; col < r.cols; ++col) {
            r(row, col) = static_cast<W>(static_cast<real_t<V>>(scales[row]) * b(row, col));
        }
    }
    sweep<W, S, J>(exec, a, omega, {}, r, t);
}

template <class V, class W, class S, class J>
void leave(const Executor&, SellView<S, J> a, LeaveRule<W> rule, DenseView<const W> r, DenseView<const W> z,
           DenseView<V> x, WantedDots<V> dots)
{
    const auto w = static_cast<real_t<W>>(rule.omega);
    for (size_type row = 0; row < x.rows; ++row) {
        const auto scale = static_cast<real_t<V>>(rule.factor) * static_cast<real_t<V>>(rule.scales[row]);
        for (size_type col = 0; col < x.cols; ++col) {
            x(row, col) = scale * static_cast<V>(z(row, col) + w * (r(row, col) - row_product(a, row, z, col)));
        }
    }
    if (dots.wx != nullptr) {
        column_dots(dots.w, x, dots.wx, dots.xx, dots.workspace);
    }
}

template <class V, class I>
void summarize(const Executor&, CsrView<V, I> a, std::uint64_t* answers)
{
    EntrySummary summary;
    for (size_type row = 0; row < a.rows; ++row) {
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            summary.add(row, a.col_idxs[k], a.values[k]);
        }
    }
    answers[answer_difference] = summary.difference;
    answers[answer_num_diagonal] = summary.num_diagonal;
    answers[answer_num_negative] = summary.num_negative;
    answers[answer_largest] = summary.largest;
}

}  // namespace

void register_multigrid()
{
    for_each_value_index(
        []<class V, class I>() { multigrid_summarize<V, I>.bind(Backend::reference, summarize<V, I>); });
    for_each_sell_type([]<class V, class S, class J>() {
        multigrid_up<V, S, J>.bind(Backend::reference, up<V, S, J>);
        multigrid_sweep<V, S, J>.bind(Backend::reference, sweep<V, S, J>);
        multigrid_correct<V, S, J>.bind(Backend::reference, correct<V, S, J>);
    });
    for_each_finest_type([]<class V, class W, class S, class J>() {
        multigrid_enter<V, W, S, J>.bind(Backend::reference, enter<V, W, S, J>);
        multigrid_leave<V, W, S, J>.bind(Backend::reference, leave<V, W, S, J>);
    });
}

}  // namespace linden::reference
