#include "core/kernels/supernodes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/base/math.hpp"
#include "core/portable/pivots.hpp"
#include "omp/dense_products.hpp"
#include "omp/in_turn.hpp"
#include "omp/parallel.hpp"
#include "omp/supernode_solves.hpp"

/// Supernodes are updated by those before them, in products of dense matrices whose tiles are subtracted where they
/// belong. Which tiles there are is a matter of the pattern alone, so that any number of threads finds the same bits.
namespace linden::omp {
namespace {

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

/// Columns of a supernode in blocks, and these in smaller ones: most products are of many columns.
constexpr size_type large_block = 32, small_block = 4;

/// All that a thread does to rows of supernodes. What it does to one row does not depend on the others that it has.
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
        const SupernodePanel<I> p(f_, s);
        place_rows(p);
        update_rows(s, room_.place, 0, p.height);
        for (size_type first = 0; first < p.width; first += large_block) {
            factorize_diagonal(p, first);
            factorize_rows(p, first, std::min(first + large_block, p.width), p.height);
        }
        clear_above(p);
    }
    const PivotReport& report() const { return report_; }

    /// Where a supernode has its rows, which is returned.
    const I* place_rows(const SupernodePanel<I>& p)
    {
        for (size_type i = 0; i < p.height; ++i) {
            room_.place[p.rows[i]] = static_cast<I>(i);
        }
        return room_.place;
    }

    /// What all sources do to the rows `first` to `last` of supernode s. place: of its rows.
    void update_rows(size_type s, const I* place, size_type first, size_type last)
    {
        const SupernodePanel<I> to(f_, s);
        for (I source = f_.source_ptrs[s]; source < f_.source_ptrs[s + 1]; ++source) {
            update_by(to, f_.sources + 3 * size_type{source}, place, first, last);
        }
    }

    /// The block of columns from `first` on, on the diagonal.
    void factorize_diagonal(const SupernodePanel<I>& p, size_type first)
    {
        const size_type end = std::min(first + large_block, p.width);
        subtract_columns(p, 0, first, end, first, end);
        for (size_type k = first; k < end; k += small_block) {
            const size_type k_end = std::min(k + small_block, end);
            subtract_columns(p, first, k, k_end, k, end);
            for (size_type c = k; c < k_end; ++c) {
                V& pivot = lower_[p.at(c, c)];
                pivot = upper_ == nullptr ? V{real(pivot)} : pivot;
                if (is_bad_pivot(pivot_size(pivot, limits_), limits_, p.begin + c,
                                 [&] { return largest_right_of(p, first, c, end); })) {
                    pivot = pivot_instead(pivot, limits_, p.begin + c);
                    add_bad_pivot(report_, p.begin + c);
                }
                eliminate(p, c, k_end, c + 1, end);
            }
        }
    }

    /// The same block of columns in the rows `begin` to `last` below it.
    void factorize_rows(const SupernodePanel<I>& p, size_type first, size_type begin, size_type last)
    {
        const size_type end = std::min(first + large_block, p.width);
        subtract_columns(p, 0, first, end, begin, last);
        for (size_type k = first; k < end; k += small_block) {
            const size_type k_end = std::min(k + small_block, end);
            subtract_columns(p, first, k, k_end, begin, last);
            for (size_type c = k; c < k_end; ++c) {
                eliminate(p, c, k_end, begin, last);
            }
        }
    }

