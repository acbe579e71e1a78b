#pragma once

#include <linden/deflation.hpp>
#include <linden/factory.hpp>

#include <memory>
#include <string>

namespace linden {

namespace detail {
template <class V>
class AdaptedDeflationOperators;
}  // namespace detail

/// A two-level preconditioner: x := (P^H M^-1 + Q) b with a preconditioner M^-1, deflation vectors Z (n x k),
/// E = Z^H A Z, Q = Z E^-1 Z^H and P^H = I - Q A. Each application removes the error in span(Z). This is "A-DEF2" of
/// [TangEtAl09]. It is not Hermitian, so use it with BiCgStab or Gmres; for CG see DeflatedCg. Applied as
///     y := M^-1 b,  c := E^-1 Z^H (b - A y),  x := y + Z c.
/// Entries of Z^H A that cancel are not stored. Applications allocate nothing after the first with the same number of
/// right-hand sides. Over ranks an application has one sum and one exchange with neighbours, beside those of M^-1.
///
/// If b is in span(Z), as a constant b is with domains, BiCgStab breaks down in its first steps from x = 0. Then start
/// from x := this preconditioner applied to b.
template <class V>
class LINDEN_EXPORT AdaptedDeflation : public LinOp<V> {
public:
    static constexpr std::string_view type_name = "AdaptedDeflation";

    struct Parameters {
        FactoryPtr<V> preconditioner{};  ///< M^-1; none: the identity
        Deflation<V> deflation{};
        void describe(ParameterVisitor& v);
    };

    static Factory<AdaptedDeflation> factory(Parameters parameters = {})
    {
        return Factory<AdaptedDeflation>(std::move(parameters));
    }

    /// Collective if the matrix is a distributed::Matrix. @throws NotSupported if it is neither that nor a Csr,
    /// DimensionMismatch if it is not square, InvalidParameter, RemoteError if another rank fails, and what the
    /// preconditioner's factory throws
    AdaptedDeflation(Executor exec, Parameters parameters, LinOpPtr<V> matrix);
    ~AdaptedDeflation() override;
    AdaptedDeflation(AdaptedDeflation&&) noexcept;
    AdaptedDeflation& operator=(AdaptedDeflation&&) noexcept;

    std::string name() const override { return "AdaptedDeflation"; }
    bool is_capturable() const override;
    /// That of the matrix.
    Communicator communicator() const override;
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;
    /// Keeps the deflation vectors. @throws NotSupported, DimensionMismatch
    void update_values(LinOpPtr<V> matrix) override;

    size_type num_vectors() const;
    /// Number of vectors that were dropped: they are zero, linearly dependent, or in the null space of A.
    size_type num_dropped_vectors() const;

protected:
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;

private:
    Parameters parameters_;
    LinOpPtr<V> matrix_;
    std::unique_ptr<detail::AdaptedDeflationOperators<V>> parts_;
};

}  // namespace linden
