#include "core/kernels/spgemm.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "core/base/math.hpp"
#include "core/portable/lanes.hpp"
#include "omp/formed_rows.hpp"
#include "omp/parallel.hpp"
#include "omp/rank_sort.hpp"
#include "omp/short_products.hpp"
#include "omp/spgemm_tables.hpp"

namespace linden::omp {
namespace {

/// Rows are dealt out in runs of equal length, so many at most, whose products are counted before.
inline constexpr size_type max_runs = 1024;

/// Products of row `row`.
template <class I>
size_type num_products(PatternView<I> a, PatternView<I> b, size_type row)
{
    size_type products = 0;
    for (I i = a.row_ptrs[row]; i < a.row_ptrs[row + 1]; ++i) {
        products += b.row_ptrs[a.col_idxs[i] + 1] - b.row_ptrs[a.col_idxs[i]];
    }
    return products;
}

/// The rows of A in runs of equal length.
struct Runs {
    size_type rows;
    size_type length;
    size_type num;

    explicit Runs(size_type num_rows)
        : rows(num_rows),
          length(std::max<size_type>(1, (num_rows + max_runs - 1) / max_runs)),
          num((num_rows + length - 1) / length)
    {
    }
    size_type first(size_type run) const { return std::min(rows, run * length); }
};

/// Runs in parts of equally many.
struct RunPartition {
    size_type rows;
    size_type first(int part, int parts) const { return rows * part / parts; }
};

/// Rows in parts of about equally many products, whole runs each. `before[run]` has what the runs before it cost.
struct ProductPartition {
    Runs runs;
    const size_type* before;
    size_type rows;

    size_type work() const { return before[runs.num]; }
    size_type first(int part, int parts) const
    {
        if (part == parts) {
            return rows;
        }
        const size_type target = work() / parts * part;
        return runs.first(std::lower_bound(before, before + runs.num, target) - before);
    }
};

/// What the workspace begins with; a hash table for each thread follows.
struct Header {
    size_type before[max_runs + 1];
};

template <class I>
ProductPartition partition_by_products(const Executor& exec, PatternView<I> a, PatternView<I> b,
                                       WorkspaceView workspace)
{
    auto* const before = reinterpret_cast<Header*>(workspace.data)->before;
    const Runs runs(a.rows);
    before[0] = 0;
    const auto cost_of_runs = [&](int, size_type begin, size_type end) {
        for (size_type run = begin; run < end; ++run) {
            size_type cost = runs.first(run + 1) - runs.first(run);
            for (size_type row = runs.first(run); row < runs.first(run + 1); ++row) {
                cost += num_products(a, b, row);
            }
            before[run + 1] = cost;
        }
    };
    const int parts = a.num_nonzeros < min_parallel_work ? 1 : num_threads(exec);
    run_parts(RunPartition{runs.num}, parts, cost_of_runs);
    for (size_type run = 0; run < runs.num; ++run) {
        before[run + 1] += before[run];
    }
    return {runs, before, a.rows};
}

/// What becomes of the tables of a kernel.
enum class Tables { cleared, written };

/// Calls body(row, table) for every row, with an empty table of columns, or one that the body writes before it reads.
template <Tables tables, class I, class Body>
void for_each_row(const Executor& exec, PatternView<I> a, PatternView<I> b, WorkspaceView workspace, const Body& body)
{
    if (has_whole_tables(exec, a, b)) {
        const NonzeroPartition<I> partition{a.row_ptrs, a.rows};
        run_parts(partition, num_parts(exec, partition), [&](int part, size_type begin, size_type end) {
            I* const stamps = reinterpret_cast<I*>(workspace.data) + part * b.cols;
            if (tables == Tables::cleared) {
                std::fill_n(stamps, b.cols, I{-1});
            }
            for (size_type row = begin; row < end; ++row) {
                body(row, WholeTable<I>(stamps, row));
            }
        });
        return;
    }
    const auto partition = partition_by_products(exec, a, b, workspace);
    const size_type room = (workspace.bytes - static_cast<size_type>(sizeof(Header))) / num_threads(exec);
    run_parts(partition, num_parts(exec, partition), [&](int part, size_type begin, size_type end) {
        auto* const memory = reinterpret_cast<I*>(workspace.data + sizeof(Header) + part * room);
        for (size_type row = begin; row < end; ++row) {
            body(row, Table<I>(memory, num_slots(num_products(a, b, row), b.cols)));
        }
    });
}

/// Calls use(i, j) for every product of row `row` in order: entries i of A and j of B.
template <class I, class Use>
[[gnu::always_inline]] inline void for_each_product(PatternView<I> a, PatternView<I> b, size_type row, Use use)
{
    const I* const b_ptrs = b.row_ptrs;
    const I last = a.row_ptrs[row + 1];
    for (I i = a.row_ptrs[row]; i < last; ++i) {
        const I k = a.col_idxs[i];
        const I end = b_ptrs[k + 1];
        for (I j = b_ptrs[k]; j < end; ++j) {
            use(i, j);
        }
    }
}

/// Sorts up to four different columns in their place, by comparisons in fixed order; there is room for four.
/// [Knuth98, 5.3.4]
template <class I>
void sort_four(I* cols, int n)
{
    constexpr I none = std::numeric_limits<I>::max();
    I a = cols[0], b = cols[1], c = cols[2], d = cols[3];
    b = n > 1 ? b : none;
    c = n > 2 ? c : none;
    d = n > 3 ? d : none;
    const auto order = [](I& low, I& high) {
        const I least = std::min(low, high);
        high = std::max(low, high);
        low = least;
    };
    order(a, b);
    order(c, d);
    order(a, c);
    order(b, d);
    order(b, c);
    cols[0] = a;
    cols[1] = b;
    cols[2] = c;
    cols[3] = d;
}

/// Sorts n different columns in their place, after which there is room for 16 more.
template <class I>
void sort_columns(I* cols, int n)
{
    constexpr int most_compared = 96;
    if (n <= 4) {
        sort_four(cols, n);
    } else if (n <= 8) {
        sort_by_ranks<8>(cols, n);
    } else if (n <= 16) {
        sort_by_ranks<16>(cols, n);
    } else if (n <= most_compared) {
        I sorted[most_compared];
        for (int i = 0; i < n; ++i) {
            int rank = 0;
            for (int j = 0; j < n; ++j) {
                rank += cols[j] < cols[i] ? 1 : 0;
            }
            sorted[rank] = cols[i];
        }
        std::copy_n(sorted, n, cols);
    } else {
        std::sort(cols, cols + n);
    }
}

template <class I>
size_type longest_row(PatternView<I> b)
{
    I longest = 0;
    for (size_type row = 0; row < b.rows; ++row) {
        longest = std::max(longest, static_cast<I>(b.row_ptrs[row + 1] - b.row_ptrs[row]));
    }
    return longest;
}

/// Where a part keeps the columns that counting finds, row after row, for those who fill the pattern: so many rows from
/// its first one on, as there is room for.
template <class I>
struct FoundColumns {
    I* num_rows;
    I* cols;
    I* end;

