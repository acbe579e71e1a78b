#pragma once

#include "core/base/math.hpp"
#include "core/kernels/array.hpp"
#include "core/portable/body.hpp"

namespace linden {

template <class V, class W, class I>
struct Gather {
    size_type n;
    const I* map;
    const V* source;
    W* target;
    Conjugate conjugated;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type k) const
    {
        const I from = map[k];
        if (from < 0) {
            target[k] = W{};
        } else {
            const V value = source[from];
            target[k] = static_cast<W>(conjugated == Conjugate::yes ? conj(value) : value);
        }
    }
};

template <class R>
struct CopyStrided {
    size_type n;
    size_type stride;
    const R* values;
    R* out;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const { out[i] = values[i * stride]; }
};

template <class V, class I>
struct SumRuns {
    size_type num_runs;
    const I* run_begins;
    size_type count;
    const I* source;
    const V* values;
    V* out;

    LINDEN_HOST_DEVICE size_type size() const { return num_runs; }
    LINDEN_HOST_DEVICE void operator()(size_type run) const
    {
        const size_type begin = run_begins[run];
        const size_type end = run + 1 < num_runs ? size_type{run_begins[run + 1]} : count;
        V sum = values[source[begin]];
        for (size_type k = begin + 1; k < end; ++k) {
            sum += values[source[k]];
        }
        out[run] = sum;
    }
};

template <class V>
struct Absolute {
    size_type n;
    const V* values;
    V* out;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type k) const { out[k] = V{magnitude(values[k])} + V{}; }
};

template <class I>
struct Iota {
    size_type n;
    I* numbers;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const { numbers[i] = static_cast<I>(i); }
};

template <class V>
struct MarkNonzeros {
    size_type n;
    const V* values;
    std::uint8_t* marks;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const { marks[i] = values[i] == V{} ? 0 : 1; }
};

template <class I>
struct Shift {
    size_type n;
    I delta;
    const I* values;
    I* out;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const { out[i] = values[i] + delta; }
};

template <class I>
struct PickWords {
    size_type n;
    int words;
    const I* rows;
    const std::uint32_t* values;
    std::uint32_t* picked;

    LINDEN_HOST_DEVICE size_type size() const { return n * words; }
    LINDEN_HOST_DEVICE void operator()(size_type k) const
    {
        picked[k] = values[size_type{rows[k / words]} * words + k % words];
    }
};

template <class I>
struct MarkNamed {
    size_type n;
    const I* numbers;
    I* marks;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const
    {
        if (numbers[i] >= 0) {
            marks[numbers[i]] = 1;
        }
    }
};

template <class I>
struct Renumber {
    size_type n;
    const I* map;
    I* numbers;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const
    {
        if (numbers[i] >= 0) {
            numbers[i] = map[numbers[i]];
        }
    }
};

template <class V, class I>
struct MarkDifferent {
    size_type n;
    const V* values;
    I* marks;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const { marks[i] = values[i] == values[0] ? 0 : 1; }
};

template <class I>
struct MarkOutside {
    size_type n;
    const I* values;
    size_type count;
    I* marks;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const { marks[i] = values[i] < 0 || values[i] >= count ? 1 : 0; }
};

template <class I>
struct MarkDescents {
    size_type n;
    const I* values;
    I* marks;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const { marks[i] = values[i] > values[i + 1] ? 1 : 0; }
};

template <class F>
void for_each_portable_array(const F& f)
{
    for_each_gather_type([&]<class V, class W, class I>() { f(array_gather<V, W, I>, BodyOf<Gather<V, W, I>>()); });
    for_each_real([&]<class R>() { f(array_copy_strided<R>, BodyOf<CopyStrided<R>>()); });
    for_each_value([&]<class V>() {
        f(array_absolute<V>, BodyOf<Absolute<V>>());
        f(array_mark_nonzeros<V>, BodyOf<MarkNonzeros<V>>());
    });
    for_each_index([&]<class I>() {
        f(array_iota<I>, BodyOf<Iota<I>>());
        f(array_shift<I>, BodyOf<Shift<I>>());
        f(array_pick<I>, BodyOf<PickWords<I>>());
        f(array_mark_named<I>, BodyOf<MarkNamed<I>>());
        f(array_renumber<I>, BodyOf<Renumber<I>>());
        f(array_mark_outside<I>, BodyOf<MarkOutside<I>>());
        f(array_mark_descents<I>, BodyOf<MarkDescents<I>>());
    });
    for_each_value_index([&]<class V, class I>() {
        f(array_sum_runs<V, I>, BodyOf<SumRuns<V, I>>());
        f(array_mark_different<V, I>, BodyOf<MarkDifferent<V, I>>());
    });
}

}  // namespace linden
