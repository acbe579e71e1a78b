#include "core/kernels/spgemm.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "core/base/math.hpp"
#include "core/portable/lanes.hpp"
#include "omp/parallel.hpp"
#include "omp/rank_sort.hpp"

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

/// Slots of the hash table for a row of so many products: a power of two, at least half of it empty.
size_type num_slots(size_type products, size_type cols)
{
    const size_type entries = std::min(products, cols);
    size_type slots = 16;
    while (slots < 2 * entries) {
        slots *= 2;
    }
    return slots;
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

/// The columns of a row, each with a place, in a table with room for all columns of B. Rows are stamped, not cleared.
template <class I>
class WholeTable {
public:
    WholeTable(I* stamps, size_type row) : stamps_(stamps), row_(static_cast<I>(row)) {}

    bool insert(I col) const
    {
        const bool is_new = stamps_[col] != row_;
        stamps_[col] = row_;
        return is_new;
    }
    void insert(I col, I place) const { stamps_[col] = place; }
    I place(I col) const { return stamps_[col]; }

private:
    I* stamps_;
    I row_;
};

/// Whether each thread has a table for all columns: where these take no more room than the operands, or little.
template <class I>
bool has_whole_tables(const Executor& exec, PatternView<I> a, PatternView<I> b)
{
    constexpr size_type little = size_type{1} << 16;
    const auto room = std::max(little * num_threads(exec), a.num_nonzeros + b.num_nonzeros + a.rows + b.rows);
    return b.cols <= room / num_threads(exec);
}

/// A set of columns, each with a place, by open addressing.
template <class I>
class Table {
public:
    Table(I* memory, size_type slots)
        : cols_(memory),
          places_(memory + slots),
          last_slot_(static_cast<std::uint64_t>(slots) - 1),
          shift_(std::countl_zero(last_slot_))
    {
        std::fill_n(cols_, slots, I{-1});
    }

    /// Whether `col` was not there.
    bool insert(I col) const
    {
        const auto slot = find(col);
        const bool is_new = cols_[slot] != col;
        cols_[slot] = col;
        return is_new;
    }
    void insert(I col, I place) const
    {
        const auto slot = find(col);
        cols_[slot] = col;
        places_[slot] = place;
    }
    I place(I col) const { return places_[find(col)]; }

private:
    std::uint64_t find(I col) const
    {
        auto slot = static_cast<std::uint64_t>(col) * 0x9E3779B97F4A7C15u >> shift_;  // [Knuth98, 6.4]
        while (cols_[slot] != col && cols_[slot] != -1) {
            slot = (slot + 1) & last_slot_;
        }
        return slot;
    }

    I* cols_;
    I* places_;
    std::uint64_t last_slot_;
    int shift_;
};

/// Columns and places of a table.
template <class I>
constexpr size_type table_bytes(size_type slots)
{
    return 2 * slots * static_cast<size_type>(sizeof(I));
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
    I longest = 0;
    for (size_type row = 0; row < b.rows; ++row) {
        longest = std::max(longest, static_cast<I>(b.row_ptrs[row + 1] - b.row_ptrs[row]));
    }
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

template <class V, class I>
void multiply_rows(const Executor& exec, CsrView<V, I> a, CsrView<V, I> b, PatternView<I> c, V* values,
                   WorkspaceView workspace)
{
    for_each_row<Tables::written, I>(exec, a, b, workspace, [=](size_type row, auto table) {
        for (I i = c.row_ptrs[row]; i < c.row_ptrs[row + 1]; ++i) {
            table.insert(c.col_idxs[i], i);
            values[i] = V{};
        }
        const I* const cols = b.col_idxs;
        const V* const a_values = a.values;
        const V* const b_values = b.values;
        for_each_product<I>(a, b, row,
                            [=](I i, I j) { values[table.place(cols[j])] += multiply(a_values[i], b_values[j]); });
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

}  // namespace

void register_spgemm()
{
    for_each_index([]<class I>() {
        spgemm_workspace<I>.bind(Backend::omp, workspace_size<I>);
        spgemm_count<I>.bind(Backend::omp, count<I>);
        spgemm_fill<I>.bind(Backend::omp, fill<I>);
    });
    for_each_value_index([]<class V, class I>() { spgemm_multiply<V, I>.bind(Backend::omp, multiply_rows<V, I>); });
}

}  // namespace linden::omp
