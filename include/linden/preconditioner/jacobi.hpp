#pragma once

#include <linden/factory.hpp>
#include <linden/matrix/diagonal.hpp>

namespace linden {

/// Which diagonal Jacobi takes; `l1` and `spai0` are meant as smoothers of multigrid.
/// - diagonal: that of the matrix.
/// - l1: the sums of magnitudes of the rows. If A is Hermitian positive definite, no eigenvalue of D^-1 A is above 1.
///   [BakerEtAl11]
/// - spai0: the one whose inverse is the best diagonal approximation of A^-1. [BrokerGrote02]
enum class JacobiKind { diagonal, l1, spai0 };

/// x := D^-1 b with the diagonal D of a Csr matrix, or another one that stands for it. [Saad03, 4.1]
///
/// Zero or missing diagonal entries count as 1; `num_zero_diagonals()` counts them. A movable value.
template <class V>
class LINDEN_EXPORT Jacobi : public Diagonal<V> {
public:
    static constexpr std::string_view type_name = "Jacobi";

    struct Parameters {
        JacobiKind kind = JacobiKind::diagonal;
        void describe(ParameterVisitor& v);
    };

    static Factory<Jacobi> factory(Parameters parameters = {}) { return Factory<Jacobi>(parameters); }

    /// @throws NotSupported if the matrix is not a Csr, DimensionMismatch if it is not square
    Jacobi(Executor exec, Parameters parameters, LinOpPtr<V> matrix);

    std::string name() const override { return "Jacobi"; }
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;
    /// @throws NotSupported, DimensionMismatch
    void update_values(LinOpPtr<V> matrix) override;

    /// Number of zero or missing diagonal entries, which count as 1. Waits for the executor.
    size_type num_zero_diagonals() const { return num_zeros_.to_host().front(); }
    /// D^-1
    const Diagonal<V>& inverse_diagonal() const { return *this; }

private:
    Jacobi(JacobiKind kind, Diagonal<V> inverse, Array<size_type> num_zeros);
    void invert_diagonal_of(const LinOp<V>& matrix);

    JacobiKind kind_;
    Array<size_type> num_zeros_;
};

}  // namespace linden
