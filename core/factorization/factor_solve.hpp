#pragma once

#include <linden/array.hpp>
#include <linden/error.hpp>
#include <linden/lin_op.hpp>

#include <functional>
#include <memory>
#include <string>

#include "core/kernels/dense_lu.hpp"
#include "core/kernels/direct.hpp"
#include "core/kernels/panels.hpp"
#include "core/kernels/supernodes.hpp"
#include "core/matrix/block_cache.hpp"
#include "core/triangular/triangular_solve.hpp"

namespace linden::detail {

/// An order of vectors with a factor for each value: x(i) := factors[i] b(rows[i]).
template <class V, class I>
struct ScaledOrder {
    Array<I> rows;
    Array<real_t<V>> factors;
};

/// x := O T2^-1 T1^-1 I b with triangular T1, T2 between a scaled order I of right-hand sides and one, O, of solutions.
/// T1 and T2 are analysed triangles, or factors in panels, by supernodes or in a dense matrix.
template <class V, class I>
class FactorSolve final : public LinOp<V> {
public:
    FactorSolve(const Executor& exec, size_type n, ScaledOrder<V, I> in, ScaledOrder<V, I> out)
        : LinOp<V>(exec, {n, n}),
          in_(std::move(in)),
          out_(std::move(out)),
          between_(exec)
    {
    }
    void set_triangles(std::unique_ptr<TriangularSolve<V>> first, std::unique_ptr<TriangularSolve<V>> second)
    {
        first_ = std::move(first);
        second_ = std::move(second);
    }
    /// values: of the factors, which stay where they are.
    void set_panels(PanelFactorView<I> panels, const V* values)
    {
        panels_ = panels;
        values_ = values;
        form_ = Form::panels;
    }
    /// workspace_values(k): what solves for k right-hand sides take.
    void set_supernodes(SupernodeView<I> supernodes, SupernodeFactors<const V> values,
                        std::function<size_type(size_type)> workspace_values)
    {
        supernodes_ = supernodes;
        supernode_values_ = values;
        workspace_values_ = std::move(workspace_values);
        form_ = Form::supernodes;
    }
    void set_dense(DenseLu<const V> factors)
    {
        dense_ = factors;
        form_ = Form::dense;
    }
    /// Takes right-hand sides in another order, of hosts: x(i) := factors[rows[i]] b(rows[i]).
    void set_order_in(const I* rows, const real_t<V>* factors)
    {
        for (size_type i = 0; i < this->size().rows; ++i) {
            in_.rows.data()[i] = rows[i];
            in_.factors.data()[i] = factors[rows[i]];
        }
    }

    std::string name() const override { return "FactorSolve"; }
    bool is_capturable() const override
    {
        return form_ != Form::triangles || (first_->is_capturable() && second_->is_capturable());
    }
    /// New values of the triangles.
    void update_triangles(const LinOp<V>& factors)
    {
        if (form_ == Form::triangles) {
            first_->update(factors);
            second_->update(factors);
        }
    }

protected:
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override
    {
        const auto& exec = this->executor();
        const size_type count = b.size().rows * b.size().cols;
        const size_type begin = (count + 3) / 4 * 4;  // of the workspace, a multiple of 16 bytes
        size_type room = workspace_values_(b.size().cols);
        auto one = lease_with_room(begin, room);
        auto y = one.block(b.size());
        direct_permute<V, I>(exec, in_.rows.data(), in_.factors.data(), b.view(), y.view());
        if (form_ == Form::panels) {
            panels_solve<V, I>(exec, panels_, values_, y.view());
        } else if (form_ == Form::dense) {
            dense_lu_solve<V>(exec, dense_, y.view());
        } else if (form_ == Form::supernodes) {
            const WorkspaceView workspace{reinterpret_cast<std::byte*>(y.view().values + begin),
                                          room * static_cast<size_type>(sizeof(V))};
            supernodes_solve<V, I>(exec, supernodes_, supernode_values_, y.view(), workspace);
        } else {
            typename BlockCache<V>::Lease other(between_, count);
            auto z = other.block(b.size());
            first_->solve(y, z);
            second_->solve(z, y);
        }
        direct_permute<V, I>(exec, out_.rows.data(), out_.factors.data(), std::as_const(y).view(), x.view());
    }

private:
    /// room: for the workspace; less if there is not enough for several right-hand sides at a time.
    typename BlockCache<V>::Lease lease_with_room(size_type begin, size_type& room) const
    {
        try {
            return {between_, begin + room};
        } catch (const OutOfMemory&) {
            const size_type least = workspace_values_(1);
            if (room <= least) {
                throw;
            }
            room = least;
            return {between_, begin + room};
        }
    }

    /// Of the factors.
    enum class Form { triangles, panels, supernodes, dense };

    ScaledOrder<V, I> in_, out_;
    std::unique_ptr<TriangularSolve<V>> first_, second_;
    PanelFactorView<I> panels_;
    const V* values_ = nullptr;
    SupernodeView<I> supernodes_;
    SupernodeFactors<const V> supernode_values_;
    std::function<size_type(size_type)> workspace_values_ = [](size_type) { return size_type{0}; };
    DenseLu<const V> dense_;
    Form form_ = Form::triangles;
    mutable BlockCache<V> between_;
};

}  // namespace linden::detail
