#pragma once

#include <linden/csr_operator.hpp>
#include <linden/factory.hpp>
#include <linden/storage_precision.hpp>

#include <memory>
#include <string>

namespace linden {

namespace detail {
template <class V>
class NeumannSeries;
}  // namespace detail

/// Symmetric Gauss-Seidel whose triangular solves are replaced by truncated Neumann series, that is, by products. For
/// Hermitian A with D^-1/2 A D^-1/2 = I + L~ + L~^H it approximates ((I + L~) (I + L~^H))^-1:
///
///     M^-1 = D^-1/2 K^H K D^-1/2,    K = I - L~ + L~^2 - ... +- L~^order.
///
/// Order 0 is Jacobi, orders 1 and 2 are Neu1 and Neu2 of [GuptaEtAl11, 3.3]. Since L~ is nilpotent, the series is
/// exact at order n - 1 at the latest; M^-1 is then symmetric Gauss-Seidel.
///
/// Applied term by term, one kernel per term, without square roots: for A = L + D + U,
/// M^-1 = (sum (-D^-1 U)^j) D^-1 (sum (-L D^-1)^j), which also defines it for matrices that are not Hermitian. Zero or
/// missing diagonal entries count as 1; `num_zero_diagonals()` counts them. Applications allocate nothing after the
/// first with the same number of right-hand sides. A movable value.
///
/// For a distributed::Matrix it is the operator of the whole matrix, on any number of ranks. An application takes 2
/// order exchanges between neighbours.
template <class V>
class LINDEN_EXPORT Neumann : public CsrOperator<Neumann, V> {
public:
    static constexpr std::string_view type_name = "Neumann";

    struct Parameters {
        size_type order = 1;                                ///< highest power of the triangles in the series
        StoragePrecision storage = StoragePrecision::same;  ///< precision of the stored triangles
        void describe(ParameterVisitor& v);
    };

    static Factory<Neumann> factory(Parameters parameters = {}) { return Factory<Neumann>(parameters); }

    /// Collective if the matrix is a distributed::Matrix. @throws NotSupported if it is neither that nor a Csr,
    /// DimensionMismatch if it is not square, InvalidParameter, RemoteError if another rank fails
    Neumann(Executor exec, Parameters parameters, LinOpPtr<V> matrix);

    std::string name() const override { return "Neumann"; }
    /// That of the matrix.
    Communicator communicator() const override;

    /// Number of zero or missing diagonal entries, of this rank's rows, which count as 1. Waits for the executor.
    size_type num_zero_diagonals() const;
    /// Nonzeros of both triangles, in this rank's rows.
    size_type num_nonzeros() const;
    /// Bytes of the triangles and the diagonal on the executor, with padding.
    size_type storage_bytes() const;

protected:
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;

private:
    friend CsrOperator<Neumann, V>;

    Parameters parameters_;
    LinOpPtr<V> matrix_;
    std::shared_ptr<detail::NeumannSeries<V>> impl_;
};

}  // namespace linden
