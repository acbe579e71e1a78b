#pragma once

#include <linden/solver/golub_kahan.hpp>

namespace linden {

/// LSMR: MINRES for A^H A x = A^H b without forming A^H A, for m x n matrices of any shape and rank.
/// [FongSaunders11]
///
/// ||A^H r|| never grows, so a least-squares problem may end earlier than with LSQR, whose ||A^H r|| goes up and down.
/// ||r|| never grows either, and is a little larger than that of LSQR. An iteration moves two words more for each of
/// the n unknowns. GolubKahanSolver says how a solve ends.
template <class V>
class LINDEN_EXPORT Lsmr : public GolubKahanSolver<V> {
public:
    static constexpr std::string_view type_name = "Lsmr";

    static Factory<Lsmr> factory(GolubKahanParameters<V> parameters = {})
    {
        return Factory<Lsmr>(std::move(parameters));
    }

    /// @throws NotSupported if the matrix is no Csr and not made of one, InvalidParameter if normal_residual is
    /// negative
    Lsmr(Executor exec, GolubKahanParameters<V> parameters, LinOpPtr<V> matrix)
        : GolubKahanSolver<V>(std::move(exec), std::move(parameters), std::move(matrix), "Lsmr")
    {
    }

    std::string name() const override { return "Lsmr"; }

protected:
    std::unique_ptr<SolverWorkspace<V>> make_workspace(const Executor& exec, size_type num_rhs) const override;
    void begin(Dense<V>& x, SolverWorkspace<V>& w) const override;
    void advance(Dense<V>& x, SolverWorkspace<V>& w) const override;
};

}  // namespace linden
