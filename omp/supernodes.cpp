#include "core/kernels/supernodes.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>

#include "core/base/math.hpp"
#include "core/portable/pivots.hpp"
#include "omp/dense_products.hpp"
#include "omp/parallel.hpp"

/// Supernodes are updated by those before them, in products of dense matrices whose tiles are subtracted where they
/// belong. Which tiles there are is a matter of the pattern alone, so that any number of threads finds the same bits.
namespace linden::omp {
namespace {

/// A supernode's shape and where its panel is.
template <class I>
struct Panel {
    Panel(const SupernodeView<I>& f, size_type s)
        : begin(f.first[s]),
          width(f.first[s + 1] - begin),
          rows(f.rows + f.row_ptrs[s]),
          height(f.row_ptrs[s + 1] - f.row_ptrs[s]),
          values(f.value_ptrs[s])
    {
    }
    size_type at(size_type row, size_type column) const { return values + column * height + row; }

    size_type begin, width;
    const I* rows;
    size_type height, values;
};

/// What a thread works with.
template <class V, class I>
struct Room {
    using R = real_t<V>;

    Room(WorkspaceView workspace, size_type n, int thread)
        : place(reinterpret_cast<I*>(workspace.data + thread * supernodes_workspace_bytes<V>(n, 1))),
          places(place + n),
          packed(reinterpret_cast<R*>(workspace.data + thread * supernodes_workspace_bytes<V>(n, 1) + 16 * (n + 8))),
          strip(packed + DenseProducts<V>::num_packed(most_supernode_columns, most_supernode_columns))
    {
    }

    I* place;   ///< of the rows of the supernode that is worked on, among them
    I* places;  ///< there, of the rows of another one
    R *packed, *strip;
};

template <class V, class I>
class Factorizer {
    using R = real_t<V>;
    using Products = DenseProducts<V>;

public:
    Factorizer(const SupernodeView<I>& f, const PivotLimits<R>& limits, const SupernodeFactors<V>& values,
               Room<V, I> room)
        : f_(f),
          limits_(limits),
          lower_(values.lower),
          upper_(values.upper),
          room_(room)
    {
    }

    void run(size_type s)
    {
        const Panel<I> p(f_, s);
        for (size_type i = 0; i < p.height; ++i) {
            room_.place[p.rows[i]] = static_cast<I>(i);
        }
        for (I source = f_.source_ptrs[s]; source < f_.source_ptrs[s + 1]; ++source) {
            update_by(p, f_.sources + 3 * size_type{source});
        }
        factorize(p);
    }
    const PivotReport& report() const { return report_; }

private:
    /// The rows `begin` to `end` of a supernode as columns of D L^H, or of U where it is not that; or of L.
    void pack_upper(const Panel<I>& p, size_type begin, size_type end, size_type depth)
    {
        const V* const from = (upper_ != nullptr ? upper_ : lower_) + p.values + begin;
        const size_type height = p.height;
        if (upper_ != nullptr) {
            Products::pack(
                end - begin, depth, [=](size_type j, size_type k) { return from[k * height + j]; }, room_.packed);
            return;
        }
        const V* const pivots = lower_ + p.values;
        Products::pack(
            end - begin, depth,
            [=](size_type j, size_type k) { return real(pivots[k * (height + 1)]) * conj(from[k * height + j]); },
            room_.packed);
    }
    void pack_lower(const Panel<I>& p, size_type begin, size_type end, size_type depth)
    {
        const V* const from = lower_ + p.values + begin;
        const size_type height = p.height;
        Products::pack(
            end - begin, depth, [=](size_type j, size_type k) { return from[k * height + j]; }, room_.packed);
    }

    void update_by(const Panel<I>& to, const I* source)
    {
        const Panel<I> from(f_, source[0]);
        const size_type begin = source[1], end = source[2];
        for (size_type i = begin; i < from.height; ++i) {
            room_.places[i - begin] = room_.place[from.rows[i]];
        }
        pack_upper(from, begin, end, from.width);
        subtract_scattered(from, begin, end, lower_, lower_ + to.values, to.height);
        if (upper_ != nullptr) {
            pack_lower(from, begin, end, from.width);
            subtract_scattered(from, begin, end, upper_, upper_ + to.values, to.height);
        }
    }

