#pragma once

#include <linden/factory.hpp>
#include <linden/preconditioner/sweep_direction.hpp>
#include <linden/solver/triangular.hpp>

#include <memory>
#include <string>

namespace linden {

namespace detail {
template <class V>
class SsorTriangles;
}  // namespace detail

/// x := M^-1 b with M of successive over-relaxation in the natural order of the rows, A = D + L + U:
///
/// | direction | M |
/// |---|---|
/// | `symmetric` | 1 / (omega (2 - omega)) (D + omega L) D^-1 (D + omega U) |
/// | `forward` | D / omega + L |
/// | `backward` | D / omega + U |
///
/// With omega = 1 this is (symmetric) Gauss-Seidel. Of several blocks of successive rows, entries that couple different
/// ones are left out: block Jacobi, where each block is treated so by itself. [HeuvelineEtAl10, 2],
/// [Saad03, 10.2]
///
/// It is solved with L' = omega D^-1 L and U' = omega D^-1 U, whose diagonals are ones. Where the diagonal of A has a
/// zero, or nothing, it counts as 1; `num_zero_diagonals()` tells. Construction analyses the pattern; new values on it
/// cost a few passes. Applications allocate nothing after the first with as many right-hand sides. A movable value.
template <class V>
class LINDEN_EXPORT Ssor : public LinOp<V> {
public:
    static constexpr std::string_view type_name = "Ssor";

    struct Parameters {
        double omega = 1;          ///< 0 < omega < 2
        size_type blocks = 1;      ///< so many, whose numbers of rows differ by one at most
        size_type block_rows = 0;  ///< in place of `blocks`: so many rows in each but the last; 0: see `blocks`
        SweepDirection direction = SweepDirection::symmetric;
        TriangularOptions triangular{};
        void describe(ParameterVisitor& v);
    };

    static Factory<Ssor> factory(Parameters parameters = {}) { return Factory<Ssor>(parameters); }

    /// @throws NotSupported if the matrix is no Csr, DimensionMismatch if it is not square, InvalidParameter,
    /// KernelNotAvailable
    Ssor(Executor exec, Parameters parameters, LinOpPtr<V> matrix);
    ~Ssor() override;
    Ssor(Ssor&&) noexcept;
    Ssor& operator=(Ssor&&) noexcept;

    std::string name() const override { return "Ssor"; }
    bool is_capturable() const override;
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;
    /// @throws NotSupported, DimensionMismatch
    void update_values(LinOpPtr<V> matrix) override;

    /// Diagonal entries that were taken for 1; waits for the executor.
    size_type num_zero_diagonals() const;
    /// How triangular systems are solved, and how many levels a solve with the lower one takes (with the upper one for
    /// `backward`), as for Triangular.
    TriangularAlgorithm algorithm() const;
    size_type num_levels() const;

protected:
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;

private:
    Parameters parameters_;
    LinOpPtr<V> matrix_;
    std::unique_ptr<detail::SsorTriangles<V>> triangles_;
};

}  // namespace linden
