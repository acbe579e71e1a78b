#pragma once

#include <linden/array.hpp>
#include <linden/lin_op.hpp>

#include <vector>

namespace linden {

/// A diagonal matrix D = diag(d).
///
/// A movable value.
template <class V>
class LINDEN_EXPORT Diagonal : public LinOp<V> {
public:
    /// Takes ownership of d, or views it if the array is a view. @throws InvalidParameter if it is on another executor
    Diagonal(Executor exec, Array<V> diagonal);
    /// A copy of host values. @throws OutOfMemory
    Diagonal(Executor exec, const std::vector<V>& diagonal);

    std::string name() const override { return "Diagonal"; }
    bool is_capturable() const override { return true; }
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;
    /// A copy as a value.
    Diagonal copy(const Executor& exec) const;
    Diagonal copy() const { return copy(this->executor()); }

    V* values() { return diagonal_.data(); }
    const V* values() const { return diagonal_.data(); }
    std::vector<V> to_host() const { return diagonal_.to_host(); }

    /// D^-1. Waits for the executor, to check for zeros. @throws InvalidParameter if an entry is zero
    Diagonal inverse() const;

    /// Takes the values of `matrix`, a Diagonal of the same size. @throws NotSupported, DimensionMismatch
    void update_values(LinOpPtr<V> matrix) override;

protected:
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;
    void apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const override;
    void apply_dot_impl(const Dense<V>& b, Dense<V>& x, const DotRequest<V>& dots) const override;

private:
    Array<V> diagonal_;
};

}  // namespace linden
