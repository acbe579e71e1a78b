#pragma once

#include <linden/factory.hpp>

namespace linden {

/// The identity, x := b. As a preconditioner it means "none"; solvers skip it.
///
/// A movable value.
template <class V>
class LINDEN_EXPORT Identity : public LinOp<V> {
public:
    static constexpr std::string_view type_name = "Identity";

    struct Parameters {
        void describe(ParameterVisitor& v);
    };

    static Factory<Identity> factory(Parameters parameters = {}) { return Factory<Identity>(parameters); }

    /// @throws InvalidParameter if `size` is negative
    Identity(Executor exec, size_type size);
    /// The identity of the size of `matrix`. @throws DimensionMismatch if it is not square
    Identity(Executor exec, Parameters parameters, LinOpPtr<V> matrix);

    std::string name() const override { return "Identity"; }
    bool is_capturable() const override { return true; }
    bool is_identity() const override { return true; }
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;
    /// Checks the size only. @throws DimensionMismatch
    void update_values(LinOpPtr<V> matrix) override;

protected:
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;
    void apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const override;
};

}  // namespace linden
