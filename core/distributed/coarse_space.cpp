#include "core/distributed/coarse_space.hpp"

#include <linden/error.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/math.hpp"
#include "core/deflation/domains.hpp"
#include "core/deflation/galerkin_solver.hpp"
#include "core/distributed/ghost_values.hpp"
#include "core/distributed/matrix_parts.hpp"
#include "core/distributed/row_gather.hpp"
#include "core/distributed/visit_matrix.hpp"
#include "core/kernels/deflation.hpp"
#include "core/kernels/dense.hpp"
#include "core/matrix/visit_csr.hpp"

// instantiate: class distributed::CoarseSpace<V>

namespace linden::distributed {
namespace {

/// Domains of this rank, numbered from 0, and the numbers among those of all ranks that its rows and ghosts have.
template <class I>
struct RankDomains {
    linden::detail::Domains<I> own;
    std::vector<I> of_column;
};

/// Products of the own rows with the domains of all ranks.
template <class V, class I>
struct DomainProducts {
    CsrData<V, I> az;               // n x k, 0 where entries cancel
    std::vector<V> e;               // the own rows of E, m x k
    std::vector<real_t<V>> scales;  // the sums of magnitudes of the terms of E's diagonal, m
};

/// rows: n x (n + g) on the host; m domains of each rank, those of this one from `first` on.
template <class V, class I>
DomainProducts<V, I> products_with_domains(const CsrData<V, I>& rows, const std::vector<I>& of_row,
                                           const std::vector<I>& of_column, size_type m, size_type k, size_type first)
{
    std::vector<V> e(static_cast<std::size_t>(m * k)), sums(static_cast<std::size_t>(k));
    std::vector<real_t<V>> scales(static_cast<std::size_t>(m)), magnitudes(static_cast<std::size_t>(k));
    std::vector<std::size_t> seen;
    CsrData<V, I> az{{rows.size.rows, k}, {0}, {}, {}};
    for (std::size_t row = 0; row < of_row.size(); ++row) {
        const auto domain = static_cast<std::size_t>(of_row[row]);
        for (auto j = static_cast<std::size_t>(rows.row_ptrs[row]);
             j < static_cast<std::size_t>(rows.row_ptrs[row + 1]); ++j) {
            const auto other = static_cast<std::size_t>(of_column[static_cast<std::size_t>(rows.col_idxs[j])]);
            if (magnitudes[other] == 0) {
                seen.push_back(other);
            }
            sums[other] += rows.values[j];
            magnitudes[other] += magnitude(rows.values[j]);
        }
        std::sort(seen.begin(), seen.end());
        seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
        for (const auto other : seen) {
            const bool cancels =
                magnitude(sums[other]) <= 8 * std::numeric_limits<real_t<V>>::epsilon() * magnitudes[other];
            const V value = cancels ? V{} : sums[other];
            az.col_idxs.push_back(static_cast<I>(other));
            az.values.push_back(value);
            e[domain * static_cast<std::size_t>(k) + other] += value;
            if (other == domain + static_cast<std::size_t>(first)) {
                scales[domain] += magnitudes[other];
            }
            sums[other] = V{};
            magnitudes[other] = 0;
        }
        seen.clear();
        az.row_ptrs.push_back(static_cast<I>(az.col_idxs.size()));
    }
    return {std::move(az), std::move(e), std::move(scales)};
}

template <class V, class I>
class RankDomainSpace final : public CoarseSpace<V> {
public:
    RankDomainSpace(LinOpPtr<V> matrix, size_type per_rank, DeflationKind kind)
        : exec_(matrix->executor()),
          ranks_(matrix->communicator()),
          per_rank_(per_rank),
          domains_(make_own_domains(*matrix, kind)),
          pieces_(ranks_.agree_after([&] {
              return linden::detail::DomainPieces<I>({per_rank_, domains_.own.of_row.clone()});
          })),
          az_(exec_, Dim{}),
          coarse_(exec_, num_vectors(), CoarseSolve::inverse),
          between_(exec_),
          gather_(exec_, ranks_, Partition::stripes(num_vectors(), ranks_.size())),
          r_(exec_, {}),
          sums_(exec_, {}),
          sums_of_b_(exec_, {}),
          coefficients_(exec_, {}),
          temporaries_(exec_),
          scratch_(exec_)
    {
        update(std::move(matrix));
    }

    bool is_capturable() const override
    {
        return matrix_->is_capturable() && !exec_.is_host() && (ranks_.is_single() || gather_.is_peer());
    }

    void update(LinOpPtr<V> matrix) override
    {
        auto products = ranks_.agree_after([&] {
            return products_with_domains<V, I>(rows_with_ghosts(*matrix), domains_.own.of_row.to_host(),
                                               domains_.of_column, per_rank_, num_vectors(), ranks_.rank() * per_rank_);
        });
        std::vector<V> e(products.e.size() * static_cast<std::size_t>(ranks_.size()));
        std::vector<real_t<V>> scales(static_cast<std::size_t>(num_vectors()));
        ranks_.all_gather(products.e.data(), products.e.size() * sizeof(V), e.data());
        ranks_.all_gather(products.scales.data(), products.scales.size() * sizeof(real_t<V>), scales.data());
        ranks_.agree_after([&] {
            const Dim size{num_vectors(), num_vectors()};
            between_.restart();
            auto e_on_executor = between_.dense<V>(size);
            e_on_executor.copy_from(Dense<V>::adopt(Executor::reference(), size, size.cols, e.data()));
            auto scales_on_executor = between_.array<real_t<V>>(size.rows);
            scales_on_executor.copy_from_host(scales.data());
            if (matrix_ == nullptr) {
                az_ = Csr<V, I>(exec_, products.az);
            }
            coarse_.factorize(e_on_executor, scales_on_executor, between_);
            Array<V>::view(exec_, az_.num_nonzeros(), az_.values()).copy_from_host(products.az.values.data());
            matrix_ = std::move(matrix);
        });
    }

