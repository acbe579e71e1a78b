#pragma once

#include "core/kernels/levels.hpp"
#include "core/kernels/triangular.hpp"
#include "test/support/triangular_patterns.hpp"

/// Triangular matrices of chosen levels, and their factors as kernels take them.
namespace linden::test {

/// What `levels_find`, or with a `max_run` `levels_find_runs`, and `levels_order` say about a pattern, on the host.
template <class I>
struct Levels {
    size_type num_levels = 0;
    std::vector<I> levels, order, position, level_ptrs;

    bool operator==(const Levels&) const = default;
};

template <class I>
Levels<I> levels_on(const Executor& exec, const HostPattern<I>& host, Side side, size_type max_run = 0)
{
    const size_type n = host.size.rows;
    const PatternOn<I> a(exec, host);
    Array<I> levels(exec, n);
    Array<size_type> num(exec, std::vector<size_type>{-1});
    if (max_run == 0) {
        levels_find<I>(exec, a.view(), side, levels.data(), num.data());
    } else {
        levels_find_runs<I>(exec, a.view(), side, max_run, levels.data(), num.data());
    }
    const size_type num_levels = num.to_host()[0];
    Array<I> order(exec, n), position(exec, n), level_ptrs(exec, num_levels + 1);
    Array<std::byte> workspace(exec, levels_order_workspace_bytes<I>(n));
    levels_order<I>(exec, {.num_rows = n, .num_levels = num_levels, .levels = levels.data(), .side = side},
                    order.data(), position.data(), level_ptrs.data(), {workspace.data(), workspace.size()});
    return {num_levels, levels.to_host(), order.to_host(), position.to_host(), level_ptrs.to_host()};
}

/// A triangular matrix in rows, its diagonal apart. Without a diagonal it is all ones.
template <class V, class I>
struct Triangle {
    Side side = Side::lower;
    HostPattern<I> pattern;
    std::vector<V> values;
    std::vector<V> diagonal;

    size_type rows() const { return pattern.size.rows; }
};

/// Random values whose rows sum to at most 1, and a diagonal of magnitudes between 1 and 2, unless `unit`: solutions
/// neither grow nor vanish.
template <class V, class I>
Triangle<V, I> random_triangle(Random& random, const HostPattern<I>& lower, Side side, bool unit)
{
    Triangle<V, I> t{side, side == Side::lower ? lower : mirrored(lower), {}, {}};
    for (std::size_t row = 0; row + 1 < t.pattern.row_ptrs.size(); ++row) {
        const I count = t.pattern.row_ptrs[row + 1] - t.pattern.row_ptrs[row];
        for (I k = 0; k < count; ++k) {
            t.values.push_back(random.value<V>() / static_cast<real_t<V>>(1.5 * count));
        }
        if (!unit) {
            t.diagonal.push_back(number<V>(random.real(1, 1.5), random.real(-0.5, 0.5)));
        }
    }
    return t;
}

/// Which rows of b and x a factor takes.
template <class I>
struct Ends {
    std::vector<I> sources, targets;

    static Ends natural(size_type n)
    {
        std::vector<I> p(static_cast<std::size_t>(n));
        std::iota(p.begin(), p.end(), I{0});
        return {p, p};
    }
    static Ends mixed(size_type n)
    {
        auto p = mixed_order<I>(n);
        return {p, std::vector<I>(p.rbegin(), p.rend())};
    }
};

/// A triangle on an executor in the order of its levels, which kernels of that executor have found.
template <class V, class S, class I>
class LevelFactor {
public:
    LevelFactor(const Executor& exec, const Triangle<V, I>& t, const Ends<I>& ends)
        : LevelFactor(exec, t, ends, levels_on(exec, t.pattern, t.side))
    {
    }
    /// In another order, in which rows need earlier rows only. `t` and `ends` outlive the factor.
    LevelFactor(const Executor& exec, const Triangle<V, I>& t, const Ends<I>& ends, Levels<I> levels)
        : triangle_(&t),
          ends_(&ends),
          levels_(std::move(levels)),
          num_nonzeros_(t.pattern.num_nonzeros()),
          row_ptrs_(exec),
          cols_(exec),
          sources_(exec),
          targets_(exec),
          level_ptrs_(exec, levels_.level_ptrs),
          values_(exec),
          inverse_diagonal_(exec)
    {
        std::vector<I> ptrs{0}, cols, sources, targets;
        std::vector<S> values;
        std::vector<V> inverse;
        for (const I row : levels_.order) {
            std::vector<std::pair<I, S>> entries;
            for (I k = t.pattern.row_ptrs[row]; k < t.pattern.row_ptrs[row + 1]; ++k) {
                entries.emplace_back(levels_.position[t.pattern.col_idxs[k]], static_cast<S>(t.values[k]));
            }
            std::sort(entries.begin(), entries.end(), [](auto& l, auto& r) { return l.first < r.first; });
            for (const auto& [col, value] : entries) {
                cols.push_back(col);
                values.push_back(value);
            }
            ptrs.push_back(static_cast<I>(cols.size()));
            sources.push_back(ends.sources[row]);
            targets.push_back(ends.targets[row]);
            if (!t.diagonal.empty()) {
                inverse.push_back(V{1} / t.diagonal[row]);
            }
        }
        row_ptrs_ = Array<I>(exec, ptrs);
        cols_ = Array<I>(exec, cols);
        sources_ = Array<I>(exec, sources);
        targets_ = Array<I>(exec, targets);
        values_ = Array<S>(exec, values);
        inverse_diagonal_ = inverse.empty() ? Array<V>(exec) : Array<V>(exec, inverse);
    }

    const Levels<I>& levels() const { return levels_; }
    const Triangle<V, I>& triangle() const { return *triangle_; }
    const Ends<I>& ends() const { return *ends_; }
    I* cols() { return cols_.data(); }

    LevelFactorView<V, S, I> view() const
    {
        return {static_cast<size_type>(levels_.order.size()),
                num_nonzeros_,
                row_ptrs_.data(),
                cols_.data(),
                values_.data(),
                inverse_diagonal_.data(),
                sources_.data(),
                targets_.data(),
                levels_.num_levels,
                level_ptrs_.data()};
    }

private:
    const Triangle<V, I>* triangle_;
    const Ends<I>* ends_;
    Levels<I> levels_;
    size_type num_nonzeros_;
    Array<I> row_ptrs_, cols_, sources_, targets_, level_ptrs_;
    Array<S> values_;
    Array<V> inverse_diagonal_;
};

/// T x = b row by row in the natural order, T rounded to S; b and the result: rows x cols, contiguous. The result
/// starts as `x`.
template <class S, class V, class I>
std::vector<V> substitute(const Triangle<V, I>& t, const Ends<I>& ends, const std::vector<V>& b, size_type cols,
                          std::vector<V> x)
{
    const size_type n = t.rows();
    std::vector<V> w(b.size());
    for (size_type i = 0; i < n; ++i) {
        const size_type row = t.side == Side::lower ? i : n - 1 - i;
        for (size_type col = 0; col < cols; ++col) {
            V sum = b[ends.sources[row] * cols + col];
            for (I k = t.pattern.row_ptrs[row]; k < t.pattern.row_ptrs[row + 1]; ++k) {
                sum -= static_cast<V>(static_cast<S>(t.values[k])) * w[t.pattern.col_idxs[k] * cols + col];
            }
            w[row * cols + col] = t.diagonal.empty() ? sum : sum / t.diagonal[row];
            x[ends.targets[row] * cols + col] = w[row * cols + col];
        }
    }
    return x;
}

}  // namespace linden::test
