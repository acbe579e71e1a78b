#pragma once

#include "core/portable/parilut_arithmetic.hpp"
#include "gpu/device/bisection.cuh"
#include "gpu/device/bits.cuh"
#include "gpu/vector/elements.cuh"

/// Rows of W = A - (L U without its diagonal) on devices: a subgroup merges the row of A and the rows of U that the
/// row of L multiplies, column after column, and stores nothing of what it does not keep. The fewer lanes have to wait
/// for each other, the sooner: most rows are one lane's.
namespace linden::LINDEN_GPU_NAMESPACE::parilut {

/// So many rows of U each lane merges from registers.
template <class V, class I>
inline constexpr int rows_per_lane = sizeof(V) + sizeof(I) <= 12 ? 8 : 4;

template <class I>
inline constexpr I no_column = std::numeric_limits<I>::max();

struct Least {
    template <class I>
    __device__ constexpr I operator()(I a, I b) const
    {
        return a < b ? a : b;
    }
};

/// Lane after lane.
template <class Group, class V>
__device__ void subtract_in_order(bool has_product, V product, V& value)
{
    for (LaneMask lanes = Group::ballot(has_product); lanes != 0; lanes &= lanes - 1) {
        const int lane = popcount((lanes & (~lanes + 1)) - 1);
        value = value - Group::shuffle(product, lane);
    }
}

/// Entries of the row of L, -1 for long rows, which are not for waves that take several.
template <class V, class I>
__device__ size_type length_of_row(const FixedPointView<V, I>& f, size_type row)
{
    const size_type length = f.diagonal[row] - f.s.row_ptrs[row];
    return f.long_rows.count > 0 && length >= least_long_row ? -1 : length;
}

/// The rows of U that a row of L multiplies, each at its next column; if there are more than fit into the registers of
/// a subgroup, the others are searched for each column. Functions are called by all lanes together.
template <class Group, class V, class I>
class MultipliedRows {
public:
    __device__ MultipliedRows(const FixedPointView<V, I>& f, size_type row)
        : f_(f),
          num_nonzeros_(static_cast<I>(f.s.num_nonzeros)),
          begin_(f.s.row_ptrs[row]),
          end_(f.diagonal[row])
    {
        LINDEN_UNROLL
        for (int i = 0; i < held; ++i) {
            const I l = entry(i);
            at_[i] = 0;
            cols_[i] = no_column<I>;
            lower_[i] = inverse_[i] = V{};
            if (l < end_) {
                const I k = f.s.col_idxs[l];
                at_[i] = f.diagonal[k] + 1;
                cols_[i] = at_[i] < f.s.row_ptrs[k + 1] ? f.s.col_idxs[at_[i]] : no_column<I>;
                lower_[i] = f.s.values[l];
                inverse_[i] = f.inverses[k];
            }
        }
    }

    /// The least of their next columns, which are all greater than `last`.
    __device__ I least_column(I last) const
    {
        I least = cols_[0];
        LINDEN_UNROLL
        for (int i = 1; i < held; ++i) {
            least = Least()(least, cols_[i]);
        }
        for (I base = first_searched(); base < end_; base += Group::size) {
            if (const I l = base + static_cast<I>(Group::lane()); l < end_) {
                const I k = f_.s.col_idxs[l];
                const I at = place_in(k, last + 1);
                least = at < f_.s.row_ptrs[k + 1] ? Least()(least, f_.s.col_idxs[at]) : least;
            }
        }
        return Group::reduce(least, Least());
    }

