#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/kernels/arnoldi.hpp"
#include "core/kernels/bicgstab.hpp"
#include "core/kernels/gmres.hpp"
#include "test/support/cg_cases.hpp"

/// Steps of the kernels of BiCGStab and GMRES: operands, scalars and stopping state before and after.
namespace linden::test {

/// Values and reals that `KrylovOperands::arnoldi(m)` places, for each right-hand side.
constexpr size_type num_arnoldi_values(size_type m) { return m * m + 7 * m + 5; }
constexpr size_type num_arnoldi_reals(size_type m) { return m + 4; }

template <class V>
struct KrylovStep {
    Blocks<V> blocks;
    std::vector<V> basis;             // blocks of rows x cols, one after the other
    std::vector<V> values;            // scalars, k at a time
    std::vector<real_t<V>> reals;     // likewise
    std::vector<std::int32_t> marks;  // likewise
    StopValues<real_t<V>> stop;

    std::size_t cols() const { return stop.cols(); }
};

/// The operands on an executor, as kernels take them.
template <class V>
struct KrylovOperands {
    KrylovOperands(const Executor& e, const KrylovStep<V>& step, size_type num_sums)
        : exec(e),
          blocks(copies(step.blocks, e)),
          basis(e, step.basis),
          values(e, step.values),
          reals(e, step.reals),
          marks(e, step.marks),
          state(stop_state(e, step.stop)),
          reduction(ReductionWorkspace::for_values<V>(e, std::max<size_type>(num_sums, 1)))
    {
    }

    DenseView<const V> in(std::size_t i) const { return blocks[i].view(); }
    DenseView<V> out(std::size_t i) { return blocks[i].view(); }
    size_type cols() const { return static_cast<size_type>(state.status().size()); }

    BiCgStabScalars<V> bicgstab()
    {
        const auto at = [&](int i) { return values.data() + i * cols(); };
        return {at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7), reals.data(), marks.data()};
    }
    /// `values` holds h, c (m + 1 each), the triangle (m m), the sines (m), g (m + 1) and y (m); `reals` w^H w, the
    /// cosines (m) and the scale; `marks` again and used.
    GmresScalars<V> gmres(size_type m)
    {
        const auto k = cols();
        V* const h = values.data();
        V* const c = h + (m + 1) * k;
        V* const upper = c + (m + 1) * k;
        V* const sine = upper + m * m * k;
        V* const g = sine + m * k;
        V* const y = g + (m + 1) * k;
        return {m,
                h,
                c,
                reals.data(),
                upper,
                reals.data() + k,
                sine,
                g,
                y,
                reals.data() + (m + 1) * k,
                marks.data(),
                marks.data() + k};
    }
    /// Behind these `values` has the last column and a product (m + 1 each), `reals` the norm and the correction,
    /// `marks` open.
    ArnoldiScalars<V> arnoldi(size_type m)
    {
        const auto k = cols();
        const auto s = gmres(m);
        V* const column = s.y + m * k;
        return {s, column, column + (m + 1) * k, s.scale + k, s.scale + 2 * k, s.used + k};
    }
    BasisView<const V> basis_view(size_type count, Dim size) const
    {
        return {count, size.rows, size.cols, size.rows * size.cols, basis.data()};
    }
    StopView<real_t<V>> stop() { return state.view(); }

    KrylovStep<V> read()
    {
        return {std::move(blocks), basis.to_host(), values.to_host(),
                reals.to_host(),   marks.to_host(), values_of(state)};
    }

    const Executor& exec;
    Blocks<V> blocks;
    Array<V> basis;
    Array<V> values;
    Array<real_t<V>> reals;
    Array<std::int32_t> marks;
    StopState<real_t<V>> state;
    ReductionWorkspace reduction;
};

/// The step as `launch(operands)` leaves it.
template <class V, class Launch>
KrylovStep<V> after_launch(const Executor& exec, const KrylovStep<V>& before, size_type num_sums, Launch&& launch)
{
    KrylovOperands<V> operands(exec, before, num_sums);
    launch(operands);
    expect_clean_header(exec, operands.reduction.view());
    return operands.read();
}

