#pragma once

#include "core/kernels/supernodes.hpp"

/// Panels of supernodes.
namespace linden::omp {

/// A supernode's shape and where its panel is.
template <class I>
struct SupernodePanel {
    SupernodePanel(const SupernodeView<I>& f, size_type s)
        : begin(f.first[s]),
          width(f.first[s + 1] - begin),
          rows(f.rows + f.row_ptrs[s]),
          height(f.row_ptrs[s + 1] - f.row_ptrs[s]),
          values(f.value_ptrs[s])
    {
    }
    size_type at(size_type row, size_type column) const { return values + column * height + row; }

    size_type begin, width;
    const I* rows;
    size_type height, values;
};

template <class I>
size_type num_values(const SupernodeView<I>& f)
{
    return f.value_ptrs[f.num_supernodes];
}

}  // namespace linden::omp
