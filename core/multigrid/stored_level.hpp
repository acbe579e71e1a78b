#pragma once

#include <linden/multigrid/amg.hpp>

#include <optional>

#include "core/matrix/stencil_search.hpp"
#include "core/multigrid/backlog.hpp"
#include "core/multigrid/plan.hpp"
#include "core/multigrid/stored_matrix.hpp"

namespace linden::detail {

/// The matrix of a level, its prolongator and its restriction in the scaling of the cycle.
template <class V, class I>
struct ScaledLevel {
    ScaledView<V, I> a, p, r;
};

/// Slices keep a device busy from so many rows on; those of restrictions are long. Hosts work on slices as vectors.
inline Layout layout_of(const Executor& exec, size_type num_rows)
{
    constexpr size_type most_rows = size_type{1} << 18;
    return exec.state().is_host() || num_rows > most_rows ? Layout::slices : Layout::rows;
}

/// How they are laid out.
struct LevelLayout {
    Layout of_large = Layout::slices;     ///< of A and P
    Layout of_transposed = Layout::rows;  ///< of R
    bool is_joint = true;                 ///< one kernel takes A and P: in one precision, with columns of one type
    bool looks_for_stencils = false;      ///< whether the cycle takes A by a few stencils where it has them
};

/// What the cycle reads of a level. New values neither allocate nor wait.
template <class V, class I>
class StoredLevel {
public:
    /// Asks for the matrices; what needs numbers is put off.
    void make(LevelLayout layout, AmgStorage storage, const ScaledLevel<V, I>& scaled, Backlog& backlog)
    {
        layout_ = layout;
        if (!layout.looks_for_stencils) {
            make_matrices(storage, scaled, backlog);
            return;
        }
        stencils_.emplace(backlog.executor(), scaled.a, most_cycle_stencils);
        stencils_->search(scaled.a);
        backlog.put_off(AmgPhase::cycle, stencils_->found(),
                        [this, storage, scaled, &backlog](const Backlog::Numbers& found) {
                            if (!stencils_->accept(found.data())) {
                                stencils_.reset();
                            }
                            make_matrices(storage, scaled, backlog);
                        });
    }

    /// Stencils of A that were found before `make`.
    void adopt_stencils(std::optional<StencilSearch<V, I>> found) { stencils_ = std::move(found); }
    /// Looks for the stencils of new values.
    void search_stencils(const ScaledView<V, I>& scaled) { stencils_->search(scaled); }

    /// For a level without another one below: its matrix alone. Waits.
    void make_smoother(const Executor& exec, Layout layout, AmgStorage storage, const ScaledView<V, I>& scaled)
    {
        a_.emplace(exec, scaled.a, layout, first_choice<V, I>(storage));
        StoredMatrix<V, I>::find_columns({&*a_});
        Array<I> marks(exec, scaled.a.rows);
        a_->fill(scaled, marks.data());
        if (storage == AmgStorage::automatic && count_marks(marks).front() > 0) {
            a_->set_storage(StoragePrecision::same);
            a_->fill(scaled);
        }
    }

    void fill(const ScaledLevel<V, I>& scaled) { fill_matrices(scaled); }
    void fill_smoother(const ScaledView<V, I>& scaled) { a_->fill(scaled); }

    /// Only where there are no stencils.
    const StoredMatrix<V, I>& matrix() const { return *a_; }
    /// The matrix by its stencils, null where it has none. New values may take them away, which the search itself tells
    /// kernels.
    const StencilSearch<V, I>* stencils() const { return stencils_ ? &*stencils_ : nullptr; }
    const StoredMatrix<V, I>& prolongator() const { return *p_; }
    const StoredMatrix<V, I>& restriction() const { return *r_; }
    void describe(AmgLevelReport& report) const
    {
        report.storage_bytes = stencils_ ? stencils_->bytes() : a_->bytes();
        report.num_stencils = stencils_ ? stencils_->num_stencils() : 0;
        const auto& matrix = stencils_ ? *p_ : *a_;
        report.storage = matrix.storage();
        report.index_bits = matrix.index_bits();
        if (p_) {
            report.prolongator_nonzeros = p_->num_nonzeros();
            report.storage_bytes += p_->bytes() + r_->bytes();
        }
    }

private:
    /// A, unless it has stencils, and P and R.
    void make_matrices(AmgStorage storage, const ScaledLevel<V, I>& scaled, Backlog& backlog)
    {
        const auto& exec = backlog.executor();
        const auto precision = first_choice<V, I>(storage);
        const bool has_slices = layout_.of_large == Layout::slices || layout_.of_transposed == Layout::slices;
        const size_type step = has_slices ? 1 : 0;
        Array<std::int64_t> columns(exec, 3 * step);
        if (has_slices) {
            exec.state().fill_zero(columns.data(), columns.bytes());
        }
        if (!stencils_) {
            a_.emplace(exec, scaled.a.a, layout_.of_large, precision, columns.data());
        }
        p_.emplace(exec, scaled.p.a, layout_.of_large, precision, columns.data() + step);
        r_.emplace(exec, scaled.r.a, layout_.of_transposed, precision, columns.data() + 2 * step);
        if (!has_slices) {
            fill_first(storage, scaled, backlog);
            return;
        }
        backlog.put_off(AmgPhase::cycle, columns, [this, storage, scaled, &backlog](const Backlog::Numbers& found) {
            find_columns(found, storage, scaled, backlog);
        });
    }

