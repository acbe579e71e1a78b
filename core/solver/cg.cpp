#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/solver/cg.hpp>

#include <algorithm>
#include <limits>
#include <vector>

#include "core/kernels/cg.hpp"
#include "core/kernels/dense.hpp"
#include "core/solver/workspace.hpp"

// instantiate: class Cg<V>

/// Vector words moved per iteration and row, without the preconditioner (n rows, matrix apart):
///
///                                             reads        writes   words
///     q := A p, p^H q                         p            q        2
///     r := r - alpha q, r^H r                 r q          r        3
///     x := x + alpha p, p := r + beta p       r p x        p x      5      total 10 n
///
/// A preconditioner adds its own application and, unless it forms r^H z as it goes, 2 n for that product.
/// Single reduction: z and w := A z 2, the joint update of p, s, x and r 9, total 11 n.
/// The limit of an iteration is (10 n V + bytes of A) / bandwidth.
namespace linden {
namespace {

template <class V>
struct CgWorkspace final : SolverWorkspace<V> {
    CgWorkspace(const Executor& exec, size_type rows, size_type cols, bool preconditioned, bool single_reduction)
        : SolverWorkspace<V>(exec, rows, cols),
          p(exec, {rows, cols}),
          q(exec, {rows, cols}),
          s(exec, single_reduction ? Dim{rows, cols} : Dim{}),
          z(exec, preconditioned ? Dim{rows, cols} : Dim{}),
          scalars(exec, 4 * cols),
          identity(!preconditioned)
    {
    }

    /// M^-1 r, or r itself.
    Dense<V>& preconditioned_residual() { return identity ? this->r : z; }
    V* scalar(int i) { return scalars.data() + i * this->cols(); }
    CgScalars<V> cg() { return {scalar(0), scalar(1), scalar(2), scalar(3)}; }
    CgSingleScalars<V> single() { return {scalar(0), scalar(1), scalar(2), scalar(3)}; }

