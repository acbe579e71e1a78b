#pragma once

#include <linden/factory.hpp>

#include <functional>
#include <memory>
#include <string>
#include <type_traits>

#include "core/base/type_lists.hpp"
#include "test/support/matrices.hpp"

/// The conformance suite: what every LinOp promises, checked on every tested executor. A line adds an operator:
///
///     conforms<double>("Csr", [](const Executor& exec, size_type n) { return a_csr_of_about(n, exec); });
///     generates("Jacobi", Jacobi<double>::factory());
///
/// run at static initialisation; each check becomes a test `<name>/<value type>.<check>`.
namespace linden::test {

/// An operator under test.
template <class V>
struct Subject {
    std::string name;
    /// The operator with about n rows; the same numbers on every executor. n = 0 has to work, too.
    std::function<std::unique_ptr<LinOp<V>>(const Executor&, size_type n)> make;
    /// Results are the same within tolerance * eps * scale.
    double tolerance = 64;
    /// Moves the operator to another object and back; null if its type cannot be moved.
    std::function<std::unique_ptr<LinOp<V>>(LinOp<V>&)> move = nullptr;
    /// What generates it, if anything does, from a Hermitian positive definite matrix.
    FactoryPtr<V> factory = nullptr;
    bool clones = true;
};

/// Registers the checks for `subject`.
template <class V>
void add_conformance_tests(const Subject<V>& subject);

/// A moved object that was another operator before.
template <class Op>
std::unique_ptr<LinOp<typename Op::value_type>> moved(LinOp<typename Op::value_type>& op)
{
    Op first(std::move(static_cast<Op&>(op)));
    auto second = std::make_unique<Op>(std::move(first));
    first = std::move(*second);
    *second = std::move(first);
    return second;
}

/// Tests operators that `make(executor, n)` makes, as values.
template <class V, class Make>
void conforms(const std::string& name, const Make& make, double tolerance = 64)
{
    using Op = std::invoke_result_t<Make, const Executor&, size_type>;
    add_conformance_tests<V>({.name = name,
                              .make = [make](const Executor& exec, size_type n) -> std::unique_ptr<LinOp<V>> {
                                  return std::make_unique<Op>(make(exec, n));
                              },
                              .tolerance = tolerance,
                              .move = moved<Op>});
}

/// A Hermitian positive definite n x n matrix; another seed gives other values, on the same pattern.
template <class V>
LinOpPtr<V> generating_matrix(const Executor& exec, size_type n, std::uint64_t value_seed = 0)
{
    using I = DefaultIndex;
    Random random(17);
    auto data = random_hpd_csr<V, I>(random, n, 4);
    Random values(value_seed);
    for (size_type row = 0; value_seed != 0 && row < n; ++row) {
        const auto factor = static_cast<real_t<V>>(1 + values.unit());
        for (auto k = data.row_ptrs[row]; k < data.row_ptrs[row + 1]; ++k) {
            data.values[k] *= data.col_idxs[k] == row ? factor : real_t<V>{1};
        }
    }
    return std::make_shared<const Csr<V, I>>(exec, data);
}

/// Tests the operators that `factory` generates.
template <class Op>
void generates(const std::string& name, const Factory<Op>& factory, double tolerance = 64, bool clones = true)
{
    using V = typename Op::value_type;
    Subject<V> subject{.name = name,
                       .make = [factory](const Executor& exec, size_type n) -> std::unique_ptr<LinOp<V>> {
                           return factory.generate(generating_matrix<V>(exec, n));
                       },
                       .tolerance = tolerance,
                       .factory = factory,
                       .clones = clones};
    if constexpr (std::is_move_constructible_v<Op>) {
        subject.move = moved<Op>;
    }
    add_conformance_tests<V>(subject);
}

}  // namespace linden::test
