#pragma once

#include <algorithm>
#include <vector>

#include "core/base/math.hpp"
#include "omp/dense_products.hpp"
#include "omp/supernode_panels.hpp"

/// Solves with L and U by supernodes, for several columns.
namespace linden::omp {

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
class SupernodeSolver {
public:
    SupernodeSolver(const SupernodeView<I>& f, const SupernodeFactors<const V>& values, const Column& x)
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
        const SupernodePanel<I> p(f_, s);
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
        const SupernodePanel<I> p(f_, s);
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

    V& x(size_type row) const { return x_(row); }

private:
    SupernodeView<I> f_;
    const V *lower_, *upper_;
    Column x_;
};

/// Column j of a block of vectors.
template <class V>
SideBySide<V> column_of(DenseView<V> x, size_type, SideBySide<V>*)
{
    return {x.values};
}
template <class V>
Apart<V> column_of(DenseView<V> x, size_type j, Apart<V>*)
{
    return {x.values + j, x.stride};
}

/// x := U^-1 L^-1 x for all columns of x, one after the other with each supernode. What tasks subtract from rows of the
/// last one is collected, and subtracted task by task.
template <class Column, class V, class I>
class ColumnsSolve {
public:
    ColumnsSolve(const SupernodeView<I>& f, int threads, const SupernodeFactors<const V>& values, DenseView<V> x,
                 std::byte* workspace)
        : f_(f),
          threads_(threads),
          num_collected_(f.tasks.row_ptrs[f.tasks.count]),
          collected_(reinterpret_cast<V*>(workspace)),
          rooms_(collected_ + x.cols * num_collected_),
          places_(reinterpret_cast<I*>(rooms_ + threads * f.n))
    {
        for (size_type j = 0; j < x.cols; ++j) {
            columns_.emplace_back(f, values, column_of(x, j, static_cast<Column*>(nullptr)));
        }
        std::fill_n(collected_, num_columns() * num_collected_, V{});
        std::fill_n(places_, threads * f.n, I{-1});
    }

    void run() const
    {
        run_tasks(f_.tasks, threads_, [&](int thread, size_type task) { forward(thread, task); });
        run_team(static_cast<int>(std::min<size_type>(threads_, num_columns())),
                 [&](int thread, int size) { solve_last(thread, size); });
        run_tasks(f_.tasks, threads_, [&](int thread, size_type task) {
            for_each_backwards(task, [&](I s) {
                for (const auto& column : columns_) {
                    column.backward(s, room(thread));
                }
            });
        });
    }

private:
    size_type num_columns() const { return static_cast<size_type>(columns_.size()); }
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
            V* collected = collected_;
            for (const auto& column : columns_) {
                column.forward(s, room(thread), [&](I row, V sum) {
                    place[row] < 0 ? column.x(row) -= sum : collected[place[row]] += sum;
                });
                collected += num_collected_;
            }
        });
        for (I i = begin; i < end; ++i) {
            place[tasks.rows[i]] = -1;
        }
    }

    /// The last task, whose supernodes wait for each other: each thread has some of the columns.
    void solve_last(int thread, int size) const
    {
        const size_type last = f_.tasks.count - 1;
        const auto for_own_columns = [&](const auto& each) {
            for (size_type j = thread; j < num_columns(); j += size) {
                each(columns_[static_cast<std::size_t>(j)], collected_ + j * num_collected_);
            }
        };
        for_own_columns([&](const auto& column, const V* collected) {
            for (size_type i = 0; i < num_collected_; ++i) {
                column.x(f_.tasks.rows[i]) -= collected[i];
            }
        });
        for_each(last, [&](I s) {
            for_own_columns([&](const auto& column, const V*) {
                column.forward(s, room(thread), [&](I row, V sum) { column.x(row) -= sum; });
            });
        });
        for_each_backwards(last, [&](I s) {
            for_own_columns([&](const auto& column, const V*) { column.backward(s, room(thread)); });
        });
    }

    const SupernodeView<I>& f_;
    int threads_;
    size_type num_collected_;
    V *collected_, *rooms_;
    I* places_;
    std::vector<SupernodeSolver<V, I, Column>> columns_;
};

}  // namespace linden::omp
