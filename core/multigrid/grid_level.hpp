#pragma once

#include <linden/multigrid/amg.hpp>

#include <optional>
#include <utility>

#include "core/matrix/stencil_search.hpp"
#include "core/multigrid/backlog.hpp"
#include "core/multigrid/grid.hpp"
#include "core/multigrid/grid_product.hpp"

namespace linden::detail {

/// The grid whose points a level's rows are, how far its entries reach, and which rows are copies, if that is known.
struct LevelGrid {
    GridShape shape;
    std::array<size_type, num_axes> reach{1, 1, 1};
    CopiedRows copied{};
    bool is_first = false;
};

/// What a level does otherwise where its rows are the points of a grid, which they need not be: blocks are its
/// aggregates where rows are alike, and its product is that of a few rows where the others are copies.
template <class V, class I>
class GridLevel {
public:
    explicit GridLevel(std::optional<LevelGrid> grid) : grid_(grid) {}

    /// Looks at the rows, for `decide`.  largest: magnitudes of rows.
    void look(const Csr<V, I>& a, const Array<real_t<V>>& largest, double threshold, Backlog& backlog)
    {
        if (!grid_) {
            return;
        }
        num_looked_at_ = std::min(most_flagged_rows, a.size().rows);
        Array<std::int64_t> counts(a.executor(), num_grid_flags);
        count_grid_flags(a, largest, threshold, grid_->shape, num_looked_at_, counts.data());
        flags_ = backlog.post(counts);
    }
    /// Waits.
    void decide(Backlog& backlog)
    {
        if (num_looked_at_ == 0) {
            return;
        }
        const auto counts = backlog.take(flags_, num_grid_flags);
        blocks_ = choose_blocks(grid_->shape, counts.data(), num_looked_at_, grid_->is_first);
    }
    /// Whether blocks are the aggregates.
    bool has_blocks() const { return blocks_.has_value(); }
    size_type num_blocks() const { return blocks_->coarse.size(); }
    void describe(AmgLevelReport& report) const
    {
        if (blocks_) {
            report.block_points = blocks_->widths;
        }
    }
    Array<I> aggregates(const Executor& exec) const
    {
        Array<I> result(exec, grid_->shape.size());
        grid_aggregates<I>(exec, *blocks_, result.data());
        return result;
    }

    /// Whether R A P may be that of a few rows.
    bool may_have_copies() const
    {
        return blocks_ && (grid_->is_first || grid_->copied.numbers != nullptr) &&
               GridProduct<V, I>::fits(window_of(*blocks_, grid_->reach));
    }
    /// R A P; none where rows are no copies.  scaled: A as the cycle takes it, whose stencils number the rows of the
    /// first level. Waits.
    std::optional<Csr<V, I>> multiply(const Csr<V, I>& r, const Csr<V, I>& a, const Csr<V, I>& p,
                                      const ScaledView<V, I>& scaled, Backlog& backlog)
    {
        std::optional<std::int64_t> letter;
        if (grid_->is_first) {
            stencils_.emplace(a.executor(), scaled, most_cycle_stencils);
            stencils_->search(scaled);
            letter = backlog.post(stencils_->found());
            grid_->copied = {stencils_->view().stencils, stencils_->are_valid()};
            has_searched_ = true;
        }
        product_.emplace(a.executor(), window_of(*blocks_, grid_->reach));
        product_->search(r, a, p, grid_->copied);
        const auto found = backlog.read(product_->found());
        if (letter && !stencils_->accept(backlog.take(*letter, num_stencil_answers).data())) {
            stencils_.reset();
        }
        if (!product_->accept(found.data())) {
            product_.reset();
            return std::nullopt;
        }
        return product_->take();
    }
    /// For new values, behind a new search of stencils on the first level.
    void compute(const Csr<V, I>& r, const Csr<V, I>& a, const Csr<V, I>& p, Csr<V, I>& c)
    {
        product_->compute(r, a, p, grid_->copied, c);
    }

    /// Whether stencils of the first level have been looked for, and what was found.
    bool has_searched() const { return has_searched_; }
    std::optional<StencilSearch<V, I>> take_stencils() { return std::exchange(stencils_, std::nullopt); }

    /// The grid of the next level, if there are blocks.
    std::optional<LevelGrid> coarse() const
    {
        if (!blocks_) {
            return std::nullopt;
        }
        return product_ ? LevelGrid{blocks_->coarse, product_->reach(), product_->copied_rows()}
                        : LevelGrid{blocks_->coarse};
    }

private:
    std::optional<LevelGrid> grid_;
    size_type num_looked_at_ = 0;
    std::int64_t flags_ = 0;
    std::optional<GridBlocks> blocks_;
    bool has_searched_ = false;
    std::optional<StencilSearch<V, I>> stencils_;
    std::optional<GridProduct<V, I>> product_;
};

}  // namespace linden::detail
