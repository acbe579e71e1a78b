#pragma once

#include <linden/composition.hpp>

namespace linden {

/// The sum c_1 A_1 + ... + c_n A_n.
///
/// Applications take no temporary, except that with an alpha in memory and coefficients other than 1 a block is kept,
/// as in `Composition`. A movable value.
template <class V>
class LINDEN_EXPORT Sum : public LinOp<V> {
public:
    struct Term {
        V coefficient;
        LinOpPtr<V> op;
    };

    /// Operators on another executor than that of the first are copied to it.
    /// @throws DimensionMismatch if sizes differ, InvalidParameter if there is no term or an operator is null
    explicit Sum(std::vector<Term> terms);
    ~Sum() override;
    Sum(Sum&&) noexcept;
    Sum& operator=(Sum&&) noexcept;

    std::string name() const override { return "Sum"; }
    /// If all operators are.
    bool is_capturable() const override;
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
