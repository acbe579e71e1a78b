#include "core/spectrum/spectral_bound.hpp"

#include <linden/distributed/communicator.hpp>
#include <linden/matrix/dense.hpp>

#include <vector>

#include "core/kernels/array.hpp"
#include "core/kernels/csr.hpp"
#include "core/kernels/csr_values.hpp"
#include "core/kernels/dense.hpp"
#include "core/matrix/visit_csr.hpp"
#include "core/spectrum/lanczos.hpp"
#include "core/spectrum/row_sums.hpp"

// instantiate: double detail::largest_ritz_value(const LinOp<V>&, const Array<V>&, size_type)
// instantiate: double detail::largest_ritz_value(const LinOp<V>&, const Array<V>&, size_type, detail::LanczosMemory<V>&)
// instantiate: double detail::largest_ritz_value(const LinOp<V>&, const LinOp<V>&, size_type)
// instantiate: double detail::largest_row_sum(const LinOp<V>&, const Array<V>&)
// instantiate: double detail::largest_row_sum(const LinOp<V>&, const Array<V>&, detail::RowSumMemory<V>&)

namespace linden::detail {
namespace {

/// The largest eigenvalue of the matrix of process(), which begins with a fixed residual, by the numbers of rows among
/// those of all ranks.
template <class V, class Process>
double ritz_value_of(const LinOp<V>& a, LanczosMemory<V>& memory, const Process& process)
{
    const auto ranks = a.communicator();
    if (a.size().rows == 0 && ranks.is_single()) {
        return 0;
    }
    auto& r = memory.vectors.r;
    lanczos_start<V>(a.executor(), r.size().rows, ranks.own_rows().first, r.data());
    return process().largest_eigenvalue();
}

}  // namespace

template <class V>
double largest_ritz_value(const LinOp<V>& a, const Array<V>& inverse, size_type num_steps)
{
    LanczosMemory<V> memory(a, num_steps);
    return largest_ritz_value(a, inverse, num_steps, memory);
}

template <class V>
double largest_ritz_value(const LinOp<V>& a, const Array<V>& inverse, size_type num_steps, LanczosMemory<V>& memory)
{
    return ritz_value_of(a, memory, [&] { return lanczos_with_diagonal(a, inverse, memory, num_steps); });
}

template <class V>
double largest_ritz_value(const LinOp<V>& a, const LinOp<V>& preconditioner, size_type num_steps)
{
    LanczosMemory<V> memory(a);
    return ritz_value_of(a, memory, [&] {
        return lanczos(
            a, memory, num_steps, [&](const Dense<V>& residual, Dense<V>& z) { preconditioner.apply(residual, z); },
            [](const Dense<V>&, double) {});
    });
}

template <class V>
double largest_row_sum(const LinOp<V>& a, const Array<V>& inverse)
{
    RowSumMemory<V> memory(a);
    return largest_row_sum(a, inverse, memory);
}

template <class V>
double largest_row_sum(const LinOp<V>& a, const Array<V>& inverse, RowSumMemory<V>& memory)
{
    double result = 0;
    visit_csr("Chebyshev", a, [&]<class I>(const Csr<V, I>& csr) {
        const auto& exec = csr.executor();
        const auto n = csr.size().rows;
        if (n == 0) {
            return;
        }
        array_absolute<V>(exec, csr.num_nonzeros(), csr.values(), memory.values.data());
        auto magnitudes = csr.view();
        magnitudes.values = memory.values.data();
        if (inverse.size() > 0) {
            array_absolute<V>(exec, n, inverse.data(), memory.factors.data());
            csr_scale_rows<V, I>(exec, magnitudes, memory.factors.data(), memory.values.data());
        }
        csr_spmv<V, I>(exec, magnitudes, V{1}, std::as_const(memory.ones).view(), V{}, memory.sums.view());
        result = memory.largest_sum();
    });
    return result;
}

}  // namespace linden::detail
