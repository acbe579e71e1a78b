#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/solver/cg.hpp>

#include <optional>

#include "core/kernels/cg.hpp"
#include "core/kernels/dense.hpp"
#include "core/solver/cg_steps.hpp"
#include "core/solver/residence.hpp"

// instantiate: class Cg<V>

/// Vector words moved per iteration and row, without the preconditioner (n rows, matrix apart):
///
///                                             reads        writes   words
///     q := A p, p^H q                         p            q        2
///     r := r - alpha q, r^H r                 r q          r        3
///     x := x + alpha p, p := r + beta p       r p x        p x      5      total 10 n
///
/// A preconditioner adds its own application and, unless it forms r^H z as it goes, 2 n for that product. Kernels that
/// run the whole solve take a diagonal one, which costs them 1 n.
/// Single reduction: z and w := A z 2, the joint update of p, s, x and r 9, total 11 n.
/// The limit of an iteration is (10 n V + bytes of A) / bandwidth.
namespace linden {
namespace {

template <class V>
struct Workspace final : detail::CgWorkspace<V> {
    Workspace(const Executor& exec, size_type rows, size_type cols, bool preconditioned, bool single_reduction)
        : detail::CgWorkspace<V>(exec, rows, cols, preconditioned),
          s(exec, single_reduction ? Dim{rows, cols} : Dim{}),
          resident(exec, 0)
    {
    }

    CgSingleScalars<V> single() { return {this->scalar(0), this->scalar(1), this->scalar(2), this->scalar(3)}; }

    Dense<V> s;                 // A p, with single reduction, where q is A z
    Array<std::byte> resident;  // for cg_run_resident
};

/// Of cg_run_resident, in fast memory.
constexpr int num_resident_vectors = 3;

/// The partition for cg_run_small, where the executor's cluster has room for the system.
template <class V>
std::optional<RowPartition> cluster_partition(const LinOp<V>& a)
{
    const auto cluster = a.executor().state().cluster_memory();
    if (!may_fit<V>(a.size().rows, 4, cluster.num_blocks, cluster.bytes_per_block)) {
        return {};
    }
    const auto partition = partition_rows(a, cluster.num_blocks, 1);
    const bool fits =
        partition && cg_small_block_bytes<V>(*partition) <= static_cast<size_type>(cluster.bytes_per_block);
    return fits ? partition : std::nullopt;
}

}  // namespace

template <class V>
void Cg<V>::Parameters::describe(ParameterVisitor& v)
{
    v.group("stop", stop, "when to stop");
    v.factory("preconditioner", preconditioner, "M, Hermitian positive definite; none if absent");
    v("single_reduction", single_reduction, "join the inner products of an iteration (Chronopoulos and Gear)");
}

template <class V>
Cg<V>::Cg(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : Solver<V>(std::move(exec), std::move(parameters.stop), std::move(parameters.preconditioner), std::move(matrix)),
      single_reduction_(parameters.single_reduction)
{
    if (single_reduction_ || !is_diagonal_here(this->executor(), this->iteration_preconditioner())) {
        return;
    }
    auto partition = cluster_partition(this->iteration_matrix());
    if (partition) {
        residence_ = Residence::cluster;
    } else if (partition = resident_partition(this->iteration_matrix(), num_resident_vectors); partition) {
        residence_ = Residence::device;
    }
    if (partition) {
        block_rows_ = partition->max_rows;
        block_nonzeros_ = partition->max_nonzeros;
    }
}

template <class V>
std::unique_ptr<SolverWorkspace<V>> Cg<V>::make_workspace(const Executor& exec, size_type num_rhs) const
{
    auto workspace = std::make_unique<Workspace<V>>(exec, this->size().rows, num_rhs, this->preconditioner() != nullptr,
                                                    single_reduction_);
    if (residence_ == Residence::device && num_rhs == 1) {
        workspace->resident =
            resident_workspace<V>(exec, this->size().rows, RowPartition{block_rows_, block_nonzeros_});
    }
    return workspace;
}

template <class V>
void Cg<V>::start(Dense<V>&, SolverWorkspace<V>& workspace) const
{
    auto& w = static_cast<Workspace<V>&>(workspace);
    const auto& exec = this->executor();
    const auto& z = std::as_const(w.preconditioned_residual());

    detail::cg_start(this->iteration_preconditioner(), w);  // z := M^-1 r, rho := r^H z
    if (single_reduction_) {
        exec.state().fill_zero(w.scalar(1), w.cols() * sizeof(V));  // no step before
        this->iteration_matrix().apply_dot(z, w.q,
                                           {z, w.scalar(2), nullptr, w.reduction.view()});  // w := A z, delta := z^H w
    } else {
        dense_copy<V>(exec, z.view(), w.p.view());  // p := z
    }
}

template <class V>
void Cg<V>::step(Dense<V>& x, SolverWorkspace<V>& workspace) const
{
    auto& w = static_cast<Workspace<V>&>(workspace);
    const auto& exec = this->executor();
    const auto& z = std::as_const(w.preconditioned_residual());
    const auto stop = w.stop.view();

    if (single_reduction_) {
        // p := z + beta p, s := A p, x := x + alpha p, r := r - alpha s, stopping rule
        cg_single_reduction_step<V>(exec, z.view(), std::as_const(w.q).view(), w.p.view(), w.s.view(), x.view(),
                                    w.r.view(), w.single(), w.identity, stop, w.reduction.view());
        detail::cg_precondition(this->iteration_preconditioner(), w);  // z := M^-1 r, gamma := r^H z
        this->iteration_matrix().apply_dot(z, w.q,
                                           {z, w.scalar(2), nullptr, w.reduction.view()});  // w := A z, delta := z^H w
        return;
    }
    // q := A p, r := r - alpha q, stopping rule, z := M^-1 r, rho := r^H z
    detail::cg_first_half(this->iteration_matrix(), this->iteration_preconditioner(), w);
    // x := x + alpha p, p := z + beta p
    cg_update_direction<V>(exec, z.view(), w.p.view(), x.view(), w.cg(), stop);
}

template <class V>
bool Cg<V>::run_at_once(Dense<V>& x, SolverWorkspace<V>& workspace) const
{
    auto& w = static_cast<Workspace<V>&>(workspace);
    if (residence_ == Residence::none || w.cols() != 1 || x.stride() != 1) {
        return false;
    }
    const RowPartition partition{block_rows_, block_nonzeros_};
    const auto& exec = this->executor();
    const auto* const d = diagonal_values(this->iteration_preconditioner());
    const auto stop = w.stop.view();
    visit_csr(this->name(), this->iteration_matrix(), [&]<class I>(const Csr<V, I>& a) {
        if (residence_ == Residence::cluster) {
            cg_run_small<V, I>(exec, a.view(), d, w.r.view(), x.view(), w.p.view(), w.q.view(), partition, stop);
        } else {
            cg_run_resident<V, I>(exec, a.view(), d, w.r.view(), x.view(), w.p.view(), partition,
                                  {w.resident.data(), w.resident.size()}, stop);
        }
    });
    return true;
}

}  // namespace linden
