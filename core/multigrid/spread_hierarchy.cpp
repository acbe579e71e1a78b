#include "core/multigrid/spread_hierarchy.hpp"

#include <linden/distributed/matrix.hpp>
#include <linden/matrix/dense.hpp>

#include <deque>

#include "core/distributed/range_exchange.hpp"
#include "core/distributed/rows_of.hpp"
#include "core/kernels/array.hpp"
#include "core/kernels/dense.hpp"
#include "core/multigrid/spread_cycle_level.hpp"
#include "core/multigrid/spread_finest.hpp"

// instantiate: std::shared_ptr<detail::AmgHierarchy<V>> detail::make_spread_hierarchy(const LinOp<V>&, const AmgPlan&, size_type)

namespace linden::detail {
namespace {

/// A level of which each rank has all rows, and a hierarchy of its own below.
template <class W, class I>
class GatheredLevel {
public:
    using Rows = distributed::SpreadRows<W, I>;

    /// Collective.
    GatheredLevel(const Communicator& ranks, distributed::Partition partition, Rows rows, const AmgPlan& plan)
        : ranks_(ranks),
          partition_(std::move(partition)),
          rows_(std::move(rows)),
          extent_(distributed::Extent::whole(partition_, ranks.rank())),
          ones_(exec(), std::vector<real_t<W>>(static_cast<std::size_t>(partition_.num_rows()), 1)),
          gather_entries_(exec(), ranks, rows_.own.num_nonzeros()),
          matrix_(gather_matrix()),
          hierarchy_(make_hierarchy<W>(matrix_, plan)),
          residual_(exec(), {}),
          correction_(exec(), {})
    {
        for (int rank = 0; rank < ranks_.size(); ++rank) {
            most_rows_ = std::max(most_rows_, partition_.num_rows(rank));
        }
        if (!exec().is_host()) {
            exchange_.emplace(exec(), ranks_, extent_, make_ghost_map(ranks_, partition_, extent_.ghosts()));
        }
    }

    /// Collective. For new values of the own rows.
    void update()
    {
        gather_entries_(std::as_const(rows_.own).values(), matrix_.values());
        hierarchy_->update(matrix_);
    }

    /// Collective. For vectors of so many columns.
    void make_room(size_type cols)
    {
        if (residual_.size() != Dim{partition_.num_rows(), cols}) {
            residual_ = Dense<W>(exec(), {partition_.num_rows(), cols});
            correction_ = Dense<W>(exec(), {partition_.num_rows(), cols});
        }
        if (exchange_) {
            exchange_->make_room(cols);
        }
    }
    bool is_capturable() const { return is_peer() && hierarchy_->is_capturable(); }
    DenseView<W> residual() { return residual_.view(); }
    DenseView<W> correction() { return correction_.view(); }
    /// Collective. From the own rows of the residual.
    void correct()
    {
        if (exchange_ && !exchange_->needs_host()) {
            (*exchange_)(residual_.view());
        } else {
            gather_residual();
        }
        hierarchy_->apply(residual_, correction_);
    }

