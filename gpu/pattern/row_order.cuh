#pragma once

#include "core/kernels/levels.hpp"
#include "core/kernels/prefix_sum.hpp"
#include "gpu/vector/row_groups.cuh"

/// A stable sort of row numbers by the digits of their keys, the least first.
namespace linden::LINDEN_GPU_NAMESPACE {

inline constexpr int digit_bits = 8;
inline constexpr int num_digits = 1 << digit_bits;
/// One thread per digit.
inline constexpr int sort_threads = num_digits;
inline constexpr size_type max_sort_parts = 1024;

/// One pass: rows go by a digit of key(row). Parts are runs of rows; the places of a digit are by parts, and in a part
/// by the order of the input.
template <class I, class Key>
struct DigitPass {
    size_type n;
    size_type part_size;
    size_type num_parts;
    Key key;
    int shift;
    const I* rows;  ///< null: all in the order of substitution on `side`
    Side side;

    __device__ I row(size_type i) const
    {
        return rows != nullptr ? rows[i] : static_cast<I>(side == Side::lower ? i : n - 1 - i);
    }
    __device__ int digit(I of_row) const { return static_cast<int>(key(of_row) >> shift & (num_digits - 1)); }
    __device__ size_type begin(size_type part) const { return part * part_size; }
    __device__ size_type end(size_type part) const { return begin(part + 1) < n ? begin(part + 1) : n; }
};

/// counts[digit, part]
template <class I, class Key>
__global__ void __launch_bounds__(sort_threads) count_kernel(DigitPass<I, Key> pass, I* counts)
{
    LINDEN_SHARED(mine, std::int32_t[num_digits]);
    mine[thread_id()] = 0;
    block_barrier();
    for (size_type i = pass.begin(block_id()) + thread_id(); i < pass.end(block_id()); i += sort_threads) {
        atomic_add(mine + pass.digit(pass.row(i)), 1);
    }
    block_barrier();
    counts[thread_id() * pass.num_parts + block_id()] = static_cast<I>(mine[thread_id()]);
}

/// Waves rank their rows together.
using SortWave = Subgroup<32>;

/// The lanes of this wave whose rows have the same digit.
__device__ inline LaneMask lanes_of_digit(bool exists, int digit)
{
    LaneMask same = SortWave::ballot(exists);
    for (int bit = 0; bit < digit_bits; ++bit) {
        const bool is_set = (digit >> bit & 1) != 0;
        const LaneMask set = SortWave::ballot(is_set);
        same &= is_set ? set : ~set;
    }
    return same;
}

template <class I, class Key>
__global__ void __launch_bounds__(sort_threads) scatter_kernel(DigitPass<I, Key> pass, const I* starts, I* sorted)
{
    constexpr int num_waves = sort_threads / 32;
    LINDEN_SHARED(in_wave, std::int32_t[num_waves][num_digits]);
    LINDEN_SHARED(next, I[num_digits]);
    next[thread_id()] = starts[thread_id() * pass.num_parts + block_id()];
    const int wave = thread_id() / 32;
    const LaneMask before = (LaneMask{1} << SortWave::lane()) - 1;
    const size_type end = pass.end(block_id());
    for (size_type first = pass.begin(block_id()); first < end; first += sort_threads) {
        for (int w = 0; w < num_waves; ++w) {
            in_wave[w][thread_id()] = 0;
        }
        block_barrier();
        const bool exists = first + thread_id() < end;
        const I row = exists ? pass.row(first + thread_id()) : 0;
        const int digit = exists ? pass.digit(row) : 0;
        const LaneMask same = lanes_of_digit(exists, digit);
        if (exists && (same & before) == 0) {
            in_wave[wave][digit] = popcount(same);
        }
        block_barrier();
        I place = 0;
        if (exists) {
            place = next[digit] + static_cast<I>(popcount(same & before));
            for (int w = 0; w < wave; ++w) {
                place += static_cast<I>(in_wave[w][digit]);
            }
        }
        block_barrier();
        for (int w = 0; w < num_waves; ++w) {
            next[thread_id()] += static_cast<I>(in_wave[w][thread_id()]);
        }
        if (exists) {
            sorted[place] = row;
        }
        block_barrier();
    }
}

/// All rows as they are before the first pass.
template <class I>
struct Unsorted : NothingToPrepare {
    I* order;
    size_type n;
    Side side;

    __device__ void operator()(Place<1> at, Nothing) const
    {
        order[at.row] = static_cast<I>(side == Side::lower ? at.row : n - 1 - at.row);
    }
};

/// Passes for keys less than num_keys.
constexpr int num_sort_passes(size_type num_keys)
{
    int passes = 0;
    while (passes * digit_bits < 62 && (num_keys - 1) >> (passes * digit_bits) != 0) {
        ++passes;
    }
    return passes;
}

/// The rows 0, ..., n - 1, for upper triangles n - 1, ..., 0, sorted by one key after the other, the most significant
/// last. They end in `order` after `num_passes` passes in all. Workspace: levels_order_workspace_bytes<I>(n).
template <class I>
class RowSort {
public:
    RowSort(const Executor& exec, size_type n, Side side, int num_passes, I* order, WorkspaceView workspace)
        : exec_(exec),
          n_(n),
          side_(side),
          passes_left_(num_passes),
          order_(order),
          counts_(reinterpret_cast<I*>(workspace.data)),
          total_(reinterpret_cast<std::int64_t*>(counts_ + num_digits * max_sort_parts + 16)),
          scan_{reinterpret_cast<std::byte*>(total_ + 1), prefix_sum_workspace_bytes},
          room_(reinterpret_cast<I*>(scan_.data + scan_.bytes))
    {
        if (num_passes == 0) {
            map_elements(exec, n, 1, Unsorted<I>{{}, order, n, side});
            rows_ = order;
        }
    }

    template <class Key>
    void by(Key key, size_type num_keys)
    {
        constexpr size_type least_part = 8 * sort_threads;
        const size_type part = std::max(least_part, blocks_for(n_, sort_threads, max_sort_parts) * sort_threads);
        const size_type num_parts = (n_ + part - 1) / part;
        for (int i = 0; i < num_sort_passes(num_keys); ++i) {
            I* const sorted = passes_left_ % 2 == 1 ? order_ : room_;
            const DigitPass<I, Key> pass{n_, part, num_parts, key, i * digit_bits, rows_, side_};
            launch_on(exec_, count_kernel<I, Key>, num_parts, sort_threads, 0, pass, counts_);
            prefix_sum<I>(exec_, num_digits * num_parts, counts_, total_, scan_);
            launch_on(exec_, scatter_kernel<I, Key>, num_parts, sort_threads, 0, pass, counts_, sorted);
            rows_ = sorted;
            --passes_left_;
        }
    }

private:
    const Executor& exec_;
    size_type n_;
    Side side_;
    int passes_left_;
    I* order_;
    I* counts_;
    std::int64_t* total_;
    WorkspaceView scan_;
    I* room_;
    const I* rows_ = nullptr;
};

/// The level of a row.
template <class I>
struct LevelKey {
    const I* levels;
    __device__ I operator()(I row) const { return levels[row]; }
};

}  // namespace linden::LINDEN_GPU_NAMESPACE
