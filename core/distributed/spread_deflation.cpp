#include <linden/error.hpp>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "core/deflation/deflation_space.hpp"
#include "core/deflation/domains.hpp"
#include "core/distributed/matrix_parts.hpp"
#include "core/distributed/rank_domains.hpp"
#include "core/distributed/row_gather.hpp"
#include "core/distributed/rows_of.hpp"
#include "core/distributed/visit_matrix.hpp"
#include "core/kernels/dense.hpp"

// instantiate: std::unique_ptr<detail::DeflationSpace<V>> detail::make_spread_deflation_space<V>(const Deflation<V>&, const LinOp<V>&, const LinOp<V>*, detail::Symmetry)

namespace linden {
namespace {

using detail::DeflationBlocks;
using distributed::Extent;
using distributed::Matrix;
using distributed::RankDomains;

/// An entry of E, as a rank has it for its parts of domains.
template <class V, class I>
struct GalerkinEntry {
    I row, col;
    V value, magnitude;
};

/// The own rows' share of Y, on the host: columns are those of `RowsOfParts`.
template <class V, class I>
struct OwnProducts {
    CsrData<V, I> y;
    std::vector<I> own_cols;
    std::vector<GalerkinEntry<V, I>> e;
};

/// Blocks of one number of columns. They stay, since recorded loops hold their addresses.
template <class V>
struct Room {
    Dense<V> columns;  ///< what Y multiplies: all ghosts below, own rows at interfaces, all ghosts above
    Dense<V> parts;    ///< two values of each part and column

    /// The parts with so many values of each.
    DenseView<V> values_of_parts(size_type per_column)
    {
        const auto cols = per_column * columns.size().cols;
        return {parts.size().rows, cols, cols, parts.data()};
    }
};

/// Some columns of a block.
template <class V>
DenseView<V> columns_of(DenseView<V> block, size_type first, size_type count)
{
    block.values += first;
    block.cols = count;
    return block;
}

/// Z of domains over ranks. Each rank forms Y and sums for its own parts of domains, from its rows of A and of vectors;
/// a message brings those of all ranks, with which each solves with E and goes on alike. Since a rank's rows of Y are
/// those of Z^H A in its part, in the order of rows, they have the same bits as on one rank where a domain is one part.
template <class V, class I>
class SpreadDomainSpace final : public detail::DeflationSpace<V> {
public:
    SpreadDomainSpace(const Matrix<V, I>& a, const RankDomains<I>& domains, CoarseSolve how)
        : detail::DeflationSpace<V>(a.executor(), domains.num_domains, how),
          exec_(a.executor()),
          ranks_(a.communicator()),
          rows_(a.partition()),
          num_seen_(a.size().rows + a.num_ghosts()),
          num_lower_(detail::SpreadParts<V, I>::of(a).num_lower_ghosts),
          domain_of_column_(exec_, domains.of_column),
          part_of_row_(exec_, domains.part_of_row),
          own_domains_(part_numbers(domains)),
          own_pieces_({domains.parts.num_rows(ranks_.rank()), part_of_row_.clone()}),
          part_pieces_({domains.num_domains, Array<I>(exec_, domains.domain_of_part)}),
          join_parts_(exec_, joined(domains)),
          y_(exec_, Dim{}),
          own_cols_(exec_),
          between_(exec_),
          y_memory_(exec_)
    {
    }

    /// Collective, after the construction on all ranks.
    void connect(const Matrix<V, I>& a, const RankDomains<I>& domains)
    {
        const auto& map = detail::SpreadParts<V, I>::of(a).halo.map();
        const Extent extent(map.first_own, a.size().rows, map.ghosts);
        ghosts_.emplace(exec_, ranks_, extent, map);
        gather_.emplace(exec_, ranks_, domains.parts);
        form(a);
    }

    bool is_capturable() const override { return ranks_.is_single() || gather_->is_peer(); }

    void update(const LinOp<V>& matrix) override
    {
        ranks_.guard([&] { form(matrix); });
    }

    void add(Scalar<V> alpha, const DeflationBlocks<V>& w, Dense<V>& x) const override
    {
        if (has_rows()) {
            deflation_add_prolonged<V, I>(exec_, domains_of_rows(), alpha, w.coefficients.view(), x.view());
        }
    }