    /// Subtracts the products s_ik s_kj / s_kk of that column j, in the order of k, and leaves it. Columns before it,
    /// if it is not the least, are left out.
    template <bool is_least>
    __device__ void subtract_products(I col, V& value)
    {
        LINDEN_UNROLL
        for (int i = 0; i < held; ++i) {
            if (Group::size > 1 && begin_ + i * Group::size >= end_) {
                break;
            }
            if constexpr (!is_least) {
                skip_to(i, col);
            }
            const bool has_product = cols_[i] == col;
            V product{};
            if (has_product) {
                product = triple_product(lower_[i], f_.s.values[at_[i]], inverse_[i]);
                advance(i);
            }
            subtract_in_order<Group>(has_product, product, value);
        }
        for (I base = first_searched(); base < end_; base += Group::size) {
            bool has_product = false;
            V product{};
            if (const I l = base + static_cast<I>(Group::lane()); l < end_) {
                const I k = f_.s.col_idxs[l];
                const I at = place_in(k, col);
                has_product = at < f_.s.row_ptrs[k + 1] && f_.s.col_idxs[at] == col;
                product = has_product ? triple_product(f_.s.values[l], f_.s.values[at], f_.inverses[k]) : V{};
            }
            subtract_in_order<Group>(has_product, product, value);
        }
    }

private:
    static constexpr int held = rows_per_lane<V, I>;

    /// The entry of L's row that this lane's i-th row of U belongs to.
    __device__ I entry(int i) const { return begin_ + static_cast<I>(i * Group::size + Group::lane()); }
    /// Rows of few entries go to few lanes, none of them searched.
    __device__ I first_searched() const
    {
        return Group::size < 32 ? end_ : begin_ + static_cast<I>(held * Group::size);
    }
    /// A row of U ends where columns do not ascend: the next row begins with its diagonal or left of it.
    __device__ void advance(int i)
    {
        ++at_[i];
        const I next = at_[i] < num_nonzeros_ ? f_.s.col_idxs[at_[i]] : I{};
        cols_[i] = next > cols_[i] ? next : no_column<I>;
    }
    __device__ void skip_to(int i, I col)
    {
        constexpr int near = 8;
        for (int step = 0; cols_[i] < col && step < near; ++step) {
            advance(i);
        }
        if (cols_[i] < col) {
            const I k = f_.s.col_idxs[entry(i)];
            at_[i] = place_in(k, col);
            cols_[i] = at_[i] < f_.s.row_ptrs[k + 1] ? f_.s.col_idxs[at_[i]] : no_column<I>;
        }
    }
    /// The place in row k of U of its first column that is not less than `col`.
    __device__ I place_in(I k, I col) const
    {
        return lower_bound(f_.s.col_idxs, f_.diagonal[k] + 1, f_.s.row_ptrs[k + 1], col);
    }

    const FixedPointView<V, I>& f_;
    I num_nonzeros_, begin_, end_;
    I at_[held];                     ///< where this lane's rows of U stand
    I cols_[held];                   ///< the columns there
    V lower_[held], inverse_[held];  ///< s_ik and 1 / s_kk of them
};

/// Calls use(col, value) for each entry of row `row` of W, by columns, in all lanes.
template <class Group, class V, class I, class Use>
__device__ void for_each_entry(Group, const CsrView<V, I>& a, const FixedPointView<V, I>& f, size_type row, Use use)
{
    MultipliedRows<Group, V, I> products(f, row);
    const I diagonal = static_cast<I>(row);
    I at = a.row_ptrs[row];
    const I end = a.row_ptrs[row + 1];
    I a_col = at < end ? a.col_idxs[at] : no_column<I>;
    for (I last = -1;;) {
        I col = Least()(products.least_column(last), a_col);
        col = last < diagonal ? Least()(col, diagonal) : col;
        if (col == no_column<I>) {
            return;
        }
        V value{};
        if (col == a_col) {
            value = a.values[at++];
            a_col = at < end ? a.col_idxs[at] : no_column<I>;
        }
        products.template subtract_products<true>(col, value);
        use(col, value);
        last = col;
    }
}

inline constexpr int row_threads = 128;
#if defined(LINDEN_HIP_PLATFORM_AMD)
inline constexpr int row_occupancy = 1;  ///< waves: there is shared memory for no more
#else
inline constexpr int row_occupancy = 4;  ///< blocks
#endif

/// Entries of a wave's rows on their way to memory, where they lie side by side. A lane alone would write a few bytes
/// at a time, each of which costs memory a sector.
template <class T, class I>
struct WaveEntries {
    T* at;  ///< shared memory if they fit there, else `target`
    T* target;
    I first, count;

