#include "core/kernels/dense_lu.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/base/math.hpp"
#include "core/portable/pivots.hpp"
#include "omp/dense_products.hpp"
#include "omp/in_turn.hpp"
#include "omp/parallel.hpp"

/// Columns are eliminated in blocks, and a block by halves [Toledo97]. What is done to a block, and in which order, is
/// a matter of n alone, so that any number of threads finds the same bits.
namespace linden::omp {
namespace {

/// The parts of rows of A that are stored by columns together stay in the second cache.
constexpr size_type rows_of_load = 64;

template <class V, class I>
void load_row(const CsrView<V, I>& a, size_type i, const real_t<V>* row_factors, const real_t<V>* column_factors,
              const DenseLu<V>& f, real_t<V>* norms)
{
    real_t<V> sum{};
    for (I k = a.row_ptrs[i]; k < a.row_ptrs[i + 1]; ++k) {
        const size_type j = a.col_idxs[k];
        const V value = a.values[k] * row_factors[i] * column_factors[j];
        f.values[i + j * f.stride] = value;
        sum += abs2(value);
    }
    norms[i] = std::sqrt(sum);
}

template <class V, class I>
void load(const Executor& exec, CsrView<V, I> a, const real_t<V>* row_factors, const real_t<V>* column_factors,
          DenseLu<V> f, real_t<V>* norms)
{
    parallel_rows(exec, {f.n, f.n}, [&](size_type begin, size_type end) {
        for (size_type first = begin; first < end; first += rows_of_load) {
            const size_type last = std::min(first + rows_of_load, end);
            for (size_type j = 0; j < f.n; ++j) {
                std::fill_n(f.values + j * f.stride + first, last - first, V{});
            }
            for (size_type i = first; i < last; ++i) {
                load_row(a, i, row_factors, column_factors, f, norms);
            }
        }
    });
}

/// Columns of a triangle that products do not take part in, and of a part whose pivots are found one after the other.
constexpr size_type triangle_columns = 8, single_columns = 4;

/// What a thread does to columns. [k, k_end) are columns that are eliminated, [begin, end) others right of them.
template <class V, class I>
class Eliminator {
    using R = real_t<V>;
    using Products = DenseProducts<V>;

public:
    /// exchanged: the row that each one has changed places with. room: a thread's.
    Eliminator(const DenseLu<V>& f, const PivotLimits<R>& limits, I* rows, size_type* exchanged, R* room)
        : f_(f),
          limits_(limits),
          rows_(rows),
          exchanged_(exchanged),
          packed_(room),
          strip_(packed_ + Products::num_packed(dense_lu_block, dense_lu_block))
    {
    }
    const PivotReport& report() const { return report_; }

    /// L and U of columns from which all before have been taken, in the rows from `begin` on.
    void eliminate(size_type begin, size_type end)
    {
        if (end - begin <= single_columns) {
            for (size_type c = begin; c < end; ++c) {
                find_pivot(c, begin, end);
                eliminate_column(c, end);
            }
            return;
        }
        const size_type middle = begin + (end - begin + 1) / 2;
        eliminate(begin, middle);
        take(begin, middle, middle, end);
        eliminate(middle, end);
        exchange(middle, end, begin, middle);
    }

    /// U in the rows k to k_end, and what they take from the rows below.
    void take(size_type k, size_type k_end, size_type begin, size_type end)
    {
        exchange(k, k_end, begin, end);
        for (size_type first = k; first < k_end; first += triangle_columns) {
            const size_type last = std::min(first + triangle_columns, k_end);
            solve_triangle(first, last, begin, end);
            subtract(first, last, last, k_end, begin, end);
        }
        subtract(k, k_end, k_end, f_.n, begin, end);
    }

    /// The rows of the pivots k to k_end change places.
    void exchange(size_type k, size_type k_end, size_type begin, size_type end)
    {
        for (size_type j = begin; j < end; ++j) {
            V* const values = column(j);
            for (size_type i = k; i < k_end; ++i) {
                std::swap(values[i], values[exchanged_[i]]);
            }
        }
    }

private:
    V* column(size_type j) const { return f_.values + j * f_.stride; }

