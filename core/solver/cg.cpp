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
          resident(exec, 0),
          scalars(exec, 4 * cols),
          identity(!preconditioned)
    {
    }

    /// M^-1 r, or r itself.
    Dense<V>& preconditioned_residual() { return identity ? this->r : z; }
    V* scalar(int i) { return scalars.data() + i * this->cols(); }
    CgScalars<V> cg() { return {scalar(0), scalar(1), scalar(2), scalar(3)}; }
    CgSingleScalars<V> single() { return {scalar(0), scalar(1), scalar(2), scalar(3)}; }

    Dense<V> p;                 // the direction
    Dense<V> q;                 // A p; with single reduction A z
    Dense<V> s;                 // A p, with single reduction
    Dense<V> z;                 // M^-1 r
    Array<std::byte> resident;  // for cg_run_resident
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

/// The row pointers on the host, if A is a Csr.
template <class V>
std::vector<size_type> row_pointers(const LinOp<V>& a)
{
    std::vector<size_type> result;
    for_each_index([&]<class I>() {
        if (const auto* csr = dynamic_cast<const Csr<V, I>*>(&a); csr != nullptr) {
            std::vector<I> row_ptrs(static_cast<std::size_t>(a.size().rows) + 1);
            copy_bytes(a.executor(), csr->row_ptrs(), detail::host(), row_ptrs.data(), row_ptrs.size() * sizeof(I));
            result.assign(row_ptrs.begin(), row_ptrs.end());
        }
    });
    return result;
}

/// The rows dealt to blocks, equally many to each but the last; a multiple of `slice`. Nonzeros are counted as if the
/// rows of a slice were all as long as the longest.
CgPartition partition_rows(const std::vector<size_type>& row_ptrs, size_type num_blocks, size_type slice)
{
    const auto rows = static_cast<size_type>(row_ptrs.size()) - 1;
    const auto row_ptr = [&](size_type row) { return row_ptrs[static_cast<std::size_t>(std::min(row, rows))]; };
    CgPartition partition;
    partition.max_rows = ((rows + num_blocks - 1) / num_blocks + slice - 1) / slice * slice;
    for (size_type first = 0; first < rows; first += partition.max_rows) {
        size_type nonzeros = 0;
        for (size_type row = first; row < first + partition.max_rows; row += slice) {
            size_type longest = 0;
            for (size_type i = row; i < row + slice; ++i) {
                longest = std::max(longest, row_ptr(i + 1) - row_ptr(i));
            }
            nonzeros += longest * slice;
        }
        partition.max_nonzeros = std::max(partition.max_nonzeros, nonzeros);
    }
    return partition;
}

/// Matrices up to so many times the cache are worth a second copy of them: larger ones take so long that what is saved
/// of the vectors is little.
constexpr std::size_t max_cached_times = 4;

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
    const bool is_plain = this->preconditioner() == nullptr && !single_reduction_;
    if (is_plain && this->size().rows > 0) {
        choose_residence();
    }
}

template <class V>
void Cg<V>::choose_residence()
{
    const auto rows = this->size().rows;
    const auto& state = this->executor().state();
    const auto fits = [](size_type bytes, std::size_t room) { return bytes <= static_cast<size_type>(room); };
    const auto cluster = state.cluster_memory();
    const auto device = state.resident_memory();
    const auto largest = std::max(static_cast<std::size_t>(cluster.num_blocks) * cluster.bytes_per_block,
                                  static_cast<std::size_t>(device.num_blocks) * device.bytes_per_block);
    // The vectors alone take more than this: larger systems need no look at their rows.
    if (!fits(rows * static_cast<size_type>(sizeof(V)), largest)) {
        return;
    }
    const auto row_ptrs = row_pointers(*this->matrix());
    if (row_ptrs.empty()) {
        return;
    }
    CgPartition partition;
    if (cluster.num_blocks > 0) {
        partition = partition_rows(row_ptrs, cluster.num_blocks, 1);
        if (fits(partition.template block_bytes<V>(), cluster.bytes_per_block)) {
            residence_ = Residence::cluster;
        }
    }
    if (residence_ == Residence::none && device.num_blocks > 0) {
        partition = partition_rows(row_ptrs, device.num_blocks, cg_resident_slice);
        if (fits(cg_resident_block_bytes<V>(partition.max_rows), device.bytes_per_block) &&
            fits(cg_resident_workspace_bytes<V>(rows, partition), max_cached_times * device.cache_bytes)) {
            residence_ = Residence::device;
        }
    }
    if (residence_ != Residence::none) {
        block_rows_ = partition.max_rows;
        block_nonzeros_ = partition.max_nonzeros;
    }
}

template <class V>
std::unique_ptr<SolverWorkspace<V>> Cg<V>::make_workspace(const Executor& exec, size_type num_rhs) const
{
    auto workspace = std::make_unique<CgWorkspace<V>>(exec, this->size().rows, num_rhs,
                                                      this->preconditioner() != nullptr, single_reduction_);
    if (residence_ == Residence::device && num_rhs == 1) {
        const auto bytes = cg_resident_workspace_bytes<V>(this->size().rows, {block_rows_, block_nonzeros_});
        workspace->resident = Array<std::byte>(exec, bytes);
        exec.state().fill_zero(workspace->resident.data(), cg_resident_header_bytes);
    }
    return workspace;
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
    if (residence_ == Residence::none || w.cols() != 1 || x.stride() != 1) {
        return false;
    }
    const CgPartition partition{block_rows_, block_nonzeros_};
    const auto& exec = this->executor();
    for_each_index([&]<class I>() {
        const auto* csr = dynamic_cast<const Csr<V, I>*>(this->matrix().get());
        if (csr == nullptr) {
            return;
        }
        if (residence_ == Residence::cluster) {
            cg_run_small<V, I>(exec, csr->view(), w.r.view(), x.view(), w.p.view(), w.q.view(), partition,
                               w.stop.view());
        } else {
            cg_run_resident<V, I>(exec, csr->view(), w.r.view(), x.view(), w.p.view(), partition,
                                  {w.resident.data(), w.resident.size()}, w.stop.view());
        }
    });
    return true;
}

}  // namespace linden