    __device__ WaveEntries(T* shared, size_type room, T* all, I first_, I end)
        : at(end - first_ <= room ? shared : all + first_),
          target(all + first_),
          first(first_),
          count(end - first_)
    {
    }
    __device__ T& operator[](I k) const { return at[k - first]; }
    /// By all lanes of the wave.
    __device__ void store() const
    {
        if (at != target) {
            for (I k = Subgroup<32>::lane(); k < count; k += 32) {
                target[k] = at[k];
            }
        }
    }
};

namespace detail {

using Wave = Subgroup<32>;

template <int num_bytes>
struct alignas(16) WaveMemory {
    std::byte bytes[num_bytes];
};

template <int L, class Body, class Output>
__device__ inline void take_rows(size_type first, int count, int length, const Body& body, const Output& output)
{
    for (int i = 0; i < count; i += 32 / L) {
        const int mine = i + Wave::lane() / L;
        if (Wave::shuffle(length, mine) >= 0) {
            body(Subgroup<L>{}, first + mine, output);
        }
    }
}

/// A wave takes up to 32 rows: 1, 2 or 8 lanes to a row, as few as hold what rows of L have, and then those of more
/// than 8 lanes can hold, all lanes to each.
template <class Body>
__global__ void __launch_bounds__(row_threads, row_occupancy)
    map_rows_kernel(size_type rows, int rows_of_wave, Body body)
{
    constexpr int held = Body::held;
    LINDEN_SHARED(shared, WaveMemory<Body::shared_bytes_of_wave>[row_threads / 32]);
    const size_type first = Wave::index() * rows_of_wave;
    if (first >= rows) {
        return;
    }
    const int count = static_cast<int>(rows - first < rows_of_wave ? rows - first : rows_of_wave);
    const size_type length = Wave::lane() < count ? body.length(first + Wave::lane()) : -1;
    const bool is_long = length > 8 * held;
    const int usual = is_long ? -1 : static_cast<int>(length);
    const int longest = Wave::reduce(usual, Max{});
    const auto output = body.begin(first, first + count, shared[thread_id() / 32].bytes);
    if (longest <= held) {
        take_rows<1>(first, count, usual, body, output);
    } else if (longest <= 2 * held) {
        take_rows<2>(first, count, usual, body, output);
    } else {
        take_rows<8>(first, count, usual, body, output);
    }
    for (LaneMask long_rows = Wave::ballot(is_long); long_rows != 0; long_rows &= long_rows - 1) {
        body(Wave{}, first + lowest_bit(static_cast<std::uint32_t>(long_rows)), output);
    }
    Wave::sync();
    output.store();
}

}  // namespace detail

/// Calls `body(group, row, output)` in all lanes of a subgroup for each row, with body.length(row) entries of L to be
/// held, Body::held by each lane; not for rows of a negative length, whose output is not what it will be. A wave calls
/// output = body.begin(first, last, shared memory) before its rows, with Body::shared_bytes_of_wave > 0 of it, and
/// output.store() after them.
template <class Body>
void map_rows(const Executor& exec, size_type rows, Body body)
{
    // Rows of different work: a wave has the fewer of them, the fewer there are in all.
    const size_type enough_waves = static_cast<size_type>(gpu(exec).num_multiprocessors()) * 128;
    int rows_of_wave = 32;
    while (rows_of_wave > 4 && rows < enough_waves * rows_of_wave) {
        rows_of_wave /= 2;
    }
    launch_on(exec, detail::map_rows_kernel<Body>, blocks_for(rows, row_threads / 32, rows_of_wave), row_threads, 0,
              rows, rows_of_wave, body);
}

}  // namespace linden::LINDEN_GPU_NAMESPACE::parilut
