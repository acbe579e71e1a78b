#pragma once

#include "core/distributed/ghost_exchange.hpp"
#include "core/distributed/rows_of.hpp"
#include "core/multigrid/spread_level.hpp"

namespace linden::detail {

/// What the cycle reads of a spread level: scaled and stored matrices whose rows are empty for ghosts, and the exchange
/// of ghosts in vectors of what is seen.
template <class V, class I>
class SpreadCycleLevel {
public:
    using R = real_t<V>;
    using Level = SpreadLevel<V, I>;

    /// Collective. above: the level above, whose prolongator refers to this one's rows, or null.
    SpreadCycleLevel(const Level& level, const Level* above)
        : level_(level),
          seen_(see(level, above)),
          exchange_(exec(), seen_.ranks, seen_.extent, seen_.map),
          scales_(exec(), seen_.extent.size()),
          inverse_scales_(exec(), seen_.extent.size())
    {
        scale();
    }

    /// Collective, after this level and the next are there. next, next_scales: what the next level sees.
    void make_slices(AmgStorage storage, const distributed::Extent& next, const Array<R>& next_scales)
    {
        const auto precision = first_choice<V, I>(storage);
        const auto& extent = seen_.extent;
        padded_a_.emplace(level_.matrix(), extent, extent);
        padded_p_.emplace(level_.prolongator(), extent, next);
        padded_r_.emplace(level_.restriction(), next, extent);
        stored_a_.emplace(exec(), padded_a_->view(), Layout::slices, precision);
        stored_p_.emplace(exec(), padded_p_->view(), Layout::slices, precision);
        stored_r_.emplace(exec(), padded_r_->view(), Layout::slices, precision);
        for (auto* const stored : {&*stored_a_, &*stored_p_, &*stored_r_}) {
            StoredMatrix<V, I>::find_columns({stored});
        }
        if (precision == StoragePrecision::half && storage == AmgStorage::automatic) {
            fill_where_half_fits(next.size(), next_scales);
        } else {
            fill_slices(next_scales);
        }
    }
    void fill_slices(const Array<R>& next_scales)
    {
        stored_a_->fill(scaled_matrix());
        fill_transfers(next_scales);
    }
    /// For a level without another one below.
    void make_smoother()
    {
        padded_a_.emplace(level_.matrix(), seen_.extent, seen_.extent);
        stored_a_.emplace(exec(), padded_a_->view(), Layout::slices, StoragePrecision::same);
        StoredMatrix<V, I>::find_columns({&*stored_a_});
        fill_smoother();
    }
    void fill_smoother() { stored_a_->fill(scaled_matrix()); }

    /// Collective. The scales for new values.
    void scale()
    {
        const auto& extent = seen_.extent;
        Array<R> sums(exec(), extent.size());
        distributed::copy_within(exec(), level_.sums(), sums.data() + extent.num_lower(), extent.num_own());
        fill_ghosts<I>(seen_.ranks, seen_.map, extent, sums);
        multigrid_scales<R>(exec(), extent.size(), sums.data(), level_.bound(), scales_.data(), inverse_scales_.data());
    }

    /// Collective. The values of ghosts in a vector of what is seen: size x k.
    void exchange(DenseView<V> x) const { exchange_(x); }
    /// Collective. For vectors of so many columns.
    void make_room(size_type cols) const { exchange_.make_room(cols); }
    bool is_capturable() const { return exchange_.is_peer(); }
    /// The own rows of such a vector.
    DenseView<V> own(DenseView<V> x) const { return distributed::rows_of(x, extent().num_lower(), extent().num_own()); }

    const Executor& exec() const { return level_.exec(); }
    bool has_next() const { return level_.has_next(); }
    const distributed::Extent& extent() const { return seen_.extent; }
    const Array<R>& scales() const { return scales_; }
    const StoredMatrix<V, I>& stored_matrix() const { return *stored_a_; }
    const StoredMatrix<V, I>& stored_prolongator() const { return *stored_p_; }
    const StoredMatrix<V, I>& stored_restriction() const { return *stored_r_; }

    /// Collective. Of all ranks together.
    AmgLevelReport report() const
    {
        AmgLevelReport result{
            level_.rows(), level_.sum_over_ranks(level_.matrix().own.num_nonzeros()), 0, 0, StoragePrecision::same, 0};
        if (stored_a_) {
            result.storage = stored_a_->storage();
            result.index_bits = stored_a_->index_bits();
        }
        result.prolongator_nonzeros = level_.sum_over_ranks(stored_p_ ? stored_p_->num_nonzeros() : 0);
        result.storage_bytes = level_.sum_over_ranks((stored_a_ ? stored_a_->bytes() : 0) +
                                                     (stored_p_ ? stored_p_->bytes() + stored_r_->bytes() : 0));
        return result;
    }

private:
    static SpreadExtent see(const Level& level, const Level* above)
    {
        auto extent = level.matrix().columns;
        if (level.has_next()) {
            extent = extent.with(level.restriction().columns.ghosts());
        }
        if (above != nullptr) {
            extent = extent.with(above->numbers().ghosts());
        }
        auto map = make_ghost_map(level.ranks(), level.partition(), extent.ghosts());
        return {level.ranks(), std::move(extent), std::move(map)};
    }

    ScaledView<V, I> scaled_matrix() const
    {
        return {padded_a_->view(level_.matrix().own.values()), scales_.data(), scales_.data()};
    }
    ScaledView<V, I> scaled_prolongator(const Array<R>& next_scales) const
    {
        return {padded_p_->view(level_.prolongator().own.values()), inverse_scales_.data(), next_scales.data()};
    }
    ScaledView<V, I> scaled_restriction(const Array<R>& next_scales) const
    {
        return {padded_r_->view(level_.restriction().own.values()), next_scales.data(), inverse_scales_.data()};
    }
    /// Gives up half precision where it cannot hold all rows of all ranks.
    void fill_where_half_fits(size_type next_size, const Array<R>& next_scales)
    {
        const auto size = seen_.extent.size();
        Array<I> marks(exec(), 2 * size + next_size);
        const auto count = [&](I* first, size_type n) {
            return level_.sum_over_ranks(count_marks(Array<I>::view(exec(), n, first)).front());
        };
        stored_a_->fill(scaled_matrix(), marks.data());
        stored_p_->fill(scaled_prolongator(next_scales), marks.data() + size);
        stored_r_->fill(scaled_restriction(next_scales), marks.data() + 2 * size);
        if (count(marks.data(), size) > 0) {
            stored_a_->set_storage(StoragePrecision::same);
            stored_a_->fill(scaled_matrix());
        }
        if (count(marks.data() + size, size + next_size) > 0) {
            stored_p_->set_storage(StoragePrecision::same);
            stored_r_->set_storage(StoragePrecision::same);
            fill_transfers(next_scales);
        }
    }
    void fill_transfers(const Array<R>& next_scales)
    {
        stored_p_->fill(scaled_prolongator(next_scales));
        stored_r_->fill(scaled_restriction(next_scales));
    }

    const Level& level_;
    SpreadExtent seen_;
    mutable distributed::GhostExchange<V, I> exchange_;
    Array<R> scales_, inverse_scales_;
    std::optional<distributed::PaddedPattern<I>> padded_a_, padded_p_, padded_r_;
    std::optional<StoredMatrix<V, I>> stored_a_, stored_p_, stored_r_;
};

}  // namespace linden::detail
