#pragma once

#include <linden/matrix/dense.hpp>

#include "core/kernels/golub_kahan.hpp"
#include "core/solver/workspace.hpp"

namespace linden::detail {

/// What LSQR and LSMR keep: the vectors of the bidiagonalization, with u in the memory of the residual.
template <class V>
struct GolubKahanWorkspace : SolverWorkspace<V> {
    /// num_reals: scalars for each column that the method has besides those of the bidiagonalization. scale: of A.
    GolubKahanWorkspace(const Executor& exec, Dim matrix, size_type num_rhs, size_type num_reals,
                        bool has_preconditioner, real_t<V> scale)
        : SolverWorkspace<V>(exec, matrix.rows, num_rhs),
          q(exec, {matrix.rows, num_rhs}),
          y(exec, {matrix.cols, num_rhs}),
          v(exec, {matrix.cols, num_rhs}),
          p(exec, {has_preconditioner ? matrix.cols : 0, num_rhs}),
          squares(exec, has_preconditioner ? num_rhs : 0),
          reals(exec, (3 + num_reals) * num_rhs),
          marks(exec, num_rhs),
          scale_(scale)
    {
    }

    GolubKahanScalars<real_t<V>> lengths() { return {real(0), real(1), real(2), marks.data(), scale_}; }
    /// The k numbers of a scalar of the method, 0, 1, ...
    real_t<V>* scalar(int i) { return real(3 + i); }

    /// A column that stagnates because its residual is orthogonal to the range of A has converged.
    void add_details(std::vector<ColumnResult>& columns) const override
    {
        const auto is_marked = marks.to_host();
        for (std::size_t col = 0; col < columns.size(); ++col) {
            if (columns[col].status == SolveStatus::stagnated && is_marked[col] != 0) {
                columns[col].status = SolveStatus::converged;
                columns[col].least_squares = true;
            }
        }
    }

    Dense<V> q;  ///< A v
    Dense<V> y;  ///< A^H u
    Dense<V> v;
    Dense<V> p;        ///< M v, if there is a preconditioner
    Array<V> squares;  ///< v^H M v
    Array<real_t<V>> reals;
    Array<std::int32_t> marks;

private:
    real_t<V>* real(int i) { return reals.data() + i * this->cols(); }

    real_t<V> scale_;
};

}  // namespace linden::detail
