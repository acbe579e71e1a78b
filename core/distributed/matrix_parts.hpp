#pragma once

#include <linden/distributed/matrix.hpp>
#include <linden/matrix/dense.hpp>

#include "core/distributed/device_grid.hpp"
#include "core/distributed/device_halo.hpp"
#include "core/distributed/rows_of.hpp"
#include "core/distributed/split.hpp"
#include "core/kernels/csr.hpp"
#include "core/kernels/reduction.hpp"

/// What a rank holds of a distributed::Matrix, and how its products reach the other ranks.
namespace linden::distributed {

template <class V, class I>
struct Matrix<V, I>::Parts {
    Parts(const Executor& exec, const Communicator& ranks, Partition ranges, Split<V, I> split, GhostMap map)
        : communicator(ranks),
          partition(std::move(ranges)),
          inner(std::move(split.inner)),
          rim(exec.is_host() ? std::move(split.rim) : split.rim.copy(exec)),
          rim_rows(exec, split.rim_rows),
          rim_own(exec, split.rim_own),
          num_lower_ghosts(split.num_lower_ghosts),
          halo(exec, ranks, std::move(map)),
          columns(exec, {}),
          rim_x(exec, {}),
          rim_w(exec, {}),
          rim_codes(exec, is_on_device() ? codes(rim.to_host().col_idxs, split.num_lower_ghosts, split.rim_own)
                                         : std::vector<I>()),
          sum_parts(exec, 0),
          rim_parts(exec, 0),
          inner_sums(exec, {})
    {
        make_sum_parts(split.rim_rows);
        reach_others(RankLink::find(ranks, exec));
    }
    Parts(const Executor& exec, const Parts& other)
        : communicator(other.communicator),
          partition(other.partition),
          inner(other.inner.copy(exec)),
          rim(other.rim.copy(exec)),
          rim_rows(other.rim_rows.clone(exec)),
          rim_own(other.rim_own.clone(exec)),
          num_lower_ghosts(other.num_lower_ghosts),
          halo(exec, other.communicator, other.halo.map()),
          columns(exec, {}),
          rim_x(exec, {}),
          rim_w(exec, {}),
          rim_codes(other.rim_codes.clone(exec)),
          sum_parts(exec, 0),
          rim_parts(exec, 0),
          inner_sums(exec, {})
    {
        if (is_on_device() && rim_codes.size() != rim.num_nonzeros()) {
            throw NotSupported("distributed::Matrix on " + exec.name(), "it is a copy of one on a host: make it there");
        }
        make_sum_parts(rim_rows.to_host());
        reach_others(RankLink::find(communicator, exec));
    }

    /// Whether products are those of devices that have others beside them.
    bool is_on_device() const { return !exec().is_host() && !communicator.is_single(); }
    /// Columns of the rim as RimView has them. rim_own: its own columns.
    static std::vector<I> codes(std::vector<I> cols, size_type num_lower_ghosts, const std::vector<I>& rim_own)
    {
        const auto num_own = static_cast<size_type>(rim_own.size());
        for (auto& col : cols) {
            const auto own = col - num_lower_ghosts;
            col = own >= 0 && own < num_own ? rim_own[static_cast<std::size_t>(own)]
                                            : static_cast<I>(-1 - (own < 0 ? col : col - num_own));
        }
        return cols;
    }
    void reach_others(std::shared_ptr<RankLink> link)
    {
        if (is_on_device()) {
            if (link == nullptr) {
                throw NotSupported("distributed::Matrix on " + exec().name(), "the ranks' devices are not connected");
            }
            device_halo.emplace(communicator, std::move(link), halo, DeviceHalo<V, I>::Beside::products);
        }
    }
    RimView<V, I> rim_view() const
    {
        const auto a = rim.view();
        return {a.rows, rim_rows.data(), a.row_ptrs, rim_codes.data(), a.values, communicator.is_reproducible()};
    }
    /// On devices; collective for each number of columns at its first use.
    void make_device_room(size_type cols)
    {
        device_halo->make_room(cols);
        if (inner_sums.size().cols != cols) {
            inner_sums = Dense<V>::filled(exec(), {2, cols}, V{});
            own_sums = ReductionWorkspace::for_values<V>(exec(), 2 * cols);
        }
    }

