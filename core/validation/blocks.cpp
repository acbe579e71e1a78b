#include <linden/matrix/diagonal.hpp>
#include <linden/matrix/permutation.hpp>
#include <linden/select.hpp>

#include <limits>

#include "core/kernels/reduction.hpp"
#include "core/validation/cases.hpp"
#include "core/validation/runner.hpp"

// instantiate: void validation::drive_blocks<V, I>(validation::Runner&)

namespace linden::validation {
namespace {

template <class V>
void combine(const Runner& runner, Dim size, size_type padding)
{
    const auto& exec = runner.executor();
    auto x = random_block<V>(exec, size, runner.seed() + 1, padding);
    const auto b = random_block<V>(exec, size, runner.seed() + 2);
    const Array<V> factors(exec, Numbers(runner.seed()).values<V>(size.cols));
    x.scale(V{2});
    x.scale(Scalar<V>::per_column(factors.data()));
    x.add_scaled(V{-1}, b);
    x.add_scaled(Scalar<V>::per_column(factors.data()), b);
    (void)x.dot(b);
    (void)x.norm1();
    (void)x.norm2();
    (void)x.norm_inf();
    x.copy_from(b);
    x.fill(V{3});
    (void)x.copy();
}

/// NaN and infinities go where IEEE 754 sends them, on every backend; a product with 0 alone may forget them, which is
/// the reference's to say.
template <class V>
void spread_hazards(const Runner& runner, size_type n)
{
    using R = real_t<V>;
    const auto& exec = runner.executor();
    auto values = Numbers(runner.seed()).values<V>(n);
    for (size_type i = 0; i < n; i += 5) {
        const R special[] = {std::numeric_limits<R>::quiet_NaN(), std::numeric_limits<R>::infinity(), R{0}};
        values[static_cast<std::size_t>(i)] = special[i % 3];
    }
    const auto b = Dense<V>::vector(exec, values);
    auto x = random_block<V>(exec, {n, 1}, runner.seed() + 1);
    x.add_scaled(V{0}, b);
    x.add_scaled(V{2}, b);
    auto y = random_block<V>(exec, {n, 1}, runner.seed() + 2);
    y.add_scaled(V{-1}, b);
    y.scale(V{0});
    (void)b.dot(b);
    (void)b.norm1();
    (void)b.norm2();
    (void)b.norm_inf();
}

/// Products with what is dense, diagonal, a permutation.
template <class V, class I>
void multiply(const Runner& runner, size_type n, size_type cols)
{
    const auto& exec = runner.executor();
    const auto b = random_block<V>(exec, {n, cols}, runner.seed() + 3);
    auto x = random_block<V>(exec, {n, cols}, runner.seed() + 4, 1);
    std::vector<I> reversed(static_cast<std::size_t>(n));
    for (size_type i = 0; i < n; ++i) {
        reversed[static_cast<std::size_t>(i)] = static_cast<I>(n - 1 - i);
    }
    const auto dense = random_block<V>(exec, {n, n}, runner.seed() + 5);
    const Diagonal<V> diagonal(exec, Numbers(runner.seed()).values<V>(n));
    const Permutation<V, I> permutation(exec, reversed);
    const auto inverse = permutation.inverse();
    const auto w = random_block<V>(exec, {n, cols}, runner.seed() + 6);
    Array<V> products(exec, 2 * cols);
    auto workspace = ReductionWorkspace::for_values<V>(exec, 2 * cols);
    for (const LinOp<V>* op : {static_cast<const LinOp<V>*>(&dense), static_cast<const LinOp<V>*>(&diagonal),
                               static_cast<const LinOp<V>*>(&inverse)}) {
        op->apply(b, x);
        op->apply(V{2}, b, V{-3}, x);  // -1 would change nothing
        op->apply_dot(b, x, {w, products.data(), products.data() + cols, workspace.view()});
    }
}

}  // namespace

template <class V, class I>
void drive_blocks(Runner& runner)
{
    const auto type = ", " + std::string(name(value_type_of<V>));
    std::vector<size_type> sizes{33};
    if (runner.level() > 1) {
        sizes = {0, 1, 31, 32, 33, 597};
    }
    for (const auto n : sizes) {
        runner.run("vectors of " + std::to_string(n) + type, [&] {
            combine<V>(runner, {n, 1}, 0);
            combine<V>(runner, {n, 3}, 2);
        });
        runner.run("products with " + std::to_string(n) + " rows" + type, [&] {
            multiply<V, I>(runner, n, 1);
            multiply<V, I>(runner, n, 4);
        });
        runner.run("vectors of " + std::to_string(n + 2) + " with NaN" + type,
                   [&] { spread_hazards<V>(runner, n + 2); });
        runner.run("magnitudes of " + std::to_string(n) + type, [&] {
            const Array<V> values(runner.executor(), Numbers(runner.seed()).values<V>(10 * n + 1));
            (void)select_threshold(values, n);
            (void)select_threshold(values, n, Selection::approximate);
        });
    }
}

}  // namespace linden::validation
