#pragma once

#include <linden/views.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// Products with the inverse of a matrix in parts with separators between them, in terms of what eliminating the parts,
/// then the separators, leaves in its place: with parts P and the separators S of separators
///     E^-1 = ( E(P, P)  E(P, S) ) (    I      0 )
///            (    0     E(S, S) ) ( E(S, P)   I ).
/// E(P, P) has a block per part, so that this reads a fraction of the words of E^-1.
namespace linden {

/// Columns [begin, end).
struct ColumnRange {
    std::int32_t begin = 0;
    std::int32_t end = 0;
};

/// Rows and columns of the matrix are numbered by position; the vectors have their own order.
template <class V>
struct NestedDissectionView {
    size_type size = 0;
    size_type separators = 0;             ///< the first position of S
    const V* values = nullptr;            ///< size x size, row by row
    const std::int32_t* order = nullptr;  ///< size: the row of vectors at each position
    const ColumnRange* ranges =
        nullptr;  ///< size: the columns before the separators in which each position has entries
};

/// t := b(S) + E(S, P) b(P).  b: size x m, t: (size - separators) x m.  The words of the ranges. Deterministic.
template <class V>
inline constinit kernel<void(NestedDissectionView<V> e, DenseView<const V> b, DenseView<V> t)> nested_dissection_gather{
    "nested_dissection::gather", types_of<V>};

/// x(P) := E(P, P) b(P) + E(P, S) t, x(S) := E(S, S) t.  b, x: size x m, t: (size - separators) x m.  The words of the
/// ranges and of the separators's columns. Deterministic.
template <class V>
inline constinit kernel<void(NestedDissectionView<V> e, DenseView<const V> b, DenseView<const V> t, DenseView<V> x)>
    nested_dissection_expand{"nested_dissection::expand", types_of<V>};

}  // namespace linden