    /// to := to - A B^T with A of the rows of `from` from `begin` on, and B packed.
    void subtract_scattered(const Panel<I>& from, size_type begin, size_type end, const V* values, V* to,
                            size_type height)
    {
        const I* const places = room_.places;
        Products::for_each_tile(values + from.values + begin, from.height - begin, from.height, room_.packed,
                                end - begin, from.width, room_.strip,
                                [=](size_type i, int num_rows, size_type j, int num_cols, const R* tile) {
                                    const I* const rows = places + i;
                                    const bool is_dense = rows[num_rows - 1] - rows[0] == num_rows - 1;
                                    for (int c = 0; c < num_cols; ++c) {
                                        V* const column = to + size_type{places[j + c]} * height;
                                        if (is_dense) {
                                            for (int r = 0; r < num_rows; ++r) {
                                                column[rows[0] + r] -= Products::entry(tile, r, c);
                                            }
                                        } else {
                                            for (int r = 0; r < num_rows; ++r) {
                                                column[rows[r]] -= Products::entry(tile, r, c);
                                            }
                                        }
                                    }
                                });
    }

    /// Columns in blocks, and these in smaller ones: most products are of many columns.
    void factorize(const Panel<I>& p)
    {
        constexpr size_type large = 32, small = 4;
        for (size_type first = 0; first < p.width; first += large) {
            const size_type end = std::min(first + large, p.width);
            subtract_columns(p, 0, first, end);
            for (size_type k = first; k < end; k += small) {
                const size_type k_end = std::min(k + small, end);
                subtract_columns(p, first, k, k_end);
                for (size_type c = k; c < k_end; ++c) {
                    eliminate(p, c, k_end);
                }
            }
        }
    }

    /// Of the columns `begin` to `end` what those from `from` to `begin` take.
    void subtract_columns(const Panel<I>& p, size_type from, size_type begin, size_type end)
    {
        if (from == begin) {
            return;
        }
        Panel<I> left = p;
        left.values += from * p.height;
        const size_type depth = begin - from;
        pack_block(p, from, begin, end);
        subtract_in_place(left, begin, end, depth, lower_, lower_ + p.values);
        if (upper_ != nullptr) {
            pack_lower(left, begin, end, depth);
            subtract_in_place(left, begin, end, depth, upper_, upper_ + p.values);
        }
    }
    /// As pack_upper, of the columns from `from` on, whose pivots are not in the first rows.
    void pack_block(const Panel<I>& p, size_type from, size_type begin, size_type end)
    {
        Panel<I> left = p;
        left.values += from * p.height;
        if (upper_ != nullptr) {
            pack_upper(left, begin, end, begin - from);
            return;
        }
        const V *const rows = lower_ + left.values + begin, *const pivots = lower_ + left.values + from;
        const size_type height = p.height;
        Products::pack(
            end - begin, begin - from,
            [=](size_type j, size_type k) { return real(pivots[k * (height + 1)]) * conj(rows[k * height + j]); },
            room_.packed);
    }

    void subtract_in_place(const Panel<I>& left, size_type begin, size_type end, size_type depth, const V* values,
                           V* panel)
    {
        const size_type height = left.height;
        V* const to = panel + begin * height + begin;
        Products::for_each_tile(values + left.values + begin, height - begin, height, room_.packed, end - begin, depth,
                                room_.strip, [=](size_type i, int num_rows, size_type j, int num_cols, const R* tile) {
                                    for (int c = 0; c < num_cols; ++c) {
                                        V* const column = to + (j + c) * height + i;
                                        for (int r = 0; r < num_rows; ++r) {
                                            column[r] -= Products::entry(tile, r, c);
                                        }
                                    }
                                });
    }

    /// Column c of L, which is subtracted from those up to `end`; the same of U^T.
    void eliminate(const Panel<I>& p, size_type c, size_type end)
    {
        const size_type height = p.height;
        V* const column = lower_ + p.at(0, c);
        const V pivot = checked_pivot(column[c], p.begin + c);
        V by_upper[3], by_lower[3];
        for (size_type j = c + 1; j < end; ++j) {
            by_upper[j - c - 1] = upper_ != nullptr ? upper_[p.at(j, c)] : conj(column[j]);
        }
        column[c] = pivot;
        for (size_type i = c + 1; i < height; ++i) {
            column[i] /= upper_ != nullptr ? pivot : V{real(pivot)};
        }
        for (size_type j = c + 1; j < end; ++j) {
            V* const to = lower_ + p.at(0, j);
            const V factor = by_upper[j - c - 1];
            by_lower[j - c - 1] = column[j];
            for (size_type i = j; i < height; ++i) {
                to[i] -= multiply(column[i], factor);
            }
        }
        for (size_type j = c + 1; j < end && upper_ != nullptr; ++j) {
            const V* const from = upper_ + p.at(0, c);
            V* const to = upper_ + p.at(0, j);
            const V factor = by_lower[j - c - 1];
            for (size_type i = j + 1; i < height; ++i) {
                to[i] -= multiply(from[i], factor);
            }
        }
    }