    /// Tiles leave values above the diagonal.
    void clear_above(const SupernodePanel<I>& p)
    {
        for (size_type c = 0; c < p.width; ++c) {
            std::fill_n(lower_ + p.at(0, c), c, V{});
            if (upper_ != nullptr) {
                std::fill_n(upper_ + p.at(0, c), c + 1, V{});
            }
        }
    }

private:
    /// The rows `begin` to `end` of a supernode as columns of D L^H, or of U where it is not that, in the `depth`
    /// columns from `from` on.
    void pack_upper(const SupernodePanel<I>& p, size_type from, size_type begin, size_type end, size_type depth)
    {
        const V *const rows = (upper_ != nullptr ? upper_ : lower_) + p.at(begin, from), *const pivots =
                                                                                             lower_ + p.at(from, from);
        const size_type height = p.height;
        if (upper_ != nullptr) {
            Products::pack(
                end - begin, depth, [=](size_type j, size_type k) { return rows[k * height + j]; }, room_.packed);
            return;
        }
        Products::pack(
            end - begin, depth,
            [=](size_type j, size_type k) { return real(pivots[k * (height + 1)]) * conj(rows[k * height + j]); },
            room_.packed);
    }
    /// Of L.
    void pack_lower(const SupernodePanel<I>& p, size_type from, size_type begin, size_type end, size_type depth)
    {
        const V* const rows = lower_ + p.at(begin, from);
        const size_type height = p.height;
        Products::pack(
            end - begin, depth, [=](size_type j, size_type k) { return rows[k * height + j]; }, room_.packed);
    }

    void update_by(const SupernodePanel<I>& to, const I* source, const I* place, size_type first, size_type last)
    {
        const SupernodePanel<I> from(f_, source[0]);
        const size_type begin = source[1], end = source[2];
        const I* const rows = from.rows + begin;
        const size_type count = from.height - begin;
        const size_type i = first == 0 ? 0 : std::lower_bound(rows, rows + count, to.rows[first]) - rows;
        const size_type i_end =
            last == to.height ? count : std::lower_bound(rows + i, rows + count, to.rows[last]) - rows;
        if (i == i_end) {
            return;
        }
        for (size_type r = i; r < i_end; ++r) {
            room_.places[r - i] = place[rows[r]];
        }
        const Part part{from.at(begin + i, 0), i_end - i, i};
        pack_upper(from, 0, begin, end, from.width);
        subtract_scattered(from, part, rows, end - begin, lower_, to);
        if (upper_ != nullptr) {
            pack_lower(from, 0, begin, end, from.width);
            subtract_scattered(from, part, rows, end - begin, upper_, to);
        }
    }

    /// Rows of a panel: the first one's entry, how many, and how many are between it and the diagonal of the product.
    struct Part {
        size_type values, count, below;
    };

