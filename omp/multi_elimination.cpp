#include "core/kernels/multi_elimination.hpp"

#include "core/portable/elimination_drop.hpp"
#include "omp/parallel.hpp"
#include "omp/rows_left.hpp"

/// Kernels of core/portable/elimination_*.hpp without branches that hang on the data, as in aggregation.cpp.
namespace linden::omp {
namespace {

template <class V, class I>
class Decide {
public:
    using R = real_t<V>;

    Decide(const CsrView<V, I>& a, const NeighbourRule<R>& rule) : a_(a), rule_(rule) {}

    /// Of an undecided row. `decided(col)`: the decisions before.
    template <class Decided>
    I operator()(size_type row, const Decided& decided) const
    {
        const R own = rule_.strengths[row];
        const std::uint64_t key = rule_.keys[row];
        bool waits = false, sees_member = false;
        for (I k = a_.row_ptrs[row]; k < a_.row_ptrs[row + 1]; ++k) {
            const I col = a_.col_idxs[k];
            const I its = decided(col);
            const R other = rule_.strengths[col];
            const bool counts = (col != row) & (its != 2) & ((its != 0) | (rule_.keys[col] <= key));
            const bool is_neighbour =
                !(magnitude(a_.values[k]) < static_cast<R>(rule_.theta) * (own < other ? own : other));
            waits |= counts & is_neighbour;
            sees_member |= counts & is_neighbour & (its == 1);
        }
        return sees_member ? 2 : waits ? 0 : 1;
    }

private:
    CsrView<V, I> a_;
    NeighbourRule<R> rule_;
};

template <class V, class I>
void decide(const Executor& exec, CsrView<V, I> a, NeighbourRule<real_t<V>> rule, const I* before, I* after)
{
    const Decide<V, I> decision(a, rule);
    parallel_parts(exec, by_nonzeros(a), [&](size_type begin, size_type end) {
        if (before == nullptr) {
            const auto none = [&](I col) { return rule.strengths[col] < 0 ? I{2} : I{0}; };
            for (size_type row = begin; row < end; ++row) {
                after[row] = rule.strengths[row] < 0 ? I{2} : decision(row, none);
            }
            return;
        }
        std::copy(before + begin, before + end, after + begin);
        for_each_row_left(
            begin, end, [&](size_type row) { return before[row] == 0; },
            [&](size_type row) { after[row] = decision(row, [&](I col) { return before[col]; }); });
    });
}

template <class V, class I>
void count_large(const Executor& exec, CsrView<V, I> s, DropView<V> drop, I* counts)
{
    const LargeEntries<V, I> large{s, drop};
    parallel_parts(exec, by_nonzeros(s), [&](size_type begin, size_type end) {
        for (size_type row = begin; row < end; ++row) {
            const auto limit = large.limit_of(row);
            I count = 0;
            for (I k = s.row_ptrs[row]; k < s.row_ptrs[row + 1]; ++k) {
                count += large.is_large(row, limit, k) ? 1 : 0;
            }
            counts[row] = count;
        }
    });
}

template <class V, class I>
void take_large(const Executor& exec, CsrView<V, I> s, DropView<V> drop, double omega, WrittenRows<V, I> kept)
{
    const LargeEntries<V, I> large{s, drop};
    parallel_parts(exec, by_nonzeros(s), [&](size_type begin, size_type end) {
        for (size_type row = begin; row < end; ++row) {
            const auto limit = large.limit_of(row);
            const I end_of_kept = kept.row_ptrs[row + 1];
            I to = kept.row_ptrs[row], diagonal = -1;
            V own{}, dropped{};
            for (I k = s.row_ptrs[row]; k < s.row_ptrs[row + 1]; ++k) {
                const I col = s.col_idxs[k];
                const V value = s.values[k];
                const bool is_large = large.is_large(row, limit, k);
                if (to < end_of_kept) {  // what follows belongs to another row
                    kept.col_idxs[to] = col;
                    kept.values[to] = value;
                }
                diagonal = col == row ? to : diagonal;
                own = col == row ? value : own;
                dropped += is_large ? V{} : value;
                to += is_large ? 1 : 0;
            }
            if (diagonal >= 0 && omega != 0) {
                kept.values[diagonal] = lumped(own, V{static_cast<real_t<V>>(omega)} * dropped);
            }
        }
    });
}

}  // namespace

void register_multi_elimination()
{
    for_each_value_index([]<class V, class I>() {
        multi_elimination_decide<V, I>.bind(Backend::omp, decide<V, I>);
        multi_elimination_count_large<V, I>.bind(Backend::omp, count_large<V, I>);
        multi_elimination_take_large<V, I>.bind(Backend::omp, take_large<V, I>);
    });
}

}  // namespace linden::omp