    V checked_pivot(V pivot, size_type row)
    {
        pivot = upper_ == nullptr ? V{real(pivot)} : pivot;
        if (is_bad_pivot(pivot_size(pivot, limits_), limits_, row)) {
            pivot = pivot_instead(pivot, limits_, row);
            add_bad_pivot(report_, row);
        }
        return pivot;
    }

    SupernodeView<I> f_;
    PivotLimits<R> limits_;
    V *lower_, *upper_;
    Room<V, I> room_;
    PivotReport report_;
};

template <class I>
size_type num_values(const SupernodeView<I>& f)
{
    return f.value_ptrs[f.num_supernodes];
}

/// Calls run(thread, task) for all tasks but the last, by any thread and in any order.
template <class I, class Run>
void run_tasks(const SupernodeTasks<I>& tasks, int threads, const Run& run)
{
    const size_type count = tasks.count - 1;
    std::atomic<size_type> next{0};
    run_team(threads, [&](int thread, int) {
        for (size_type task = next++; task < count; task = next++) {
            run(thread, task);
        }
    });
}

template <class V, class I>
void factorize(const Executor& exec, SupernodeView<I> f, PivotLimits<real_t<V>> limits, SupernodeFactors<V> values,
               PivotReport* report, WorkspaceView workspace)
{
    *report = {};
    std::mutex joining;
    const auto run = [&](int thread, size_type task) {
        Factorizer<V, I> factorizer(f, limits, values, Room<V, I>(workspace, f.n, thread));
        for (I p = f.tasks.ptrs[task]; p < f.tasks.ptrs[task + 1]; ++p) {
            factorizer.run(f.tasks.supernodes[p]);
        }
        const auto& found = factorizer.report();
        if (found.num_bad > 0) {
            const std::lock_guard lock(joining);
            report->num_bad += found.num_bad;
            report->first_row = std::min(report->first_row, found.first_row);
        }
    };
    run_tasks(f.tasks, f.tasks.count == 1 || num_values(f) < min_parallel_work ? 1 : num_threads(exec), run);
    run(0, f.tasks.count - 1);
}

/// A column of a block of vectors, whose values stand side by side, or apart.
template <class V>
struct SideBySide {
    V* values;
    V& operator()(size_type i) const { return values[i]; }
};
template <class V>
struct Apart {
    V* values;
    size_type stride;
    V& operator()(size_type i) const { return values[i * stride]; }
};

/// The sum of a_i b_i, or of conj(a_i) b_i.
template <bool is_conjugate, class V>
V inner_product(const V* a, const V* b, size_type count)
{
    constexpr int num_sums = is_complex<V> ? 4 : 2 * register_bytes / static_cast<int>(sizeof(V));
    V sums[num_sums]{};
    size_type i = 0;
    for (; i + num_sums <= count; i += num_sums) {
        for (int t = 0; t < num_sums; ++t) {
            sums[t] += multiply(is_conjugate ? conj(a[i + t]) : a[i + t], b[i + t]);
        }
    }
    for (; i < count; ++i) {
        sums[0] += multiply(is_conjugate ? conj(a[i]) : a[i], b[i]);
    }
    for (int t = 1; t < num_sums; ++t) {
        sums[0] += sums[t];
    }
    return sums[0];
}

template <class V, class I, class Column>
class Solver {
public:
    Solver(const SupernodeView<I>& f, const SupernodeFactors<const V>& values, const Column& x)
        : f_(f),
          lower_(values.lower),
          upper_(values.upper),
          x_(x)
    {
    }

    /// x := L^-1 x in the rows of s, and what that subtracts from other rows: take(i, value), by its own rows' numbers.
    /// sums: room for its rows.
    template <class Take>
    void forward(size_type s, V* sums, const Take& take) const
    {
        const Panel<I> p(f_, s);
        const Column x = x_;
        for (size_type c = 0; c < p.width; ++c) {
            const V* const column = lower_ + p.at(0, c);
            const V known = x(p.begin + c);
            for (size_type i = c + 1; i < p.width; ++i) {
                x(p.begin + i) -= multiply(column[i], known);
            }
        }
        const size_type count = p.height - p.width;
        std::fill_n(sums, count, V{});
        size_type c = 0;
        for (; c + 4 <= p.width; c += 4) {
            const V* const l = lower_ + p.at(p.width, c);
            const size_type height = p.height;
            const V x0 = x(p.begin + c), x1 = x(p.begin + c + 1), x2 = x(p.begin + c + 2), x3 = x(p.begin + c + 3);
            for (size_type i = 0; i < count; ++i) {
                sums[i] += (multiply(l[i], x0) + multiply(l[height + i], x1)) +
                           (multiply(l[2 * height + i], x2) + multiply(l[3 * height + i], x3));
            }
        }
        for (; c < p.width; ++c) {
            const V* const l = lower_ + p.at(p.width, c);
            const V known = x(p.begin + c);
            for (size_type i = 0; i < count; ++i) {
                sums[i] += multiply(l[i], known);
            }
        }
        for (size_type i = 0; i < count; ++i) {
            take(p.rows[p.width + i], sums[i]);
        }
    }