    void find_pivot(size_type c, size_type begin, size_type end)
    {
        const V* const values = column(c);
        size_type pivot = c;
        R largest = -1;
        for (size_type i = c; i < f_.n; ++i) {
            const R size = magnitude(values[i]);
            if (size > largest) {
                largest = size;
                pivot = i;
            }
        }
        exchanged_[c] = pivot;
        std::swap(rows_[c], rows_[pivot]);
        exchange(c, c + 1, begin, end);
    }

    void eliminate_column(size_type c, size_type end)
    {
        V* const l = column(c);
        V& pivot = l[c];
        if (is_bad_pivot(magnitude(pivot), limits_, rows_[c])) {
            pivot = pivot_instead(pivot, limits_, rows_[c]);
            add_bad_pivot(report_, c);
        }
        for (size_type i = c + 1; i < f_.n; ++i) {
            l[i] /= pivot;
        }
        for (size_type j = c + 1; j < end; ++j) {
            V* const to = column(j);
            const V u = to[c];
            for (size_type i = c + 1; i < f_.n; ++i) {
                to[i] -= multiply(l[i], u);
            }
        }
    }

    /// Rows of U, a few columns at a time as lanes.
    void solve_triangle(size_type first, size_type last, size_type begin, size_type end) const
    {
        constexpr size_type lanes = triangle_columns;
        const size_type num_rows = last - first;
        std::array<std::array<V, lanes>, triangle_columns> u{};
        for (size_type j = begin; j < end; j += lanes) {
            const size_type count = std::min(lanes, end - j);
            for (size_type c = 0; c < count; ++c) {
                for (size_type i = 0; i < num_rows; ++i) {
                    u[i][c] = column(j + c)[first + i];
                }
            }
            for (size_type k = 0; k < num_rows; ++k) {
                const V* const l = column(first + k) + first;
                for (size_type i = k + 1; i < num_rows; ++i) {
                    for (size_type c = 0; c < lanes; ++c) {
                        u[i][c] -= multiply(l[i], u[k][c]);
                    }
                }
            }
            for (size_type c = 0; c < count; ++c) {
                for (size_type i = 0; i < num_rows; ++i) {
                    column(j + c)[first + i] = u[i][c];
                }
            }
        }
    }

    /// What the pivots k to k_end take from these columns in the rows `first` to `last`.
    void subtract(size_type k, size_type k_end, size_type first, size_type last, size_type begin, size_type end)
    {
        if (first == last) {
            return;
        }
        const size_type depth = k_end - k, count = end - begin, stride = f_.stride;
        const V* const u = column(begin) + k;
        Products::pack(
            count, depth, [=](size_type j, size_type i) { return u[j * stride + i]; }, packed_);
        V* const to = column(begin) + first;
        Products::for_each_tile(column(k) + first, last - first, stride, count, packed_, count, depth, strip_,
                                [=](size_type i, int num_rows, size_type j, int num_cols, const R* tile) {
                                    for (int c = 0; c < num_cols; ++c) {
                                        V* const values = to + (j + c) * stride + i;
                                        for (int r = 0; r < num_rows; ++r) {
                                            values[r] -= Products::entry(tile, r, c);
                                        }
                                    }
                                });
    }

