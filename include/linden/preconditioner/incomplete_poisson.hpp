#pragma once

#include <linden/array.hpp>
#include <linden/factory.hpp>

#include <memory>
#include <string>

namespace linden {

/// The incomplete Poisson preconditioner, an explicit sparse approximate inverse: x := M^-1 b takes one sparse product.
/// For Hermitian A = L + D + L^H, M^-1 keeps the entries on A's pattern and the diagonal of [GuptaEtAl11, 3.2]
///
/// | scaling | M^-1 |
/// |---|---|
/// | true | D^-1/2 (I - L~) (I - L~^H) D^-1/2, with L~ = D^-1/2 L D^-1/2 |
/// | false | (I - L D^-1) (I - D^-1 L^H), as first published, for diagonals that vary little |
///
/// Off-diagonal entries of the product in parentheses with magnitude below `threshold` are dropped as well. Zero or
/// missing diagonal entries of A count as 1; `num_zero_diagonals()` counts them. Only the lower triangle of A is read.
/// New values keep the pattern found at construction. A movable value.
template <class V>
class LINDEN_EXPORT IncompletePoisson : public LinOp<V> {
public:
    static constexpr std::string_view type_name = "IncompletePoisson";

    struct Parameters {
        bool scaling = true;
        double threshold = 0;  ///< drop tolerance, at least 0
        void describe(ParameterVisitor& v);
    };

    static Factory<IncompletePoisson> factory(Parameters parameters = {})
    {
        return Factory<IncompletePoisson>(parameters);
    }

    /// @throws NotSupported if the matrix is not a Csr, DimensionMismatch if it is not square, InvalidParameter
    IncompletePoisson(Executor exec, Parameters parameters, LinOpPtr<V> matrix);

    std::string name() const override { return "IncompletePoisson"; }
    bool is_capturable() const override { return true; }
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;
    /// New values on the same pattern, in three kernels. @throws NotSupported, DimensionMismatch
    void update_values(LinOpPtr<V> matrix) override;

    /// M^-1, a Csr.
    const LinOp<V>& inverse() const { return *inverse_; }
    size_type num_nonzeros() const;
    /// Number of zero or missing diagonal entries, which count as 1. Waits for the executor.
    size_type num_zero_diagonals() const;

protected:
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;
    void apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const override;
    void apply_dot_impl(const Dense<V>& b, Dense<V>& x, const DotRequest<V>& dots) const override;

private:
    IncompletePoisson(const IncompletePoisson& other, const Executor& exec);

    bool is_scaled_;
    size_type matrix_nonzeros_ = 0;
    Array<V> diagonal_;  ///< D^-1
    Array<size_type> num_zeros_;
    std::unique_ptr<LinOp<V>> inverse_;
};

}  // namespace linden
