#pragma once

#include <linden/array.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>

#include <utility>

#include "core/kernels/dense.hpp"
#include "core/kernels/reduction.hpp"
#include "core/matrix/visit_csr.hpp"

namespace linden::detail {

/// What sums of magnitudes of rows are computed in, for matrices of the size of `a` with as many entries.
template <class V>
class RowSumMemory {
public:
    /// @throws NotSupported if `a` is not a Csr
    explicit RowSumMemory(const LinOp<V>& a)
        : values(a.executor(), 0),
          factors(a.executor(), a.size().rows),
          ones(Dense<V>::filled(a.executor(), {a.size().cols, 1}, V{1})),
          sums(a.executor(), {a.size().rows, 1}),
          result_(a.executor(), 1),
          workspace_(ReductionWorkspace::for_values<V>(a.executor(), 1))
    {
        visit_csr("Chebyshev", a, [&](const auto& csr) { values.resize(csr.num_nonzeros()); });
    }

    /// Waits for the executor.
    double largest_sum()
    {
        dense_norm_inf<V>(sums.executor(), std::as_const(sums).view(), result_.data(), workspace_.view());
        real_t<V> result{};
        result_.copy_to_host(&result);
        return static_cast<double>(result);
    }

    Array<V> values;   ///< magnitudes of the entries
    Array<V> factors;  ///< of rows
    Dense<V> ones, sums;

private:
    Array<real_t<V>> result_;
    ReductionWorkspace workspace_;
};

}  // namespace linden::detail
