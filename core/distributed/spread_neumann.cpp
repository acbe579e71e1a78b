#include <linden/error.hpp>

#include <memory>
#include <utility>

#include "core/distributed/ghost_exchange.hpp"
#include "core/distributed/matrix_parts.hpp"
#include "core/distributed/rows_of.hpp"
#include "core/distributed/spread_rows.hpp"
#include "core/distributed/visit_matrix.hpp"
#include "core/matrix/inverse_diagonal.hpp"
#include "core/preconditioner/neumann_series.hpp"

// instantiate: std::shared_ptr<detail::NeumannSeries<V>> detail::make_spread_neumann_series<V>(const LinOp<V>&, const Neumann<V>::Parameters&)

namespace linden {
namespace {

using distributed::Extent;
using distributed::Matrix;
using distributed::PaddedPattern;
using distributed::SpreadRows;

/// The series of the rows of all ranks. Columns are positions in ghosts below, own rows, ghosts above, in the order of
/// the whole matrix, so that its triangles are those of these rows; ghosts have empty rows.
template <class V, class I>
class SpreadNeumannSeries final : public detail::TriangleSeries<V, I> {
public:
    SpreadNeumannSeries(const Matrix<V, I>& a, const SpreadRows<V, I>& rows, PaddedPattern<I> pattern,
                        const typename Neumann<V>::Parameters& p)
        : detail::TriangleSeries<V, I>(a.executor(), pattern.view(),
                                       {.first = rows.columns.num_lower(), .rows = rows.columns.num_own()}, p),
          ranks_(a.communicator()),
          partition_(a.partition()),
          extent_(rows.columns),
          pattern_(std::move(pattern))
    {
        dense_fill<V>(this->exec(), V{1}, {extent_.size(), 1, 1, this->inverse_.data()});
    }

    /// Collective, after the construction on all ranks.
    void connect(const Matrix<V, I>& a)
    {
        exchange_ = std::make_unique<distributed::GhostExchange<V, I>>(this->exec(), ranks_, extent_,
                                                                       detail::SpreadParts<V, I>::of(a).halo.map());
        take(a);
    }

    bool is_capturable() const override { return ranks_.is_single() || exchange_->is_peer(); }

    void update(const LinOp<V>& matrix) override
    {
        ranks_.guard([&] {
            const auto* const a = dynamic_cast<const Matrix<V, I>*>(&matrix);
            ranks_.agree_after([&] {
                if (a == nullptr || a->partition() != partition_ || a->ghosts() != extent_.ghosts()) {
                    throw NotSupported("Neumann",
                                       "new values must come in a distributed::Matrix of the same pattern "
                                       "and partition, not in a " +
                                           matrix.name());
                }
            });
            take(*a);
        });
    }

    void apply(const Dense<V>& b, Dense<V>& x) const override
    {
        const auto order = this->order_;
        if (order == 0) {
            this->scale(b, x);
            return;
        }
        const Dim size{extent_.size(), b.size().cols};
        const auto count = size.rows * size.cols;
        using Lease = typename detail::BlockCache<V>::Lease;
        Lease c_lease(this->between_, count), y_lease(this->between_, count),
            z_lease(this->between_, order > 1 ? count : 0);
        auto c_block = c_lease.block(size), y_block = y_lease.block(size), z_block = z_lease.block(size);
        const auto c = c_block.view(), y = y_block.view(), z = z_block.view();
        exchange_->make_room(size.cols);
        if (b.size().rows > 0) {
            dense_copy<V>(this->exec(), b.view(), own(y));
        }
        add_terms(Side::lower, b.view(), {y, z, c}, own(c));  // c := D^-1 (sum (-L')^j) b
        add_terms(Side::upper, own(c), {c, y, z}, x.view());  // x := (sum (-U')^j) c
    }

private:
    /// Blocks of all rows that a rank sees: the first with b, and those of terms in turns.
    struct Blocks {
        DenseView<V> start, one, other;
    };

    DenseView<V> own(DenseView<V> block) const
    {
        return distributed::rows_of(block, extent_.num_lower(), extent_.num_own());
    }
    /// Collective. result := D (b - T b + T^2 b - ...) by Horner's scheme; D^-1 for the lower triangle, else the
    /// identity. `result` is not in `one`, nor in `start` for order 1.
    void add_terms(Side side, DenseView<const V> b, const Blocks& blocks, DenseView<V> result) const
    {
        auto y = blocks.start;
        for (size_type left = this->order_; left-- > 0;) {
            const auto next = left % 2 == 1 ? blocks.one : blocks.other;
            (*exchange_)(y);
            if (extent_.num_own() > 0) {
                this->term(side, side == Side::lower && left == 0, b, y, left == 0 ? result : own(next));
            }
            y = next;
        }
    }
    /// Collective. D^-1 of own rows and ghosts, and the triangles.
    void take(const Matrix<V, I>& a)
    {
        ranks_.agree_after([&] { detail::invert_diagonal(a.local(), this->own_inverse(), this->num_zeros_.data()); });
        exchange_->make_room(1);
        (*exchange_)({extent_.size(), 1, 1, this->inverse_.data()});
        ranks_.agree_after([&] { this->fill(pattern_.view(a.with_ghosts().values())); });
    }

    Communicator ranks_;
    distributed::Partition partition_;
    Extent extent_;
    PaddedPattern<I> pattern_;
    mutable std::unique_ptr<distributed::GhostExchange<V, I>> exchange_;
};

template <class V, class I>
std::shared_ptr<detail::NeumannSeries<V>> spread_series(const Matrix<V, I>& a, const typename Neumann<V>::Parameters& p)
{
    const auto ranks = a.communicator();
    return ranks.guard([&] {
        auto series = ranks.agree_after([&] {
            detail::check_storage<V, I>(p.storage);
            const auto& map = detail::SpreadParts<V, I>::of(a).halo.map();
            const SpreadRows<V, I> rows{a.with_ghosts(), Extent(map.first_own, a.size().rows, map.ghosts)};
            return std::make_shared<SpreadNeumannSeries<V, I>>(a, rows,
                                                               PaddedPattern<I>(rows, rows.columns, rows.columns), p);
        });
        series->connect(a);
        return std::shared_ptr<detail::NeumannSeries<V>>(std::move(series));
    });
}

}  // namespace

template <class V>
std::shared_ptr<detail::NeumannSeries<V>> detail::make_spread_neumann_series(const LinOp<V>& matrix,
                                                                             const typename Neumann<V>::Parameters& p)
{
    std::shared_ptr<NeumannSeries<V>> series;
    distributed::visit_if_distributed(matrix, [&]<class I>(const Matrix<V, I>& a) { series = spread_series(a, p); });
    return series;
}

}  // namespace linden
