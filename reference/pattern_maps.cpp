#include "core/kernels/pattern_maps.hpp"

namespace linden::reference {
namespace {

template <class I>
void compose(const Executor&, size_type n, const I* outer, const I* inner, I* composed)
{
    for (size_type k = 0; k < n; ++k) {
        composed[k] = outer[k] < 0 ? I{-1} : inner[outer[k]];
    }
}

template <class I>
void locate(const Executor&, PatternView<I> f, PatternView<I> a, I* source)
{
    for (size_type row = 0; row < f.rows; ++row) {
        for (I k = f.row_ptrs[row]; k < f.row_ptrs[row + 1]; ++k) {
            source[k] = -1;
            for (I l = a.row_ptrs[row]; l < a.row_ptrs[row + 1]; ++l) {
                if (a.col_idxs[l] == f.col_idxs[k]) {
                    source[k] = l;
                }
            }
        }
    }
}

}  // namespace

void register_pattern_maps()
{
    for_each_index([]<class I>() {
        pattern_compose<I>.bind(Backend::reference, compose<I>);
        pattern_locate<I>.bind(Backend::reference, locate<I>);
    });
}

}  // namespace linden::reference
