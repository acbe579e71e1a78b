#include "core/kernels/vendor_triangular.hpp"

namespace linden::reference {
namespace {

template <class V, class I>
void replace_zeros(const Executor&, VendorTriangleView<V, I> t, size_type* num_zeros)
{
    *num_zeros = 0;
    for (size_type row = 0; row < t.pattern.rows; ++row) {
        V& d = t.values[t.side == Side::lower ? t.pattern.row_ptrs[row + 1] - 1 : t.pattern.row_ptrs[row]];
        if (d == V{}) {
            d = V{1};
            ++*num_zeros;
        }
    }
}

}  // namespace

void register_vendor_triangular()
{
    for_each_value_index([]<class V, class I>() {
        vendor_triangular_replace_zeros<V, I>.bind(Backend::reference, replace_zeros<V, I>);
    });
}

}  // namespace linden::reference
