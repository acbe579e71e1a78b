#include <algorithm>

#include "core/base/executor_state.hpp"
#include "core/distributed/matrix_parts.hpp"
#include "core/distributed/spread_rows.hpp"
#include "core/distributed/visit_matrix.hpp"
#include "core/solver/persistent.hpp"

// instantiate: std::shared_ptr<const detail::PersistentPlan> detail::plan_spread<V>(const LinOp<V>&, const LinOp<V>*, int)
// instantiate: bool detail::cg_run_spread_plan<V>(const detail::PersistentPlan&, const LinOp<V>&, const LinOp<V>*, DenseView<V>, DenseView<V>, DenseView<V>, WorkspaceView, StopView<real_t<V>>)

/// Whole solves in one kernel on each device of the ranks that share a system.
namespace linden::detail {

namespace {

/// How wide slices are that have their longest row of own columns beside the longest one of ghosts. Rows at the rim are
/// not in `inner`.
template <class V, class I, class Parts>
std::vector<size_type> whole_widths(const Parts& parts)
{
    const auto& rim = parts.rim;
    auto widths = slice_widths<V>(parts.inner, persistent_slice);
    std::vector<size_type> ghosts(widths.size(), 0);
    const auto ends = distributed::row_ptrs_on_host(rim);
    const distributed::OnHost<I> codes(rim.executor(), parts.rim_codes.data(), rim.num_nonzeros());
    const auto rows = parts.rim_rows.to_host();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto slice = static_cast<std::size_t>(rows[i] / persistent_slice);
        const auto own =
            std::count_if(codes.begin() + ends[i], codes.begin() + ends[i + 1], [](I c) { return c >= 0; });
        widths[slice] = std::max(widths[slice], static_cast<size_type>(own));
        ghosts[slice] = std::max(ghosts[slice], static_cast<size_type>(ends[i + 1] - ends[i] - own));
    }
    for (std::size_t slice = 0; slice < widths.size(); ++slice) {
        widths[slice] += ghosts[slice];
    }
    return widths;
}

/// The partition of this rank's rows, of which it may have none; nothing if its kernel could not hold them.
template <class V, class I, class Parts>
std::optional<PersistentPartition> partition_part(const Parts& parts, int num_vectors)
{
    const auto& exec = parts.exec();
    const auto rows = parts.inner.size().rows;
    const auto blocks = exec.state().grid_memory().num_blocks;
    if (rows == 0 && blocks > 0) {
        return PersistentPartition{persistent_slice, 0};
    }
    if (blocks == 0 || !grid_may_hold<V>(exec, rows, num_vectors)) {
        return {};
    }
    const auto widths = whole_widths<V, I>(parts);
    const auto partition = partition_slices(rows, widths, blocks, persistent_slice);
    const bool fits = grid_holds<V>(exec, rows, partition, spread_block_bytes<V>(partition.max_rows, num_vectors));
    return fits ? std::optional(partition) : std::nullopt;
}

}  // namespace

template <class V>
std::shared_ptr<const PersistentPlan> plan_spread(const LinOp<V>& a, const LinOp<V>* preconditioner, int num_vectors)
{
    std::shared_ptr<const PersistentPlan> plan;
    distributed::visit_if_distributed(a, [&]<class I>(const distributed::Matrix<V, I>& matrix) {
        const auto& parts = SpreadParts<V, I>::of(matrix);
        if (!parts.is_on_device() || !parts.device_halo->is_peer() || parts.communicator.is_reproducible()) {
            return;  // alike on all ranks
        }
        const auto& ranks = parts.communicator;
        const auto partition = ranks.agree_after([&] {
            return is_diagonal_on(a.executor(), preconditioner) ? partition_part<V, I>(parts, num_vectors)
                                                                : std::optional<PersistentPartition>();
        });
        const auto fits = ranks.all_gather(std::int32_t{partition.has_value()});
        if (std::find(fits.begin(), fits.end(), 0) == fits.end()) {
            plan = std::make_shared<const PersistentPlan>(PersistentPlan{PersistentPlan::Variant::spread, *partition});
        }
    });
    return plan;
}

template <class V>
bool cg_run_spread_plan(const PersistentPlan& plan, const LinOp<V>& a, const LinOp<V>* preconditioner, DenseView<V> r,
                        DenseView<V> x, DenseView<V> p, WorkspaceView workspace, StopView<real_t<V>> stop)
{
    bool runs = false;
    distributed::visit_if_distributed(a, [&]<class I>(const distributed::Matrix<V, I>& matrix) {
        auto& parts = SpreadParts<V, I>::of(matrix);
        if (!parts.is_on_device() || !parts.device_halo->is_peer()) {
            return;
        }
        parts.make_device_room(1);
        const auto& halo = *parts.device_halo;
        if (!parts.device_grid.has_value()) {
            const auto rows = plan.partition.max_rows;
            const auto blocks = std::max<size_type>(1, (r.rows + rows - 1) / rows);
            parts.device_grid.emplace(parts.communicator, halo.link(), static_cast<int>(blocks));
        }
        const SpreadSolve<V, I> solve{.own = {.a = parts.inner.view(),
                                              .d = diagonal_values(preconditioner),
                                              .partition = plan.partition,
                                              .r = r,
                                              .x = x},
                                      .rim = parts.rim_view(),
                                      .send_rows = halo.send_rows(),
                                      .halo = halo.peer_halo(),
                                      .grid = parts.device_grid->view()};
        cg_run_spread<V, I>(a.executor(), solve, p, workspace, stop);
        runs = true;
    });
    return runs;
}

}  // namespace linden::detail
