#include "core/deflation/nested_dissection.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>

namespace linden::detail {
namespace {

using Rows = std::vector<std::int32_t>;

/// Blocks with fewer rows are not dissected.
constexpr size_type least_rows = 32;
constexpr int most_levels = 10;
/// The words of the whole inverse, minus the extra cost of two products instead of one.
constexpr size_type words_to_beat(size_type rows) { return rows * rows - (size_type{1} << 17); }

/// The graph of A + A^T; edges may occur twice.
class Graph {
public:
    explicit Graph(const GalerkinPattern& a) : ptrs_(a.row_ptrs.size() + 1), neighbours_(2 * a.col_idxs.size())
    {
        const auto for_each_edge = [&](auto f) {
            for (std::int32_t row = 0; row < a.rows(); ++row) {
                for (auto k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
                    f(row, a.col_idxs[k]);
                    f(a.col_idxs[k], row);
                }
            }
        };
        for_each_edge([&](std::int32_t row, std::int32_t) { ++ptrs_[row + 2]; });
        std::partial_sum(ptrs_.begin(), ptrs_.end(), ptrs_.begin());
        for_each_edge([&](std::int32_t row, std::int32_t col) { neighbours_[ptrs_[row + 1]++] = col; });
    }

    size_type rows() const { return static_cast<size_type>(ptrs_.size()) - 2; }
    template <class F>
    void for_each_neighbour(std::int32_t row, F f) const
    {
        std::for_each(neighbours_.begin() + ptrs_[row], neighbours_.begin() + ptrs_[row + 1], f);
    }

private:
    std::vector<std::int32_t> ptrs_;  // one place ahead while rows are filled
    Rows neighbours_;
};

/// A set of rows, and how it is dissected.
struct Piece {
    Rows rows;  ///< without the separators of its subsets
    Rows separator;
    std::array<std::unique_ptr<Piece>, 2> halves{};

    bool is_cut() const { return halves[0] != nullptr; }
};

/// Dissects sets of rows of a graph.
class Cutter {
public:
    explicit Cutter(const Graph& graph) : graph_(graph), owner_(static_cast<std::size_t>(graph.rows())) {}

    /// Dissects the set and its halves recursively, `levels` deep.
    void cut(Piece& piece, int levels)
    {
        if (levels == 0 || static_cast<size_type>(piece.rows.size()) < 2 * least_rows) {
            return;
        }
        ++num_pieces_;
        for (const auto row : piece.rows) {
            owner_[row] = num_pieces_;
        }
        search(piece.rows.front());
        search(found_.back());
        Piece first, second;
        if (found_.size() < piece.rows.size()) {
            divide_components(piece.rows, first.rows, second.rows);
        } else if (!divide_levels(first.rows, piece.separator, second.rows)) {
            return;
        }
        piece.halves = {std::make_unique<Piece>(std::move(first)), std::make_unique<Piece>(std::move(second))};
        for (auto& half : piece.halves) {
            cut(*half, levels - 1);
        }
    }

private:
    /// found_ := the rows of the set that a breadth-first search reaches, level by level.
    void search(std::int32_t root)
    {
        const auto piece = owner_[root];
        found_ = {root};
        levels_ = {0};
        owner_[root] = -piece;
        for (std::size_t begin = 0; begin < found_.size(); begin = static_cast<std::size_t>(levels_.back())) {
            const std::size_t end = found_.size();
            levels_.push_back(static_cast<std::int32_t>(end));
            for (std::size_t k = begin; k < end; ++k) {
                graph_.for_each_neighbour(found_[k], [&](std::int32_t next) {
                    if (owner_[next] == piece) {
                        owner_[next] = -piece;
                        found_.push_back(next);
                    }
                });
            }
        }
        for (const auto row : found_) {
            owner_[row] = piece;
        }
    }

    /// Assigns whole components to the first half until it has half of the rows.
    void divide_components(const Rows& rows, Rows& first, Rows& second)
    {
        for (const auto row : rows) {
            if (owner_[row] != num_pieces_) {
                continue;
            }
            search(row);
            auto& side = 2 * first.size() < rows.size() ? first : second;
            side.insert(side.end(), found_.begin(), found_.end());
            for (const auto taken : found_) {
                owner_[taken] = 0;
            }
        }
    }

