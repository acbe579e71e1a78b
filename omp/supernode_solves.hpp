#pragma once

#include <algorithm>

#include "core/base/math.hpp"
#include "omp/dense_products.hpp"
#include "omp/in_turn.hpp"
#include "omp/supernode_panels.hpp"
#include "omp/vector_columns.hpp"

/// Solves with L and U by supernodes, for several columns.
namespace linden::omp {

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

template <class V, class I, class Columns>
class SupernodeSolver {
public:
    SupernodeSolver(const SupernodeView<I>& f, const SupernodeFactors<const V>& values, const Columns& x)
        : f_(f),
          lower_(values.lower),
          upper_(values.upper),
          x_(x)
    {
    }

    /// Column j of x := L^-1 x in the rows of s, and what that subtracts from other rows: take(i, value), by its own
    /// rows' numbers. sums: room for its rows.
    template <class Take>
    void forward(size_type s, size_type j, V* sums, const Take& take) const
    {
        const SupernodePanel<I> p(f_, s);
        const Columns x = x_;
        for (size_type c = 0; c < p.width; ++c) {
            const V* const column = lower_ + p.at(0, c);
            const V known = x(p.begin + c, j);
            for (size_type i = c + 1; i < p.width; ++i) {
                x(p.begin + i, j) -= multiply(column[i], known);
            }
        }
        const size_type count = p.height - p.width;
        std::fill_n(sums, count, V{});
        size_type c = 0;
        for (; c + 4 <= p.width; c += 4) {
            const V* const l = lower_ + p.at(p.width, c);
            const size_type height = p.height;
            const V x0 = x(p.begin + c, j), x1 = x(p.begin + c + 1, j), x2 = x(p.begin + c + 2, j),
                    x3 = x(p.begin + c + 3, j);
            for (size_type i = 0; i < count; ++i) {
                sums[i] += (multiply(l[i], x0) + multiply(l[height + i], x1)) +
                           (multiply(l[2 * height + i], x2) + multiply(l[3 * height + i], x3));
            }
        }
        for (; c < p.width; ++c) {
            const V* const l = lower_ + p.at(p.width, c);
            const V known = x(p.begin + c, j);
            for (size_type i = 0; i < count; ++i) {
                sums[i] += multiply(l[i], known);
            }
        }
        for (size_type i = 0; i < count; ++i) {
            take(p.rows[p.width + i], sums[i]);
        }
    }

    /// Column j of x := U^-1 x in the rows of s.
    void backward(size_type s, size_type j, V* others) const
    {
        const SupernodePanel<I> p(f_, s);
        const Columns x = x_;
        for (size_type i = 0; i < p.height; ++i) {
            others[i] = x(p.rows[i], j);
        }
        for (size_type c = p.width; c-- > 0;) {
            const size_type next = p.at(c + 1, c), count = p.height - c - 1;
            const V pivot = lower_[next - 1];
            others[c] = upper_ != nullptr
                            ? (others[c] - inner_product<false>(upper_ + next, others + c + 1, count)) / pivot
                            : others[c] / real(pivot) - inner_product<true>(lower_ + next, others + c + 1, count);
            x(p.begin + c, j) = others[c];
        }
    }

private:
    SupernodeView<I> f_;
    const V *lower_, *upper_;
    Columns x_;
};

/// x := U^-1 L^-1 x for all columns of x, one after the other with each supernode. What tasks subtract from rows of the
/// last one is collected, and subtracted task by task.
template <class V, class I, class Columns>
class ColumnsSolve {
public:
    ColumnsSolve(const SupernodeView<I>& f, int threads, const SupernodeFactors<const V>& values, const Columns& x,
                 std::byte* workspace)
        : f_(f),
          threads_(threads),
          num_collected_(f.tasks.row_ptrs[f.tasks.count]),
          collected_(reinterpret_cast<V*>(workspace)),
          rooms_(collected_ + x.count() * num_collected_),
          places_(reinterpret_cast<I*>(rooms_ + threads * f.n)),
          x_(x),
          solver_(f, values, x)
    {
        std::fill_n(collected_, x.count() * num_collected_, V{});
        if (num_tasks() > 0) {
            std::fill_n(places_, threads * f.n, I{-1});
        }
    }

    void run() const
    {
        run_in_turn(0, num_tasks(), threads_, [&](int thread, size_type task) { forward(thread, task); });
        run_team(static_cast<int>(std::min<size_type>(threads_, x_.count())),
                 [&](int thread, int size) { solve_last(thread, size); });
        run_in_turn(0, num_tasks(), threads_, [&](int thread, size_type task) {
            for_each_backwards(task, [&](I s) {
                for (size_type j = 0; j < x_.count(); ++j) {
                    solver_.backward(s, j, room(thread));
                }
            });
        });
    }

private:
    /// Without the last one.
    size_type num_tasks() const { return f_.tasks.count - 1; }
    V* room(int thread) const { return rooms_ + thread * f_.n; }

    template <class Each>
    void for_each(size_type task, const Each& each) const
    {
        const auto& tasks = f_.tasks;
        std::for_each(tasks.supernodes + tasks.ptrs[task], tasks.supernodes + tasks.ptrs[task + 1], each);
    }
    template <class Each>
    void for_each_backwards(size_type task, const Each& each) const
    {
        for (I p = f_.tasks.ptrs[task + 1]; p-- > f_.tasks.ptrs[task];) {
            each(f_.tasks.supernodes[p]);
        }
    }

    void forward(int thread, size_type task) const
    {
        const auto& tasks = f_.tasks;
        I* const place = places_ + thread * f_.n;
        const I begin = tasks.row_ptrs[task], end = tasks.row_ptrs[task + 1];
        for (I i = begin; i < end; ++i) {
            place[tasks.rows[i]] = i;
        }
        for_each(task, [&](I s) {
            for (size_type j = 0; j < x_.count(); ++j) {
                V* const collected = collected_ + j * num_collected_;
                solver_.forward(s, j, room(thread), [&](I row, V sum) {
                    place[row] < 0 ? x_(row, j) -= sum : collected[place[row]] += sum;
                });
            }
        });
        for (I i = begin; i < end; ++i) {
            place[tasks.rows[i]] = -1;
        }
    }

    /// The last task, whose supernodes wait for each other: each thread has some of the columns.
    void solve_last(int thread, int size) const
    {
        const auto for_own_columns = [&](const auto& each) {
            for (size_type j = thread; j < x_.count(); j += size) {
                each(j);
            }
        };
        for_own_columns([&](size_type j) {
            for (size_type i = 0; i < num_collected_; ++i) {
                x_(f_.tasks.rows[i], j) -= collected_[j * num_collected_ + i];
            }
        });
        for_each(num_tasks(), [&](I s) {
            for_own_columns(
                [&](size_type j) { solver_.forward(s, j, room(thread), [&](I row, V sum) { x_(row, j) -= sum; }); });
        });
        for_each_backwards(num_tasks(),
                           [&](I s) { for_own_columns([&](size_type j) { solver_.backward(s, j, room(thread)); }); });
    }

    const SupernodeView<I>& f_;
    int threads_;
    size_type num_collected_;
    V *collected_, *rooms_;
    I* places_;
    Columns x_;
    SupernodeSolver<V, I, Columns> solver_;
};

}  // namespace linden::omp