    FoundColumns(const Executor& exec, PatternView<I> a, PatternView<I> b, int part, WorkspaceView workspace)
        : num_rows(reinterpret_cast<I*>(workspace.data) + num_threads(exec) * b.cols +
                   part * words_per_part(exec, a, b)),
          cols(num_rows + 1),
          end(num_rows + words_per_part(exec, a, b))
    {
    }

    static size_type words_per_part(const Executor& exec, PatternView<I> a, PatternView<I> b)
    {
        return (a.num_nonzeros + b.num_nonzeros) / num_threads(exec) + 64;
    }
};

/// Counts the columns of rows [begin, end) and keeps them, where there is room.
template <class I>
void count_part(PatternView<I> a, PatternView<I> b, size_type begin, size_type end, I* counts, I* stamps,
                const FoundColumns<I>& found)
{
    constexpr size_type for_sorting = 16;
    const size_type longest = longest_row(b);
    std::fill_n(stamps, b.cols, I{-1});
    const I* const cols = b.col_idxs;
    size_type row = begin;
    I* at = found.cols;
    for (; row < end; ++row) {
        const size_type most = std::min(b.cols, row_length(a, row) * longest);
        if (found.end - at < most + for_sorting) {
            break;
        }
        const WholeTable<I> table(stamps, row);
        I n = 0;
        for_each_product(a, b, row, [cols, table, at, &n](I, I j) {
            const I col = cols[j];
            at[n] = col;  // counts where it is new
            n += table.insert(col) ? 1 : 0;
        });
        sort_columns(at, n);
        counts[row] = n;
        at += n;
    }
    *found.num_rows = static_cast<I>(row - begin);
    for (; row < end; ++row) {
        const WholeTable<I> table(stamps, row);
        I n = 0;
        for_each_product(a, b, row, [cols, table, &n](I, I j) { n += table.insert(cols[j]) ? 1 : 0; });
        counts[row] = n;
    }
}

template <class I>
void count(const Executor& exec, PatternView<I> a, PatternView<I> b, I* counts, WorkspaceView workspace)
{
    if (has_whole_tables(exec, a, b)) {
        const NonzeroPartition<I> partition{a.row_ptrs, a.rows};
        run_parts(partition, num_parts(exec, partition), [&](int part, size_type begin, size_type end) {
            count_part(a, b, begin, end, counts, reinterpret_cast<I*>(workspace.data) + part * b.cols,
                       FoundColumns<I>(exec, a, b, part, workspace));
        });
        return;
    }
    for_each_row<Tables::cleared>(exec, a, b, workspace, [=](size_type row, auto table) {
        I n = 0;
        for_each_product(a, b, row, [&](I, I j) { n += table.insert(b.col_idxs[j]) ? 1 : 0; });
        counts[row] = n;
    });
}

/// The columns of a row of C in the order in which products have them.
template <class I, class RowTable>
void fill_row(PatternView<I> a, PatternView<I> b, size_type row, RowTable table, I* to)
{
    I* next = to;
    for_each_product(a, b, row, [&](I, I j) {
        if (table.insert(b.col_idxs[j])) {
            *next++ = b.col_idxs[j];
        }
    });
    std::sort(to, next);
}

template <class I>
void fill(const Executor& exec, PatternView<I> a, PatternView<I> b, const I* row_ptrs, I* col_idxs,
          WorkspaceView workspace)
{
    if (has_whole_tables(exec, a, b)) {
        const NonzeroPartition<I> partition{a.row_ptrs, a.rows};
        run_parts(partition, num_parts(exec, partition), [&](int part, size_type begin, size_type end) {
            const FoundColumns<I> found(exec, a, b, part, workspace);
            const size_type first = begin + *found.num_rows;
            std::copy_n(found.cols, row_ptrs[first] - row_ptrs[begin], col_idxs + row_ptrs[begin]);
            I* const stamps = reinterpret_cast<I*>(workspace.data) + part * b.cols;
            if (first < end) {
                std::fill_n(stamps, b.cols, I{-1});
            }
            for (size_type row = first; row < end; ++row) {
                fill_row(a, b, row, WholeTable<I>(stamps, row), col_idxs + row_ptrs[row]);
            }
        });
        return;
    }
    for_each_row<Tables::cleared>(exec, a, b, workspace, [=](size_type row, auto table) {
        fill_row(a, b, row, table, col_idxs + row_ptrs[row]);
    });
}

/// Adds the products of a row to the values in the places of their columns.
template <class V, class I, class Place>
[[gnu::always_inline]] inline void add_products(const CsrView<V, I>& a, const CsrView<V, I>& b, size_type row,
                                                Place place, V* values)
{
    const auto add = [place, values, cols = b.col_idxs, a_values = a.values, b_values = b.values](I i, I j) {
        values[place(cols[j])] += multiply(a_values[i], b_values[j]);
    };
    for_each_product<I>(a, b, row, add);
}

/// The values of a row of C. The table is written before it is read.
template <class V, class I, class RowTable>
[[gnu::always_inline]] inline void multiply_row(const CsrView<V, I>& a, const CsrView<V, I>& b, const PatternView<I>& c,
                                                V* values, size_type row, RowTable table)
{
    for (I i = c.row_ptrs[row]; i < c.row_ptrs[row + 1]; ++i) {
        table.insert(c.col_idxs[i], i);
        values[i] = V{};
    }
    add_products(
        a, b, row, [table](I col) { return table.place(col); }, values);
}

template <class V, class I>
void multiply_rows(const Executor& exec, CsrView<V, I> a, CsrView<V, I> b, PatternView<I> c, V* values,
                   WorkspaceView workspace)
{
    for_each_row<Tables::written, I>(exec, a, b, workspace,
                                     [=](size_type row, auto table) { multiply_row(a, b, c, values, row, table); });
}

/// Finds rows of C, one behind the other: first the columns of a row, then its values. `table` has for each column
/// where its last value lies, or where the row begins that had it last: before the row at hand, unless that has it.
template <class V, class I>
class RowFormer {
public:
    RowFormer(const CsrView<V, I>& a, const CsrView<V, I>& b, I* table, const FormedRows<V, I>& formed)
        : a_(a),
          b_(b),
          table_(table),
          cols_(formed.cols()),
          values_(formed.values()),
          room_(formed.room()),
          longest_(longest_row<I>(b)),
          most_few_(b.num_nonzeros == 0 ? 0 : ShortProducts::few * b.rows / b.num_nonzeros)
    {
        std::fill_n(table, b.cols, I{-1});
    }