    void sum_ahead(const Dense<V>& z, const Dense<V>& r, DeflationBlocks<V>& w, WorkspaceView sums) const override
    {
        const auto m = z.size().cols;
        auto& room = room_for(m);
        const auto all = room.values_of_parts(2);
        const auto own = gather_->own(all);
        multiply(z, Scalar<V>(V{}), r, room, columns_of(own, 0, m), w);
        restrict_own(r, columns_of(own, m, m), w);
        gather_->among_sums(all, sums);
    }

private:
    bool has_rows() const { return rows_.num_rows(ranks_.rank()) > 0; }
    /// Where prolongation finds the domains of rows; it needs nothing else.
    DomainsView<I> domains_of_rows() const
    {
        return {part_of_row_.size(), this->num_vectors(), 0, domain_of_column_.data() + num_lower_};
    }
    size_type scratch_rows() const override { return std::max(own_pieces_.num_pieces(), part_pieces_.num_pieces()); }
    WorkspaceView workspace_in(DeflationBlocks<V>& w) const
    {
        const auto bytes = w.scratch.size().rows * w.scratch.size().cols * static_cast<size_type>(sizeof(V));
        return {reinterpret_cast<std::byte*>(w.scratch.data()), bytes};
    }
    const LinOp<V>& restricted_matrix() const override { return y_; }

    /// Collective for each number of columns at its first use, where the ranks are peers.
    Room<V>& room_for(size_type cols) const
    {
        const auto has = [&](const auto& room) { return room->columns.size().cols == cols; };
        auto at = std::find_if(rooms_.begin(), rooms_.end(), has);
        if (at == rooms_.end()) {
            const auto num_columns = ghosts_->num_ghosts() + own_cols_.size();
            Room<V> room{Dense<V>(exec_, {num_columns, cols}), Dense<V>(exec_, {gather_->num_rows(), 2 * cols})};
            ghosts_->make_room(cols);
            gather_->make_room(cols);
            gather_->make_room(2 * cols);
            rooms_.push_back(std::make_unique<Room<V>>(std::move(room)));
            at = rooms_.end() - 1;
        }
        return **at;
    }

    /// c := Z^H b on the own parts.
    void restrict_own(const Dense<V>& b, DenseView<V> c, DeflationBlocks<V>& w) const
    {
        if (has_rows()) {
            deflation_restrict<V, I>(exec_, own_pieces_.view(), b.view(), c, workspace_in(w));
        }
    }
    /// c := Z^H (A z - r / alpha) on the own parts, without r where alpha is 0.
    void multiply(const Dense<V>& z, Scalar<V> alpha, const Dense<V>& r, Room<V>& room, DenseView<V> c,
                  DeflationBlocks<V>& w) const
    {
        const auto columns = room.columns.view();
        if (own_cols_.size() > 0) {
            dense_gather_rows<V, I>(exec_, own_cols_.data(), z.view(),
                                    distributed::rows_of(columns, num_lower_, own_cols_.size()));
        }
        (*ghosts_)(z.view(), columns);
        if (has_rows()) {
            deflation_project<V, I>(exec_, own_pieces_.view(), y_.view(), columns, {r.view(), alpha}, c,
                                    workspace_in(w));
        }
    }
    /// c := the sums over domains of what all ranks have for their parts
    void join(DenseView<V> parts, Dense<V>& c, DeflationBlocks<V>& w) const
    {
        (*gather_)(parts);
        deflation_restrict<V, I>(exec_, part_pieces_.view(), parts, c.view(), workspace_in(w));
    }
    void restrict_to(const Dense<V>& b, Dense<V>& c, DeflationBlocks<V>& w) const override
    {
        const auto parts = room_for(b.size().cols).values_of_parts(1);
        restrict_own(b, gather_->own(parts), w);
        join(parts, c, w);
    }
    void sum_projected(const Dense<V>& z, Scalar<V> alpha, const Dense<V>& r, DeflationBlocks<V>& w) const override
    {
        auto& room = room_for(z.size().cols);
        const auto parts = room.values_of_parts(1);
        multiply(z, alpha, r, room, gather_->own(parts), w);
        join(parts, w.sums, w);
    }
    /// After `sum_ahead`, which has left Y z and Z^H r of all parts.
    void move(const Dense<V>& z, const Dense<V>&, DeflationBlocks<V>& w, Dense<V>& p, Dense<V>& x, CgScalars<V> s,
              StopView<real_t<V>> stop) const override
    {
        const auto m = z.size().cols;
        const auto parts = room_for(m).values_of_parts(2);
        const StepView<V> step{columns_of(parts, m, m), Scalar<V>::per_column(s.alpha), s.rho, s.rho_old,
                               w.residual_sums.view()};
        deflation_project<V, I>(exec_, part_pieces_.view(), join_parts_.view(), columns_of(parts, 0, m), step,
                                w.sums.view(), workspace_in(w));
        this->coarse_.apply(w.sums, w.temporaries, w.coefficients);
        if (has_rows()) {
            deflation_update_direction<V, I>(exec_, domains_of_rows(), std::as_const(w.coefficients).view(), z.view(),
                                             p.view(), x.view(), s, stop);
        }
    }