    /// Of a vector of all rows.
    DenseView<W> own_rows(DenseView<W> x) const
    {
        return distributed::rows_of(x, extent_.num_lower(), extent_.num_own());
    }
    const distributed::Extent& extent() const { return extent_; }
    const Array<real_t<W>>& ones() const { return ones_; }
    Csr<W, I>& own() { return rows_.own; }
    const AmgReport& report() const { return hierarchy_->report; }

private:
    const Executor& exec() const { return rows_.own.executor(); }
    bool is_peer() const { return exchange_ && exchange_->is_peer(); }
    void gather_residual()
    {
        const auto cols = residual_.size().cols;
        sent_.resize(static_cast<std::size_t>(most_rows_ * cols));
        received_.resize(sent_.size() * static_cast<std::size_t>(ranks_.size()));
        const auto own =
            Array<W>::view(exec(), extent_.num_own() * cols, residual_.data() + partition_.first(ranks_.rank()) * cols);
        own.copy_to_host(sent_.data());
        ranks_.all_gather(sent_.data(), sent_.size() * sizeof(W), received_.data());
        all_.clear();
        for (int rank = 0; rank < ranks_.size(); ++rank) {
            const auto begin = received_.begin() + rank * most_rows_ * cols;
            all_.insert(all_.end(), begin, begin + partition_.num_rows(rank) * cols);
        }
        Array<W>::view(exec(), partition_.num_rows() * cols, residual_.data()).copy_from_host(all_.data());
    }
    Csr<W, I> gather_matrix()
    {
        const auto& own = rows_.own;
        const auto num_own = own.size().rows;
        require_fits<I>(static_cast<std::int64_t>(gather_entries_.total()), "a level of all ranks");
        Array<I> own_cols(exec(), own.num_nonzeros()), own_ends(exec(), num_own);
        distributed::copy_within(exec(), own.col_idxs(), own_cols.data(), own_cols.size());
        distributed::renumber(own_cols, rows_.columns, extent_);
        array_shift<I>(exec(), num_own, static_cast<I>(gather_entries_.first()), own.row_ptrs() + 1, own_ends.data());

        Array<I> row_ptrs(exec(), partition_.num_rows() + 1), cols(exec(), gather_entries_.total());
        Array<W> values(exec(), gather_entries_.total());
        exec().state().fill_zero(row_ptrs.data(), sizeof(I));
        distributed::RangeGather(exec(), ranks_, num_own)(std::as_const(own_ends).data(), row_ptrs.data() + 1);
        gather_entries_(std::as_const(own_cols).data(), cols.data());
        gather_entries_(own.values(), values.data());
        return Csr<W, I>(exec(), {partition_.num_rows(), partition_.num_rows()}, std::move(row_ptrs), std::move(cols),
                         std::move(values));
    }

    Communicator ranks_;
    distributed::Partition partition_;
    Rows rows_;
    distributed::Extent extent_;
    Array<real_t<W>> ones_;  ///< the scales of the residual: the hierarchy has its own
    distributed::RangeGather gather_entries_;
    Csr<W, I> matrix_;
    std::shared_ptr<AmgHierarchy<W>> hierarchy_;
    std::optional<distributed::GhostExchange<W, I>> exchange_;  ///< of the residual, on devices
    size_type most_rows_ = 0;
    Dense<W> residual_, correction_;
    std::vector<W> sent_, received_, all_;
};

template <class V, class W, class I>
class SpreadHierarchyOf final : public AmgHierarchy<V> {
public:
    using Source = distributed::Matrix<V, I>;

    SpreadHierarchyOf(const Source& a, AmgPlan plan, size_type gathered_rows)
        : ranks_(a.communicator()),
          plan_(plan),
          finest_(a)
    {
        plan_.clock = &*clock_;
        plan_.decide(finest_.is_hermitian());
        plan_.is_hermitian = finest_.is_hermitian();
        coarsen({a.partition(), finest_.first()}, gathered_rows);
        clock_->enter(AmgPhase::cycle);
        for (std::size_t l = 0; l < levels_.size(); ++l) {
            cycle_.emplace_back(levels_[l], l == 0 ? nullptr : &levels_[l - 1]);
        }
        for (std::size_t l = 0; l < cycle_.size(); ++l) {
            if (cycle_[l].has_next()) {
                cycle_[l].make_slices(plan_.storage, next_extent(l), next_scales(l));
            } else {
                cycle_[l].make_smoother();
            }
        }
        make_room(1);
        clock_.reset();
        plan_.clock = nullptr;
        make_report();
    }

    bool is_capturable() const override
    {
        return (!gathered_ || gathered_->is_capturable()) &&
               std::all_of(cycle_.begin(), cycle_.end(), [](const auto& level) { return level.is_capturable(); });
    }

    void apply(const Dense<V>& b, Dense<V>& x) const override
    {
        make_room(b.size().cols);
        if (levels_.empty()) {
            multigrid_convert<V, W>(exec(b), nullptr, 1, b.view(), gathered_->own_rows(gathered_->residual()));
            gathered_->correct();
            multigrid_convert<W, V>(exec(b), nullptr, finest_.factor(), gathered_->own_rows(gathered_->correction()),
                                    x.view());
            return;
        }
        const auto& first = cycle_.front();
        const auto* const scales = first.scales().data() + first.extent().num_lower();
        multigrid_convert<V, W>(exec(b), scales, 1, b.view(), first.own(rooms_.front().residual.view()));
        for (std::size_t l = 0; l < levels_.size(); ++l) {
            go_down(l);
        }
        if (gathered_) {
            gathered_->correct();
        }
        for (std::size_t l = levels_.size(); l-- > 0;) {
            go_up(l);
        }
        multigrid_convert<W, V>(exec(b), scales, finest_.factor(), first.own(rooms_.front().correction.view()),
                                x.view());
    }