    /// x := alpha A b + beta x with the inner rows, whose bits may not depend on the split where sums are reproducible.
    void multiply_inner(Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta, DenseView<V> x) const
    {
        const auto& multiply = communicator.is_reproducible() ? csr_spmv_in_order<V, I> : csr_spmv<V, I>;
        multiply(exec(), inner.view(), alpha, b, beta, x);
    }
    /// The rows at the rim on hosts, behind `make_room`: what is left of a product that `halo.start` began. beta x
    /// comes from rim_x.
    void multiply_rim(Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta, DenseView<V> x)
    {
        gather_columns(b);
        csr_spmv<V, I>(exec(), rim.view(), alpha, std::as_const(columns).view(), beta, rim_x.view());
        dense_scatter_rows<V, I>(exec(), rim_rows.data(), std::as_const(rim_x).view(), x);
    }
    /// x := A b, of one contiguous column, with the parts of its reproducible sums. What rows at the rim have in parts
    /// comes behind them.
    void multiply_parts(DenseView<const V> b, DenseView<V> x, DenseView<const V> w)
    {
        if (device_halo.has_value()) {
            make_device_room(1);
            device_halo->start(b);
        } else if (!communicator.is_single()) {
            halo.start(b);
        }
        exchange_spmv_parts<V, I>(exec(), inner.view(), b, x, w, sum_parts.data());
        if (device_halo.has_value()) {
            exchange_rim_spmv<V, I>(exec(), rim_view(), device_halo->finish(1), V{1}, b, x);
        } else if (!communicator.is_single()) {
            make_room(b);
            multiply_rim(V{1}, b, V{}, x);
        }
        if (rim_parts.size() > 0) {
            exchange_form_parts<V, I>(exec(), rim_parts.size(), rim_parts.data(), x, w, sum_parts.data());
        }
    }
    /// x := A b on devices, and its sums.
    void multiply_dot(DenseView<const V> b, DenseView<V> x, const DotRequest<V>& dots)
    {
        const auto w = dots.w.view();
        make_device_room(b.cols);
        if (b.cols == 1 && b.is_contiguous() && x.is_contiguous() && w.is_contiguous()) {
            RankRows<V, I> rows{inner.view(), rim_view(), device_halo->send_rows(), {}};
            if (device_halo->is_peer()) {
                rows.ghosts = device_halo->peer_ghosts(1);
            } else {
                device_halo->start(b);
            }
            exchange_inner_dot<V, I>(exec(), rows, b, x, w, dots.workspace);
            if (!device_halo->is_peer()) {
                rows.ghosts = device_halo->finish(1);
            }
            exchange_rim_dot<V, I>(exec(), rows, b, x, w, dots.wx, dots.xx, dots.workspace);
            return;
        }
        device_halo->start(b);
        V* const of_inner = inner_sums.data();
        csr_spmv_dot<V, I>(exec(), inner.view(), b, x, w, of_inner, of_inner + b.cols, own_sums->view());
        exchange_rim_spmv_dot<V, I>(exec(), rim_view(), device_halo->finish(b.cols), b, x, w,
                                    {of_inner, dots.wx, dots.xx}, dots.workspace);
    }
    /// The parts of reproducible sums that have rows at the rim, which ascend.
    static std::vector<I> parts_of(const std::vector<I>& rim_rows)
    {
        std::vector<I> parts;
        for (const auto row : rim_rows) {
            const auto part = static_cast<I>(row / sum_part_rows);
            if (parts.empty() || parts.back() != part) {
                parts.push_back(part);
            }
        }
        return parts;
    }
    void make_sum_parts(const std::vector<I>& rim_row_list)
    {
        if (communicator.is_reproducible()) {
            sum_parts = Array<V>(exec(), 2 * num_sum_parts(inner.size().rows));
            rim_parts = Array<I>(exec(), parts_of(rim_row_list));
        }
    }
    size_type first_row() const { return partition.first(communicator.rank()); }
    const Executor& exec() const { return inner.executor(); }
    bool has_rim() const { return rim_rows.size() > 0; }

    /// Room for k right-hand sides. Products add a row in another order where operands are not contiguous, so the rim's
    /// is as contiguous as b.
    void make_room(DenseView<const V> b)
    {
        const auto stride = b.stride == b.cols ? b.cols : b.cols + 1;
        if (columns.size().cols != b.cols || columns.stride() != stride) {
            columns = Dense<V>(exec(), {rim.size().cols, b.cols}, stride);
            rim_x = Dense<V>(exec(), {rim.size().rows, b.cols});
            rim_w = Dense<V>(exec(), {rim.size().rows, b.cols});
        }
    }
    /// Waits for the ghosts and puts them around the own values that the rim needs.
    void gather_columns(DenseView<const V> b)
    {
        const auto ghosts = halo.finish();
        const auto target = columns.view();
        const auto num_higher = ghosts.rows - num_lower_ghosts;
        dense_copy<V>(exec(), rows_of(ghosts, 0, num_lower_ghosts), rows_of(target, 0, num_lower_ghosts));
        dense_gather_rows<V, I>(exec(), rim_own.data(), b, rows_of(target, num_lower_ghosts, rim_own.size()));
        dense_copy<V>(exec(), rows_of(ghosts, num_lower_ghosts, num_higher),
                      rows_of(target, num_lower_ghosts + rim_own.size(), num_higher));
    }

    Communicator communicator;
    Partition partition;
    Csr<V, I> inner, rim;  // see Split
    Array<I> rim_rows, rim_own;
    size_type num_lower_ghosts;
    Halo<V, I> halo;
    Dense<V> columns, rim_x, rim_w;  // room for products: what the rim multiplies, its result, its rows of w
    Array<I> rim_codes;              // on devices of several ranks
    std::optional<DeviceHalo<V, I>> device_halo;
    std::optional<DeviceGrid> device_grid;  // made for the first solve in one kernel
    Array<V> sum_parts;                     // of reproducible sums
    Array<I> rim_parts;                     // those with rows at the rim
    Dense<V> inner_sums;
    std::optional<ReductionWorkspace> own_sums;
    std::vector<V> sums;
};

}  // namespace linden::distributed

namespace linden::detail {

/// For what looks at the parts of a matrix and is not its member.
template <class V, class I>
struct SpreadParts {
    static auto& of(const distributed::Matrix<V, I>& matrix) { return *matrix.parts_; }
};

}  // namespace linden::detail
