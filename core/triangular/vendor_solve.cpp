#include "core/triangular/vendor_solve.hpp"
#include "core/kernels/array.hpp"

#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>

#include <mutex>
#include <string>
#include <vector>

#include "core/kernels/dense.hpp"
#include "core/kernels/vendor_triangular.hpp"
#include "core/matrix/block_cache.hpp"
#include "core/matrix/pattern_operations.hpp"
#include "core/matrix/visit_csr.hpp"

// instantiate: std::unique_ptr<detail::TriangularSolve<V>> detail::make_vendor_solve(const Csr<V, I>&, const TriangleChoice&, const TriangularOptions&)

namespace linden::detail {
namespace {

/// Solves by the vendor's library. It gets a copy of the triangle: already transposed, without missing or zero diagonal
/// entries, with values at a fixed address.
template <class V, class I>
class VendorSolve final : public TriangularSolve<V> {
public:
    VendorSolve(const Csr<V, I>& matrix, const TriangleChoice& choice)
        : exec_(matrix.executor()),
          choice_(choice),
          matrix_nonzeros_(matrix.num_nonzeros()),
          triangle_(
              triangle_with_diagonal<I>(exec_, matrix.view(), choice.side, choice.operation != MatrixOperation::none)),
          values_(exec_, triangle_.source.size()),
          num_zeros_(exec_, 1),
          blocks_(exec_)
    {
        gather(matrix);
        if (triangle_.size.rows > 0) {
            take_plan(1);  // the most frequent number of right-hand sides is analysed now
        }
    }

    void update(const LinOp<V>& matrix) override
    {
        gather(csr_of<V, I>("Triangular", matrix, matrix_nonzeros_));
        for (const auto& entry : plans_) {
            vendor_triangular_update<V, I>(exec_, entry->plan.get());
        }
    }

    void solve(const Dense<V>& b, Dense<V>& x) const override
    {
        const size_type count = b.size().rows * b.size().cols;
        if (count == 0) {
            return;
        }
        if (b.view().is_contiguous() && x.view().is_contiguous()) {
            solve_contiguous(b.view(), x.view());
            return;
        }
        typename BlockCache<V>::Lease b_lease(blocks_, count), x_lease(blocks_, count);
        auto b_here = b_lease.block(b.size());
        auto x_here = x_lease.block(x.size());
        dense_copy<V>(exec_, b.view(), b_here.view());
        solve_contiguous(b_here.view(), x_here.view());
        dense_copy<V>(exec_, x_here.view(), x.view());
    }

    bool is_capturable() const override { return true; }
    TriangularAlgorithm algorithm() const override { return TriangularAlgorithm::vendor; }
    size_type num_levels() const override { return 0; }
    size_type num_zero_diagonals() const override { return num_zeros_.to_host().front(); }

private:
    struct Entry {
        size_type num_rhs;
        Array<std::byte> workspace;
        std::unique_ptr<VendorPlan> plan;
    };

    VendorTriangleView<V, I> view() const
    {
        const bool is_transposed = choice_.operation != MatrixOperation::none;
        const bool is_lower = (choice_.side == Side::lower) != is_transposed;
        return {triangle_.view(), values_.data(), is_lower ? Side::lower : Side::upper, choice_.unit_diagonal};
    }

    void gather(const Csr<V, I>& matrix)
    {
        const bool conjugated = choice_.operation == MatrixOperation::conjugate_transpose;
        array_gather<V, V, I>(exec_, values_.size(), triangle_.source.data(), matrix.values(), values_.data(),
                              conjugated ? Conjugate::yes : Conjugate::no);
        if (choice_.unit_diagonal) {
            exec_.state().fill_zero(num_zeros_.data(), num_zeros_.bytes());
        } else {
            vendor_triangular_replace_zeros<V, I>(exec_, view(), num_zeros_.data());
        }
    }

    /// The plan for `num_rhs` right-hand sides, kept as long as the solve lives, since recorded loops hold its
    /// addresses.
    VendorPlan* take_plan(size_type num_rhs) const
    {
        for (const auto& entry : plans_) {
            if (entry->num_rhs == num_rhs) {
                return entry->plan.get();
            }
        }
        if (exec_.state().is_recording()) {
            throw NotSupported("trisolve=vendor",
                               "the analysis for another number of right-hand sides in a loop body "
                               "that a device records");
        }
        auto entry = std::make_unique<Entry>(Entry{num_rhs, Array<std::byte>(exec_), nullptr});
        vendor_triangular_create<V, I>(exec_, view(), num_rhs, &entry->plan);
        entry->workspace.resize(entry->plan->workspace_bytes());
        vendor_triangular_analyse<V, I>(exec_, entry->plan.get(), {entry->workspace.data(), entry->workspace.size()});
        return plans_.emplace_back(std::move(entry))->plan.get();
    }

    void solve_contiguous(DenseView<const V> b, DenseView<V> x) const
    {
        const std::lock_guard lock(mutex_);
        vendor_triangular_solve<V, I>(exec_, take_plan(b.cols), b, x);
    }

    Executor exec_;
    TriangleChoice choice_;
    size_type matrix_nonzeros_;
    Pattern<I> triangle_;
    mutable Array<V> values_;
    Array<size_type> num_zeros_;
    mutable BlockCache<V> blocks_;
    mutable std::mutex mutex_;  ///< of the plans
    mutable std::vector<std::unique_ptr<Entry>> plans_;
};

std::string what_is_missing(Backend backend)
{
    switch (backend) {
    case Backend::cuda:
        return "this build has no cuSPARSE for cuda: install libcusparse-dev and configure with -DLINDEN_CUSPARSE=ON";
    case Backend::hip:
        return "this build has no hipSPARSE for hip: install ROCm's hipsparse-dev or Debian's libhipsparse-dev and "
               "configure with -DLINDEN_HIPSPARSE=ON; LINDEN_HIP_PLATFORM=host has none";
    default:
        return "there is no vendor's library for " + std::string(name(backend)) +
               ": it is cuSPARSE on cuda, and hipSPARSE on hip";
    }
}

}  // namespace

template <class V, class I>
std::unique_ptr<TriangularSolve<V>> make_vendor_solve(const Csr<V, I>& matrix, const TriangleChoice& choice,
                                                      const TriangularOptions& options)
{
    if (options.storage != StoragePrecision::same) {
        throw InvalidParameter("storage", options.storage == StoragePrecision::single ? "single" : "half",
                               "same with trisolve=vendor");
    }
    const Backend backend = matrix.executor().backend();
    if (!vendor_triangular_solve<V, I>.available(backend)) {
        throw NotSupported("trisolve=vendor", what_is_missing(backend));
    }
    return std::make_unique<VendorSolve<V, I>>(matrix, choice);
}

}  // namespace linden::detail