    void update(const LinOp<V>& matrix) override
    {
        const auto* const a = dynamic_cast<const Source*>(&matrix);
        ranks_.agree_after([&] {
            if (a == nullptr) {
                throw NotSupported("Amg::update_values", "the new values come in a " + matrix.name());
            }
        });
        const auto values = ranks_.agree_after([&] { return finest_.take(*a); });
        auto& first = levels_.empty() ? gathered_->own() : levels_.front().matrix().own;
        distributed::copy_within(first.executor(), values.data(), first.values(), values.size());
        for (std::size_t l = 0; l < levels_.size(); ++l) {
            levels_[l].update(l + 1 < levels_.size() ? &levels_[l + 1].matrix().own
                              : gathered_            ? &gathered_->own()
                                                     : nullptr);
        }
        for (auto& level : cycle_) {
            level.scale();
        }
        for (std::size_t l = 0; l < cycle_.size(); ++l) {
            if (cycle_[l].has_next()) {
                cycle_[l].fill_slices(next_scales(l));
            } else {
                cycle_[l].fill_smoother();
            }
        }
        if (gathered_) {
            gathered_->update();
        }
    }

private:
    using Level = SpreadLevel<W, I>;
    using CycleLevel = SpreadCycleLevel<W, I>;
    /// Where levels do not get smaller, one of so many times more rows is still gathered.
    static constexpr size_type most_times_gathered = 16;

    /// Vectors of a level, of what it sees.
    struct Room {
        Dense<W> residual, correction, spare;
    };

    static const Executor& exec(const Dense<V>& b) { return b.executor(); }

    void coarsen(typename Level::Matrix a, size_type gathered_rows)
    {
        auto left = plan_;
        while (a.partition.num_rows() > gathered_rows) {
            const auto num_rows = a.partition.num_rows();
            levels_.emplace_back(ranks_, std::move(a), finest_.is_hermitian());
            --left.max_levels;
            auto next = left.max_levels > 0 ? levels_.back().coarsen(plan_, most_kept_rows) : std::nullopt;
            if (!next && num_rows > most_times_gathered * gathered_rows) {
                end_ = left.max_levels > 0 ? levels_.back().end() : AmgEnd::max_levels;
                return;
            }
            if (!next) {
                a = std::move(levels_.back().take_matrix());
                levels_.pop_back();
                break;
            }
            a = std::move(*next);
        }
        clock_->enter(AmgPhase::inverse);
        left.max_levels = std::max(left.max_levels, size_type{1});
        left.clock = nullptr;
        gathered_.emplace(ranks_, std::move(a.partition), std::move(a.rows), left);
    }

    const distributed::Extent& next_extent(std::size_t l) const
    {
        return l + 1 < levels_.size() ? cycle_[l + 1].extent() : gathered_->extent();
    }
    const Array<real_t<W>>& next_scales(std::size_t l) const
    {
        return l + 1 < levels_.size() ? cycle_[l + 1].scales() : gathered_->ones();
    }

