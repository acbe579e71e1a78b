#pragma once

#include <linden/factory.hpp>
#include <linden/storage_precision.hpp>

#include <memory>
#include <string>

namespace linden {

namespace detail {
template <class V>
class NeumannSeries;
}  // namespace detail

/// x := M^-1 b with the truncated Neumann series of both factors of (I + L~) (I + L~^H), where A is Hermitian and
/// D^-1/2 A D^-1/2 = I + L~ + L~^H:
///
///     M^-1 = D^-1/2 K^H K D^-1/2,    K = I - L~ + L~^2 - ... +- L~^order.
///
/// Order 0 is Jacobi, orders 1 and 2 are the paper's Neu1 and Neu2; from some order on, n - 1 at the latest, it is
/// symmetric Gauss-Seidel, without its triangular solves. [GuptaEtAl12, 3.3]
///
/// It is applied term by term, a kernel each, without square roots: with A = L + D + U it is
/// (sum (-D^-1 U)^j) D^-1 (sum (-L D^-1)^j), which is how it is defined for other matrices. A zero on the diagonal, or
/// nothing, counts as 1; `num_zero_diagonals()` tells. Applications allocate nothing after the first with as many
/// right-hand sides. A movable value.
template <class V>
class LINDEN_EXPORT Neumann : public LinOp<V> {
public:
    static constexpr std::string_view type_name = "Neumann";

    struct Parameters {
        size_type order = 1;                                ///< the highest power of the triangles
        StoragePrecision storage = StoragePrecision::same;  ///< of the triangles
        void describe(ParameterVisitor& v);
    };

    static Factory<Neumann> factory(Parameters parameters = {}) { return Factory<Neumann>(parameters); }

    /// @throws NotSupported if the matrix is no Csr, DimensionMismatch if it is not square, InvalidParameter
    Neumann(Executor exec, Parameters parameters, LinOpPtr<V> matrix);
    ~Neumann() override;
    Neumann(Neumann&&) noexcept;
    Neumann& operator=(Neumann&&) noexcept;

    std::string name() const override { return "Neumann"; }
    bool is_capturable() const override { return true; }
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;
    /// New values on the same pattern, in a few passes. @throws NotSupported, DimensionMismatch
    void update_values(LinOpPtr<V> matrix) override;

    /// Diagonal entries that were taken for 1; waits for the executor.
    size_type num_zero_diagonals() const;
    /// Of both triangles.
    size_type num_nonzeros() const;
    /// Bytes of the triangles and the diagonal on the executor, with padding.
    size_type storage_bytes() const;

protected:
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;

private:
    Parameters parameters_;
    LinOpPtr<V> matrix_;
    std::unique_ptr<detail::NeumannSeries<V>> series_;
};

}  // namespace linden
