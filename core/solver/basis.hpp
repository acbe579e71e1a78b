#pragma once

#include <linden/array.hpp>
#include <linden/distributed/communicator.hpp>
#include <linden/matrix/dense.hpp>

#include <algorithm>
#include <limits>
#include <vector>

#include "core/kernels/gmres.hpp"

namespace linden::detail {

/// More steps than rows give nothing new. Where ranks have rows of their own none knows how many there are in all.
template <class V>
size_type most_steps(const LinOp<V>& solver)
{
    return solver.communicator().is_single() ? solver.size().rows : std::numeric_limits<size_type>::max();
}

/// Calls step(j) for j = 0, ..., count - 1 until the flag drops. What a device has recorded is left out in groups that
/// grow with the steps before them: a cycle that stops early takes up to half as many again, and has few conditions.
template <class Loop, class Step>
void run_steps(Loop& loop, const std::int32_t* running, size_type count, const Step& step)
{
    for (size_type first = 0; first < count;) {
        const size_type last = std::min(count, first + 1 + first / 2);
        loop.run_if(running, [&] {
            step(first);
            for (size_type j = first + 1; j < last; ++j) {
                loop.run_if(running, [&] { step(j); });
            }
        });
        first = last;
    }
}

/// Blocks of vectors in one allocation, `count` of them, which start on cache lines.
template <class V>
class Basis {
public:
    Basis(const Executor& exec, size_type count, Dim size)
        : view_{count, size.rows, size.cols, stride_of(size), nullptr},
          values_(exec, count * stride_of(size))
    {
        view_.values = values_.data();
        for (size_type i = 0; i < count; ++i) {
            blocks_.push_back(Dense<V>::adopt(exec, size, size.cols, view_.values + i * view_.stride));
        }
    }

    Dense<V>& operator[](size_type i) { return blocks_[static_cast<std::size_t>(i)]; }
    BasisView<const V> first(size_type count) const { return view_.first(count); }
    BasisView<V> view() { return view_; }
    Array<V>& values() { return values_; }

private:
    static size_type stride_of(Dim size)
    {
        constexpr auto line = static_cast<size_type>(64 / sizeof(V));
        return (size.rows * size.cols + line - 1) / line * line;
    }

    BasisView<V> view_;
    Array<V> values_;
    std::vector<Dense<V>> blocks_;
};

}  // namespace linden::detail