    Dense<V> p;  // the direction
    Dense<V> q;  // A p; with single reduction A z
    Dense<V> s;  // A p, with single reduction
    Dense<V> z;  // M^-1 r
    Array<V> scalars;
    bool identity;
};

/// z := M^-1 r,  rho := r^H z
template <class V>
void precondition(const LinOp<V>* m, CgWorkspace<V>& w, V* rho)
{
    if (m != nullptr) {
        m->apply_dot(w.r, w.z, {w.r, rho, nullptr, w.reduction.view()});
    }
}

/// The matrix dealt to the blocks of the executor's cluster; without limit where it has none, or A is no Csr.
template <class V>
CgPartition small_partition(const LinOp<V>& a)
{
    constexpr auto unlimited = std::numeric_limits<std::int32_t>::max();
    CgPartition partition{unlimited, unlimited};
    const auto cluster = a.executor().state().cluster_memory();
    const auto rows = a.size().rows;
    // The vectors alone take this much: larger systems need no look at their rows.
    if (rows == 0 || rows * static_cast<size_type>(sizeof(V)) >
                         cluster.num_blocks * static_cast<size_type>(cluster.bytes_per_block)) {
        return partition;
    }
    for_each_index([&]<class I>() {
        const auto* csr = dynamic_cast<const Csr<V, I>*>(&a);
        if (csr == nullptr) {
            return;
        }
        std::vector<I> row_ptrs(static_cast<std::size_t>(rows) + 1);
        copy_bytes(a.executor(), csr->row_ptrs(), detail::host(), row_ptrs.data(), row_ptrs.size() * sizeof(I));
        partition = {(rows + cluster.num_blocks - 1) / cluster.num_blocks, 0};
        for (size_type first = 0; first < rows; first += partition.max_rows) {
            const size_type last = std::min(rows, first + partition.max_rows);
            partition.max_nonzeros =
                std::max(partition.max_nonzeros, static_cast<size_type>(row_ptrs[static_cast<std::size_t>(last)] -
                                                                        row_ptrs[static_cast<std::size_t>(first)]));
        }
    });
    return partition;
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
    const auto partition = small_partition(*this->matrix());
    const bool plain = this->preconditioner() == nullptr && !single_reduction_;
    if (plain && partition.template block_bytes<V>() <=
                     static_cast<size_type>(this->executor().state().cluster_memory().bytes_per_block)) {
        cluster_rows_ = partition.max_rows;
        cluster_nonzeros_ = partition.max_nonzeros;
    }
}

template <class V>
std::unique_ptr<SolverWorkspace<V>> Cg<V>::make_workspace(const Executor& exec, size_type num_rhs) const
{
    return std::make_unique<CgWorkspace<V>>(exec, this->size().rows, num_rhs, this->preconditioner() != nullptr,
                                            single_reduction_);
}

template <class V>
void Cg<V>::start(Dense<V>&, SolverWorkspace<V>& workspace) const
{
    auto& w = static_cast<CgWorkspace<V>&>(workspace);
    const auto& exec = this->executor();
    const auto& z = std::as_const(w.preconditioned_residual());
    const auto r = std::as_const(w.r).view();

    precondition(this->preconditioner().get(), w, w.scalar(0));  // z := M^-1 r, rho := r^H z
    if (w.identity) {
        dense_dot<V>(exec, r, r, w.scalar(0), w.reduction.view());
    }
    if (single_reduction_) {
        exec.state().fill_zero(w.scalar(1), w.cols() * sizeof(V));                         // no step before
        this->matrix()->apply_dot(z, w.q, {z, w.scalar(2), nullptr, w.reduction.view()});  // w := A z, delta := z^H w
    } else {
        dense_copy<V>(exec, z.view(), w.p.view());  // p := z
    }
}

template <class V>
void Cg<V>::step(Dense<V>& x, SolverWorkspace<V>& workspace) const
{
    auto& w = static_cast<CgWorkspace<V>&>(workspace);
    const auto& exec = this->executor();
    const auto& z = std::as_const(w.preconditioned_residual());
    const auto stop = w.stop.view();

    if (single_reduction_) {
        // p := z + beta p, s := A p, x := x + alpha p, r := r - alpha s, stopping rule
        cg_single_reduction_step<V>(exec, z.view(), std::as_const(w.q).view(), w.p.view(), w.s.view(), x.view(),
                                    w.r.view(), w.single(), w.identity, stop, w.reduction.view());
        precondition(this->preconditioner().get(), w, w.scalar(0));  // z := M^-1 r, gamma := r^H z
        this->matrix()->apply_dot(z, w.q, {z, w.scalar(2), nullptr, w.reduction.view()});  // w := A z, delta := z^H w
        return;
    }
    this->matrix()->apply_dot(w.p, w.q, {w.p, w.scalar(2), nullptr, w.reduction.view()});  // q := A p, p^H q
    // r := r - alpha q, stopping rule
    cg_update_residual<V>(exec, std::as_const(w.q).view(), w.r.view(), w.cg(), w.identity, stop, w.reduction.view());
    precondition(this->preconditioner().get(), w, w.scalar(0));  // z := M^-1 r, rho := r^H z
    // x := x + alpha p, p := z + beta p
    cg_update_direction<V>(exec, z.view(), w.p.view(), x.view(), w.cg(), stop);
}

template <class V>
bool Cg<V>::run_at_once(Dense<V>& x, SolverWorkspace<V>& workspace) const
{
    auto& w = static_cast<CgWorkspace<V>&>(workspace);
    if (cluster_rows_ == 0 || w.cols() != 1 || x.stride() != 1) {
        return false;
    }
    for_each_index([&]<class I>() {
        if (const auto* csr = dynamic_cast<const Csr<V, I>*>(this->matrix().get()); csr != nullptr) {
            cg_run_small<V, I>(this->executor(), csr->view(), w.r.view(), x.view(), w.p.view(), w.q.view(),
                               {cluster_rows_, cluster_nonzeros_}, w.stop.view());
        }
    });
    return true;
}

}  // namespace linden
