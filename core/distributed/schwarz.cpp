#include <linden/distributed/schwarz.hpp>
#include <linden/error.hpp>
#include <linden/preconditioner/ilu.hpp>

#include "core/base/of_member.hpp"
#include "core/distributed/coarse_space.hpp"
#include "core/distributed/overlap.hpp"
#include "core/distributed/rows_of.hpp"
#include "core/distributed/visit_matrix.hpp"
#include "core/matrix/new_values.hpp"
#include "core/matrix/square.hpp"

// instantiate: class distributed::Schwarz<V>

namespace linden::distributed {
namespace {

constexpr std::string_view coarse_kinds[] = {"stripes", "metis"};

}  // namespace

/// The rows of this rank and what is applied to them. Without overlap it is the local operator alone.
template <class V>
struct Schwarz<V>::Domain {
    virtual ~Domain() = default;
    virtual void apply(const Dense<V>& b, Dense<V>& x)
    {
        if (local != nullptr) {
            local->apply(b, x);
        }
    }
    /// Whether an application exchanges values.
    virtual bool has_messages() const { return false; }
    virtual size_type num_rows() const { return local == nullptr ? 0 : local->size().rows; }
    /// Collective. The matrix of the rows; on the executor of `matrix`.
    virtual LinOpPtr<V> block(LinOpPtr<V> matrix) const
    {
        LinOpPtr<V> result = matrix;
        visit_if_distributed(*matrix, [&](const auto& spread) {
            result = spread.communicator().agree_after([&] { return LinOpPtr<V>(share(spread.local())); });
        });
        return result;
    }

    Communicator communicator = Communicator::self();
    std::unique_ptr<LinOp<V>> local;
    std::unique_ptr<CoarseSpace<V>> coarse;  // null for none
};

namespace {

template <class V, class I, class Domain>
struct OverlappingDomain final : Domain {
    OverlappingDomain(const Matrix<V, I>& matrix, size_type layers, bool is_restricted)
        : overlap(matrix, layers),
          halo(matrix.executor(), matrix.communicator(), overlap.map()),
          restricted(is_restricted),
          b_wide(matrix.executor(), {}),
          x_wide(matrix.executor(), {}),
          x_ghosts(matrix.executor(), {})
    {
    }

    bool has_messages() const override { return true; }
    size_type num_rows() const override { return overlap.num_rows(); }

    LinOpPtr<V> block(LinOpPtr<V> matrix) const override
    {
        const auto* const spread = dynamic_cast<const Matrix<V, I>*>(matrix.get());
        if (spread == nullptr) {
            throw NotSupported("Schwarz::update_values", "the new values come in a " + matrix->name());
        }
        const auto data = overlap.block(*spread);
        return this->communicator.agree_after(
            [&] { return LinOpPtr<V>(std::make_shared<const Csr<V, I>>(matrix->executor(), data)); });
    }

    void apply(const Dense<V>& b, Dense<V>& x) override
    {
        const auto& exec = b.executor();
        const auto cols = b.size().cols;
        if (b_wide.size().cols != cols) {
            b_wide = Dense<V>(exec, {num_rows(), cols});
            x_wide = Dense<V>(exec, {num_rows(), cols});
            x_ghosts = Dense<V>(exec, {overlap.num_ghosts(), cols});
        }
        halo.start(b.view());
        const auto ghosts = halo.finish();
        const auto lower = overlap.num_lower_ghosts();
        const auto num_own = b.size().rows;
        const auto num_upper = overlap.num_ghosts() - lower;
        const auto copy = [&](DenseView<const V> from, size_type first, DenseView<V> to, size_type to_first,
                              size_type count) {
            dense_copy<V>(exec, rows_of(from, first, count), rows_of(to, to_first, count));
        };
        copy(ghosts, 0, b_wide.view(), 0, lower);
        copy(b.view(), 0, b_wide.view(), lower, num_own);
        copy(ghosts, lower, b_wide.view(), lower + num_own, num_upper);
        if (this->local != nullptr) {
            this->local->apply(b_wide, x_wide);
        }
        copy(x_wide.view(), lower, x.view(), 0, num_own);
        if (!restricted) {
            copy(x_wide.view(), 0, x_ghosts.view(), 0, lower);
            copy(x_wide.view(), lower + num_own, x_ghosts.view(), lower, num_upper);
            halo.add_back(x_ghosts.view(), x.view());
        }
    }

