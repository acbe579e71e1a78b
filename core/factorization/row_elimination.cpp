#include "core/factorization/row_elimination.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/math.hpp"
#include "core/factorization/ordered_graph.hpp"
#include "core/matrix/sort_row.hpp"

// instantiate: std::optional<detail::EliminatedRows<V, I>> detail::eliminate_rows<V, I>(CsrView<V, I>, const detail::EliminationOrder<I>&, size_type, real_t<V>)

namespace linden::detail {
namespace {

/// So many are sorted by insertion.
constexpr int few = 24;

template <class I>
void sort_indices(I* begin, I* end)
{
    if (end - begin > few) {
        std::sort(begin, end);
        return;
    }
    for (I* next = begin + (begin < end ? 1 : 0); next < end; ++next) {
        const I index = *next;
        I* to = next;
        for (; to > begin && to[-1] > index; --to) {
            *to = to[-1];
        }
        *to = index;
    }
}

template <class V, class I>
class RowEliminator {
    using R = real_t<V>;

public:
    RowEliminator(CsrView<V, I> a, const EliminationOrder<I>& order, size_type most_entries, R least_pivot)
        : a_(a),
          order_(order),
          most_entries_(most_entries),
          least_pivot_(least_pivot),
          n_(static_cast<I>(a.rows)),
          name_of_(inverse_of(order.columns)),
          place_(name_of_.size(), -1),
          pivot_name_(name_of_.size()),
          upper_(name_of_.size()),
          reached_end_(name_of_.size()),
          seen_(name_of_.size(), -1),
          x_(name_of_.size(), V{})
    {
        const auto room = static_cast<std::size_t>(most_entries) + name_of_.size();  // any row finds room
        result_.pattern.row_ptrs.resize(name_of_.size() + 1);
        result_.pattern.col_idxs.resize(room);
        result_.values.resize(room);
        result_.norms.resize(name_of_.size());
        in_upper_.resize(name_of_.size());
        result_.outside.row_ptrs.resize(name_of_.size() + 1);
        make_room_outside(order.num_outside);
    }

    std::optional<EliminatedRows<V, I>> run()
    {
        const bool has_blocks = order_.block_ptrs.size() > 2;
        for (std::size_t b = 0; b + 1 < order_.block_ptrs.size(); ++b) {
            const I begin = order_.block_ptrs[b];
            block_end_ = order_.block_ptrs[b + 1];
            for (I i = begin; i < block_end_; ++i) {
                const bool is_done = block_end_ - begin == 1 ? take_alone(i)
                                     : has_blocks            ? eliminate<true>(i)
                                                             : eliminate<false>(i);
                if (!is_done || end_ > most_entries_) {
                    return std::nullopt;
                }
                result_.pattern.row_ptrs[i + 1] = end_;
                result_.outside.row_ptrs[i + 1] = outside_.count;
            }
        }
        result_.pattern.col_idxs.resize(static_cast<std::size_t>(end_));
        result_.values.resize(static_cast<std::size_t>(end_));
        result_.outside.col_idxs.resize(static_cast<std::size_t>(outside_.count));
        name_columns();
        result_.values.insert(result_.values.end(), outside_.values, outside_.values + outside_.count);
        return std::move(result_);
    }

private:
    /// For so many entries, and one that is not kept.
    void make_room_outside(size_type count)
    {
        result_.outside.col_idxs.resize(static_cast<std::size_t>(count) + 1);
        outside_values_.resize(static_cast<std::size_t>(count) + 1);
        outside_.cols = result_.outside.col_idxs.data();
        outside_.values = outside_values_.data();
        outside_.room = static_cast<I>(count);
    }

    template <bool has_outside>
    bool eliminate(I i)
    {
        begin_ = end_;
        Collector row_i{i, seen_.data(), cols() + begin_, in_upper_.data(), place_.data()};
        V* const x = x_.data();
        const R norm = load(i, [&row_i, x, block_end = block_end_](I name, V value, Outside& outside) {
            if (!has_outside || name < block_end) {
                row_i.add(name);
                x[name] += value;
            } else {
                outside.add(name, value, true);
            }
        });
        find_pattern(i, row_i);
        subtract_rows();
        return choose_pivot(i, norm);
    }