    /// to := to - A B^T with A of these rows of `from`, and B packed, whose rows are the columns `cols`.
    void subtract_scattered(const SupernodePanel<I>& from, const Part& part, const I* cols, size_type num_columns,
                            const V* values, const SupernodePanel<I>& to)
    {
        const I* const places = room_.places;
        V* const panel = const_cast<V*>(values) + to.values;
        const size_type height = to.height, to_begin = to.begin;
        Products::for_each_tile(values + part.values, part.count, from.height, part.below, room_.packed, num_columns,
                                from.width, room_.strip,
                                [=](size_type i, int num_rows, size_type j, int num_cols, const R* tile) {
                                    const I* const rows = places + i;
                                    const bool is_dense = rows[num_rows - 1] - rows[0] == num_rows - 1;
                                    for (int c = 0; c < num_cols; ++c) {
                                        V* const column = panel + (cols[j + c] - to_begin) * height;
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

    /// Of the columns `begin` to `end` what those from `from` to `begin` take, in the rows `first` to `last`.
    void subtract_columns(const SupernodePanel<I>& p, size_type from, size_type begin, size_type end, size_type first,
                          size_type last)
    {
        if (from == begin || first == last) {
            return;
        }
        const Part part{p.at(first, from), last - first, first - begin};
        const size_type depth = begin - from;
        pack_upper(p, from, begin, end, depth);
        subtract_in_place(p, part, end - begin, depth, lower_, lower_ + p.at(first, begin));
        if (upper_ != nullptr) {
            pack_lower(p, from, begin, end, depth);
            subtract_in_place(p, part, end - begin, depth, upper_, upper_ + p.at(first, begin));
        }
    }

    void subtract_in_place(const SupernodePanel<I>& p, const Part& part, size_type num_columns, size_type depth,
                           const V* values, V* to)
    {
        const size_type height = p.height;
        Products::for_each_tile(values + part.values, part.count, height, part.below, room_.packed, num_columns, depth,
                                room_.strip, [=](size_type i, int num_rows, size_type j, int num_cols, const R* tile) {
                                    for (int c = 0; c < num_cols; ++c) {
                                        V* const column = to + (j + c) * height + i;
                                        for (int r = 0; r < num_rows; ++r) {
                                            column[r] -= Products::entry(tile, r, c);
                                        }
                                    }
                                });
    }

    /// Column c of L in the rows `first` to `last`, which is subtracted from those up to `end`; the same of U^T.
    void eliminate(const SupernodePanel<I>& p, size_type c, size_type end, size_type first, size_type last)
    {
        V* const column = lower_ + p.at(0, c);
        const V pivot = column[c];
        for (size_type i = first; i < last; ++i) {
            column[i] /= upper_ != nullptr ? pivot : V{real(pivot)};
        }
        for (size_type j = c + 1; j < end; ++j) {
            V* const to = lower_ + p.at(0, j);
            const V factor = upper_ != nullptr ? upper_[p.at(j, c)] : real(pivot) * conj(column[j]);
            for (size_type i = std::max(first, j); i < last; ++i) {
                to[i] -= multiply(column[i], factor);
            }
        }
        for (size_type j = c + 1; j < end && upper_ != nullptr; ++j) {
            const V* const from = upper_ + p.at(0, c);
            V* const to = upper_ + p.at(0, j);
            const V factor = column[j];
            for (size_type i = std::max(first, j + 1); i < last; ++i) {
                to[i] -= multiply(from[i], factor);
            }
        }
    }

    /// The largest magnitude of row c of U, c in a block of columns `first` to `end`, right of its diagonal. Behind the
    /// block its entries, those of column c of U^T, lack what columns k < c take:
    ///   u_ci := u_ci - sum of g_k u_ki,   g_k := l_ck - sum of g_m l_mk over m > k of the block,
    /// where u_ki is that of U for columns before the block and what it is now, before they take theirs, for the
    /// others.
    R largest_right_of(const SupernodePanel<I>& p, size_type first, size_type c, size_type end) const
    {
        const V* const u = upper_ != nullptr ? upper_ : lower_;
        std::array<V, most_supernode_columns> g;
        for (size_type k = c; k-- > 0;) {
            g[k] = lower_[p.at(c, k)];
            for (size_type m = std::max(k + 1, first); m < c; ++m) {
                g[k] -= multiply(g[m], lower_[p.at(m, k)]);
            }
        }
        const auto factor = [&](size_type k) {
            return upper_ != nullptr ? g[k] : k < first ? conj(g[k]) * real(lower_[p.at(k, k)]) : conj(g[k]);
        };
        R most{};
        for (size_type i = c + 1; i < p.height; ++i) {
            V value = u[p.at(i, c)];
            for (size_type k = 0; k < c && i >= end; ++k) {
                value -= multiply(factor(k), u[p.at(i, k)]);
            }
            most = std::max(most, magnitude(value));
        }
        return most;
    }

    SupernodeView<I> f_;
    PivotLimits<R> limits_;
    V *lower_, *upper_;
    Room<V, I> room_;
    PivotReport report_;
};

/// Supernodes of less work are one thread's.
constexpr double min_team_work = 2e6;
constexpr size_type rows_of_part = 128;

template <class I>
double work_of(const SupernodeView<I>& f, size_type s)
{
    const SupernodePanel<I> p(f, s);
    double work = static_cast<double>(p.height * p.width * p.width);
    for (I source = f.source_ptrs[s]; source < f.source_ptrs[s + 1]; ++source) {
        const I* const by = f.sources + 3 * size_type{source};
        const SupernodePanel<I> from(f, by[0]);
        work += static_cast<double>((from.height - by[1]) * from.width) * static_cast<double>(by[2] - by[1]);
    }
    return work;
}

/// Calls run(thread, first, last) for parts of the rows `begin` to `end`, by any thread and in any order.
template <class Run>
void run_rows(size_type begin, size_type end, int threads, const Run& run)
{
    const size_type parts = (end - begin + rows_of_part - 1) / rows_of_part;
    run_in_turn(0, parts, threads, [&](int thread, size_type part) {
        const size_type first = begin + part * rows_of_part;
        run(thread, first, std::min(first + rows_of_part, end));
    });
}

/// Factorizer::run by several threads, which have parts of the rows.
template <class V, class I>
void run_by_team(const SupernodeView<I>& f, size_type s, std::vector<Factorizer<V, I>>& team)
{
    const SupernodePanel<I> p(f, s);
    const int threads = static_cast<int>(team.size());
    const I* const place = team.front().place_rows(p);
    run_rows(0, p.height, threads, [&](int thread, size_type first, size_type last) {
        team[static_cast<std::size_t>(thread)].update_rows(s, place, first, last);
    });
    for (size_type first = 0; first < p.width; first += large_block) {
        team.front().factorize_diagonal(p, first);
        run_rows(std::min(first + large_block, p.width), p.height, threads,
                 [&](int thread, size_type begin, size_type end) {
                     team[static_cast<std::size_t>(thread)].factorize_rows(p, first, begin, end);
                 });
    }
    team.front().clear_above(p);
}

template <class V, class I>
void factorize(const Executor& exec, SupernodeView<I> f, PivotLimits<real_t<V>> limits, SupernodeFactors<V> values,
               PivotReport* report, WorkspaceView workspace)
{
    const int threads = num_values(f) < min_parallel_work ? 1 : num_threads(exec);
    std::vector<Factorizer<V, I>> team;
    for (int thread = 0; thread < threads; ++thread) {
        team.emplace_back(f, limits, values, Room<V, I>(workspace, f.n, thread));
    }
    run_in_turn(0, f.tasks.count - 1, threads, [&](int thread, size_type task) {
        for (I p = f.tasks.ptrs[task]; p < f.tasks.ptrs[task + 1]; ++p) {
            team[static_cast<std::size_t>(thread)].run(f.tasks.supernodes[p]);
        }
    });
    const size_type last = f.tasks.count - 1;
    for (I p = f.tasks.ptrs[last]; p < f.tasks.ptrs[last + 1]; ++p) {
        const I s = f.tasks.supernodes[p];
        threads > 1 && work_of(f, s) > min_team_work ? run_by_team(f, s, team) : team.front().run(s);
    }
    *report = {};
    for (const auto& member : team) {
        report->num_bad += member.report().num_bad;
        report->first_row = std::min(report->first_row, member.report().first_row);
    }
}

template <class V, class I>
void solve(const Executor& exec, SupernodeView<I> f, SupernodeFactors<const V> values, DenseView<V> x,
           WorkspaceView workspace)
{
    const int threads = num_values(f) < 4 * min_parallel_work ? 1 : num_threads(exec);
    const size_type num_collected = f.tasks.row_ptrs[f.tasks.count];
    const size_type all_threads = supernodes_solve_workspace_values<V>(f.n, 0, num_threads(exec), 0);
    const size_type room = workspace.bytes / static_cast<size_type>(sizeof(V)) - all_threads;
    const size_type most = num_collected == 0 ? x.cols : std::max<size_type>(1, room / num_collected);
    for (size_type first = 0; first < x.cols; first += most) {
        const DenseView<V> some{x.rows, std::min(most, x.cols - first), x.stride, x.values + first};
        if (x.stride == 1) {
            ColumnsSolve<V, I, OneColumn<V>>(f, threads, values, {x.values}, workspace.data).run();
        } else {
            ColumnsSolve<V, I, ManyColumns<V>>(f, threads, values, {some}, workspace.data).run();
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