    /// A row for each domain with a 1 for each of its parts.
    static CsrData<V, I> joined(const RankDomains<I>& domains)
    {
        const auto num_parts = domains.parts.num_rows();
        MatrixData<V, I> ones{{domains.num_domains, num_parts},
                              domains.domain_of_part,
                              std::vector<I>(static_cast<std::size_t>(num_parts)),
                              std::vector<V>(static_cast<std::size_t>(num_parts), V{1})};
        for (size_type part = 0; part < num_parts; ++part) {
            ones.cols[static_cast<std::size_t>(part)] = static_cast<I>(part);
        }
        return to_csr(ones);
    }
    /// The domains of this rank's parts.
    std::vector<I> part_numbers(const RankDomains<I>& domains) const
    {
        const auto begin = domains.domain_of_part.begin();
        return {begin + domains.parts.first(ranks_.rank()), begin + domains.parts.first(ranks_.rank() + 1)};
    }

    /// Collective. Y and E^-1.
    void form(const LinOp<V>& matrix)
    {
        auto own = ranks_.agree_after([&] { return own_products(matrix); });
        const auto all = detail::gather_lists(ranks_, own.e);
        ranks_.agree_after([&] {
            Csr<V, I> y(exec_, own.y);
            Array<I> own_cols(exec_, own.own_cols);
            factorize(all);
            y_ = std::move(y);
            own_cols_ = std::move(own_cols);
            rooms_.clear();
        });
    }
    OwnProducts<V, I> own_products(const LinOp<V>& matrix)
    {
        const auto* const a = dynamic_cast<const Matrix<V, I>*>(&matrix);
        if (a == nullptr || a->partition() != rows_ || a->size().rows + a->num_ghosts() != num_seen_) {
            throw NotSupported("deflation",
                               "new values must come in a distributed::Matrix of the same pattern and "
                               "partition, not in a " +
                                   matrix.name());
        }
        const auto n = a->size().rows;
        if (n == 0) {
            return {{{0, num_seen_}, {0}, {}, {}}, {}, {}};
        }
        between_.restart();
        y_memory_.restart();
        const auto num_parts = static_cast<size_type>(own_domains_.size());
        const auto z = indicators(n, num_parts, part_of_row_),
                   w = indicators(num_seen_, this->num_vectors(), domain_of_column_);
        const auto products = detail::galerkin_of_rows<V, I>(a->with_ghosts(), z, w, {between_, y_memory_});
        OwnProducts<V, I> result{products.y.to_host(), {}, {}};
        keep_used_columns(n, result);
        const auto e = products.e.to_host(), magnitudes = products.e_magnitudes.to_host();
        for (std::size_t part = 0; part < own_domains_.size(); ++part) {
            for (auto k = static_cast<std::size_t>(e.row_ptrs[part]);
                 k < static_cast<std::size_t>(e.row_ptrs[part + 1]); ++k) {
                result.e.push_back({own_domains_[part], e.col_idxs[k], e.values[k], magnitudes.values[k]});
            }
        }
        return result;
    }
    /// n x k: a 1 in each row.
    Csr<V, I> indicators(size_type n, size_type k, const Array<I>& of_row)
    {
        auto row_ptrs = between_.template array<I>(n + 1);
        array_iota<I>(exec_, n + 1, row_ptrs.data());
        auto ones = between_.template dense<V>({n, 1});
        ones.fill(V{1});
        return csr_view_unchecked<V, I>(exec_, n, k, n, row_ptrs.data(), of_row.data(), ones.data());
    }
    /// Columns of Y become positions among the ghosts below, those own rows that Y has entries of, and the ghosts
    /// above.
    void keep_used_columns(size_type n, OwnProducts<V, I>& products) const
    {
        auto& cols = products.y.col_idxs;
        std::vector<I> position(static_cast<std::size_t>(n), 0);
        const auto is_own = [&](I col) { return col >= num_lower_ && col < num_lower_ + n; };
        for (const auto col : cols) {
            if (is_own(col)) {
                position[static_cast<std::size_t>(col - num_lower_)] = 1;
            }
        }
        for (size_type row = 0; row < n; ++row) {
            auto& at = position[static_cast<std::size_t>(row)];
            if (at != 0) {
                at = static_cast<I>(num_lower_ + static_cast<size_type>(products.own_cols.size()));
                products.own_cols.push_back(static_cast<I>(row));
            }
        }
        const auto num_used = static_cast<I>(products.own_cols.size());
        for (auto& col : cols) {
            col = is_own(col)        ? position[static_cast<std::size_t>(col - num_lower_)]
                  : col < num_lower_ ? col
                                     : col - static_cast<I>(n) + num_used;
        }
        products.y.size.cols = num_seen_ - n + num_used;
    }
    /// E^-1 from the entries of all ranks, of which those of one domain's parts are added in the order of ranks.
    void factorize(const std::vector<std::vector<GalerkinEntry<V, I>>>& of_ranks)
    {
        const Dim size{this->num_vectors(), this->num_vectors()};
        MatrixData<V, I> e{size, {}, {}, {}};
        std::vector<V> magnitudes;
        for (const auto& entries : of_ranks) {
            for (const auto& entry : entries) {
                e.rows.push_back(entry.row);
                e.cols.push_back(entry.col);
                e.values.push_back(entry.value);
                magnitudes.push_back(entry.magnitude);
            }
        }
        const Csr<V, I> values(exec_, to_csr(e));
        e.values = std::move(magnitudes);
        between_.restart();
        this->coarse_.factorize(values, Csr<V, I>(exec_, to_csr(e)), between_);
    }