    Overlap<V, I> overlap;
    Halo<V, I> halo;
    bool restricted;
    Dense<V> b_wide, x_wide, x_ghosts;  // the extended operands, and the part of x that other ranks own
};

}  // namespace

template <class V>
void Schwarz<V>::Parameters::describe(ParameterVisitor& v)
{
    v.factory("local", local, "preconditioner or solver of the rows of each rank, ilu0 if none");
    v("overlap", overlap, "layers of rows of neighbours that each rank takes in, at least 0");
    v("restricted", restricted, "keep the results of own rows only; otherwise overlapping ones are added up");
    v("coarse", coarse, "domains of each rank whose constants make a coarse space over all ranks, 0 for none");
    v.choice("coarse_kind", coarse_kind, coarse_kinds, "domains of the coarse space: stripes of rows, or by METIS");
}

template <class V>
Schwarz<V>::Schwarz(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : LinOp<V>(exec, detail::square("Schwarz", matrix->size()))
{
    const auto communicator = matrix->communicator();
    const FactoryPtr<V> local = parameters.local == nullptr ? FactoryPtr<V>(Ilu0<V>::factory()) : parameters.local;
    communicator.agree_after([&] {
        if (parameters.overlap < 0) {
            throw InvalidParameter("overlap", std::to_string(parameters.overlap), "at least 0");
        }
        if (parameters.coarse < 0) {
            throw InvalidParameter("coarse", std::to_string(parameters.coarse), "at least 0");
        }
    });
    communicator.guard([&] {
        if (parameters.overlap > 0 && !communicator.is_single()) {
            visit_if_distributed(*matrix, [&]<class I>(const Matrix<V, I>& spread) {
                domain_ = std::make_unique<OverlappingDomain<V, I, Domain>>(spread, parameters.overlap,
                                                                            parameters.restricted);
            });
        }
        if (domain_ == nullptr) {
            domain_ = std::make_unique<Domain>();
        }
        domain_->communicator = communicator;
        const auto block = domain_->block(matrix);
        communicator.agree_after([&] {
            if (block->size().rows > 0) {
                domain_->local = linden::detail::of_member("local", [&] { return local->make(block); });
            }
        });
        if (parameters.coarse > 0) {
            domain_->coarse = CoarseSpace<V>::make(
                matrix, parameters.coarse,
                parameters.coarse_kind == CoarseDomains::metis ? DeflationKind::metis : DeflationKind::stripes);
        }
    });
}

template <class V>
Schwarz<V>::~Schwarz() = default;

template <class V>
Communicator Schwarz<V>::communicator() const
{
    return domain_->communicator;
}

template <class V>
void Schwarz<V>::update_values(LinOpPtr<V> matrix)
{
    domain_->communicator.agree_after([&] { matrix = new_values_here(*this, std::move(matrix)); });
    domain_->communicator.guard([&] {
        const auto block = domain_->block(matrix);
        domain_->communicator.agree_after([&] {
            if (domain_->local != nullptr) {
                domain_->local->update_values(block);
            }
        });
        if (domain_->coarse != nullptr) {
            domain_->coarse->update(matrix);
        }
    });
}

template <class V>
bool Schwarz<V>::is_capturable() const
{
    if (domain_->coarse != nullptr && !domain_->coarse->is_capturable()) {
        return false;
    }
    if (domain_->communicator.is_single()) {
        return domain_->local != nullptr && domain_->local->is_capturable();
    }
    // A rank without rows answers as the others do.
    return !domain_->has_messages() && (domain_->local == nullptr || domain_->local->is_capturable());
}

template <class V>
const LinOp<V>* Schwarz<V>::local() const
{
    return domain_->local.get();
}

template <class V>
size_type Schwarz<V>::num_local_rows() const
{
    return domain_->num_rows();
}

template <class V>
void Schwarz<V>::apply_impl(const Dense<V>& b, Dense<V>& x) const
{
    if (domain_->coarse == nullptr) {
        domain_->apply(b, x);
        return;
    }
    domain_->apply(domain_->coarse->before(b), x);
    domain_->coarse->after(x);
}

}  // namespace linden::distributed