    void make_room(size_type cols) const
    {
        if (room_cols_ == cols) {
            return;
        }
        room_cols_ = 0;
        rooms_.clear();
        for (const auto& level : cycle_) {
            const Dim size{level.extent().size(), cols};
            // Ghosts are read before anything is written there only by kernels whose results for ghosts nobody uses.
            rooms_.push_back({Dense<W>::filled(level.exec(), size, W{}), Dense<W>::filled(level.exec(), size, W{}),
                              Dense<W>::filled(level.exec(), size, W{})});
            level.make_room(cols);
        }
        if (gathered_) {
            gathered_->make_room(cols);
        }
        room_cols_ = cols;
    }
    /// t := r - w A r,  r' := R t
    void go_down(std::size_t l) const
    {
        const auto& level = cycle_[l];
        auto& room = rooms_[l];
        level.exchange(room.residual.view());
        if (!level.has_next()) {
            return;
        }
        sweep(level, plan_.transfer.damping, {}, std::as_const(room.residual).view(), room.spare.view());
        level.exchange(room.spare.view());
        const auto coarse = l + 1 < levels_.size() ? rooms_[l + 1].residual.view() : gathered_->residual();
        StoredMatrix<W, I>::with_slices(
            [&]<class S, class J>(const SellView<S, J>& r) {
                sell_spmv<W, S, J>(level.exec(), r, Scalar<W>(W{1}), std::as_const(room.spare).view(), Scalar<W>(W{0}),
                                   coarse);
            },
            level.stored_restriction());
    }
    /// u := P z' + w r,  z := u + w (r - A u);  on the last level see last_sweeps
    void go_up(std::size_t l) const
    {
        const auto& level = cycle_[l];
        auto& room = rooms_[l];
        const auto residual = std::as_const(room.residual).view();
        if (level.has_next()) {
            const DenseView<const W> below =
                l + 1 < levels_.size() ? rooms_[l + 1].correction.view() : gathered_->correction();
            StoredMatrix<W, I>::with_slices(
                [&]<class S, class J>(const SellView<S, J>& p) {
                    multigrid_correct<W, S, J>(level.exec(), p, plan_.transfer.damping, below, residual,
                                               room.spare.view());
                },
                level.stored_prolongator());
        } else {
            sweep(level, last_sweeps[0] * plan_.transfer.damping, residual, residual, room.spare.view());
        }
        level.exchange(room.spare.view());
        const double share = level.has_next() ? 1 : last_sweeps[1];
        sweep(level, share * plan_.transfer.damping, residual, std::as_const(room.spare).view(),
              room.correction.view());
        if (l > 0) {
            level.exchange(room.correction.view());
        }
    }
    /// x := z + w (b - A z)
    void sweep(const CycleLevel& level, double w, DenseView<const W> b, DenseView<const W> z, DenseView<W> x) const
    {
        StoredMatrix<W, I>::with_slices(
            [&]<class S, class J>(const SellView<S, J>& a) { multigrid_sweep<W, S, J>(level.exec(), a, w, b, z, x); },
            level.stored_matrix());
    }

    void make_report()
    {
        for (const auto& level : cycle_) {
            this->report.levels.push_back(level.report());
        }
        if (gathered_) {
            const auto& below = gathered_->report();
            this->report.levels.insert(this->report.levels.end(), below.levels.begin(), below.levels.end());
            end_ = below.end;
        }
        this->report.end = end_;
        this->report.num_spread_levels = static_cast<size_type>(levels_.size());
    }

    Communicator ranks_;
    std::optional<PhaseClock> clock_{this->report};  ///< of the set-up
    AmgPlan plan_;
    SpreadFinest<V, W, I> finest_;
    std::deque<Level> levels_;
    std::deque<CycleLevel> cycle_;  ///< of these
    mutable std::optional<GatheredLevel<W, I>> gathered_;
    AmgEnd end_ = AmgEnd::small;
    mutable std::vector<Room> rooms_;
    mutable size_type room_cols_ = 0;  ///< of these
};

}  // namespace

template <class V>
std::shared_ptr<AmgHierarchy<V>> make_spread_hierarchy(const LinOp<V>& matrix, const AmgPlan& plan,
                                                       size_type gathered_rows)
{
    std::shared_ptr<AmgHierarchy<V>> hierarchy;
    for_each_index([&]<class I>() {
        if (const auto* const a = dynamic_cast<const distributed::Matrix<V, I>*>(&matrix); a != nullptr) {
            if (plan.storage == AmgStorage::same) {
                hierarchy = std::make_shared<SpreadHierarchyOf<V, V, I>>(*a, plan, gathered_rows);
            } else {
                hierarchy = std::make_shared<SpreadHierarchyOf<V, working_t<V>, I>>(*a, plan, gathered_rows);
            }
        }
    });
    if (hierarchy == nullptr) {
        throw NotSupported("Amg", "over several ranks it needs a distributed::Matrix, the operator is a " +
                                      matrix.name() + "; Schwarz makes it from the rows of each rank");
    }
    return hierarchy;
}

}  // namespace linden::detail
