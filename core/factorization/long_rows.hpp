#pragma once

#include <linden/array.hpp>

#include <algorithm>
#include <vector>

#include "core/kernels/csr.hpp"
#include "core/kernels/parilut.hpp"
#include "core/matrix/pattern_operations.hpp"

namespace linden::detail {

/// Long rows of S and S by columns, see LongRows, where an executor looks at them: devices, if A has a row of such a
/// length. Rows that steps make as long of short ones go the way of short ones, with the same bits.
template <class I>
class LongRowsOf {
public:
    explicit LongRowsOf(const Executor& exec) : exec_(exec), rows_(exec), offsets_(exec), columns_(no_columns()) {}

    /// Looks at A. Waits on devices.
    void expect(PatternView<I> a)
    {
        is_expected_ = false;
        if (!exec_.is_host() && a.num_nonzeros > least_long_row) {
            Array<RowLengths> lengths(exec_, 1);
            csr_row_lengths<I>(exec_, a, lengths.data());
            is_expected_ = lengths.to_host().front().longest > least_long_row;
        }
    }
    /// Looks at S, if there is something to expect. Waits.
    void find(PatternView<I> s, const Array<I>& diagonal)
    {
        if (!is_expected_) {
            return;
        }
        const auto row_ptrs = Array<I>::view(exec_, s.rows + 1, const_cast<I*>(s.row_ptrs)).to_host();
        const auto diagonals = diagonal.to_host();
        std::vector<I> rows;
        for (std::size_t i = 0; i < diagonals.size(); ++i) {
            if (diagonals[i] - row_ptrs[i] >= least_long_row) {
                rows.push_back(static_cast<I>(i));
            }
        }
        columns_ = rows.empty() ? no_columns() : transposed_pattern<I>(exec_, s);
        rows_ = Array<I>(exec_, rows);
        offsets_ = Array<I>(exec_, rows_.size() * waves_of_row(s.rows));
    }

    LongRows<I> view() const
    {
        return {rows_.size(), rows_.data(), columns_.view(), columns_.source.data(), offsets_.data()};
    }

private:
    Pattern<I> no_columns() const { return {{}, Array<I>(exec_), Array<I>(exec_)}; }

    Executor exec_;
    bool is_expected_ = false;
    Array<I> rows_;
    mutable Array<I> offsets_;
    Pattern<I> columns_;
};

}  // namespace linden::detail
