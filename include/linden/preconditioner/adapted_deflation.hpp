#pragma once

#include <linden/deflation.hpp>
#include <linden/factory.hpp>

#include <memory>
#include <string>

namespace linden {

namespace detail {
template <class V>
class AdaptedDeflationParts;
}  // namespace detail

/// x := (P^H M^-1 + Q) b with a preconditioner M^-1 and deflation vectors Z of n x k: P^H = I - Q A,
/// Q = Z E^-1 Z^H, E = Z^H A Z. Errors in the space of Z vanish in each application. "A-DEF2" of [TangEtAl09]: not
/// Hermitian, so for BiCgStab and Gmres; for Cg see DeflatedCg. Applied as
///     y := M^-1 b,  c := E^-1 Z^H (b - A y),  x := y + Z c
/// with entries of Z^H A kept only where they do not cancel. Applications allocate nothing after the first with as many
/// right-hand sides.
///
/// Where b is in the space of Z, as a constant b is with domains, BiCgStab breaks down from x = 0 in its first steps:
/// start from x := this preconditioner's application to b.
template <class V>
class LINDEN_EXPORT AdaptedDeflation : public LinOp<V> {
public:
    static constexpr std::string_view type_name = "AdaptedDeflation";

    struct Parameters {
        FactoryPtr<V> preconditioner{};
        Deflation<V> deflation{};
        void describe(ParameterVisitor& v);
    };

    static Factory<AdaptedDeflation> factory(Parameters parameters = {})
    {
        return Factory<AdaptedDeflation>(std::move(parameters));
    }

    /// @throws NotSupported if the matrix is no Csr, DimensionMismatch if it is not square, InvalidParameter, and what
    /// the preconditioner's factory throws
    AdaptedDeflation(Executor exec, Parameters parameters, LinOpPtr<V> matrix);
    ~AdaptedDeflation() override;
    AdaptedDeflation(AdaptedDeflation&&) noexcept;
    AdaptedDeflation& operator=(AdaptedDeflation&&) noexcept;

    std::string name() const override { return "AdaptedDeflation"; }
    bool is_capturable() const override;
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;
    /// Keeps the deflation vectors. @throws NotSupported, DimensionMismatch
    void update_values(LinOpPtr<V> matrix) override;

    size_type num_vectors() const;
    /// Vectors that were left out, since they are zero, depend on others, or are in the kernel of A.
    size_type num_dropped_vectors() const;

protected:
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;

private:
    Parameters parameters_;
    LinOpPtr<V> matrix_;
    std::unique_ptr<detail::AdaptedDeflationParts<V>> parts_;
};

}  // namespace linden
