#pragma once

#include <linden/side.hpp>

#include "core/kernels/isai.hpp"
#include "test/support/triangular_patterns.hpp"

/// Triangles and the patterns of their approximate inverses.
namespace linden::test {

/// A strict lower triangle with its diagonal, which is the last entry of each row.
template <class I>
HostPattern<I> with_diagonal(const HostPattern<I>& strict)
{
    HostPattern<I> a{strict.size, {0}, {}};
    for (I row = 0; row < strict.size.rows; ++row) {
        a.col_idxs.insert(a.col_idxs.end(), strict.col_idxs.begin() + strict.row_ptrs[row],
                          strict.col_idxs.begin() + strict.row_ptrs[row + 1]);
        a.col_idxs.push_back(row);
        a.row_ptrs.push_back(static_cast<I>(a.col_idxs.size()));
    }
    return a;
}

/// A triangle T, the inverse of its diagonal, which is empty where that is 1, and the pattern of M.
template <class V, class I>
struct IsaiCase {
    Side side = Side::lower;
    HostPattern<I> t;
    std::vector<V> values;
    std::vector<V> inverse_diagonal;
    HostPattern<I> m;
};

/// The values of M.
template <class V, class I>
std::vector<V> inverted(const Executor& exec, const IsaiCase<V, I>& with)
{
    const PatternOn<I> t(exec, with.t), m(exec, with.m);
    const Array<V> values(exec, with.values), inverse(exec, with.inverse_diagonal);
    Array<V> result(exec, std::vector<V>(with.m.col_idxs.size(), not_a_number<V>()));
    const CsrView<V, I> view{with.t.size.rows,  with.t.size.cols,  with.t.num_nonzeros(),
                             t.view().row_ptrs, t.view().col_idxs, values.data()};
    isai_invert_triangle<V, I>(exec, view, with.side, with.inverse_diagonal.empty() ? nullptr : inverse.data(),
                               m.view(), result.data());
    return result.to_host();
}

}  // namespace linden::test
