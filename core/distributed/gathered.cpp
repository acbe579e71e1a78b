#include <linden/distributed/gathered.hpp>
#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/solver/direct.hpp>

#include "core/base/of_member.hpp"
#include "core/distributed/gather_matrix.hpp"
#include "core/distributed/halo.hpp"
#include "core/distributed/visit_matrix.hpp"
#include "core/matrix/new_values.hpp"
#include "core/matrix/square.hpp"

// instantiate: class distributed::Gathered<V>

namespace linden::distributed {
namespace {

/// Collective. What the inner operator is made of: null where there is none.
template <class V>
LinOpPtr<V> gather(LinOpPtr<V> matrix)
{
    LinOpPtr<V> result = matrix;
    visit_if_distributed(*matrix, [&](const auto& spread) { result = gather_matrix(spread); });
    return result != nullptr && result->size().rows > 0 ? result : nullptr;
}

}  // namespace

template <class V>
struct Gathered<V>::Whole {
    /// Where each rank's rows are among all, on rank 0; of the own ones, which go there and come back.
    using Range = GhostMap::Range;
    std::vector<Range> own, all;

    Communicator communicator = Communicator::self();
    size_type num_rows = 0;
    std::unique_ptr<LinOp<V>> inner;
};

template <class V>
void Gathered<V>::Parameters::describe(ParameterVisitor& v)
{
    v.factory("inner", inner, "solver or preconditioner for one process, made of the whole matrix; lu if none");
}

template <class V>
Gathered<V>::Gathered(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : LinOp<V>(exec, detail::square("Gathered", matrix->size())),
      whole_(std::make_unique<Whole>())
{
    auto& w = *whole_;
    w.communicator = matrix->communicator();
    const auto& ranks = w.communicator;
    const FactoryPtr<V> inner = parameters.inner == nullptr ? FactoryPtr<V>(Lu<V>::factory()) : parameters.inner;
    ranks.guard([&] {
        const auto counts = ranks.all_gather(matrix->size().rows);
        for (int rank = 0; rank < ranks.size(); ++rank) {
            const auto count = counts[static_cast<std::size_t>(rank)];
            if (count > 0) {
                w.all.push_back({rank, w.num_rows, count});
            }
            w.num_rows += count;
        }
        if (matrix->size().rows > 0) {
            w.own.push_back({0, 0, matrix->size().rows});
        }
        if (ranks.rank() != 0) {
            w.all.clear();
        }
        const auto all = gather(matrix);
        ranks.agree_after([&] {
            if (all != nullptr) {
                w.inner = linden::detail::of_member("inner", [&] { return inner->make(all); });
            }
        });
    });
}

template <class V>
Gathered<V>::~Gathered() = default;

template <class V>
Communicator Gathered<V>::communicator() const
{
    return whole_->communicator;
}

template <class V>
void Gathered<V>::update_values(LinOpPtr<V> matrix)
{
    auto& w = *whole_;
    w.communicator.agree_after([&] { matrix = new_values_here(*this, std::move(matrix)); });
    w.communicator.guard([&] {
        const auto all = gather(matrix);
        w.communicator.agree_after([&] {
            if (w.inner != nullptr) {
                w.inner->update_values(all);
            }
        });
    });
}

template <class V>
const LinOp<V>* Gathered<V>::inner() const
{
    return whole_->inner.get();
}

template <class V>
void Gathered<V>::apply_impl(const Dense<V>& b, Dense<V>& x) const
{
    const auto& w = *whole_;
    if (w.communicator.is_single()) {
        if (w.inner != nullptr) {
            w.inner->apply(b, x);
        }
        return;
    }
    const auto cols = b.size().cols;
    const auto exchange = [&](std::vector<V>& sent, const auto& sends, std::vector<V>& received, const auto& receives) {
        const auto pending = start_ranges(w.communicator, sent.data(), sends, received.data(), receives, cols);
        const AddSeconds timer(w.communicator.transport().exchange_seconds);
        pending->wait();
    };
    auto own = b.to_host();
    std::vector<V> all(w.inner == nullptr ? 0 : static_cast<std::size_t>(w.num_rows * cols));
    exchange(own, w.own, all, w.all);
    if (w.inner != nullptr) {
        const auto& exec = this->executor();
        const Dim size{w.num_rows, cols};
        const auto host = Executor::reference();
        auto all_x = Dense<V>(exec, size);
        w.inner->apply(Dense<V>::adopt(host, size, cols, all.data()).copy(exec), all_x);
        all = all_x.to_host();
    }
    exchange(all, w.all, own, w.own);
    x.copy_from(Dense<V>::adopt(Executor::reference(), b.size(), cols, own.data()));
}

}  // namespace linden::distributed
