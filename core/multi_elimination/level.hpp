#pragma once

#include <linden/matrix/csr.hpp>

#include <algorithm>

#include "core/kernels/csr.hpp"
#include "core/kernels/dense.hpp"
#include "core/kernels/multi_elimination.hpp"
#include "core/kernels/reduction.hpp"
#include "core/kernels/spgemm.hpp"
#include "core/matrix/make_pattern.hpp"
#include "core/matrix/pattern_arithmetic.hpp"
#include "core/multi_elimination/factors.hpp"

/// A level of multi-elimination: A = (D F; E C) to S = C - E D^-1 F.
namespace linden::detail {

/// Memory that all levels share, each after the one before.
template <class V, class I>
struct EliminationMemory {
    explicit EliminationMemory(const Executor& executor) : exec(executor) {}

    /// At least `size` values, with the old ones lost if there were less.
    template <class T>
    static T* room(Array<T>& array, size_type size)
    {
        if (array.size() < size) {
            array = Array<T>(array.executor(), size);
        }
        return array.data();
    }
    WorkspaceView prefix_workspace() { return {room(workspace, prefix_sum_workspace_bytes), workspace.size()}; }
    /// What new values do not need.
    void release_symbolic()
    {
        strengths = Array<real_t<V>>(exec);
        keys = Array<std::uint64_t>(exec);
        before = Array<I>(exec);
        after = Array<I>(exec);
        diagonal = Array<V>(exec);
    }

    Executor exec;
    // of the choice of pivots, and of numbers of rows and columns
    Array<real_t<V>> strengths = Array<real_t<V>>(exec);
    Array<std::uint64_t> keys = Array<std::uint64_t>(exec);
    Array<I> before = Array<I>(exec), after = Array<I>(exec);
    Array<std::byte> workspace = Array<std::byte>(exec);
    Array<std::int64_t> total = Array<std::int64_t>(exec, 2);
    Array<V> diagonal = Array<V>(exec);
    // of the Schur complement
    Array<I> kept_columns = Array<I>(exec), interpolation_columns = Array<I>(exec);
    Array<V> kept_rows = Array<V>(exec), interpolation = Array<V>(exec), complement = Array<V>(exec);
    Array<std::byte> products = Array<std::byte>(exec);
};

/// Which entries of a complement are dropped, for one level.
struct DropRule {
    EliminationThreshold threshold = EliminationThreshold::mean;
    bool drops = true;
    double beta = 0;
    double omega = 0;
};

/// The pivots of a level, how its rows and columns are numbered, and the plan of its Schur complement. Waits for the
/// executor where it says so.
template <class V, class I>
class EliminationLevel {
public:
    /// pivots: the column of each row's pivot, -1 for none; is_diagonal: its own; inverses: D^-1 goes there, by pivots.
    /// Waits.
    EliminationLevel(const Executor& exec, size_type n, Array<I> pivots, bool is_diagonal, V* inverses,
                     EliminationMemory<V, I>& memory)
        : exec_(exec),
          size_(n),
          inverses_(inverses),
          pivots_(std::move(pivots)),
          rows_(exec, n),
          columns_(exec, n),
          kept_rows_(exec, n),
          kept_columns_(exec, n),
          pivot_rows_(exec, n),
          values_(exec),
          kept_ptrs_(exec),
          interpolation_ptrs_(exec),
          complement_{{}, Array<I>(exec), Array<I>(exec)}
    {
        I* const rows_before = memory.room(memory.before, n + 1);
        I* const columns_before = is_diagonal ? rows_before : memory.room(memory.after, n + 1);
        if (!is_diagonal) {
            exec.state().fill_zero(columns_before, static_cast<std::size_t>(n + 1) * sizeof(I));
        }
        multi_elimination_mark<I>(exec, n, pivots_.data(), rows_before, is_diagonal ? nullptr : columns_before);
        if (!is_diagonal) {
            prefix_sum<I>(exec, n, columns_before, memory.total.data(), memory.prefix_workspace());
        }
        prefix_sum<I>(exec, n, rows_before, memory.total.data(), memory.prefix_workspace());
        multi_elimination_number<I>(
            exec, n, pivots_.data(), rows_before, columns_before,
            {rows_.data(), columns_.data(), kept_rows_.data(), kept_columns_.data(), pivot_rows_.data()});
        std::int64_t num_pivots = 0;
        copy_bytes(exec, memory.total.data(), host(), &num_pivots, sizeof num_pivots);
        num_pivots_ = num_pivots;
        values_ = Array<V>(exec, num_pivots_);
    }

    size_type num_pivots() const { return num_pivots_; }
    size_type num_kept() const { return size_ - num_pivots_; }
    EliminationView<I> view() const
    {
        return {size_,           num_kept(),        pivots_.data(),       rows_.data(),
                columns_.data(), kept_rows_.data(), kept_columns_.data(), pivot_rows_.data()};
    }
    /// D, by pivots.
    const Array<V>& values() const { return values_; }

    /// The Schur complement of a, without what `rule` drops. names: of a's rows; counts: by these, to which the numbers
    /// of entries of E and F are added. Waits.
    Csr<V, I> eliminate(CsrView<V, I> a, const I* names, I* counts, const DropRule& rule,
                        EliminationMemory<V, I>& memory)
    {
        omega_ = rule.omega;
        make_plan(a, names, counts, memory);
        const CsrView<V, I> s = complement_of(a, {}, memory, nullptr);
        if (!rule.drops) {
            const auto whole = Csr<V, I>(exec_, s.size(), Array<I>::view(exec_, s.rows + 1, const_cast<I*>(s.row_ptrs)),
                                         Array<I>::view(exec_, s.num_nonzeros, const_cast<I*>(s.col_idxs)),
                                         Array<V>::view(exec_, s.num_nonzeros, const_cast<V*>(s.values)));
            return whole.copy();
        }
        return large_part(s, rule, memory);
    }

