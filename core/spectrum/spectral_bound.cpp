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

/// r := pseudorandom values in [-1, 1), equal on every executor, by the number of the row among those of all ranks.
/// [SteeleEtAl14]
template <class V>
void fixed_start(size_type first, Dense<V>& r)
{
    constexpr std::uint64_t step = 0x9E3779B97F4A7C15u;
    std::vector<V> values(static_cast<std::size_t>(r.size().rows));
    std::uint64_t state = step * static_cast<std::uint64_t>(first);
    for (auto& value : values) {
        std::uint64_t z = state += step;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        value = V{static_cast<real_t<V>>(static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1)};
    }
    copy_bytes(host(), values.data(), r.executor(), r.data(), values.size() * sizeof(V));
}

/// From the fixed start, with precondition(r, z): z := M^-1 r.
template <class V, class Precondition>
double ritz_value_with(const LinOp<V>& a, size_type num_steps, LanczosMemory<V>& memory,
                       const Precondition& precondition)
{
    const auto ranks = a.communicator();
    if (a.size().rows == 0 && ranks.is_single()) {
        return 0;
    }
    fixed_start<V>(ranks.own_rows().first, memory.vectors.r);
    return lanczos(a, memory, num_steps, precondition, [](const Dense<V>&, double) {}).largest_eigenvalue();
}

}  // namespace

template <class V>
double largest_ritz_value(const LinOp<V>& a, const Array<V>& inverse, size_type num_steps)
{
    LanczosMemory<V> memory(a);
    return largest_ritz_value(a, inverse, num_steps, memory);
}

template <class V>
double largest_ritz_value(const LinOp<V>& a, const Array<V>& inverse, size_type num_steps, LanczosMemory<V>& memory)
{
    return ritz_value_with(a, num_steps, memory, [&](const Dense<V>& residual, Dense<V>& z) {  // z := D^-1 r
        if (inverse.size() == 0) {
            z.copy_from(residual);
        } else {
            dense_scale_rows<V>(a.executor(), {inverse.size(), 1, 1, inverse.data()}, V{1}, residual.view(), V{},
                                z.view());
        }
    });
}

template <class V>
double largest_ritz_value(const LinOp<V>& a, const LinOp<V>& preconditioner, size_type num_steps)
{
    LanczosMemory<V> memory(a);
    return ritz_value_with(a, num_steps, memory,
                           [&](const Dense<V>& residual, Dense<V>& z) { preconditioner.apply(residual, z); });
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
