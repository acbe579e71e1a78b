#pragma once

#include <linden/preconditioner/multicoloured.hpp>

#include <memory>

namespace linden::detail {

/// M^-1 = (I + U)^-1 (I + L)^-1 S in colour ordering, for any index type.
template <class V>
class ColouredSweeps {
public:
    virtual ~ColouredSweeps() = default;

    /// x := P^T M^-1 P b
    virtual void apply(const Dense<V>& b, Dense<V>& x) const = 0;
    /// x := M^-1 b, in colour ordering.
    virtual void apply_reordered(const Dense<V>& b, Dense<V>& x) const = 0;
    virtual void update(const LinOp<V>& matrix) = 0;
    bool is_capturable() const { return true; }

    /// P and P A P^T; the latter only if it was requested.
    virtual ReorderedSystem<V> reordered_matrix() const = 0;
    virtual std::vector<size_type> colour_sizes() const = 0;
    virtual size_type num_nonzeros() const = 0;
    virtual size_type storage_bytes() const = 0;
    /// Waits for the executor.
    virtual size_type num_replaced_pivots() const = 0;
};

/// @throws NotSupported if the matrix is not a Csr, InvalidParameter
template <class V>
std::shared_ptr<ColouredSweeps<V>> make_coloured_sweeps(const LinOp<V>& matrix, const MulticolourPlan& plan);

}  // namespace linden::detail
