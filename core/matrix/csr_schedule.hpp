#pragma once

#include <linden/array.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>

#include <algorithm>
#include <mutex>
#include <optional>

#include "core/kernels/csr.hpp"
#include "core/matrix/nnz_split_workspace.hpp"

namespace linden {

/// How a device computes products with a Csr matrix: by tiles of rows, or, if row lengths vary strongly, by an nnz
/// split. Decided at the first product that is not being recorded; only two numbers are copied to the host.
template <class V, class I>
class CsrSchedule {
public:
    /// Whether products use the nnz split. Thread-safe.
    bool is_uneven(const Executor& exec, CsrView<V, I> a)
    {
        // With fewer shares the device is not busy either way.
        if (exec.state().is_host() || a.num_nonzeros < 8 * split_nonzeros) {
            return false;
        }
        const std::lock_guard lock(mutex_);
        if (!plan_.has_value()) {
            if (exec.state().is_recording()) {
                return false;
            }
            plan_.emplace(exec, has_uneven_rows(exec, a));
            if (plan_->uneven) {
                plan_->split_rows.resize(num_splits(a.num_nonzeros));
                csr_find_split_rows<I>(exec, a, plan_->split_rows.data());
            }
        }
        return plan_->uneven;
    }

    /// x := alpha A b + beta x where is_uneven
    void multiply(const Executor& exec, CsrView<V, I> a, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta,
                  DenseView<V> x)
    {
        detail::with_split_workspace<V>(plan_->workspaces, a.num_nonzeros, x.cols, [&](WorkspaceView workspace) {
            csr_spmv_nnz_split<V, I>(exec, a, plan_->split_rows.data(), alpha, b, beta, x, workspace);
        });
    }

private:
    struct Plan {
        Plan(const Executor& exec, bool is_uneven) : uneven(is_uneven), split_rows(exec), workspaces(exec) {}

        bool uneven;
        Array<I> split_rows;
        detail::BlockCache<V> workspaces;
    };

    /// Tiles use as many threads per row as the mean row needs. They are slower than the nnz split if a row is far
    /// longer than that, or if row lengths vary widely.
    static bool has_uneven_rows(const Executor& exec, CsrView<V, I> a)
    {
        Array<RowLengths> found(exec, 1);
        csr_row_lengths<I>(exec, a, found.data());
        const auto lengths = found.to_host().front();
        const double rows = static_cast<double>(a.rows);
        const double mean = static_cast<double>(a.num_nonzeros) / rows;
        const double variance = static_cast<double>(lengths.sum_of_squares) / rows - mean * mean;
        return static_cast<double>(lengths.longest) > 64 * std::max(mean, 16.0) || variance > 16 * mean * mean;
    }

    std::mutex mutex_;
    std::optional<Plan> plan_;
};

}  // namespace linden
