#pragma once

#include <linden/lin_op.hpp>

namespace linden {

/// A Csr matrix together with a copy in another format: products use the copy, and preconditioners are generated from
/// the Csr matrix.
///
///     const auto A = share(Formatted<double>(csr, automatic_format(csr)));
///
/// A movable value.
template <class V>
class LINDEN_EXPORT Formatted : public LinOp<V> {
public:
    /// `applied` is `source` in another format.
    /// @throws InvalidParameter if one is null or they are on different executors, DimensionMismatch
    Formatted(LinOpPtr<V> source, LinOpPtr<V> applied);

    /// `Dia of Csr`.
    std::string name() const override;
    bool is_capturable() const override { return applied_->is_capturable(); }
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;
    /// Takes the values of a matrix with the same pattern for both; `applied` is replaced by an updated copy.
    /// @throws what update_values of the format throws
    void update_values(LinOpPtr<V> matrix) override;

    const LinOpPtr<V>& source() const { return source_; }
    const LinOpPtr<V>& applied() const { return applied_; }

protected:
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;
    void apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const override;
    void apply_dot_impl(const Dense<V>& b, Dense<V>& x, const DotRequest<V>& dots) const override;

private:
    LinOpPtr<V> source_;
    LinOpPtr<V> applied_;
};

}  // namespace linden
