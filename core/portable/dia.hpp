#pragma once

#include "core/kernels/dia.hpp"
#include "core/portable/body.hpp"
#include "core/portable/marked.hpp"
#include "core/portable/search.hpp"

/// Conversions from and to diagonals.
namespace linden {

template <class I>
struct MarkDiagonals {
    PatternView<I> a;
    I* marks;

    LINDEN_HOST_DEVICE size_type size() const { return a.num_nonzeros; }
    /// All that write to a mark write the same.
    LINDEN_HOST_DEVICE void operator()(size_type k) const
    {
        I* const mark = marks + (a.col_idxs[k] - row_of(a.row_ptrs, a.rows, k) + a.rows - 1);
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
        *mark = 1;
#else
        __atomic_store_n(mark, I{1}, __ATOMIC_RELAXED);
#endif
    }
};

template <class I>
struct CollectDiagonals {
    size_type num_rows;
    size_type num_marks;
    const I* numbers;
    I* offsets;

    LINDEN_HOST_DEVICE size_type size() const { return num_marks; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const
    {
        if (numbers[i + 1] > numbers[i]) {
            offsets[numbers[i]] = static_cast<I>(i - (num_rows - 1));
        }
    }
};

template <class I>
struct FillDia {
    PatternView<I> a;
    DiaLayout<I> layout;
    size_type* map;

    LINDEN_HOST_DEVICE size_type size() const { return layout.num_diagonals * layout.stride; }
    LINDEN_HOST_DEVICE void operator()(size_type entry) const
    {
        const size_type row = entry % layout.stride;
        map[entry] = find_entry(a, row, row + layout.offsets[entry / layout.stride]);
    }
};

/// Calls use(number of the entry, column) for the marked entries of a row.
template <class I, class Use>
LINDEN_HOST_DEVICE void for_each_marked(const DiaLayout<I>& layout, const std::uint8_t* marks, size_type row, Use use)
{
    for (size_type d = 0; d < layout.num_diagonals; ++d) {
        const size_type col = row + layout.offsets[d];
        if (col >= 0 && col < layout.cols && marks[d * layout.stride + row] != 0) {
            use(d * layout.stride + row, col);
        }
    }
}

template <class F>
void for_each_portable_dia(const F& f)
{
    for_each_index([&]<class I>() {
        f(dia_mark_diagonals<I>, BodyOf<MarkDiagonals<I>>());
        f(dia_collect_diagonals<I>, BodyOf<CollectDiagonals<I>>());
        f(dia_fill<I>, BodyOf<FillDia<I>>());
        f(dia_count_rows<I>, BodyOf<CountMarked<DiaLayout<I>, I>>());
        f(dia_extract<I>, BodyOf<ExtractMarked<DiaLayout<I>, I>>());
    });
}

}  // namespace linden
