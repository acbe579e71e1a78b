#pragma once

#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/solver/bicgstab.hpp>
#include <linden/solver/cg.hpp>
#include <linden/solver/fgmres.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "test/support/backends.hpp"
#include "test/support/compare.hpp"
#include "test/support/matrices.hpp"
#include "test/support/problems.hpp"

/// What tests of all iterative solvers share.
namespace linden::test {

enum class Method { cg, cg_single_reduction, cg_pipelined, bicgstab, gmres, fgmres };
inline constexpr Method all_methods[] = {
    Method::cg, Method::cg_single_reduction, Method::cg_pipelined, Method::bicgstab, Method::gmres, Method::fgmres};

constexpr std::string_view name(Method m)
{
    constexpr std::string_view names[] = {"cg", "cg single reduction", "cg pipelined", "bicgstab", "gmres", "fgmres"};
    return names[static_cast<int>(m)];
}

constexpr bool is_gmres(Method m) { return m == Method::gmres || m == Method::fgmres; }
constexpr bool is_cg(Method m)
{
    return m == Method::cg || m == Method::cg_single_reduction || m == Method::cg_pipelined;
}

template <class V>
struct SolverOptions {
    Stop stop{};
    FactoryPtr<V> preconditioner{};
    size_type krylov_dim = 30;
};

template <class V>
std::unique_ptr<Solver<V>> make_solver(Method method, LinOpPtr<V> a, const SolverOptions<V>& o = {})
{
    switch (method) {
    case Method::cg:
    case Method::cg_single_reduction:
    case Method::cg_pipelined:
        return Cg<V>::factory({.stop = o.stop,
                               .preconditioner = o.preconditioner,
                               .single_reduction = method == Method::cg_single_reduction,
                               .pipelined = method == Method::cg_pipelined})
            .generate(a);
    case Method::bicgstab:
        return BiCgStab<V>::factory({.stop = o.stop, .preconditioner = o.preconditioner}).generate(a);
    case Method::gmres:
        return Gmres<V>::factory({o.stop, o.preconditioner, o.krylov_dim}).generate(a);
    case Method::fgmres:
        return Fgmres<V>::factory({o.stop, o.preconditioner, o.krylov_dim}).generate(a);
    }
    return nullptr;
}

/// An n x k block with these values, row by row.
template <class V>
Dense<V> block_on(const Executor& exec, Dim size, const std::vector<V>& values)
{
    Dense<V> block(exec, size);
    copy_bytes(::linden::detail::host(), values.data(), exec, block.data(), values.size() * sizeof(V));
    return block;
}

template <class V>
LinOpPtr<V> matrix_on(const Executor& exec, const TestCsr<V>& a)
{
    return std::make_shared<Csr<V, DefaultIndex>>(exec, a);
}

/// Calls f(exec, method) for every tested executor and method.
template <class F>
void on_each_executor_and_method(F&& f)
{
    on_each_executor([&](const Executor& exec) {
        for (const auto method : all_methods) {
            SCOPED_TRACE(std::string(name(method)));
            f(exec, method);
        }
    });
}

template <class V>
inline constexpr double eps = static_cast<double>(std::numeric_limits<real_t<V>>::epsilon());

/// ||b - A x|| of one column, in the widest precision, without the library.
template <class V>
double true_residual(const TestCsr<V>& a, const Dense<V>& b, const Dense<V>& x, size_type col = 0)
{
    using W = std::conditional_t<is_complex<V>, std::complex<long double>, long double>;
    const auto cols = static_cast<std::size_t>(b.size().cols);
    const auto column = [&](const std::vector<V>& values) {
        std::vector<W> c;
        for (std::size_t at = static_cast<std::size_t>(col); at < values.size(); at += cols) {
            c.push_back(W(values[at]));
        }
        return c;
    };
    const auto rhs = column(b.to_host());
    const auto product = host_product(a, column(x.to_host()));
    long double sum = 0;
    for (std::size_t row = 0; row < rhs.size(); ++row) {
        const long double difference = std::abs(rhs[row] - product[row]);
        sum += difference * difference;
    }
    return static_cast<double>(std::sqrt(sum));
}

/// || |A| |x| || of one column: what the rounding of A x is relative to.
template <class V>
double product_of_magnitudes(const TestCsr<V>& a, const Dense<V>& x, size_type col = 0)
{
    const auto values = x.to_host();
    const auto cols = static_cast<std::size_t>(x.size().cols);
    double sum = 0;
    for (std::size_t row = 0; row + 1 < a.row_ptrs.size(); ++row) {
        double terms = 0;
        for (auto k = static_cast<std::size_t>(a.row_ptrs[row]); k < static_cast<std::size_t>(a.row_ptrs[row + 1]);
             ++k) {
            const auto at = static_cast<std::size_t>(a.col_idxs[k]) * cols + static_cast<std::size_t>(col);
            terms += static_cast<double>(std::abs(a.values[k]) * std::abs(values[at]));
        }
        sum += terms * terms;
    }
    return std::sqrt(sum);
}

/// An operator that hands its operands to a function on the host: a preconditioner of a user's own.
template <class V>
class HostOperator final : public LinOp<V> {
public:
    using Function = std::function<void(const Dense<V>&, Dense<V>&)>;
    HostOperator(Executor exec, Dim size, Function function)
        : LinOp<V>(std::move(exec), size),
          function_(std::move(function))
    {
    }
    std::string name() const override { return "HostOperator"; }

protected:
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override { function_(b, x); }

private:
    Function function_;
};

/// A factory of HostOperators, for SolverOptions.
template <class V>
FactoryPtr<V> host_preconditioner(typename HostOperator<V>::Function function)
{
    return make_factory<V>([function](LinOpPtr<V> matrix) {
        return std::make_unique<HostOperator<V>>(matrix->executor(), matrix->size(), function);
    });
}

}  // namespace linden::test