/// Random operands and scalars of magnitude 1/2 to 2; all columns run, at residual 1 and with no tolerance.
template <class V>
KrylovStep<V> random_krylov_step(Random& random, int num_blocks, Dim size, size_type padding, size_type num_values,
                                 size_type num_reals, size_type num_marks, size_type basis_count = 0)
{
    using R = real_t<V>;
    const auto k = static_cast<std::size_t>(size.cols);
    KrylovStep<V> step{random_blocks<V>(random, num_blocks, size, padding),
                       std::vector<V>(static_cast<std::size_t>(basis_count * size.rows) * k),
                       std::vector<V>(static_cast<std::size_t>(num_values) * k),
                       std::vector<R>(static_cast<std::size_t>(num_reals) * k),
                       std::vector<std::int32_t>(static_cast<std::size_t>(num_marks) * k),
                       StopValues<R>::running(k, R{-1}, 4)};
    for (auto& value : step.basis) {
        value = random.value<V>();
    }
    for (auto& value : step.values) {
        value = number<V>(random.real(0.5, 1.5), random.real(-0.5, 0.5));
    }
    for (auto& value : step.reals) {
        value = static_cast<R>(random.real(0.5, 1.5));
    }
    std::fill_n(step.stop.norms.begin(), k, R{1});
    return step;
}

/// Column `col` of every block has the bits it had.
template <class V>
void expect_untouched(const Blocks<V>& now, const Blocks<V>& before, std::size_t col)
{
    for (std::size_t i = 0; i < now.size(); ++i) {
        const auto values = memory_of(now[i]);
        const auto old = memory_of(before[i]);
        for (std::size_t at = col; at < values.size(); at += static_cast<std::size_t>(now[i].stride())) {
            ASSERT_EQ(std::memcmp(&values[at], &old[at], sizeof(V)), 0) << "block " << i << ", column " << col;
        }
    }
}

/// Every backend does the step as the reference does, within k * eps of the largest magnitudes (at least 1), the same
/// way in two runs, and leaves the paddings and the columns of the blocks alone that `left_alone(col)` names.
template <class V, class Launch, class LeftAlone>
void expect_krylov_step_like_reference(const KrylovStep<V>& before, double k, size_type num_sums, Launch&& launch,
                                       LeftAlone&& left_alone)
{
    const auto expected = after_launch(reference_executor(), before, num_sums, launch);
    on_each_executor([&](const Executor& exec) {
        const auto actual = after_launch(exec, before, num_sums, launch);
        const auto again = after_launch(exec, before, num_sums, launch);
        EXPECT_TRUE(same_bits(actual.values, again.values) && same_bits(actual.reals, again.reals) &&
                    same_bits(actual.stop.norms, again.stop.norms))
            << "two runs differ";
        expect_same_state(actual.stop, expected.stop, k);
        expect_near(actual.values, expected.values, k);
        expect_near(actual.reals, expected.reals, k);
        EXPECT_EQ(actual.marks, expected.marks);
        EXPECT_TRUE(same_bits(actual.basis, before.basis)) << "the basis changed";
        for (std::size_t i = 0; i < before.blocks.size(); ++i) {
            SCOPED_TRACE("block " + std::to_string(i));
            EXPECT_TRUE(same_bits(memory_of(actual.blocks[i]), memory_of(again.blocks[i]))) << "two runs differ";
            expect_near(actual.blocks[i], expected.blocks[i], k, std::max(1.0, scale_of(expected.blocks[i].to_host())));
            expect_same_padding(actual.blocks[i], before.blocks[i]);
        }
        for (std::size_t col = 0; col < before.cols(); ++col) {
            if (left_alone(col)) {
                expect_untouched(actual.blocks, before.blocks, col);
            }
        }
    });
}

/// The shapes of for_each_shape and, for k columns, which of them had stopped: none, every third, all.
template <class V, class F>
void for_each_krylov_shape(F&& f)
{
    for_each_shape([&](Dim size, size_type padding) {
        for (int period : {0, 3, 1}) {
            if (period == 3 && size.cols < 2) {
                continue;
            }
            SCOPED_TRACE(period);
            f(size, padding,
              [period](std::size_t col) { return period != 0 && col % static_cast<std::size_t>(period) == 0; });
        }
    });
}

/// Stops the columns that `stopped` names, and puts NaN into them in the blocks from `first_spoiled` on.
template <class V, class Stopped>
void stop_columns(KrylovStep<V>& step, const Stopped& stopped, std::size_t first_spoiled)
{
    for (std::size_t col = 0; col < step.cols(); ++col) {
        if (!stopped(col)) {
            continue;
        }
        step.stop.stop(col, SolveStatus::converged);
        for (std::size_t i = first_spoiled; i < step.blocks.size(); ++i) {
            spoil_column(step.blocks[i], static_cast<size_type>(col));
        }
    }
}

/// A one-by-one-column step by hand.
template <class V>
Dense<V> column_of(std::initializer_list<V> values)
{
    return Dense<V>::vector(reference_executor(), values);
}

}  // namespace linden::test