    Executor exec_;
    Communicator ranks_;
    distributed::Partition rows_;
    size_type num_seen_;         ///< own rows and ghosts
    size_type num_lower_;        ///< ghosts below
    Array<I> domain_of_column_;  ///< of ghosts below, own rows, ghosts above
    Array<I> part_of_row_;
    std::vector<I> own_domains_;  ///< of the own parts
    detail::DomainPieces<I> own_pieces_, part_pieces_;
    Csr<V, I> join_parts_;  ///< adds up parts
    Csr<V, I> y_;           ///< the own parts' rows of Z^H A
    Array<I> own_cols_;     ///< the own rows that y_ has columns of
    detail::KeptMemory between_, y_memory_;
    mutable std::optional<distributed::GhostExchange<V, I>> ghosts_;
    mutable std::optional<distributed::RowGather<V, I>> gather_;
    mutable std::vector<std::unique_ptr<Room<V>>> rooms_;
};

template <class V, class I>
std::unique_ptr<detail::DeflationSpace<V>> spread_space(const Deflation<V>& options, const Matrix<V, I>& a,
                                                        const LinOp<V>* to, detail::Symmetry symmetry)
{
    const auto ranks = a.communicator();
    return ranks.guard([&] {
        const auto domains = distributed::find_rank_domains(options, a, symmetry);
        auto space = ranks.agree_after([&] {
            if (to != nullptr) {
                throw NotSupported("deflation", "on several ranks the preconditioner must not have an ordering");
            }
            return std::make_unique<SpreadDomainSpace<V, I>>(a, domains, options.coarse);
        });
        space->connect(a, domains);
        return std::unique_ptr<detail::DeflationSpace<V>>(std::move(space));
    });
}

}  // namespace

template <class V>
std::unique_ptr<detail::DeflationSpace<V>> detail::make_spread_deflation_space(const Deflation<V>& options,
                                                                               const LinOp<V>& matrix,
                                                                               const LinOp<V>* to, Symmetry symmetry)
{
    std::unique_ptr<DeflationSpace<V>> space;
    distributed::visit_if_distributed(
        matrix, [&]<class I>(const Matrix<V, I>& a) { space = spread_space(options, a, to, symmetry); });
    return space;
}

}  // namespace linden