    /// x := U^-1 x in the rows of s.
    void backward(size_type s, V* others) const
    {
        const Panel<I> p(f_, s);
        const Column x = x_;
        for (size_type i = 0; i < p.height; ++i) {
            others[i] = x(p.rows[i]);
        }
        for (size_type c = p.width; c-- > 0;) {
            const size_type next = p.at(c + 1, c), count = p.height - c - 1;
            const V pivot = lower_[next - 1];
            others[c] = upper_ != nullptr
                            ? (others[c] - inner_product<false>(upper_ + next, others + c + 1, count)) / pivot
                            : others[c] / real(pivot) - inner_product<true>(lower_ + next, others + c + 1, count);
            x(p.begin + c) = others[c];
        }
    }

private:
    SupernodeView<I> f_;
    const V *lower_, *upper_;
    Column x_;
};

/// What tasks subtract from rows of the last one is collected, and subtracted task by task.
template <class V, class I, class Column>
void solve_column(const SupernodeView<I>& f, int threads, const SupernodeFactors<const V>& values, const Column& x,
                  std::byte* workspace)
{
    const auto& tasks = f.tasks;
    const Solver<V, I, Column> solver(f, values, x);
    const size_type last = tasks.count - 1, num_collected = tasks.row_ptrs[tasks.count];
    V *const collected = reinterpret_cast<V*>(workspace), *const rooms = collected + num_collected;
    I* const places = reinterpret_cast<I*>(rooms + threads * f.n);
    const auto for_each = [&](size_type task, const auto& each) {
        std::for_each(tasks.supernodes + tasks.ptrs[task], tasks.supernodes + tasks.ptrs[task + 1], each);
    };
    const auto for_each_backwards = [&](size_type task, V* room) {
        for (I p = tasks.ptrs[task + 1]; p-- > tasks.ptrs[task];) {
            solver.backward(tasks.supernodes[p], room);
        }
    };
    std::fill_n(collected, num_collected, V{});
    std::fill_n(places, threads * f.n, I{-1});
    run_tasks(tasks, threads, [&](int thread, size_type task) {
        I* const place = places + thread * f.n;
        const I begin = tasks.row_ptrs[task], end = tasks.row_ptrs[task + 1];
        for (I i = begin; i < end; ++i) {
            place[tasks.rows[i]] = i;
        }
        for_each(task, [&](I s) {
            solver.forward(s, rooms + thread * f.n,
                           [&](I row, V sum) { place[row] < 0 ? x(row) -= sum : collected[place[row]] += sum; });
        });
        for (I i = begin; i < end; ++i) {
            place[tasks.rows[i]] = -1;
        }
    });
    for (size_type i = 0; i < num_collected; ++i) {
        x(tasks.rows[i]) -= collected[i];
    }
    for_each(last, [&](I s) { solver.forward(s, rooms, [&](I row, V sum) { x(row) -= sum; }); });
    for_each_backwards(last, rooms);
    run_tasks(tasks, threads, [&](int thread, size_type task) { for_each_backwards(task, rooms + thread * f.n); });
}

template <class V, class I>
void solve(const Executor& exec, SupernodeView<I> f, SupernodeFactors<const V> values, DenseView<V> x,
           WorkspaceView workspace)
{
    const int threads = f.tasks.count == 1 || num_values(f) < 4 * min_parallel_work ? 1 : num_threads(exec);
    for (size_type j = 0; j < x.cols; ++j) {
        if (x.stride == 1) {
            solve_column(f, threads, values, SideBySide<V>{x.values}, workspace.data);
        } else {
            solve_column(f, threads, values, Apart<V>{x.values + j, x.stride}, workspace.data);
        }
    }
}

}  // namespace

void register_supernodes()
{
    for_each_value_index([]<class V, class I>() {
        supernodes_factorize<V, I>.bind(Backend::omp, factorize<V, I>);
        supernodes_solve<V, I>.bind(Backend::omp, solve<V, I>);
    });
}

}  // namespace linden::omp
