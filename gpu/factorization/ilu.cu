#include "core/kernels/ilu.hpp"

#include "gpu/device/awaited.cuh"
#include "gpu/device/bisection.cuh"
#include "gpu/factorization/pivots.cuh"
#include "gpu/vector/elements.cuh"

/// Rows are taken in the order of levels, each by a subgroup, and wait for those that they need.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

#if defined(LINDEN_HIP_PLATFORM_HOST)
inline constexpr int block_size = 64;
#else
inline constexpr int block_size = 128;
#endif
/// Lanes that wait together.
using Wave = Subgroup<32>;

/// What rows tell each other: which are done, and who takes the next.
struct Progress {
    std::uint64_t* tickets;
    std::uint32_t* done;  ///< per row

    Progress(const Executor& exec, size_type n, WorkspaceView workspace)
        : tickets(reinterpret_cast<std::uint64_t*>(workspace.data)),
          done(reinterpret_cast<std::uint32_t*>(tickets + 1))
    {
        exec.state().fill_zero(workspace.data, sizeof *tickets + static_cast<std::size_t>(n) * sizeof *done);
    }
};

/// What the rows of one factorization share.
template <class V, class I>
struct Factors {
    FactorPatternView<I> f;
    PivotLimits<device_real<V>> limits;
    V* values;
    PivotReport* report;
};

/// A row that others are eliminated by.
template <class I>
struct PivotRow {
    I begin, diagonal, end;

    __device__ PivotRow(const FactorPatternView<I>& f, I row)
        : begin(f.pattern.row_ptrs[row]),
          diagonal(f.diagonal[row]),
          end(f.pattern.row_ptrs[row + 1])
    {
    }
};

/// Entries that two rows have in the same columns: up to `count` of those of a lane.
template <class I, int count>
struct CommonEntries {
    I other[count];
    I own[count];  ///< -1: there is none

    template <class F>
    __device__ void for_each(const F& f) const
    {
        for (int q = 0; q < count; ++q) {
            if (own[q] >= 0) {
                f(q, own[q], other[q]);
            }
        }
    }
};

/// The entries of a row in [begin, end), to be found by the columns of another row. Where factors are filled, two rows
/// have the same columns for long stretches, and most of all at their ends: so lanes of long rows first look for an
/// entry as far behind the last one as it is in the other row, and for several at once, since an access takes long.
template <class I, class Lanes>
struct EntrySearch {
    static constexpr int count = Lanes::size < 32 ? 1 : 4;
    static constexpr I stride = Lanes::size;
    using Common = CommonEntries<I, count>;

    const I* col_idxs;
    I begin, end;

    /// The entry in this column or the first one behind it, given that entry `guess` is in column `there`.
    __device__ I find(I col, I guess, I there) const
    {
        return there == col ? guess : lower_bound(col_idxs, begin, end, col);
    }
    __device__ bool is_in(I entry, I col) const { return entry < end && col_idxs[entry] == col; }

    /// Calls f(common) for the entries [first, last) of the other row, some at a time.
    template <class F>
    __device__ void for_each_common(I first, I last, const F& f)
    {
        I e = first + static_cast<I>(Lanes::lane());
        if constexpr (count == 1) {
            for (; e < last; e += stride) {
                const I own = lower_bound(col_idxs, begin, end, col_idxs[e]);
                f(Common{{e}, {is_in(own, col_idxs[e]) ? own : I{-1}}});
            }
            return;
        }
        I expected = end - (last - e);
        for (; e < last && begin < end; e += count * stride) {
            Common common;
            I cols[count], there[count];
            for (int q = 0; q < count; ++q) {
                common.other[q] = q * stride < last - e ? e + q * stride : last - 1;
                common.own[q] = expected < end - q * stride ? expected + q * stride : end - 1;
                common.own[q] = common.own[q] < begin ? begin : common.own[q];
                cols[q] = col_idxs[common.other[q]];
                there[q] = col_idxs[common.own[q]];
            }
            for (int q = 0; q < count; ++q) {
                const bool is_entry = q * stride < last - e;
                begin = is_entry ? find(cols[q], common.own[q], there[q]) : begin;
                common.own[q] = is_entry && is_in(begin, cols[q]) ? begin : I{-1};
            }
            expected = begin < end - stride ? begin + stride : end;
            f(common);
        }
    }
};

/// LU: entry k of a row, in column `col`, by which the rest of the row is eliminated.
template <class V, class I>
struct EliminateRow : Factors<V, I> {
    using Factors<V, I>::f;
    using Factors<V, I>::values;

    template <class Lanes>
    __device__ void take(Lanes, size_type row, I k, I col) const
    {
        const PivotRow pivot(f, col);
        const V multiplier = values[k] / values[pivot.diagonal];  // l_ik := a_ik / u_kk
        Lanes::sync();
        if (Lanes::lane() == 0) {
            values[k] = multiplier;
        }
        EntrySearch<I, Lanes> search{f.pattern.col_idxs, k + 1, f.pattern.row_ptrs[row + 1]};
        search.for_each_common(pivot.diagonal + 1, pivot.end, [&](const auto& common) {
            V results[search.count];
            common.for_each([&](int q, I own, I other) { results[q] = values[own] - multiplier * values[other]; });
            common.for_each([&](int q, I own, I) { values[own] = results[q]; });  // a_ij := a_ij - l_ik u_kj
        });
        Lanes::sync();
    }
    template <class Lanes>
    __device__ void finish(Lanes, size_type row) const
    {
        const PivotRow own(f, static_cast<I>(row));
        const V pivot = values[own.diagonal];
        const auto size = abs(pivot);
        const auto small = this->limits.small;
        bool is_larger = true;  // in all lanes, than `small` of what is right of it
        if (small > 0 && !(size > small * this->limits.norms[row])) {
            for (I e = own.diagonal + 1 + static_cast<I>(Lanes::lane()); e < own.end; e += Lanes::size) {
                is_larger = is_larger && size > small * abs(values[e]);
            }
            is_larger = Lanes::all(is_larger);
        }
        Lanes::sync();
        if (Lanes::lane() == 0) {
            values[own.diagonal] = checked_pivot(pivot, size, this->limits, row, is_larger, this->report);
        }
    }
};