    /// The separator is the smallest level that leaves at least two fifths of the rows on either side, else the middle
    /// one. Its rows that are not coupled to the second half join the first half. False if there are fewer than three
    /// levels.
    bool divide_levels(Rows& first, Rows& separator, Rows& second)
    {
        const auto num_levels = static_cast<int>(levels_.size()) - 1;
        if (num_levels < 3) {
            return false;
        }
        const auto n = static_cast<std::int32_t>(found_.size());
        const auto size = [&](int level) { return levels_[level + 1] - levels_[level]; };
        const auto smaller_side = [&](int level) { return std::min(levels_[level], n - levels_[level + 1]); };
        int best = 1;
        for (int level = 2; level < num_levels - 1; ++level) {
            const bool are_balanced = 5 * smaller_side(level) >= 2 * n, were_balanced = 5 * smaller_side(best) >= 2 * n;
            const bool is_better =
                are_balanced && were_balanced ? size(level) < size(best) : smaller_side(level) > smaller_side(best);
            best = is_better ? level : best;
        }
        const auto at = [&](std::int32_t k) { return found_.begin() + k; };
        first.assign(at(0), at(levels_[best]));
        second.assign(at(levels_[best + 1]), at(n));
        const auto second_mark = -num_pieces_;
        for (const auto row : second) {
            owner_[row] = second_mark;
        }
        for (auto row = at(levels_[best]); row != at(levels_[best + 1]); ++row) {
            bool touches_second = false;
            graph_.for_each_neighbour(*row, [&](std::int32_t next) { touches_second |= owner_[next] == second_mark; });
            (touches_second ? separator : first).push_back(*row);
        }
        return true;
    }

    const Graph& graph_;
    std::vector<std::int32_t> owner_;  // number of the piece; negative for those found
    Rows found_;
    std::vector<std::int32_t> levels_;  // where they begin in found_
    std::int32_t num_pieces_ = 0;
};

/// All rows of a set, not dissected.
void append_all(const Piece& piece, Rows& rows)
{
    if (!piece.is_cut()) {
        rows.insert(rows.end(), piece.rows.begin(), piece.rows.end());
        return;
    }
    rows.insert(rows.end(), piece.separator.begin(), piece.separator.end());
    for (const auto& half : piece.halves) {
        append_all(*half, rows);
    }
}

/// Dissections of a piece cut some levels deep: parts in the order of the halves, so that separators have entries with
/// successive ones.
class Arranger {
public:
    explicit Arranger(const Piece& all, int levels)
    {
        result_.part_ptrs = {0};
        arrange(all, levels);
        result_.order.insert(result_.order.end(), separators_.begin(), separators_.end());
        result_.ranges.insert(result_.ranges.end(), separator_ranges_.begin(), separator_ranges_.end());
        for (std::size_t part = 0; part + 1 < result_.part_ptrs.size(); ++part) {
            const ColumnRange range{result_.part_ptrs[part], result_.part_ptrs[part + 1]};
            std::fill(result_.ranges.begin() + range.begin, result_.ranges.begin() + range.end, range);
        }
    }

    NestedDissection take() { return std::move(result_); }

private:
    void arrange(const Piece& piece, int levels)
    {
        if (levels == 0 || !piece.is_cut()) {
            append_all(piece, result_.order);
            result_.ranges.resize(result_.order.size());
            result_.part_ptrs.push_back(static_cast<std::int32_t>(result_.order.size()));
            return;
        }
        const auto begin = result_.part_ptrs.back();
        for (const auto& half : piece.halves) {
            arrange(*half, levels - 1);
        }
        separators_.insert(separators_.end(), piece.separator.begin(), piece.separator.end());
        separator_ranges_.insert(separator_ranges_.end(), piece.separator.size(),
                                 ColumnRange{begin, result_.part_ptrs.back()});
    }

    NestedDissection result_;
    Rows separators_;
    std::vector<ColumnRange> separator_ranges_;
};

}  // namespace

size_type NestedDissection::longest_part() const
{
    size_type longest = 0;
    for (std::size_t part = 0; part + 1 < part_ptrs.size(); ++part) {
        longest = std::max<size_type>(longest, part_ptrs[part + 1] - part_ptrs[part]);
    }
    return longest;
}

size_type NestedDissection::words() const
{
    const auto size = static_cast<size_type>(order.size());
    size_type sum = size * (size - separators());
    for (const auto range : ranges) {
        sum += range.end - range.begin;
    }
    return sum;
}

NestedDissection dissect(const GalerkinPattern& pattern)
{
    const Graph graph(pattern);
    Piece all;
    all.rows.resize(static_cast<std::size_t>(graph.rows()));
    std::iota(all.rows.begin(), all.rows.end(), 0);
    Cutter(graph).cut(all, most_levels);

    auto best = Arranger(all, 0).take();
    size_type least = words_to_beat(graph.rows());
    for (int levels = 1; levels <= most_levels; ++levels) {
        auto dissection = Arranger(all, levels).take();
        if (dissection.words() < least && 2 * (graph.rows() - dissection.separators()) <= graph.rows()) {
            least = dissection.words();
            best = std::move(dissection);
        }
    }
    return best;
}

bool nested_dissection_may_pay(size_type rows, size_type num_nonzeros) { return num_nonzeros < words_to_beat(rows); }

}  // namespace linden::detail
