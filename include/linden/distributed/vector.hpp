#pragma once

#include <linden/distributed/partition.hpp>
#include <linden/matrix/dense.hpp>

namespace linden::distributed {

/// k vectors whose rows are spread over the ranks: the block of each rank, and what needs all of them. Solvers take the
/// block: `solver->solve(b.local(), x.local())`.
template <class V>
class LINDEN_EXPORT Vector {
public:
    /// Zeros. @throws InvalidParameter if the partition is not for as many ranks
    Vector(Executor exec, Communicator communicator, Partition partition, size_type cols = 1);
    /// Takes the rows of this rank. @throws DimensionMismatch if they are not as many as the partition says
    Vector(Communicator communicator, Partition partition, Dense<V> local);

    Dense<V>& local() { return local_; }
    const Dense<V>& local() const { return local_; }
    const Partition& partition() const { return partition_; }
    const Communicator& communicator() const { return communicator_; }

    /// Collective. The Euclidean norm of each column over all rows; summed in the order of ranks.
    std::vector<real_t<V>> norm2() const;
    /// Collective. conj(this)^T other, of each column over all rows. @throws DimensionMismatch
    std::vector<V> dot(const Vector& other) const;
    /// Collective. All rows, on the host of every rank, in the partition's order.
    DenseData<V> gather() const;

private:
    Communicator communicator_;
    Partition partition_;
    Dense<V> local_;
};

}  // namespace linden::distributed
