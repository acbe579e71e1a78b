#pragma once

#include <linden/views.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "omp/executor.hpp"
#include "omp/parallel.hpp"

/// Tables of the columns that a row of a product has.
namespace linden::omp {

/// Slots of the hash table for a row of so many products: a power of two, at least half of it empty.
inline size_type num_slots(size_type products, size_type cols)
{
    const size_type entries = std::min(products, cols);
    size_type slots = 16;
    while (slots < 2 * entries) {
        slots *= 2;
    }
    return slots;
}

/// The columns of a row, each with a place, in a table with room for all columns of B. Rows are stamped, not cleared.
template <class I>
class WholeTable {
public:
    WholeTable(I* stamps, size_type row) : stamps_(stamps), row_(static_cast<I>(row)) {}

    bool insert(I col) const
    {
        const bool is_new = stamps_[col] != row_;
        stamps_[col] = row_;
        return is_new;
    }
    void insert(I col, I place) const { stamps_[col] = place; }
    I place(I col) const { return stamps_[col]; }

private:
    I* stamps_;
    I row_;
};

/// Whether each thread has a table for all columns: where these take no more room than the operands, or little.
template <class I>
bool has_whole_tables(const Executor& exec, PatternView<I> a, PatternView<I> b)
{
    constexpr size_type little = size_type{1} << 16;
    const auto room = std::max(little * num_threads(exec), a.num_nonzeros + b.num_nonzeros + a.rows + b.rows);
    return b.cols <= room / num_threads(exec);
}

/// What these tables take, in whole cache lines.
template <class I>
size_type bytes_of_tables(const Executor& exec, PatternView<I> b)
{
    const size_type bytes = num_threads(exec) * b.cols * static_cast<size_type>(sizeof(I));
    return (bytes + cache_line_bytes - 1) / cache_line_bytes * cache_line_bytes;
}

/// A set of columns, each with a place, by open addressing.
template <class I>
class Table {
public:
    Table(I* memory, size_type slots)
        : cols_(memory),
          places_(memory + slots),
          last_slot_(static_cast<std::uint64_t>(slots) - 1),
          shift_(std::countl_zero(last_slot_))
    {
        std::fill_n(cols_, slots, I{-1});
    }

    /// Whether `col` was not there.
    bool insert(I col) const
    {
        const auto slot = find(col);
        const bool is_new = cols_[slot] != col;
        cols_[slot] = col;
        return is_new;
    }
    void insert(I col, I place) const
    {
        const auto slot = find(col);
        cols_[slot] = col;
        places_[slot] = place;
    }
    I place(I col) const { return places_[find(col)]; }

private:
    std::uint64_t find(I col) const
    {
        auto slot = static_cast<std::uint64_t>(col) * 0x9E3779B97F4A7C15u >> shift_;  // [Knuth98, 6.4]
        while (cols_[slot] != col && cols_[slot] != -1) {
            slot = (slot + 1) & last_slot_;
        }
        return slot;
    }

    I* cols_;
    I* places_;
    std::uint64_t last_slot_;
    int shift_;
};

/// Columns and places of a table.
template <class I>
constexpr size_type table_bytes(size_type slots)
{
    return 2 * slots * static_cast<size_type>(sizeof(I));
}

}  // namespace linden::omp
