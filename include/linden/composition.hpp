#pragma once

#include <linden/lin_op.hpp>

#include <memory>
#include <vector>

namespace linden {

namespace detail {
template <class V>
class BlockCache;
}

/// The product A_1 A_2 ... A_n; A_n is applied first.
///
/// Intermediate vectors are kept: an application with at most as many columns as before allocates nothing. They live as
/// long as the composition, since a recorded loop holds their addresses. `apply` may be called from several threads at
/// once; each call uses its own intermediate vectors. A movable value.
template <class V>
class LINDEN_EXPORT Composition : public LinOp<V> {
public:
    /// Operators on other executors are copied to the executor of the first one.
    /// @throws DimensionMismatch if the sizes of neighbours do not match, InvalidParameter if the list is empty or an
    /// operator is null
    explicit Composition(std::vector<LinOpPtr<V>> operators);
    ~Composition() override;
    Composition(Composition&&) noexcept;
    Composition& operator=(Composition&&) noexcept;

    std::string name() const override { return "Composition"; }
    /// Whether all operators are capturable.
    bool is_capturable() const override;
    /// That of an operator which is spread over several ranks, if there is one.
    Communicator communicator() const override;
    /// Whether all operators are the identity.
    bool is_identity() const override;
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;

    const std::vector<LinOpPtr<V>>& operators() const { return operators_; }

protected:
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;
    void apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const override;
    void apply_dot_impl(const Dense<V>& b, Dense<V>& x, const DotRequest<V>& dots) const override;

private:
    template <class F>
    void with_product_of_rest(const Dense<V>& b, F&& f) const;

    std::vector<LinOpPtr<V>> operators_;
    std::unique_ptr<detail::BlockCache<V>> blocks_;
};

}  // namespace linden
