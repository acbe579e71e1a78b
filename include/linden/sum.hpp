#pragma once

#include <linden/composition.hpp>

namespace linden {

/// The sum c_1 A_1 + ... + c_n A_n.
///
/// Applications need no temporary vectors, except with an alpha in executor memory and coefficients other than 1; these
/// are kept as in `Composition`. A movable value.
template <class V>
class LINDEN_EXPORT Sum : public LinOp<V> {
public:
    struct Term {
        V coefficient;
        LinOpPtr<V> op;
    };

    /// Operators on other executors are copied to the executor of the first one.
    /// @throws DimensionMismatch if sizes differ, InvalidParameter if the list is empty or an operator is null
    explicit Sum(std::vector<Term> terms);
    ~Sum() override;
    Sum(Sum&&) noexcept;
    Sum& operator=(Sum&&) noexcept;

    std::string name() const override { return "Sum"; }
    /// Whether all operators are capturable.
    bool is_capturable() const override;
    /// That of an operator which is spread over several ranks, if there is one.
    Communicator communicator() const override;
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;

    const std::vector<Term>& terms() const { return terms_; }

protected:
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;
    void apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const override;

private:
    std::vector<Term> terms_;
    std::unique_ptr<detail::BlockCache<V>> blocks_;
};

}  // namespace linden
