#pragma once

#include <linden/views.hpp>

/// Blocks of vectors as solves see them.
namespace linden::omp {

/// Columns of a block that a solve works on at once.
template <class V>
struct ManyColumns {
    DenseView<V> x;

    size_type count() const { return x.cols; }
    V& operator()(size_type i, size_type j) const { return x.values[i * x.stride + j]; }
};

/// One, whose values stand side by side.
template <class V>
struct OneColumn {
    V* values;

    static constexpr size_type count() { return 1; }
    V& operator()(size_type i, size_type) const { return values[i]; }
};

}  // namespace linden::omp
