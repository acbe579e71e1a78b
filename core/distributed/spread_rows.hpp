#pragma once

#include <linden/matrix/csr.hpp>

#include "core/distributed/extent.hpp"
#include "core/kernels/array.hpp"
#include "core/matrix/row_pointers.hpp"

namespace linden::distributed {

/// The own rows of a matrix that is spread over ranks; its columns are the positions of an extent.
template <class V, class I>
struct SpreadRows {
    Csr<V, I> own;
    Extent columns;
};

/// What an array of an executor has, readable by the host: in its place, or a copy.
template <class T>
class OnHost {
public:
    OnHost(const Executor& exec, const T* data, size_type size)
        : copy_(exec.state().is_host() ? std::vector<T>() : Array<T>::view(exec, size, const_cast<T*>(data)).to_host()),
          data_(exec.state().is_host() ? data : copy_.data()),
          size_(static_cast<std::size_t>(size))
    {
    }
    const T& operator[](std::size_t i) const { return data_[i]; }
    std::size_t size() const { return size_; }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + size_; }
    const T& back() const { return data_[size_ - 1]; }

private:
    std::vector<T> copy_;
    const T* data_;
    std::size_t size_;
};
template <class V, class I>
OnHost<I> row_ptrs_on_host(const Csr<V, I>& a)
{
    return {a.executor(), a.row_ptrs(), a.size().rows + 1};
}

/// The ghosts' values of all positions of an extent, on the host.
template <class T>
std::vector<T> ghosts_of(const Extent& extent, Array<T>& values)
{
    const auto& exec = values.executor();
    auto result = Array<T>::view(exec, extent.num_lower(), values.data()).to_host();
    const auto upper =
        Array<T>::view(exec, extent.num_upper(), values.data() + extent.num_lower() + extent.num_own()).to_host();
    result.insert(result.end(), upper.begin(), upper.end());
    return result;
}

/// values[rows[k]] on the host, for values on an executor.
template <class I, class T>
std::vector<T> picked(const Executor& exec, const T* values, const std::vector<std::int64_t>& rows)
{
    std::vector<T> result;
    if (exec.state().is_host()) {
        for (const auto row : rows) {
            result.push_back(values[row]);
        }
        return result;
    }
    const Array<I> named(exec, std::vector<I>(rows.begin(), rows.end()));
    Array<T> found(exec, named.size());
    array_pick<I>(exec, named.size(), static_cast<int>(sizeof(T) / sizeof(std::uint32_t)), named.data(),
                  reinterpret_cast<const std::uint32_t*>(values), reinterpret_cast<std::uint32_t*>(found.data()));
    return found.to_host();
}

/// values[position of ghost g] := the position of numbers[g] in `target`, -1 where that does not see it. values: of all
/// positions of an extent, on an executor.
template <class I>
void place_positions(const Extent& extent, const std::vector<std::int64_t>& numbers, const Extent& target,
                     Array<I>& values)
{
    detail::require_fits<I>(target.size(), "the rows that a rank sees");
    const auto& exec = values.executor();
    const ExtentOnExecutor seen(exec, target);
    const Array<std::int64_t> wanted(exec, numbers);
    exchange_find<I>(exec, seen.view(), extent.num_lower(), wanted.data(), values.data());
    exchange_find<I>(exec, seen.view(), extent.num_upper(), wanted.data() + extent.num_lower(),
                     values.data() + extent.num_lower() + extent.num_own());
}

/// Column indices that are positions in `from`, on an executor, become those in `to`, which has all of them.
template <class I>
void renumber(const Executor& exec, I* col_idxs, size_type count, const Extent& from, const Extent& to)
{
    if (from == to) {
        return;
    }
    Array<I> map(exec, from.size());
    I* const own = map.data() + from.num_lower();
    array_iota<I>(exec, from.num_own(), own);
    array_shift<I>(exec, from.num_own(), static_cast<I>(to.num_lower()), own, own);
    place_positions(from, from.ghosts(), to, map);
    array_renumber<I>(exec, count, map.data(), col_idxs);
}
template <class I>
void renumber(Array<I>& col_idxs, const Extent& from, const Extent& to)
{
    renumber(col_idxs.executor(), col_idxs.data(), col_idxs.size(), from, to);
}

