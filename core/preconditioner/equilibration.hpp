#pragma once

#include <linden/matrix/csr.hpp>
#include <linden/scaling_norm.hpp>

#include <algorithm>

#include "core/kernels/equilibration.hpp"
#include "core/kernels/selection.hpp"
#include "core/matrix/pattern_operations.hpp"
#include "core/matrix/visit_csr.hpp"

namespace linden::detail {

/// Factors for rows and columns of matrices with one pattern, of any index type. [Ruiz01]
template <class V>
class Equilibration {
public:
    virtual ~Equilibration() = default;
    /// rows, columns: n values.
    virtual void compute(const LinOp<V>& matrix, ScalingNorm norm, size_type steps, bool powers_of_two, V* rows,
                         V* columns) = 0;
};

template <class V, class I>
class EquilibrationOf final : public Equilibration<V> {
    using R = real_t<V>;

public:
    /// Waits for the executor.
    explicit EquilibrationOf(const Csr<V, I>& a)
        : exec_(a.executor()),
          transposed_(transposed_pattern<I>(exec_, a.view())),
          magnitudes_(exec_, a.num_nonzeros()),
          row_factors_(exec_, a.size().rows),
          column_factors_(exec_, a.size().cols),
          row_norms_(exec_, a.size().rows),
          column_norms_(exec_, a.size().cols)
    {
    }

    void compute(const LinOp<V>& matrix, ScalingNorm norm, size_type steps, bool powers_of_two, V* rows,
                 V* columns) override
    {
        const auto& a = csr_of<V, I>("Scaled", matrix, magnitudes_.size());
        selection_magnitudes<V>(exec_, magnitudes_.size(), a.values(), magnitudes_.data());
        equilibration_begin<R>(exec_, row_factors_.size(), row_factors_.data());
        equilibration_begin<R>(exec_, column_factors_.size(), column_factors_.data());
        // Sums of squares cannot overflow after two steps by the largest entries.
        constexpr size_type first_steps = 2;
        for (size_type i = 0; i < (norm == ScalingNorm::infinity ? steps : first_steps); ++i) {
            step(a.view(), ScalingNorm::infinity);
        }
        for (size_type i = 0; i < (norm == ScalingNorm::infinity ? 0 : steps); ++i) {
            step(a.view(), norm);
        }
        equilibration_store<V>(exec_, row_factors_.size(), row_factors_.data(), powers_of_two, rows);
        equilibration_store<V>(exec_, column_factors_.size(), column_factors_.data(), powers_of_two, columns);
    }

private:
    void step(PatternView<I> a, ScalingNorm norm)
    {
        equilibration_norms<R, I>(exec_, a, nullptr, magnitudes_.data(), column_factors_.data(), norm,
                                  row_norms_.data());
        equilibration_norms<R, I>(exec_, transposed_.view(), transposed_.source.data(), magnitudes_.data(),
                                  row_factors_.data(), norm, column_norms_.data());
        equilibration_update<R>(exec_, row_norms_.size(), row_norms_.data(), row_factors_.data());
        equilibration_update<R>(exec_, column_norms_.size(), column_norms_.data(), column_factors_.data());
    }

    Executor exec_;
    Pattern<I> transposed_;
    Array<R> magnitudes_, row_factors_, column_factors_, row_norms_, column_norms_;
};

}  // namespace linden::detail
