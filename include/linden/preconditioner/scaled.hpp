#pragma once

#include <linden/preconditioner/scaled_operator.hpp>
#include <linden/scaling_norm.hpp>

#include <string>

namespace linden {

namespace detail {
template <class V>
class Equilibration;
}  // namespace detail

/// x := C M~^-1 R b with positive diagonal R and C such that rows and columns of A~ = R A C have the norm 1, or nearly:
/// the inner operator M~^-1, a preconditioner or a solver, is generated from A~. Use it where equations have different
/// units, above all with thresholds and pivots, which compare entries. [Ruiz01]
///
/// An iteration divides each row and each column by the square root of its norm, all at once, so that R = C if |A| is
/// symmetric. A few iterations are enough for the infinity norm. The other norms converge like a power of the second
/// singular value, the one norm to the limit of Sinkhorn and Knopp. Rows and columns of zeros keep the factor 1.
///
/// As a preconditioner it does not change what residuals are: those of A x = b. If A and M~ are Hermitian positive
/// definite, so is the preconditioner.
template <class V>
class LINDEN_EXPORT Scaled : public ScaledOperator<V> {
public:
    static constexpr std::string_view type_name = "Scaled";

    struct Parameters {
        ScalingNorm norm = ScalingNorm::infinity;
        size_type scaling_steps = 10;  ///< iterations, at least 1
        bool powers_of_two = false;    ///< rounds R and C to powers of two: A~ then has A's digits
        FactoryPtr<V> inner{};         ///< none: the identity
        void describe(ParameterVisitor& v);
    };

    static Factory<Scaled> factory(Parameters parameters = {}) { return Factory<Scaled>(std::move(parameters)); }

    /// @throws NotSupported if the matrix is not a Csr, DimensionMismatch if it is not square, InvalidParameter, and
    /// what the inner factory throws
    Scaled(Executor exec, Parameters parameters, LinOpPtr<V> matrix);

    std::string name() const override { return "Scaled"; }
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;

protected:
    void find_scaling(const LinOp<V>& matrix, V* rows, V* columns) override;

private:
    Parameters parameters_;
    std::shared_ptr<detail::Equilibration<V>> equilibration_;
};

}  // namespace linden
