#include <linden/distributed/vector.hpp>
#include <linden/error.hpp>

#include <algorithm>
#include <cmath>

#include "core/distributed/transport.hpp"
#include "core/matrix/range.hpp"

// instantiate: class distributed::Vector<V>

namespace linden::distributed {
namespace {

size_type own_rows(const Communicator& communicator, const Partition& partition)
{
    if (partition.num_ranks() != communicator.size()) {
        throw InvalidParameter("partition", "for " + std::to_string(partition.num_ranks()) + " ranks",
                               "for as many as the communicator has, " + std::to_string(communicator.size()));
    }
    return partition.num_rows(communicator.rank());
}

/// The sum over the ranks of each value, in the order of ranks.
template <class T>
std::vector<T> sum(const Communicator& communicator, const std::vector<T>& mine)
{
    std::vector<T> total(mine.size());
    for (const auto& part : detail::gather_lists(communicator, mine)) {
        for (std::size_t i = 0; i < total.size(); ++i) {
            total[i] += part[i];
        }
    }
    return total;
}

}  // namespace

template <class V>
Vector<V>::Vector(Executor exec, Communicator communicator, Partition partition, size_type cols)
    : communicator_(std::move(communicator)),
      partition_(std::move(partition)),
      local_(Dense<V>::filled(std::move(exec), {own_rows(communicator_, partition_), cols}, V{}))
{
}

template <class V>
Vector<V>::Vector(Communicator communicator, Partition partition, Dense<V> local)
    : communicator_(std::move(communicator)),
      partition_(std::move(partition)),
      local_(std::move(local))
{
    const Dim expected{own_rows(communicator_, partition_), local_.size().cols};
    if (local_.size() != expected) {
        throw DimensionMismatch("distributed::Vector", "the local block", local_.size(), "what the partition says",
                                expected);
    }
}

template <class V>
std::vector<real_t<V>> Vector<V>::norm2() const
{
    const auto mine = communicator_.agree_after([&] { return local_.norm2(); });
    const auto parts = detail::gather_lists(communicator_, mine);
    auto norms = mine;
    for (std::size_t col = 0; col < norms.size(); ++col) {
        real_t<V> largest = 0, squares = 0;
        for (const auto& part : parts) {
            largest = std::max(largest, part[col]);
        }
        const auto scale = detail::is_in_range(largest) ? 1 : detail::scale_to_one(largest);
        for (const auto& part : parts) {
            squares += part[col] * scale * (part[col] * scale);
        }
        norms[col] = std::sqrt(squares) / scale;
    }
    return norms;
}

template <class V>
std::vector<V> Vector<V>::dot(const Vector& other) const
{
    return sum(communicator_, communicator_.agree_after([&] { return local_.dot(other.local_); }));
}

template <class V>
DenseData<V> Vector<V>::gather() const
{
    DenseData<V> whole{{partition_.num_rows(), local_.size().cols}, {}};
    for (const auto& part : detail::gather_lists(communicator_, local_.to_host())) {
        whole.values.insert(whole.values.end(), part.begin(), part.end());
    }
    return whole;
}

}  // namespace linden::distributed
