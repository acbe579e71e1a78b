#pragma once

#include "gpu/device/bits.cuh"
#include "gpu/device/complex.cuh"
#include "gpu/spgemm/spgemm_rows.cuh"

/// Columns and values of C = A B in one pass, rows of known lengths. Three kernels pass over all rows, and each takes
/// those of its kind: a thread to a row of few entries, which it keeps sorted; a hash table for eight lanes, or for 32.
namespace linden::LINDEN_GPU_NAMESPACE::spgemm {

#if defined(LINDEN_HIP_PLATFORM_HOST)  // small, so that modest matrices have rows of each kind
inline constexpr int inserted_entries = 4;
inline constexpr int few_entries = 24;
inline constexpr int form_threads = 64;
template <class V, class I>
inline constexpr int insert_threads = 64;
#else
inline constexpr int inserted_entries = 16;
inline constexpr int few_entries = 64;
inline constexpr int form_threads = 128;
/// As many as fit into 48 KiB of shared memory.
template <class V, class I>
inline constexpr int insert_threads = sizeof(V) + sizeof(I) <= 12 ? 256 : 128;
#endif
inline constexpr int few_lanes = 8;
#if defined(LINDEN_GPU_HIP)  // whose compilers count waves there
inline constexpr int form_blocks = 1;
#else
/// Blocks that must fit beside each other: leaves a thread registers enough.
inline constexpr int form_blocks = 10;
#endif
/// Longer rows of A are no work for one thread, or for few lanes.
inline constexpr size_type inserted_row = 64;
inline constexpr size_type few_row = 1024;

template <class V, class I>
inline constexpr size_type insert_bytes = inserted_entries* insert_threads<V, I>* static_cast<size_type>(sizeof(V) +
                                                                                                         sizeof(I));

/// Slots of the table of L lanes, a power of two.
template <int L>
inline constexpr int most_slots = L == few_lanes ? 128 : 512;
static_assert(most_slots<few_lanes> >= 2 * few_entries && most_slots<32> >= 2 * spgemm_form_entries);
template <int L, class V, class I>
inline constexpr size_type hash_bytes = form_threads / L* most_slots<L>* static_cast<size_type>(sizeof(V) + sizeof(I));

template <class V, class I>
struct FormedRows {
    CsrView<V, I> a, b;
    const I* row_ptrs;
    I* col_idxs;
    V* values;

    __device__ int length(size_type row) const { return static_cast<int>(row_ptrs[row + 1] - row_ptrs[row]); }
    /// How many lanes form the row.
    __device__ int lanes_for(size_type row) const
    {
        const size_type entries_of_a = a.row_ptrs[row + 1] - a.row_ptrs[row];
        return length(row) <= inserted_entries && entries_of_a <= inserted_row ? 1
               : length(row) <= few_entries && entries_of_a <= few_row         ? few_lanes
                                                                               : 32;
    }
    __device__ void write(I at, I col, V value) const
    {
        if (col_idxs != nullptr) {
            col_idxs[at] = col;
        }
        values[at] = value;
    }
};

/// A row's entries in order; those of neighbouring threads lie side by side.
template <class V, class I>
struct SortedEntries {
    static constexpr int stride = insert_threads<V, I>;
    V* sums;
    I* cols;
    int count = 0;

    __device__ SortedEntries()
        : sums(dynamic_shared<V>() + thread_id()),
          cols(reinterpret_cast<I*>(dynamic_shared<V>() + inserted_entries * stride) + thread_id())
    {
    }

    __device__ void add(I col, V product)
    {
        int at = 0;
        while (at < count && cols[at * stride] < col) {
            ++at;
        }
        if (at < count && cols[at * stride] == col) {
            sums[at * stride] += product;
            return;
        }
        for (int i = count; i > at; --i) {
            cols[i * stride] = cols[(i - 1) * stride];
            sums[i * stride] = sums[(i - 1) * stride];
        }
        cols[at * stride] = col;
        sums[at * stride] = product;
        ++count;
    }
};

template <class V, class I>
__global__ void __launch_bounds__((insert_threads<V, I>)) insert_rows(FormedRows<V, I> rows)
{
    SortedEntries<V, I> entries;
    for (size_type row = global_id(); row < rows.a.rows; row += grid_threads()) {
        if (rows.lanes_for(row) != 1) {
            continue;
        }
        entries.count = 0;
        for (I i = rows.a.row_ptrs[row]; i < rows.a.row_ptrs[row + 1]; ++i) {
            const I k = rows.a.col_idxs[i];
            const V value = rows.a.values[i];
            const I end = rows.b.row_ptrs[k + 1];
            for (I j = rows.b.row_ptrs[k]; j < end; ++j) {
                entries.add(rows.b.col_idxs[j], value * rows.b.values[j]);
            }
        }
        const I first = rows.row_ptrs[row];
        for (int i = 0; i < entries.count; ++i) {
            rows.write(first + i, entries.cols[i * entries.stride], entries.sums[i * entries.stride]);
        }
    }
}

/// A table of columns and sums, in the shared memory of L lanes. Functions are called by all of them.
template <int L, class V, class I>
class SumTable {
public:
    using Group = Subgroup<L>;

