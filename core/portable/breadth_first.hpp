#pragma once

#include "core/kernels/breadth_first.hpp"
#include "core/portable/body.hpp"
#include "core/portable/lanes.hpp"

namespace linden {

template <class I>
struct StartSearch {
    size_type num_roots;
    const I* roots;
    const I* parts;
    SearchView<I> search;

    LINDEN_HOST_DEVICE size_type size() const { return search.graph.rows; }
    LINDEN_HOST_DEVICE void operator()(size_type vertex) const
    {
        const I part = parts == nullptr ? I{0} : parts[vertex];
        const bool is_root = roots[part] == vertex;
        search.parents[vertex] = is_root ? search_root<I> : search_not_found<I>;
        if (is_root) {
            search.order[part] = static_cast<I>(vertex);
        }
        if (vertex == 0) {
            search.level_ptrs[0] = 0;
            search.level_ptrs[1] = static_cast<I>(num_roots);
        }
    }
};

template <class I>
struct FarthestVertex {
    SearchedParts<I> parts;
    SearchView<I> search;
    size_type num_levels;
    I* depths;
    I* farthest;

    LINDEN_HOST_DEVICE size_type size() const { return parts.num_parts; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return search.graph.rows; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type part) const
    {
        const size_type first = parts.part_ptrs[part], last = parts.part_ptrs[part + 1] - 1;
        const size_type level = level_of(place(last));
        const size_type level_begin = search.level_ptrs[level];
        I least = search_not_found<I>;  // of the last level, which is the end of the part
        for (size_type at = last - Lanes::lane(); at >= first && place(at) >= level_begin; at -= Lanes::size) {
            const I vertex = search.order[place(at)];
            least = vertex < least ? vertex : least;
        }
        least = -Lanes::max(-least);
        if (Lanes::lane() == 0) {
            depths[part] = static_cast<I>(level + 1);
            farthest[part] = least;
        }
    }

private:
    LINDEN_HOST_DEVICE size_type place(size_type at) const { return parts.places == nullptr ? at : parts.places[at]; }
    /// The last level that begins at a place or before it.
    LINDEN_HOST_DEVICE size_type level_of(size_type at) const
    {
        size_type low = 0, high = num_levels;
        while (high - low > 1) {
            const size_type middle = (low + high) / 2;
            (search.level_ptrs[middle] <= at ? low : high) = middle;
        }
        return low;
    }
};

template <class I>
struct FirstRoots {
    size_type n;
    const I* labels;
    const I* numbers;
    const I* vertices;
    I* roots;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const
    {
        if (labels[i] == i) {
            roots[numbers[i]] = vertices[i];
        }
    }
};

template <class I>
struct ReverseOrder {
    size_type n;
    const I* order;
    const I* values;
    I* backwards;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const { backwards[i] = values[order[n - 1 - i]]; }
};

template <class F>
void for_each_portable_breadth_first(const F& f)
{
    for_each_index([&]<class I>() {
        f(breadth_first_start<I>, BodyOf<StartSearch<I>>());
        f(breadth_first_farthest<I>, BodyOf<FarthestVertex<I>>());
        f(breadth_first_roots<I>, BodyOf<FirstRoots<I>>());
        f(breadth_first_reverse<I>, BodyOf<ReverseOrder<I>>());
    });
}

}  // namespace linden
