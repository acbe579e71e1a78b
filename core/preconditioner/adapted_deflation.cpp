#include <linden/distributed/communicator.hpp>
#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/preconditioner/adapted_deflation.hpp>

#include "core/base/of_member.hpp"
#include "core/deflation/deflation_space.hpp"
#include "core/matrix/block_cache.hpp"
#include "core/matrix/new_values.hpp"
#include "core/matrix/square.hpp"

// instantiate: class AdaptedDeflation<V>

namespace linden {
namespace detail {

template <class V>
class AdaptedDeflationOperators {
public:
    AdaptedDeflationOperators(const typename AdaptedDeflation<V>::Parameters& p, const LinOpPtr<V>& matrix)
        : space(make_deflation_space<V>(p.deflation, *matrix, nullptr, Symmetry::none)),
          memory(matrix->executor())
    {
        if (p.preconditioner != nullptr) {
            const auto ranks = matrix->communicator();
            ranks.guard([&] {
                preconditioner = of_member("preconditioner", [&] { return p.preconditioner->make(matrix); });
                ranks.check();
            });
            if (preconditioner->size() != matrix->size()) {
                throw DimensionMismatch("AdaptedDeflation", "the matrix", matrix->size(), "the preconditioner",
                                        preconditioner->size());
            }
        }
    }

    std::unique_ptr<LinOp<V>> preconditioner;  ///< null for M = I
    std::unique_ptr<DeflationSpace<V>> space;
    BlockCache<V> memory;
};

}  // namespace detail

template <class V>
void AdaptedDeflation<V>::Parameters::describe(ParameterVisitor& v)
{
    v.factory("preconditioner", preconditioner, "M, applied before the coarse correction");
    deflation.describe(v);
}

template <class V>
AdaptedDeflation<V>::AdaptedDeflation(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : LinOp<V>(std::move(exec), detail::square("AdaptedDeflation", matrix->size())),
      parameters_(std::move(parameters)),
      matrix_(std::move(matrix)),
      parts_(std::make_unique<detail::AdaptedDeflationOperators<V>>(parameters_, matrix_))
{
}

template <class V>
AdaptedDeflation<V>::~AdaptedDeflation() = default;
template <class V>
AdaptedDeflation<V>::AdaptedDeflation(AdaptedDeflation&&) noexcept = default;
template <class V>
AdaptedDeflation<V>& AdaptedDeflation<V>::operator=(AdaptedDeflation&&) noexcept = default;

template <class V>
bool AdaptedDeflation<V>::is_capturable() const
{
    return parts_->space->is_capturable() &&
           (parts_->preconditioner == nullptr || parts_->preconditioner->is_capturable());
}

template <class V>
Communicator AdaptedDeflation<V>::communicator() const
{
    return matrix_->communicator();
}

template <class V>
std::unique_ptr<LinOp<V>> AdaptedDeflation<V>::clone(const Executor& exec) const
{
    return std::make_unique<AdaptedDeflation>(exec, parameters_, matrix_->clone(exec));
}

template <class V>
void AdaptedDeflation<V>::update_values(LinOpPtr<V> matrix)
{
    const auto ranks = communicator();
    ranks.agree_after([&] { matrix = new_values_here(*this, std::move(matrix)); });
    ranks.guard([&] {
        parts_->space->update(*matrix);
        if (parts_->preconditioner != nullptr) {
            parts_->preconditioner->update_values(matrix);
        }
    });
    matrix_ = std::move(matrix);
}

template <class V>
size_type AdaptedDeflation<V>::num_vectors() const
{
    return parts_->space->num_vectors();
}

template <class V>
size_type AdaptedDeflation<V>::num_dropped_vectors() const
{
    return parts_->space->num_dropped();
}

template <class V>
void AdaptedDeflation<V>::apply_impl(const Dense<V>& b, Dense<V>& x) const
{
    const auto cols = b.size().cols;
    const auto& space = *parts_->space;
    typename detail::BlockCache<V>::Lease lease(parts_->memory, space.block_values(cols));
    auto memory = lease.block({space.block_values(cols), 1});
    auto blocks = space.blocks_in(this->executor(), memory.data(), cols);
    if (parts_->preconditioner == nullptr) {
        x.copy_from(b);
    } else {
        parts_->preconditioner->apply(b, x);  // y := M^-1 b
    }
    space.project(x, V{1}, b, blocks);  // c := E^-1 Z^H (A y - b)
    space.add(V{-1}, blocks, x);        // x := y - Z c
}

}  // namespace linden