    const Dense<V>& before(const Dense<V>& b) override
    {
        make_room(b.size().cols);
        restrict_to(b);
        sums_of_b_.copy_from(sums_);
        solve();
        r_.copy_from(b);
        az_.apply(V{-1}, coefficients_, V{1}, r_);  // r := b - A Z E^-1 Z^H b
        return r_;
    }

    void after(Dense<V>& x) override
    {
        matrix_->apply(x, r_);
        restrict_to(r_);
        dense_axpby<V>(exec_, V{1}, std::as_const(sums_of_b_).view(), V{-1}, sums_.view());  // Z^H (b - A x)
        solve();
        if (x.size().rows > 0) {
            const auto own = gather_.own(coefficients_.view());
            deflation_add_prolonged<V, I>(exec_, pieces_.view(), Scalar<V>(V{1}), own, x.view());
        }
    }

private:
    size_type num_vectors() const { return ranks_.size() * per_rank_; }

    /// On the host.
    static CsrData<V, I> rows_with_ghosts(const LinOp<V>& matrix)
    {
        const auto* const spread = dynamic_cast<const Matrix<V, I>*>(&matrix);
        return spread != nullptr ? spread->with_ghosts().to_host() : dynamic_cast<const Csr<V, I>&>(matrix).to_host();
    }

    RankDomains<I> make_own_domains(const LinOp<V>& matrix, DeflationKind kind) const
    {
        const auto* const spread = dynamic_cast<const Matrix<V, I>*>(&matrix);
        const auto n = matrix.size().rows;
        auto own = ranks_.agree_after([&] {
            if (n == 0) {
                return linden::detail::Domains<I>{per_rank_, Array<I>(exec_)};
            }
            const auto block = spread != nullptr ? spread->local() : dynamic_cast<const Csr<V, I>&>(matrix).copy();
            const Deflation<V> options{.kind = kind, .vectors = std::min(per_rank_, n)};
            return linden::detail::make_domains<V, I>(options, block, linden::detail::Symmetry::none);
        });
        std::vector<I> numbers;
        for (const auto domain : own.of_row.to_host()) {
            numbers.push_back(static_cast<I>(ranks_.rank() * per_rank_ + domain));
        }
        if (spread != nullptr) {
            const auto& map = linden::detail::SpreadParts<V, I>::of(*spread).halo.map();
            const Extent extent(map.first_own, n, map.ghosts);
            std::vector<I> all(static_cast<std::size_t>(extent.size()));
            std::copy(numbers.begin(), numbers.end(), all.begin() + extent.num_lower());
            fill_ghosts(ranks_, map, extent, all.data());
            numbers = std::move(all);
        }
        return {std::move(own), std::move(numbers)};
    }

    void make_room(size_type cols)
    {
        if (r_.size().cols != cols || r_.size().rows != az_.size().rows) {
            r_ = Dense<V>(exec_, {az_.size().rows, cols});
            sums_ = Dense<V>::filled(exec_, {num_vectors(), cols}, V{});  // a rank without rows leaves its own alone
            sums_of_b_ = Dense<V>(exec_, sums_.size());
            coefficients_ = Dense<V>(exec_, {num_vectors(), cols});
            temporaries_ = Array<V>(exec_, coarse_.num_temporaries() * cols);
            scratch_ = Array<V>(exec_, pieces_.num_pieces() * cols);
        }
        gather_.make_room(cols);
    }
    /// sums := Z^H b of all ranks
    void restrict_to(const Dense<V>& b)
    {
        if (b.size().rows > 0) {
            deflation_restrict<V, I>(
                exec_, pieces_.view(), b.view(), gather_.own(sums_.view()),
                {reinterpret_cast<std::byte*>(scratch_.data()), static_cast<size_type>(scratch_.bytes())});
        }
        gather_(sums_.view());
    }
    /// coefficients := E^-1 sums
    void solve() { coarse_.apply(sums_, temporaries_.data(), coefficients_); }

    Executor exec_;
    Communicator ranks_;
    size_type per_rank_;
    LinOpPtr<V> matrix_;
    RankDomains<I> domains_;
    linden::detail::DomainPieces<I> pieces_;
    Csr<V, I> az_;
    linden::detail::GalerkinSolver<V> coarse_;
    linden::detail::KeptMemory between_;
    RowGather<V, I> gather_;  // of sums
    Dense<V> r_, sums_, sums_of_b_, coefficients_;
    Array<V> temporaries_, scratch_;
};

}  // namespace

template <class V>
std::unique_ptr<CoarseSpace<V>> CoarseSpace<V>::make(const LinOpPtr<V>& matrix, size_type per_rank, DeflationKind kind)
{
    std::unique_ptr<CoarseSpace> result;
    const bool is_spread = visit_if_distributed(*matrix, [&]<class I>(const Matrix<V, I>&) {
        result = std::make_unique<RankDomainSpace<V, I>>(matrix, per_rank, kind);
    });
    if (!is_spread) {
        visit_csr("Schwarz with a coarse space", *matrix, [&]<class I>(const Csr<V, I>&) {
            result = std::make_unique<RankDomainSpace<V, I>>(matrix, per_rank, kind);
        });
    }
    return result;
}

}  // namespace linden::distributed