    DenseLu<V> f_;
    PivotLimits<R> limits_;
    I* rows_;
    size_type* exchanged_;
    R *packed_, *strip_;
    PivotReport report_;
};

/// Block by block is taken from all behind it; the next one is eliminated meanwhile.
template <class V, class I>
void factorize(const Executor& exec, DenseLu<V> f, PivotLimits<real_t<V>> limits, I* rows, PivotReport* report,
               WorkspaceView workspace)
{
    const size_type count = (f.n + dense_lu_block - 1) / dense_lu_block;
    const int threads = f.n * f.n < min_parallel_work ? 1 : num_threads(exec);
    auto* const exchanged = reinterpret_cast<size_type*>(workspace.data);
    std::vector<Eliminator<V, I>> team;
    for (int thread = 0; thread < threads; ++thread) {
        team.emplace_back(f, limits, rows, exchanged,
                          reinterpret_cast<real_t<V>*>(workspace.data + dense_lu_workspace_bytes<V>(f.n, thread)));
    }
    const auto begin = [&](size_type block) { return std::min(block * dense_lu_block, f.n); };
    std::iota(rows, rows + f.n, I{0});
    team.front().eliminate(0, begin(1));
    for (size_type k = 0; k + 1 < count; ++k) {
        run_in_turn(k + 1, count, threads, [&](int thread, size_type block) {
            team[static_cast<std::size_t>(thread)].take(begin(k), begin(k + 1), begin(block), begin(block + 1));
            if (block == k + 1) {
                team[static_cast<std::size_t>(thread)].eliminate(begin(block), begin(block + 1));
            }
        });
    }
    run_in_turn(0, count, threads, [&](int thread, size_type block) {
        team[static_cast<std::size_t>(thread)].exchange(begin(block + 1), f.n, begin(block), begin(block + 1));
    });
    *report = {};
    for (const auto& member : team) {
        report->num_bad += member.report().num_bad;
        report->first_row = std::min(report->first_row, member.report().first_row);
    }
}

/// x := x - the columns `begin` to `end` of the factors, in the rows `first` to `last`, times x's entries there. Four
/// columns at a time.
template <class V>
void subtract_columns(const DenseLu<const V>& f, size_type begin, size_type end, size_type first, size_type last, V* x)
{
    size_type c = begin;
    for (; c + 4 <= end; c += 4) {
        const V *const a = f.values + c * f.stride, *const b = a + f.stride, *const d = b + f.stride,
                       *const e = d + f.stride;
        const V xa = x[c], xb = x[c + 1], xd = x[c + 2], xe = x[c + 3];
        for (size_type i = first; i < last; ++i) {
            x[i] -= (multiply(a[i], xa) + multiply(b[i], xb)) + (multiply(d[i], xd) + multiply(e[i], xe));
        }
    }
    for (; c < end; ++c) {
        const V* const a = f.values + c * f.stride;
        const V known = x[c];
        for (size_type i = first; i < last; ++i) {
            x[i] -= multiply(a[i], known);
        }
    }
}

constexpr size_type solve_columns = 8;

template <class V>
void solve_column(const DenseLu<const V>& f, V* x)
{
    for (size_type begin = 0; begin < f.n; begin += solve_columns) {
        const size_type end = std::min(begin + solve_columns, f.n);
        for (size_type c = begin; c < end; ++c) {
            subtract_columns(f, c, c + 1, c + 1, end, x);
        }
        subtract_columns(f, begin, end, end, f.n, x);
    }
    for (size_type end = f.n; end > 0;) {
        const size_type begin = (end - 1) / solve_columns * solve_columns;
        for (size_type c = end; c-- > begin;) {
            x[c] /= f.values[c + c * f.stride];
            subtract_columns(f, c, c + 1, begin, c, x);
        }
        subtract_columns(f, begin, end, 0, begin, x);
        end = begin;
    }
}

/// All columns of x at a time.
template <class V>
void solve_rows(const DenseLu<const V>& f, const DenseView<V>& x)
{
    const auto subtract = [&](size_type i, size_type k) {
        const V factor = f.values[i + k * f.stride];
        V* const to = x.values + i * x.stride;
        const V* const from = x.values + k * x.stride;
        for (size_type j = 0; j < x.cols; ++j) {
            to[j] -= multiply(factor, from[j]);
        }
    };
    for (size_type k = 0; k < f.n; ++k) {
        for (size_type i = k + 1; i < f.n; ++i) {
            subtract(i, k);
        }
    }
    for (size_type k = f.n; k-- > 0;) {
        for (size_type j = 0; j < x.cols; ++j) {
            x.values[k * x.stride + j] /= f.values[k + k * f.stride];
        }
        for (size_type i = 0; i < k; ++i) {
            subtract(i, k);
        }
    }
}

template <class V>
void solve(const Executor&, DenseLu<const V> f, DenseView<V> x)
{
    x.stride == 1 ? solve_column(f, x.values) : solve_rows(f, x);
}

}  // namespace

void register_dense_lu()
{
    for_each_value_index([]<class V, class I>() {
        dense_lu_load<V, I>.bind(Backend::omp, load<V, I>);
        dense_lu_factorize<V, I>.bind(Backend::omp, factorize<V, I>);
    });
    for_each_value([]<class V>() { dense_lu_solve<V>.bind(Backend::omp, solve<V>); });
}

}  // namespace linden::omp
