#pragma once

#include <linden/array.hpp>

#include <utility>

#include "core/kernels/aggregation.hpp"
#include "core/multigrid/plan.hpp"

/// Where levels end because sweeps do as well as more levels.
namespace linden::detail {

/// Levels of fewer rows are cheap, since they can be inverted; sweeps over more rows would cost more than they save.
inline bool asks_for_slow_rows(size_type num_rows)
{
    constexpr size_type most_rows = size_type{1} << 15;
    return num_rows > most_inverted_rows && num_rows <= most_rows;
}

/// The rows where sweeps x := x - damping D^-1 A x, D = diag(sums), are slow: four of them leave more than 0.55 of a
/// vector of ones there. For an M-matrix the largest value is the maximum norm of the four sweeps; of others it tells
/// how fast constants go, which levels are for. A row more than four rows from any boundary keeps what constants keep;
/// one of a plane of 26 rows that hardly couples with other planes comes down to 0.49. Without slow rows a sweep makes
/// constants at most 0.86 times as large.
template <class V, class I>
class SlowRows {
public:
    /// The arguments live as long as this.
    SlowRows(CsrView<V, I> a, const Array<real_t<V>>& sums, double damping) : a_(a), sums_(sums), rule_{damping, limit}
    {
    }

    struct Range {
        size_type first, size;
    };
    /// Leaves in *count, on the executor, how many of these rows are slow. fill(x): makes the values of other rows
    /// those of their owners.
    template <class Fill>
    void count(Range own, const Fill& fill, std::int64_t* count) const
    {
        const auto& exec = sums_.executor();
        Array<V> x(exec, a_.rows), next(exec, a_.rows);
        Array<I> is_slow(exec, a_.rows);
        aggregation_sweep<V, I>(exec, a_, sums_.data(), rule_, nullptr, x.data(), nullptr);
        for (int sweep = 1; sweep < num_sweeps; ++sweep) {
            fill(x);
            aggregation_sweep<V, I>(exec, a_, sums_.data(), rule_, x.data(), next.data(),
                                    sweep + 1 == num_sweeps ? is_slow.data() : nullptr);
            std::swap(x, next);
        }
        array_totals<I>(exec, own.size, 1, is_slow.data() + own.first, count);
    }

private:
    static constexpr int num_sweeps = 4;
    static constexpr double limit = 0.55;

    CsrView<V, I> a_;
    const Array<real_t<V>>& sums_;
    SweepRule rule_;
};

}  // namespace linden::detail
