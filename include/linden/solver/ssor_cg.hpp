#pragma once

#include <linden/reorder/colouring.hpp>
#include <linden/solver/solver.hpp>
#include <linden/storage_precision.hpp>

namespace linden {

namespace detail {
template <class V>
class EisenstatSweeps;
}  // namespace detail

/// Conjugate gradients with multi-coloured SSOR by Eisenstat's trick: the iterates of Cg with McSsor, but each
/// iteration reads the matrix once instead of twice. [Eisenstat81], [HeuvelineEtAl10]
///
/// For Hermitian positive definite matrices. The recurrence gives the residual in another norm. ||b - A x|| is computed
/// in every `check_period`-th iteration, and in every iteration close to the tolerance, so that the solve stops where
/// Cg stops. In between, the history holds estimates.
template <class V>
class LINDEN_EXPORT SsorCg : public Solver<V> {
public:
    static constexpr std::string_view type_name = "SsorCg";

    struct Parameters {
        Stop stop{};
        double omega = 1;  ///< relaxation factor, 0 < omega < 2; 1: symmetric Gauss-Seidel
        ColouringOptions colouring{};
        StoragePrecision storage = StoragePrecision::same;  ///< precision of off-diagonal entries
        size_type check_period = 16;                        ///< iterations between true residual norms, at least 1

        void describe(ParameterVisitor& v);
    };

    static Factory<SsorCg> factory(Parameters parameters = {}) { return Factory<SsorCg>(std::move(parameters)); }

    /// @throws NotSupported if the matrix is not a Csr, DimensionMismatch if it is not square, InvalidParameter
    SsorCg(Executor exec, Parameters parameters, LinOpPtr<V> matrix);
    ~SsorCg() override;

    std::string name() const override { return "SsorCg"; }
    /// @throws NotSupported, DimensionMismatch
    void update_values(LinOpPtr<V> matrix) override;
    /// Number of rows of each colour.
    std::vector<size_type> colour_sizes() const;

protected:
    std::unique_ptr<SolverWorkspace<V>> make_workspace(const Executor& exec, size_type num_rhs) const override;
    void start(Dense<V>& x, SolverWorkspace<V>& w) const override;
    void step(Dense<V>& x, SolverWorkspace<V>& w) const override;

private:
    size_type check_period_;
    std::unique_ptr<detail::EisenstatSweeps<V>> sweeps_;
};

}  // namespace linden
