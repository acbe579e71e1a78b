#pragma once

#include <linden/solver/golub_kahan.hpp>

namespace linden {

/// LSQR: conjugate gradients for A^H A x = A^H b without forming A^H A, for m x n matrices of any shape and rank.
/// [PaigeSaunders82]
///
/// ||r|| never grows. GolubKahanSolver says how a solve ends. The number of iterations grows with the condition number
/// of A, so another method that solves a square system is faster.
template <class V>
class LINDEN_EXPORT Lsqr : public GolubKahanSolver<V> {
public:
    static constexpr std::string_view type_name = "Lsqr";

    static Factory<Lsqr> factory(GolubKahanParameters<V> parameters = {})
    {
        return Factory<Lsqr>(std::move(parameters));
    }

    /// @throws NotSupported if the matrix is no Csr and not made of one, InvalidParameter if normal_residual is
    /// negative
    Lsqr(Executor exec, GolubKahanParameters<V> parameters, LinOpPtr<V> matrix)
        : GolubKahanSolver<V>(std::move(exec), std::move(parameters), std::move(matrix), "Lsqr")
    {
    }

    std::string name() const override { return "Lsqr"; }

protected:
    std::unique_ptr<SolverWorkspace<V>> make_workspace(const Executor& exec, size_type num_rhs) const override;
    void begin(Dense<V>& x, SolverWorkspace<V>& w) const override;
    void advance(Dense<V>& x, SolverWorkspace<V>& w) const override;
};

}  // namespace linden