    /// The number of its entries; -1 if there is no room for them.
    I form(size_type row)
    {
        constexpr size_type for_sorting = 32;
        if (room_ - at_ < std::min(b_.cols, row_length(a_, row) * longest_) + for_sorting) {
            return -1;
        }
        I n = form_few(row);
        if (n < 0) {
            n = is_short(row) ? form_short(row) : form_any(row);
        }
        at_ += n;
        return n;
    }

private:
    /// A row of few products; -1 if it is none.
    I form_few([[maybe_unused]] size_type row)
    {
        I n = -1;
        if constexpr (has_short_products<V, I>) {
            if (row_length(a_, row) > most_few_) {
                return n;
            }
            n = products_.collect_few(a_, b_, row, cols_ + at_);
            if (n >= 0) {
                products_.sum_few(cols_ + at_, values_ + at_);
            }
        }
        return n;
    }
    bool is_short([[maybe_unused]] size_type row)
    {
        if constexpr (has_short_products<V, I>) {
            return products_.collect(a_, b_, row);
        } else {
            return false;
        }
    }
    /// Whether the row that begins at `at` has not had the column; it has it then.
    static bool insert(I* table, I at, I col)
    {
        const bool is_new = table[col] < at;
        table[col] = at;
        return is_new;
    }

    I form_short([[maybe_unused]] size_type row)
    {
        I n = 0;
        if constexpr (has_short_products<V, I>) {
            I* const cols = cols_ + at_;
            n = products_.different([at = at_, table = table_](I col) { return insert(table, at, col); }, cols);
            if (n <= ShortProducts::most_cols) {
                products_.sum(cols, values_ + at_, n);
                return n;
            }
            place_columns(n);
            for (I j = 0; j < products_.count(); ++j) {
                values_[table_[products_.col(j)]] += products_.left(j) * products_.right(j);
            }
        }
        return n;
    }
    I form_any(size_type row)
    {
        I n = 0;
        for_each_product<I>(a_, b_, row,
                            [at = at_, table = table_, cols = cols_ + at_, b_cols = b_.col_idxs, &n](I, I j) {
                                const I col = b_cols[j];
                                cols[n] = col;  // counts where it is new
                                n += insert(table, at, col) ? 1 : 0;
                            });
        place_columns(n);
        add_products(
            a_, b_, row, [table = table_](I col) { return table[col]; }, values_);
        return n;
    }
    /// Sorts the columns of the row, and prepares sums in their places.
    void place_columns(I n)
    {
        sort_columns(cols_ + at_, static_cast<int>(n));
        for (I i = at_; i < at_ + n; ++i) {
            table_[cols_[i]] = i;
            values_[i] = V{};
        }
    }

