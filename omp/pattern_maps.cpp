#include "core/kernels/pattern_maps.hpp"

#include "omp/parallel.hpp"

namespace linden::omp {
namespace {

template <class I>
void compose(const Executor& exec, size_type n, const I* outer, const I* inner, I* composed)
{
    parallel_rows(exec, n, [&](size_type begin, size_type end) {
        for (size_type k = begin; k < end; ++k) {
            composed[k] = outer[k] < 0 ? I{-1} : inner[outer[k]];
        }
    });
}

template <class I>
void locate(const Executor& exec, PatternView<I> f, PatternView<I> a, I* source)
{
    const NonzeroPartition<I> rows{f.row_ptrs, f.rows};
    parallel_parts(exec, rows, [&](size_type begin, size_type end) {
        for (size_type row = begin; row < end; ++row) {
            I l = a.row_ptrs[row];
            const I last = a.row_ptrs[row + 1];
            for (I k = f.row_ptrs[row]; k < f.row_ptrs[row + 1]; ++k) {
                while (l < last && a.col_idxs[l] < f.col_idxs[k]) {
                    ++l;
                }
                source[k] = l < last && a.col_idxs[l] == f.col_idxs[k] ? l : I{-1};
            }
        }
    });
}

}  // namespace

void register_pattern_maps()
{
    for_each_index([]<class I>() {
        pattern_compose<I>.bind(Backend::omp, compose<I>);
        pattern_locate<I>.bind(Backend::omp, locate<I>);
    });
}

}  // namespace linden::omp
