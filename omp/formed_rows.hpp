#pragma once

#include <linden/views.hpp>

#include <algorithm>
#include <limits>

#include "omp/parallel.hpp"

namespace linden::omp {

/// Where a part keeps the rows that it has found, one behind the other, for those who know where they go: so many rows
/// from its first one on, as there is room for.
template <class V, class I>
class FormedRows {
public:
    /// Room for so many entries in all parts together, behind the first `before` bytes of the workspace.
    static size_type bytes(const Executor& exec, size_type before, size_type num_entries)
    {
        return before + num_threads(exec) * bytes_per_part(exec, num_entries);
    }

    FormedRows(const Executor& exec, int part, size_type before, size_type num_entries, WorkspaceView workspace)
        : num_rows_(reinterpret_cast<size_type*>(workspace.data + before + part * bytes_per_part(exec, num_entries))),
          values_(reinterpret_cast<V*>(reinterpret_cast<std::byte*>(num_rows_) + cache_line_bytes)),
          cols_(reinterpret_cast<I*>(values_ + room_of_part(exec, num_entries))),
          room_(room_of_part(exec, num_entries))
    {
    }

    I* cols() const { return cols_; }
    V* values() const { return values_; }
    size_type room() const { return room_; }
    size_type num_rows() const { return *num_rows_; }
    void set_num_rows(size_type count) const { *num_rows_ = count; }

    /// The rows of a part that begins at `first_entry`, to their places; `num_entries` of them.
    void copy_to(I first_entry, size_type num_entries, I* col_idxs, V* values) const
    {
        std::copy_n(cols_, num_entries, col_idxs + first_entry);
        std::copy_n(values_, num_entries, values + first_entry);
    }

private:
    static size_type room_of_part(const Executor& exec, size_type num_entries)
    {
        constexpr size_type granule = 64;
        const size_type room = (num_entries / num_threads(exec) / granule + 2) * granule;
        return std::min<size_type>(room, std::numeric_limits<I>::max() / granule * granule);
    }
    static size_type bytes_per_part(const Executor& exec, size_type num_entries)
    {
        return cache_line_bytes + room_of_part(exec, num_entries) * static_cast<size_type>(sizeof(I) + sizeof(V));
    }

    size_type* num_rows_;
    V* values_;
    I* cols_;
    size_type room_;
};

}  // namespace linden::omp
