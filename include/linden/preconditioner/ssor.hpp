#pragma once

#include <linden/csr_operator.hpp>
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

/// x := M^-1 b with M of symmetric successive over-relaxation in the natural ordering, A = D + L + U:
///
/// | direction | M |
/// |---|---|
/// | `symmetric` | 1 / (omega (2 - omega)) (D + omega L) D^-1 (D + omega U) |
/// | `forward` | D / omega + L |
/// | `backward` | D / omega + U |
///
/// With omega = 1 this is (symmetric) Gauss-Seidel. `blocks` or `block_rows` split the rows into contiguous blocks and
/// ignore entries that couple different blocks: block Jacobi with SSOR inside the blocks. [HeuvelineEtAl10, 2],
/// [Saad03, 10.2]
///
/// The triangular solves are with I + omega D^-1 L and I + omega D^-1 U, which have unit diagonals. Zero or missing
/// diagonal entries of A count as 1; `num_zero_diagonals()` counts them. Construction analyses the pattern; new values
/// on it cost a few passes. Applications allocate nothing after the first with the same number of right-hand sides.
/// A movable value.
template <class V>
class LINDEN_EXPORT Ssor : public CsrOperator<Ssor, V> {
public:
    static constexpr std::string_view type_name = "Ssor";

    struct Parameters {
        double omega = 1;          ///< relaxation factor, 0 < omega < 2
        size_type blocks = 1;      ///< number of diagonal blocks; their numbers of rows differ by one at most
        size_type block_rows = 0;  ///< rows per block, instead of `blocks`; the last may have fewer; 0: use `blocks`
        SweepDirection direction = SweepDirection::symmetric;
        TriangularOptions triangular{};
        void describe(ParameterVisitor& v);
    };

    static Factory<Ssor> factory(Parameters parameters = {}) { return Factory<Ssor>(parameters); }

    /// @throws NotSupported if the matrix is not a Csr, DimensionMismatch if it is not square, InvalidParameter,
    /// KernelNotAvailable
    Ssor(Executor exec, Parameters parameters, LinOpPtr<V> matrix);

    std::string name() const override { return "Ssor"; }

    /// Number of zero or missing diagonal entries, which count as 1. Waits for the executor.
    size_type num_zero_diagonals() const;
    /// The algorithm of the triangular solves; `automatic` is resolved.
    TriangularAlgorithm algorithm() const;
    /// Number of level sets of the solve with the lower triangle (the upper one for `backward`), as
    /// Triangular::num_levels counts them.
    size_type num_levels() const;

protected:
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;

private:
    friend CsrOperator<Ssor, V>;

    Parameters parameters_;
    LinOpPtr<V> matrix_;
    std::shared_ptr<detail::SsorTriangles<V>> impl_;
};

}  // namespace linden