    /// num_columns: of the slices of A, P and R.
    void find_columns(const Backlog::Numbers& num_columns, AmgStorage storage, const ScaledLevel<V, I>& scaled,
                      Backlog& backlog)
    {
        Array<std::int64_t> left(backlog.executor(), 6);
        backlog.executor().state().fill_zero(left.data(), left.bytes());
        if (a_) {
            a_->look_for_offsets(num_columns[0], left.data());
        }
        p_->look_for_offsets(num_columns[1], left.data() + 2);
        r_->look_for_offsets(num_columns[2], left.data() + 4);
        backlog.put_off(AmgPhase::cycle, left, [this, storage, scaled, &backlog](const Backlog::Numbers& found) {
            if (layout_.is_joint) {
                StoredMatrix<V, I>::accept_offsets({&*a_, &*p_}, found.data());
            } else {
                if (a_) {
                    StoredMatrix<V, I>::accept_offsets({&*a_}, found.data());
                }
                StoredMatrix<V, I>::accept_offsets({&*p_}, found.data() + 2);
            }
            StoredMatrix<V, I>::accept_offsets({&*r_}, found.data() + 4);
            fill_first(storage, scaled, backlog);
        });
    }

    /// Values, and single precision where half precision cannot hold all rows.
    void fill_first(AmgStorage storage, const ScaledLevel<V, I>& scaled, Backlog& backlog)
    {
        if (p_->storage() != StoragePrecision::half || storage != AmgStorage::automatic) {
            fill_matrices(scaled);
            return;
        }
        const auto& exec = backlog.executor();
        const size_type rows = scaled.a.a.rows;
        const size_type transferred = rows + scaled.r.a.rows;
        Array<I> marks(exec, rows + transferred);
        Array<std::int64_t> beyond(exec, 2);  // rows of A, of P and R
        if (a_) {
            a_->fill(scaled.a, marks.data());
        } else {
            exec.state().fill_zero(marks.data(), static_cast<std::size_t>(rows) * sizeof(I));
        }
        p_->fill(scaled.p, marks.data() + rows);
        r_->fill(scaled.r, marks.data() + 2 * rows);
        array_totals<I>(exec, rows, 1, marks.data(), beyond.data());
        array_totals<I>(exec, transferred, 1, marks.data() + rows, beyond.data() + 1);
        backlog.put_off(AmgPhase::cycle, beyond, [this, scaled](const Backlog::Numbers& found) {
            const bool is_any_beyond = found[0] + found[1] > 0;
            if (layout_.is_joint ? is_any_beyond : found[0] > 0) {
                a_->set_storage(StoragePrecision::same);
                a_->fill(scaled.a);
            }
            if (layout_.is_joint ? is_any_beyond : found[1] > 0) {
                p_->set_storage(StoragePrecision::same);
                r_->set_storage(StoragePrecision::same);
                fill_transfers(scaled);
            }
        });
    }
    void fill_matrices(const ScaledLevel<V, I>& scaled)
    {
        if (a_) {
            a_->fill(scaled.a);
        }
        fill_transfers(scaled);
    }
    void fill_transfers(const ScaledLevel<V, I>& scaled)
    {
        p_->fill(scaled.p);
        r_->fill(scaled.r);
    }

    LevelLayout layout_;
    std::optional<StencilSearch<V, I>> stencils_;
    std::optional<StoredMatrix<V, I>> a_, p_, r_;
};

}  // namespace linden::detail