/// Appends those of `numbers` that are in [first, end), each once, in ascending order, by marks on their executor.
template <class I>
void append_marked(const Array<std::int64_t>& numbers, std::int64_t first, std::int64_t end,
                   std::vector<std::int64_t>& list)
{
    if (first >= end) {
        return;
    }
    const auto& exec = numbers.executor();
    Array<I> ends(exec, end - first + 1);
    exec.state().fill_zero(ends.data(), ends.bytes());
    exchange_mark<I>(exec, numbers.size(), numbers.data(), first, end - first, ends.data());
    Array<std::int64_t> marked(exec, detail::make_row_ptrs(ends, "the rows that a rank sees"));
    exchange_list<I>(exec, end - first, first, ends.data(), marked.data());
    const auto found = marked.to_host();
    list.insert(list.end(), found.begin(), found.end());
}

/// Row pointers: `before`, those of `num_own` rows plus `offset`, and `behind`.
template <class I>
Array<I> joined_pointers(const Executor& exec, const std::vector<I>& before, const I* own, size_type num_own, I offset,
                         const std::vector<I>& behind)
{
    const auto num_before = static_cast<size_type>(before.size());
    const auto num_behind = static_cast<size_type>(behind.size());
    Array<I> result(exec, num_before + num_own + 1 + num_behind);
    I* const target = result.data() + num_before;
    array_shift<I>(exec, num_own + 1, offset, own, target);
    Array<I>::view(exec, num_before, result.data()).copy_from_host(before.data());
    Array<I>::view(exec, num_behind, target + num_own + 1).copy_from_host(behind.data());
    return result;
}

/// Rows that follow each other out of a matrix.
template <class V, class I>
struct RowSlice {
    I first_entry = 0;  ///< of the slice, among those of the matrix
    Csr<V, I> rows;

    RowSlice(const Csr<V, I>& a, size_type first, size_type count) : rows(a.executor(), Dim{})
    {
        const auto& exec = a.executor();
        const auto pointer = [&](size_type row) {
            return Array<I>::view(exec, 1, const_cast<I*>(a.row_ptrs()) + row).to_host().front();
        };
        first_entry = pointer(first);
        const auto num_entries = pointer(first + count) - first_entry;
        Array<I> col_idxs(exec, num_entries);
        Array<V> values(exec, num_entries);
        copy_within(exec, a.col_idxs() + first_entry, col_idxs.data(), col_idxs.size());
        copy_within(exec, a.values() + first_entry, values.data(), values.size());
        rows = Csr<V, I>(exec, {count, a.size().cols},
                         joined_pointers<I>(exec, {}, a.row_ptrs() + first, count, -first_entry, {}),
                         std::move(col_idxs), std::move(values));
    }
    /// The values again from those of the matrix.
    void update(const V* values)
    {
        copy_within(rows.executor(), values + first_entry, rows.values(), rows.num_nonzeros());
    }
};

/// The pattern of own rows as that of a matrix whose rows are the positions of an extent, empty for ghosts, and whose
/// columns those of another.
template <class I>
class PaddedPattern {
public:
    template <class V>
    PaddedPattern(const SpreadRows<V, I>& a, const Extent& rows, const Extent& columns)
        : size_{rows.size(), columns.size()},
          row_ptrs_(a.own.executor()),
          col_idxs_(a.own.executor(), a.own.num_nonzeros())
    {
        const auto& exec = a.own.executor();
        row_ptrs_ = joined_pointers(
            exec, std::vector<I>(static_cast<std::size_t>(rows.num_lower()), 0), a.own.row_ptrs(), rows.num_own(), I{0},
            std::vector<I>(static_cast<std::size_t>(rows.num_upper()), static_cast<I>(a.own.num_nonzeros())));
        copy_within(exec, a.own.col_idxs(), col_idxs_.data(), col_idxs_.size());
        renumber(col_idxs_, a.columns, columns);
    }

    PatternView<I> view() const
    {
        return {size_.rows, size_.cols, col_idxs_.size(), row_ptrs_.data(), col_idxs_.data()};
    }
    template <class V>
    CsrView<V, I> view(const V* values) const
    {
        return {size_.rows, size_.cols, col_idxs_.size(), row_ptrs_.data(), col_idxs_.data(), values};
    }

private:
    Dim size_;
    Array<I> row_ptrs_, col_idxs_;
};

}  // namespace linden::distributed
