#pragma once

#include <linden/solver/solver.hpp>

namespace linden {

/// The conjugate gradient method for Hermitian positive definite A and M. [HestenesStiefel52; Saad03, algorithm 9.1]
///
/// `single_reduction` joins the inner products of an iteration into one point of synchronisation
/// [ChronopoulosGear89]: fewer kernels, slightly less accurate, one more block of memory.
template <class V>
class LINDEN_EXPORT Cg : public Solver<V> {
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
    /// Where one kernel can run the whole iteration: nowhere, in a device's cluster, which has room for the whole
    /// system, or on all of a device, which has room for the vectors.
    enum class Residence { none, cluster, device };
    Residence residence_ = Residence::none;
    /// How the rows are dealt to the blocks of that kernel.
    size_type block_rows_ = 0;
    size_type block_nonzeros_ = 0;
};

}  // namespace linden
