#pragma once

#include <linden/array.hpp>
#include <linden/lin_op.hpp>

#include <vector>

namespace linden {

/// A permutation matrix P with (P b)(i, :) = b(p[i], :), which gathers rows. P^-1 = P^T.
///
/// A movable value.
template <class V, class I>
class LINDEN_EXPORT Permutation : public LinOp<V> {
    static_assert(is_index_type<I>, "indices are std::int32_t or std::int64_t");

public:
    using index_type = I;

    /// Takes ownership of p, or views it if the array is a view. Waits for the executor, to check p.
    /// @throws InvalidParameter if p is not a permutation of 0, ..., p.size() - 1, or is on another executor
    Permutation(Executor exec, Array<I> rows);
    /// A copy of host values. @throws InvalidParameter, OutOfMemory
    Permutation(Executor exec, const std::vector<I>& rows);

    std::string name() const override { return "Permutation"; }
    bool is_capturable() const override { return true; }
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;
    /// A copy as a value.
    Permutation copy(const Executor& exec) const;
    Permutation copy() const { return copy(this->executor()); }

    /// p
    const I* rows() const { return rows_.data(); }
    std::vector<I> to_host() const { return rows_.to_host(); }

    /// P^-1
    Permutation inverse() const;

protected:
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;
    void apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const override;

private:
    struct Checked {};
    Permutation(Executor exec, Array<I> rows, Checked);

    Array<I> rows_;
};

}  // namespace linden
