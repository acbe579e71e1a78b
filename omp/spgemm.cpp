#include "core/kernels/spgemm.hpp"

#include <algorithm>
#include <bit>

#include "core/base/math.hpp"
#include "omp/parallel.hpp"

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

/// A set of columns, each with a place, with room for all columns of B. Rows are stamped, not cleared.
template <class I>
class WholeTable {
public:
    explicit WholeTable(I* memory) : stamps_(memory) {}

    /// What was there before is gone, but for places.
    void clear(size_type cols) { std::fill_n(stamps_, cols, I{-1}); }
    void begin_row(size_type row) { row_ = static_cast<I>(row); }
    bool insert(I col)
    {
        const bool is_new = stamps_[col] != row_;
        stamps_[col] = row_;
        return is_new;
    }
    void insert(I col, I place) { stamps_[col] = place; }
    I place(I col) const { return stamps_[col]; }

private:
    I* stamps_;
    I row_ = -1;
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
    bool insert(I col)
    {
        const auto slot = find(col);
        const bool is_new = cols_[slot] != col;
        cols_[slot] = col;
        return is_new;
    }
    void insert(I col, I place)
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
            WholeTable<I> table(reinterpret_cast<I*>(workspace.data) + part * b.cols);
            if (tables == Tables::cleared) {
                table.clear(b.cols);
            }
            for (size_type row = begin; row < end; ++row) {
                table.begin_row(row);
                body(row, table);
            }
        });
        return;
    }
    const auto partition = partition_by_products(exec, a, b, workspace);
    const size_type room = (workspace.bytes - static_cast<size_type>(sizeof(Header))) / num_threads(exec);
    run_parts(partition, num_parts(exec, partition), [&](int part, size_type begin, size_type end) {
        auto* const memory = reinterpret_cast<I*>(workspace.data + sizeof(Header) + part * room);
        for (size_type row = begin; row < end; ++row) {
            Table<I> table(memory, num_slots(num_products(a, b, row), b.cols));
            body(row, table);
        }
    });
}

template <class I>
void workspace_size(const Executor& exec, PatternView<I> a, PatternView<I> b, size_type, size_type* bytes)
{
    if (has_whole_tables(exec, a, b)) {
        *bytes = num_threads(exec) * b.cols * static_cast<size_type>(sizeof(I));
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

/// Calls use(i, j) for every product of row `row` in order: entries i of A and j of B.
template <class I, class Use>
void for_each_product(PatternView<I> a, PatternView<I> b, size_type row, const Use& use)
{
    for (I i = a.row_ptrs[row]; i < a.row_ptrs[row + 1]; ++i) {
        const I k = a.col_idxs[i];
        for (I j = b.row_ptrs[k]; j < b.row_ptrs[k + 1]; ++j) {
            use(i, j);
        }
    }
}

template <class I>
void count(const Executor& exec, PatternView<I> a, PatternView<I> b, I* counts, WorkspaceView workspace)
{
    for_each_row<Tables::cleared>(exec, a, b, workspace, [=](size_type row, auto& table) {
        I n = 0;
        for_each_product(a, b, row, [&](I, I j) { n += table.insert(b.col_idxs[j]); });
        counts[row] = n;
    });
}

/// to[0], ..., to[n - 1] := the n different columns in ascending order, each in its place: the number of columns before
/// it. In vectors and without branches, n^2 comparisons take less time than sorting up to some 100 columns.
template <int lanes, class I>
void sort_by_ranks(const I* cols, int n, I* to)
{
    for (int first = 0; first < n; first += lanes) {
        I own[lanes], ranks[lanes]{};
        for (int i = 0; i < lanes; ++i) {
            own[i] = cols[first + i];
        }
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < lanes; ++i) {
                ranks[i] += cols[j] < own[i] ? 1 : 0;
            }
        }
        const int used = std::min(lanes, n - first);
        for (int i = 0; i < used; ++i) {
            to[ranks[i]] = own[i];
        }
    }
}

template <class I>
void sort_columns(const I* cols, int n, I* to)
{
    if (n <= 8) {
        sort_by_ranks<8>(cols, n, to);
    } else {
        sort_by_ranks<16>(cols, n, to);
    }
}

template <class I>
void fill(const Executor& exec, PatternView<I> a, PatternView<I> b, const I* row_ptrs, I* col_idxs,
          WorkspaceView workspace)
{
    for_each_row<Tables::cleared>(exec, a, b, workspace, [=](size_type row, auto& table) {
        constexpr int most_ranked = 96;
        I* const to = col_idxs + row_ptrs[row];
        const I length = row_ptrs[row + 1] - row_ptrs[row];
        if (length > most_ranked) {
            I* next = to;
            for_each_product(a, b, row, [&](I, I j) {
                if (table.insert(b.col_idxs[j])) {
                    *next++ = b.col_idxs[j];
                }
            });
            std::sort(to, next);
            return;
        }
        // One more is written than there are, which counts where it is new, and what is sorted is read in whole vectors.
        I found[most_ranked + 16];
        int n = 0;
        for_each_product(a, b, row, [&](I, I j) {
            found[n] = b.col_idxs[j];
            n += table.insert(b.col_idxs[j]) ? 1 : 0;
        });
        sort_columns(found, n, to);
    });
}

template <class V, class I>
void multiply_rows(const Executor& exec, CsrView<V, I> a, CsrView<V, I> b, PatternView<I> c, V* values,
                   WorkspaceView workspace)
{
    for_each_row<Tables::written, I>(exec, a, b, workspace, [=](size_type row, auto& table) {
        for (I i = c.row_ptrs[row]; i < c.row_ptrs[row + 1]; ++i) {
            table.insert(c.col_idxs[i], i);
            values[i] = V{};
        }
        for_each_product<I>(
            a, b, row, [&](I i, I j) { values[table.place(b.col_idxs[j])] += multiply(a.values[i], b.values[j]); });
    });
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
