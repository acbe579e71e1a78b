#pragma once

#include <linden/matrix/csr.hpp>

#include <array>
#include <bit>
#include <optional>
#include <type_traits>

#include "core/kernels/array.hpp"
#include "core/kernels/multigrid.hpp"
#include "core/matrix/pattern_arithmetic.hpp"
#include "core/matrix/pattern_operations.hpp"
#include "core/matrix/range.hpp"
#include "core/matrix/row_pointers.hpp"
#include "core/multigrid/grid.hpp"

namespace linden::detail {

/// The precision in which a hierarchy is computed: single, where this build has operators of it.
template <class V>
using single_t = std::conditional_t<is_complex<V>, std::complex<float>, float>;
template <class V>
using working_t = std::conditional_t<has_types<single_t<V>>, single_t<V>, V>;

/// The matrix of the first level: A with a symmetric pattern and its diagonal, in the working precision W. Shares the
/// pattern of A where that is so already.
template <class V, class W, class I>
class FinestMatrix {
public:
    /// is_hermitian: if it is known already. Waits.
    explicit FinestMatrix(const Csr<V, I>& a, std::optional<bool> is_hermitian = {}, bool looks_for_grid = false)
        : exec_(a.executor()),
          source_(exec_),
          values_(exec_)
    {
        const auto answers = summary(a, looks_for_grid && a.size().rows >= least_grid_rows);
        const auto n = static_cast<std::uint64_t>(a.size().rows);
        bool is_complete = answers[answer_num_diagonal] == n;
        bool is_found_hermitian = true;
        if (answers[answer_difference] != 0) {
            const auto [num_incomplete, num_unhermitian] = inspect(a);
            is_complete = num_incomplete == 0;
            is_found_hermitian = num_unhermitian == 0;
        }
        is_hermitian_ = is_hermitian.value_or(is_found_hermitian);
        const bool is_negated = 2 * answers[answer_num_negative] > n;
        factor_ = (is_negated ? -1 : 1) * scale_to_one(std::bit_cast<double>(answers[answer_largest]));
        if (!is_complete) {
            const auto whole = pattern_with_diagonal<I>(exec_, a.view());
            pattern_.emplace(
                sum_of_patterns<I>(exec_, whole.view(), transposed_pattern<I>(exec_, whole.view()).view(), "A + A^T"));
            source_ = Array<I>(exec_, pattern_->col_idxs.size());
            gathered_ = Array<V>(exec_, pattern_->col_idxs.size());
            pattern_locate<I>(exec_, pattern_->view(), a.view(), source_.data());
        }
        values_ = Array<W>(exec_, pattern_ ? pattern_->col_idxs.size() : a.num_nonzeros());
    }

    bool is_hermitian() const { return is_hermitian_; }
    /// That whose points the rows are, if it was looked for.
    const std::optional<GridShape>& grid() const { return grid_; }
    /// The power of two that takes the largest part of an entry to 1 ... 2, negative where most of the diagonal is.
    double factor() const { return factor_; }

    /// A view of this and of `a`, whose values are taken, times the factor.
    Csr<W, I> take(const Csr<V, I>& a)
    {
        const auto n = values_.size();
        if (pattern_) {
            array_gather<V, V, I>(exec_, n, source_.data(), a.view().values, gathered_.data(), Conjugate::no);
        }
        const V* const values = pattern_ ? gathered_.data() : a.view().values;
        multigrid_convert<V, W>(exec_, nullptr, factor_, {n, 1, 1, values}, {n, 1, 1, values_.data()});
        return view_of(pattern_ ? pattern_->view() : PatternView<I>(a.view()));
    }

private:
    Csr<W, I> view_of(PatternView<I> p)
    {
        return csr_view_unchecked<W, I>(exec_, p.rows, p.cols, p.num_nonzeros, p.row_ptrs, p.col_idxs, values_.data());
    }

    /// Waits.
    std::vector<std::uint64_t> summary(const Csr<V, I>& a, bool looks_for_grid)
    {
        const size_type num_samples = looks_for_grid ? grid_samples : 0;
        Array<std::uint64_t> answers(exec_, num_summary_answers + num_samples * grid_sample_width);
        multigrid_summarize<V, I>(exec_, a.view(), answers.data());
        if (looks_for_grid) {
            auto* const offsets = reinterpret_cast<std::int64_t*>(answers.data() + num_summary_answers);
            grid_sample<I>(exec_, a.view(), num_samples, grid_sample_width, offsets);
        }
        auto result = answers.to_host();
        if (looks_for_grid) {
            grid_ = find_grid(a.size().rows, {result.begin() + num_summary_answers, result.end()});
        }
        return result;
    }
    /// How many rows have an entry without a mirror image or no diagonal, and in how many the mirror image of one is
    /// not its conjugate up to rounding: for matrices that are not Hermitian to the bit. Waits.
    std::array<std::int64_t, 2> inspect(const Csr<V, I>& a) const
    {
        const auto n = a.size().rows;
        Array<I> marks(exec_, 3 * n);
        multigrid_inspect<V, I>(exec_, a.view(), {marks.data(), marks.data() + n, marks.data() + 2 * n});
        const auto counts = count_marks(marks, 3);
        return {counts[0], counts[1]};
    }

    Executor exec_;
    bool is_hermitian_ = false;
    std::optional<GridShape> grid_;
    double factor_ = 1;
    std::optional<Pattern<I>> pattern_;  ///< where that of A is not enough
    Array<I> source_;
    Array<V> gathered_ = Array<V>(exec_);
    Array<W> values_;
};

}  // namespace linden::detail