    __device__ SumTable()
        : sums_(dynamic_shared<V>() + thread_id() / L * most_slots<L>),
          cols_(reinterpret_cast<I*>(dynamic_shared<V>() + form_threads / L * most_slots<L>) +
                thread_id() / L * most_slots<L>)
    {
    }

    __device__ void clear(int length)
    {
        bits_ = 3;
        while (1 << bits_ < 2 * length || 1 << bits_ < L) {
            ++bits_;
        }
        for (int slot = Group::lane(); slot < 1 << bits_; slot += L) {
            cols_[slot] = no_column<I>;
            sums_[slot] = V{};
        }
        Group::sync();
    }
    /// Adds value times the entries [begin, begin + length) of B, whose columns differ.
    __device__ void add(const CsrView<V, I>& b, I begin, int length, V value)
    {
        for (int i = Group::lane(); i < length; i += L) {
            const V product = value * b.values[begin + i];
            sums_[slot_of(b.col_idxs[begin + i])] += product;
        }
        Group::sync();
    }
    /// Entries go to the place that their column has among all.
    __device__ void write(const FormedRows<V, I>& rows, I first)
    {
        const int count = compact();
        for (int i = Group::lane(); i < count; i += L) {
            const I col = cols_[i];
            int rank = 0;
            for (int j = 0; j < count; ++j) {
                rank += cols_[j] < col ? 1 : 0;
            }
            rows.write(first + rank, col, sums_[i]);
        }
        Group::sync();  // before the next row comes into the table
    }

private:
    __device__ int slot_of(I col) const
    {
        const auto last = (1u << bits_) - 1;
        auto slot = static_cast<std::uint32_t>(col) * 0x9E3779B1u >> (32 - bits_);  // [Knuth98, 6.4]
        while (true) {
            I found = cols_[slot];
            if (found == no_column<I>) {
                found = atomic_cas(cols_ + slot, no_column<I>, col);
            }
            if (found == no_column<I> || found == col) {
                return static_cast<int>(slot);
            }
            slot = (slot + 1) & last;
        }
    }
    /// What is full to the front; returns how much that is.
    __device__ int compact()
    {
        const LaneMask lanes_before = (LaneMask{1} << Group::lane()) - 1;
        int count = 0;
        for (int first = 0; first < 1 << bits_; first += L) {
            const I col = cols_[first + Group::lane()];
            const V sum = sums_[first + Group::lane()];
            const LaneMask full = Group::ballot(col != no_column<I>);
            if (col != no_column<I>) {
                const int at = count + popcount(full & lanes_before);  // at or before what has been read
                cols_[at] = col;
                sums_[at] = sum;
            }
            count += popcount(full);
            Group::sync();
        }
        return count;
    }

    V* sums_;
    I* cols_;
    int bits_ = 0;
};

/// Forms a row by L lanes: one entry of A after the other, the lanes along its row of B. Lanes look up L entries of A
/// together.
template <int L, class V, class I>
__device__ inline void hash_row(const FormedRows<V, I>& rows, SumTable<L, V, I>& table, size_type row)
{
    using Group = Subgroup<L>;
    table.clear(rows.length(row));
    const I origin = rows.a.row_ptrs[row];
    const I entries = rows.a.row_ptrs[row + 1] - origin;
    const I turns = (entries - 1) / L + 1;
    for (I turn = 0; turn < turns; ++turn) {
        const I done = turn * L;
        const int here = entries - done < L ? static_cast<int>(entries - done) : L;
        I begin = 0;
        int products = 0;
        V value{};
        if (Group::lane() < here) {
            const I k = rows.a.col_idxs[origin + done + Group::lane()];
            begin = rows.b.row_ptrs[k];
            products = static_cast<int>(rows.b.row_ptrs[k + 1] - begin);
            value = rows.a.values[origin + done + Group::lane()];
        }
        for (int i = 0; i < here; ++i) {
            table.add(rows.b, Group::shuffle(begin, i), Group::shuffle(products, i), Group::shuffle(value, i));
        }
    }
    table.write(rows, rows.row_ptrs[row]);
}

template <int L, class V, class I>
__global__ void __launch_bounds__(form_threads, form_blocks) hash_rows(FormedRows<V, I> rows)
{
    SumTable<L, V, I> table;
    for (size_type row = Subgroup<L>::index(); row < rows.a.rows; row += grid_threads() / L) {
        if (rows.lanes_for(row) == L) {
            hash_row(rows, table, row);
        }
    }
}

}  // namespace linden::LINDEN_GPU_NAMESPACE::spgemm