    /// The same for new values of a, to `next`, which `eliminate` has made. The values of E and F go to `factors`.
    void update(CsrView<V, I> a, const FactorValues<V, I>& factors, Csr<V, I>& next, EliminationMemory<V, I>& memory)
    {
        if (next.num_nonzeros() == complement_.col_idxs.size()) {  // nothing is dropped
            complement_of(a, factors, memory, next.values());
            return;
        }
        multi_elimination_compensate<V, I>(exec_, complement_of(a, factors, memory, nullptr), next.view(), omega_,
                                           next.values());
    }

private:
    /// The row pointers of (E C) and of the interpolation.
    void make_plan(PatternView<I> a, const I* names, I* counts, EliminationMemory<V, I>& memory)
    {
        kept_ptrs_ = Array<I>(exec_, num_kept() + 1);
        interpolation_ptrs_ = Array<I>(exec_, size_ + 1);
        multi_elimination_count<I>(exec_, a, view(), names, {kept_ptrs_.data(), interpolation_ptrs_.data(), counts});
        for (auto* const ptrs : {&kept_ptrs_, &interpolation_ptrs_}) {
            prefix_sum<I>(exec_, ptrs->size() - 1, ptrs->data(), memory.total.data() + 1, memory.prefix_workspace());
        }
    }

    /// S with all entries, in `result`, or if that is null in memory that levels share. The number of entries of its
    /// factors is not known here, only that they fit.
    CsrView<V, I> complement_of(CsrView<V, I> a, const FactorValues<V, I>& factors, EliminationMemory<V, I>& memory,
                                V* result)
    {
        const auto level = view();
        const size_type most = a.num_nonzeros + num_kept();
        I* const kept_columns = memory.room(memory.kept_columns, a.num_nonzeros);
        V* const kept_values = memory.room(memory.kept_rows, a.num_nonzeros);
        I* const columns = memory.room(memory.interpolation_columns, most);
        V* const values = memory.room(memory.interpolation, most);
        multi_elimination_split<V, I>(exec_, a, level, omega_, {values_.data(), inverses_},
                                      {kept_ptrs_.data(), kept_columns, kept_values},
                                      {interpolation_ptrs_.data(), columns, values}, factors);
        const CsrView<V, I> kept_rows{num_kept(), size_, a.num_nonzeros, kept_ptrs_.data(), kept_columns, kept_values};
        const CsrView<V, I> interpolation{size_, num_kept(), most, interpolation_ptrs_.data(), columns, values};
        if (complement_.row_ptrs.size() == 0) {
            complement_ = product_of_patterns<I>(exec_, kept_rows, interpolation, "the Schur complement");
        }
        const auto num_nonzeros = complement_.col_idxs.size();
        if (result == nullptr) {
            result = memory.room(memory.complement, num_nonzeros);
        }
        size_type bytes = 0;
        spgemm_workspace<I>(exec_, kept_rows, interpolation, num_nonzeros, &bytes);
        auto* const products = memory.room(memory.products, bytes);
        spgemm_multiply<V, I>(exec_, kept_rows, interpolation, complement_.view(), result, {products, bytes});
        return with_values(complement_, result);
    }

    static CsrView<V, I> with_values(const Pattern<I>& p, const V* values)
    {
        return {p.size.rows, p.size.cols, p.col_idxs.size(), p.row_ptrs.data(), p.col_idxs.data(), values};
    }

    Csr<V, I> large_part(CsrView<V, I> s, const DropRule& rule, EliminationMemory<V, I>& memory) const
    {
        real_t<V>* const measures = memory.room(memory.strengths, std::max<size_type>(s.rows, 1));
        DropView<V> drop{.factor = rule.beta};
        if (rule.threshold == EliminationThreshold::diagonal) {
            V* const diagonal = memory.room(memory.diagonal, s.rows);
            csr_extract_diagonal<V, I>(exec_, s, {s.rows, 1, 1, diagonal});
            drop.diagonal = diagonal;
        } else if (rule.threshold == EliminationThreshold::row) {
            multi_elimination_norms<V, I>(exec_, s, measures);
            drop.norms = measures;
        } else {
            auto workspace = ReductionWorkspace::for_values<V>(exec_, 1);
            dense_norm1<V>(exec_, {s.num_nonzeros, 1, 1, s.values}, measures, workspace.view());
            drop.factor /= static_cast<double>(std::max<size_type>(s.num_nonzeros, 1));
            drop.mean = measures;
        }
        Array<I> row_ptrs(exec_, s.rows + 1);
        multi_elimination_count_large<V, I>(exec_, s, drop, row_ptrs.data());
        const auto num_nonzeros = make_row_ptrs(row_ptrs, "what is kept of the Schur complement");
        Array<I> col_idxs(exec_, num_nonzeros);
        Array<V> values(exec_, num_nonzeros);
        multi_elimination_take_large<V, I>(exec_, s, drop, rule.omega,
                                           {row_ptrs.data(), col_idxs.data(), values.data()});
        return Csr<V, I>(exec_, s.size(), std::move(row_ptrs), std::move(col_idxs), std::move(values));
    }

    Executor exec_;
    size_type size_;
    size_type num_pivots_ = 0;
    double omega_ = 0;
    V* inverses_;
    Array<I> pivots_, rows_, columns_, kept_rows_, kept_columns_, pivot_rows_;
    Array<V> values_;
    Array<I> kept_ptrs_, interpolation_ptrs_;
    Pattern<I> complement_;
};

}  // namespace linden::detail