/// Cholesky: entry k of a row, in column `col`, from the inner product of the two rows.
template <class V, class I>
struct CholeskyRow : Factors<V, I> {
    using Factors<V, I>::f;
    using Factors<V, I>::values;

    template <class Lanes>
    __device__ void take(Lanes, size_type row, I k, I col) const
    {
        const PivotRow pivot(f, col);
        V sum{};
        EntrySearch<I, Lanes> search{f.pattern.col_idxs, f.pattern.row_ptrs[row], k};
        search.for_each_common(pivot.begin, pivot.diagonal, [&](const auto& common) {
            common.for_each([&](int, I own, I other) { sum += values[own] * conj(values[other]); });
        });
        sum = Lanes::sum(sum);
        if (Lanes::lane() == 0) {
            values[k] = (values[k] - sum) / values[pivot.diagonal];
        }
        Lanes::sync();
    }
    template <class Lanes>
    __device__ void finish(Lanes, size_type row) const
    {
        using R = device_real<V>;
        const I diagonal = f.diagonal[row];
        R sum{};
        for (I e = f.pattern.row_ptrs[row] + static_cast<I>(Lanes::lane()); e < diagonal; e += Lanes::size) {
            sum += abs2(values[e]);
        }
        sum = Lanes::sum(sum);
        if (Lanes::lane() == 0) {
            const R rest = real(values[diagonal]) - sum;
            values[diagonal] = V{sqrt(checked_pivot(rest, rest, this->limits, row, false, this->report))};
        }
    }
};

template <int L, class Row>
__global__ void __launch_bounds__(block_size, 4) factorize_kernel(Row algorithm, Progress progress)
{
    using Lanes = Subgroup<L>;
    const auto& f = algorithm.f;
    const size_type position = next_in_turn<block_size, L>(progress.tickets);
    bool done = position >= f.pattern.rows;
    const size_type row = done ? 0 : size_type{f.order[position]};
    auto k = f.pattern.row_ptrs[row];
    do {
        if (!done) {
            const auto diagonal = f.diagonal[row];
            if (k < diagonal) {
                const auto col = f.pattern.col_idxs[k];
                if (Lanes::all(load_acquire(progress.done + col) != 0)) {
                    algorithm.take(Lanes{}, row, k, col);
                    note_progress();
                    ++k;
                }
            }
            if (k == diagonal) {
                algorithm.finish(Lanes{}, row);
                thread_fence();
                Lanes::sync();
                if (Lanes::lane() == 0) {
                    store_release(progress.done + row, 1u);
                }
                done = true;
            }
        }
        pause();
    } while (Wave::any(!done));
}

template <template <class, class> class Row, class V, class I>
void factorize(const Executor& exec, FactorPatternView<I> f, PivotLimits<real_t<V>> limits, V* values,
               PivotReport* report, WorkspaceView workspace)
{
    using Algorithm = Row<device_type<V>, I>;
    clear_report(exec, report);
    const size_type rows = f.pattern.rows;
    const Progress progress(exec, rows, workspace);
    const Algorithm algorithm{{f, limits, as_device(values), report}};
    // Late rows of filled factors are long, and each waits for the one before.
    if (!f.is_closed && f.pattern.num_nonzeros <= 16 * rows) {
        constexpr int lanes = 4;
        launch_on(exec, factorize_kernel<lanes, Algorithm>, blocks_for(rows * lanes, block_size), block_size, 0,
                  algorithm, progress);
    } else {
        constexpr int lanes = 32;
        launch_on(exec, factorize_kernel<lanes, Algorithm>, blocks_for(rows * lanes, block_size), block_size, 0,
                  algorithm, progress);
    }
}

template <class I>
struct FindDiagonal : NothingToPrepare {
    PatternView<I> a;
    I* diagonal;

    __device__ void operator()(Place<1> at, Nothing) const
    {
        I k = a.row_ptrs[at.row];
        const I end = a.row_ptrs[at.row + 1];
        while (k < end && a.col_idxs[k] != static_cast<I>(at.row)) {
            ++k;
        }
        diagonal[at.row] = k < end ? k : I{-1};
    }
};

template <class I>
void find_diagonal(const Executor& exec, PatternView<I> a, I* diagonal)
{
    map_elements(exec, a.rows, 1, FindDiagonal<I>{{}, a, diagonal});
}

}  // namespace

void register_ilu()
{
    for_each_index([]<class I>() { pattern_find_diagonal<I>.bind(this_backend, find_diagonal<I>); });
    for_each_value_index([]<class V, class I>() {
        ilu_factorize<V, I>.bind(this_backend, factorize<EliminateRow, V, I>);
        ic_factorize<V, I>.bind(this_backend, factorize<CholeskyRow, V, I>);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