    /// A block of one row. Without branches, whose outcome is any.
    bool take_alone(I i)
    {
        V pivot{};
        const R norm = load(i, [&pivot, i](I name, V value, Outside& outside) {
            pivot += name == i ? value : V{};
            outside.add(name, value, name != i);
        });
        cols()[end_] = i;
        values()[end_] = pivot;
        upper_[i] = ++end_;
        place_[i] = pivot_name_[i] = i;
        return magnitude(pivot) > R{} && is_large_enough(magnitude(pivot), norm);
    }

    I* cols() { return result_.pattern.col_idxs.data(); }
    V* values() { return result_.values.data(); }

    /// Collects columns of row i, each once: those that have pivots, and others. By values and pointers of its own,
    /// which no store can change.
    struct Collector {
        I i;
        I *seen, *next_lower, *next_upper;
        const I* place;

        void add(I name)
        {
            if (seen[name] != i) {
                seen[name] = i;
                const I k = place[name];
                I*& next = k >= 0 ? next_lower : next_upper;
                *next++ = k >= 0 ? k : name;
            }
        }
    };

    /// Entries right of the blocks, with pointers of its own, too.
    struct Outside {
        I* cols = nullptr;
        V* values = nullptr;
        I count = 0, room = 0;

        void add(I name, V value, bool counts)
        {
            cols[count] = name;
            values[count] = value;
            count += counts ? 1 : 0;
        }
    };

    /// Calls take(name, value, outside) for the scaled entries of the row, whose norm is returned.
    template <class Take>
    R load(I i, const Take& take)
    {
        const I row = order_.rows[i];
        const double of_row = order_.row_scaling[row];
        const I *const names = name_of_.data(), *const columns = a_.col_idxs;
        const double* const of_columns = order_.column_scaling.data();
        const I begin = a_.row_ptrs[row], end = a_.row_ptrs[row + 1];
        if (block_end_ < n_ && end - begin > outside_.room - outside_.count) {
            make_room_outside(size_type{outside_.count} + outside_.room + end - begin);
        }
        Outside outside = outside_;
        R sum{};
        for (I k = begin; k < end; ++k) {
            const V value = static_cast<R>(of_row * of_columns[columns[k]]) * a_.values[k];
            sum += abs2(value);
            take(names[columns[k]], value, outside);
        }
        outside_ = outside;
        result_.norms[i] = std::sqrt(sum);
        return result_.norms[i];
    }

    bool is_large_enough(R pivot, R norm) const { return pivot >= least_pivot_ * norm && std::isfinite(pivot); }

    /// The rows that row i takes, in the order of their elimination. Where (i, k) and (k, i) are entries, row i has all
    /// of row k beyond i: rows that reach k reach them through i, if i stays the pivot's column.
    void find_pattern(I i, Collector& row_i)
    {
        const I *const col_idxs = cols(), *const uppers = upper_.data(), *const ends = reached_end_.data();
        to_prune_.clear();
        for (const I* next = col_idxs + begin_; next < row_i.next_lower; ++next) {
            const I k = *next;
            bool meets = false;
            for (I e = uppers[k], end = ends[k]; e < end; ++e) {
                const I name = col_idxs[e];
                meets |= name == i;
                row_i.add(name);
            }
            if (meets) {
                to_prune_.push_back(k);
            }
        }
        end_ = static_cast<I>(row_i.next_lower - col_idxs);
        num_upper_ = static_cast<I>(row_i.next_upper - in_upper_.data());
        sort_indices(cols() + begin_, cols() + end_);
    }

    void subtract_rows()
    {
        const I *const col_idxs = cols(), *const ptrs = result_.pattern.row_ptrs.data();
        const I *const names = pivot_name_.data(), *const uppers = upper_.data();
        V *const values_of = values(), *const x = x_.data();
        size_type num_updates = 0;
        for (I e = begin_, lower_end = end_; e < lower_end; ++e) {
            const I k = col_idxs[e], begin = uppers[k], end = ptrs[k + 1];
            V& entry = x[names[k]];
            const V l = entry / values_of[begin - 1];
            entry = V{};
            values_of[e] = l;
            num_updates += end - begin;
            for (I u = begin; u < end; ++u) {
                x[col_idxs[u]] -= multiply(l, values_of[u]);
            }
        }
        result_.num_updates += num_updates;
    }

