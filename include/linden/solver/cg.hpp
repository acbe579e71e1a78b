#pragma once

#include <linden/solver/solver.hpp>

namespace linden {

/// The conjugate gradient method for Hermitian positive definite A and M. [HestenesStiefel52; Saad03, algorithm 9.1]
///
/// `single_reduction` computes all inner products of an iteration in one reduction [ChronopoulosGear89]: fewer kernels
/// and synchronisation points, one more vector, and slightly less accuracy.
template <class V>
class Cg : public Solver<V> {
public:
    static constexpr std::string_view type_name = "Cg";

    struct Parameters {
        Stop stop{};
        FactoryPtr<V> preconditioner{};
        bool single_reduction = false;

        void describe(ParameterVisitor& v);
    };

    static Factory<Cg> factory(Parameters parameters = {}) { return Factory<Cg>(std::move(parameters)); }

    /// @throws DimensionMismatch if A is not square, and what the preconditioner's factory throws
    Cg(Executor exec, Parameters parameters, LinOpPtr<V> matrix);

    std::string name() const override { return "Cg"; }

protected:
    std::unique_ptr<SolverWorkspace<V>> make_workspace(const Executor& exec, size_type num_rhs) const override;
    void start(Dense<V>& x, SolverWorkspace<V>& w) const override;
    void step(Dense<V>& x, SolverWorkspace<V>& w) const override;
    bool run_at_once(Dense<V>& x, SolverWorkspace<V>& w) const override;

private:
    bool single_reduction_;
    /// Which persistent kernel suits the system: none, the cluster variant (the whole system fits into the shared
    /// memory of a thread block cluster), or the one on the whole device (the vectors fit into its shared memory).
    enum class Residence { none, cluster, device };
    Residence residence_ = Residence::none;
    /// Maximum rows and nonzeros per block of that kernel.
    size_type block_rows_ = 0;
    size_type block_nonzeros_ = 0;
};

}  // namespace linden