    const CsrView<V, I>& a_;
    const CsrView<V, I>& b_;
    I* table_;
    I* cols_;
    V* values_;
    size_type room_;
    size_type longest_;
    size_type most_few_;  ///< entries of rows whose products are few in the mean
    I at_ = 0;
    ShortProducts products_;
};

/// Counts the columns of rows [begin, end) and keeps them with the values, where there is room.
template <class V, class I>
void form_part(const CsrView<V, I>& a, const CsrView<V, I>& b, size_type begin, size_type end, I* counts, I* table,
               const FormedRows<V, I>& formed)
{
    RowFormer<V, I> former(a, b, table, formed);
    size_type row = begin;
    for (; row < end; ++row) {
        const I n = former.form(row);
        if (n < 0) {
            break;
        }
        counts[row] = n;
    }
    formed.set_num_rows(row - begin);
    for (; row < end; ++row) {
        I n = 0;
        for_each_product<I>(a, b, row, [stamp = static_cast<I>(-2 - row), cols = b.col_idxs, table, &n](I, I j) {
            n += table[cols[j]] != stamp ? 1 : 0;
            table[cols[j]] = stamp;
        });
        counts[row] = n;
    }
}

template <class V, class I>
FormedRows<V, I> formed_rows(const Executor& exec, int part, PatternView<I> a, PatternView<I> b,
                             WorkspaceView workspace)
{
    return {exec, part, bytes_of_tables<I>(exec, b), a.num_nonzeros + b.num_nonzeros, workspace};
}

template <class V, class I>
void form(const Executor& exec, CsrView<V, I> a, CsrView<V, I> b, I* counts, WorkspaceView workspace)
{
    if (!has_whole_tables<I>(exec, a, b)) {
        count<I>(exec, a, b, counts, workspace);
        return;
    }
    const NonzeroPartition<I> partition{a.row_ptrs, a.rows};
    run_parts(partition, num_parts(exec, partition), [&](int part, size_type begin, size_type end) {
        form_part(a, b, begin, end, counts, reinterpret_cast<I*>(workspace.data) + part * b.cols,
                  formed_rows<V, I>(exec, part, a, b, workspace));
    });
}

template <class V, class I>
void take(const Executor& exec, CsrView<V, I> a, CsrView<V, I> b, const I* row_ptrs, I* col_idxs, V* values,
          WorkspaceView workspace)
{
    const PatternView<I> c{a.rows, b.cols, row_ptrs[a.rows], row_ptrs, col_idxs};
    if (!has_whole_tables<I>(exec, a, b)) {
        fill<I>(exec, a, b, row_ptrs, col_idxs, workspace);
        multiply_rows(exec, a, b, c, values, workspace);
        return;
    }
    const NonzeroPartition<I> partition{a.row_ptrs, a.rows};
    run_parts(partition, num_parts(exec, partition), [&](int part, size_type begin, size_type end) {
        const auto formed = formed_rows<V, I>(exec, part, a, b, workspace);
        const size_type first = begin + formed.num_rows();
        formed.copy_to(row_ptrs[begin], row_ptrs[first] - row_ptrs[begin], col_idxs, values);
        I* const table = reinterpret_cast<I*>(workspace.data) + part * b.cols;
        if (first < end) {
            std::fill_n(table, b.cols, I{-1});
        }
        for (size_type row = first; row < end; ++row) {
            fill_row<I>(a, b, row, WholeTable<I>(table, row), col_idxs + row_ptrs[row]);
        }
        for (size_type row = first; row < end; ++row) {
            multiply_row(a, b, c, values, row, WholeTable<I>(table, row));
        }
    });
}

template <class I>
void workspace_size(const Executor& exec, PatternView<I> a, PatternView<I> b, size_type nnz_c, size_type* bytes)
{
    if (has_whole_tables(exec, a, b)) {
        const size_type for_columns = nnz_c == 0 ? FoundColumns<I>::words_per_part(exec, a, b) : 0;
        *bytes = num_threads(exec) * (b.cols + for_columns) * static_cast<size_type>(sizeof(I));
        return;
    }
    Header header;
    const Runs runs(a.rows);
    const int parts = a.num_nonzeros < min_parallel_work ? 1 : num_threads(exec);
    run_parts(RunPartition{runs.num}, parts, [&](int, size_type begin, size_type end) {
        for (size_type run = begin; run < end; ++run) {
            size_type most = 0;
            for (size_type row = runs.first(run); row < runs.first(run + 1); ++row) {
                most = std::max(most, num_products(a, b, row));
            }
            header.before[run] = most;
        }
    });
    const size_type most = runs.num == 0 ? 0 : *std::max_element(header.before, header.before + runs.num);
    const size_type table =
        (table_bytes<I>(num_slots(most, b.cols)) + cache_line_bytes - 1) / cache_line_bytes * cache_line_bytes;
    *bytes = static_cast<size_type>(sizeof(Header)) + num_threads(exec) * table;
}

template <class V, class I>
void form_workspace_size(const Executor& exec, PatternView<I> a, PatternView<I> b, size_type* bytes)
{
    if (has_whole_tables(exec, a, b)) {
        *bytes = FormedRows<V, I>::bytes(exec, bytes_of_tables(exec, b), a.num_nonzeros + b.num_nonzeros);
    } else {
        workspace_size(exec, a, b, 0, bytes);
    }
}

}  // namespace

void register_spgemm()
{
    for_each_index([]<class I>() {
        spgemm_workspace<I>.bind(Backend::omp, workspace_size<I>);
        spgemm_count<I>.bind(Backend::omp, count<I>);
        spgemm_fill<I>.bind(Backend::omp, fill<I>);
    });
    for_each_value_index([]<class V, class I>() {
        spgemm_multiply<V, I>.bind(Backend::omp, multiply_rows<V, I>);
        spgemm_form_workspace<V, I>.bind(Backend::omp, form_workspace_size<V, I>);
        spgemm_form<V, I>.bind(Backend::omp, form<V, I>);
        spgemm_take<V, I>.bind(Backend::omp, take<V, I>);
    });
}

}  // namespace linden::omp
