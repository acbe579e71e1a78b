#pragma once

#include "test/support/kernel_cases.hpp"

namespace linden::test {

/// The rows of a matrix in an executor's memory, values rounded to S.
template <class S>
struct StoredRows {
    template <class V>
    StoredRows(const Executor& exec, const CsrData<V, std::int32_t>& a)
        : size(a.size),
          row_ptrs(exec, a.row_ptrs),
          col_idxs(exec, a.col_idxs),
          values(exec, rounded_values(a))
    {
    }
    CsrView<S, std::int32_t> view() const
    {
        return {size.rows, size.cols, values.size(), row_ptrs.data(), col_idxs.data(), values.data()};
    }
    template <class V>
    static std::vector<S> rounded_values(const CsrData<V, std::int32_t>& a)
    {
        std::vector<S> result;
        for (const V value : a.values) {
            result.push_back(static_cast<S>(value));
        }
        return result;
    }

    Dim size;
    Array<std::int32_t> row_ptrs, col_idxs;
    Array<S> values;
};

}  // namespace linden::test