    bool choose_pivot(I i, R norm)
    {
        V* const x = x_.data();
        R largest{};
        I pivot = -1;
        for (I m = 0; m < num_upper_; ++m) {
            const I name = in_upper_[m];
            const R size = magnitude(x[name]);
            pivot = size > largest ? name : pivot;
            largest = size > largest ? size : largest;
        }
        if (place_[i] < 0 && seen_[i] == i && magnitude(x[i]) >= R(diagonal_preference) * largest) {
            pivot = i;
        }
        if (pivot < 0 || !is_large_enough(magnitude(x[pivot]), norm) || !std::isfinite(largest)) {
            return false;
        }
        result_.has_exchanges |= pivot != i;
        I *const to = cols() + end_, *next = to;
        V* value = values() + end_;
        *next++ = pivot;
        *value++ = std::exchange(x[pivot], V{});
        for (const I *from = in_upper_.data(), *const last = from + num_upper_; from < last; ++from) {
            const I name = *from;
            if (name != pivot) {
                *next++ = name;
                *value++ = x[name];
                x[name] = V{};
            }
        }
        upper_[i] = end_ + 1;
        end_ += static_cast<I>(next - to);
        reached_end_[i] = end_;
        place_[pivot] = i;
        pivot_name_[i] = pivot;
        if (pivot == i) {
            prune();
        }
        return true;
    }

    /// Entries whose columns have pivots come first, and are all that is followed.
    void prune()
    {
        I* const col_idxs = cols();
        V* const values_of = values();
        const I* const places = place_.data();
        for (const I k : to_prune_) {
            I kept = upper_[k];
            for (I e = kept, end = reached_end_[k]; e < end; ++e) {
                if (places[col_idxs[e]] >= 0) {
                    std::swap(col_idxs[e], col_idxs[kept]);
                    std::swap(values_of[e], values_of[kept++]);
                }
            }
            reached_end_[k] = kept;
        }
    }

    /// Columns get their places, and rows of U are sorted.
    void name_columns()
    {
        result_.columns.reserve(place_.size());
        for (I i = 0; i < n_; ++i) {
            result_.columns.push_back(order_.columns[pivot_name_[i]]);
            const I begin = upper_[i], end = result_.pattern.row_ptrs[i + 1];
            cols()[begin - 1] = i;
            for (I e = begin; e < end; ++e) {
                cols()[e] = place_[cols()[e]];
            }
            if (end - begin > 1) {
                sort_row(cols() + begin, values() + begin, end - begin, row_);
            }
        }
        for (I& column : result_.outside.col_idxs) {
            column = place_[column];
        }
    }

    CsrView<V, I> a_;
    const EliminationOrder<I>& order_;
    size_type most_entries_;
    R least_pivot_;
    I n_;
    std::vector<I> name_of_;              ///< of A's columns: where they stand in the order that was asked for
    std::vector<I> place_, pivot_name_;   ///< the row whose pivot a column is, -1: none yet, and its inverse
    std::vector<I> upper_, reached_end_;  ///< of each row: entries of U, behind the pivot, that are followed
    std::vector<I> seen_, in_upper_, to_prune_;
    std::vector<V> x_;  ///< the row that is worked on, by names of columns; zeros elsewhere
    std::vector<std::pair<I, V>> row_;
    std::vector<V> outside_values_;
    Outside outside_;
    I begin_ = 0, end_ = 0, num_upper_ = 0, block_end_ = 0;
    EliminatedRows<V, I> result_;
};

}  // namespace

template <class V, class I>
std::optional<EliminatedRows<V, I>> eliminate_rows(CsrView<V, I> a, const EliminationOrder<I>& order,
                                                   size_type most_entries, real_t<V> least_pivot)
{
    return RowEliminator<V, I>(a, order, most_entries, least_pivot).run();
}

}  // namespace linden::detail
