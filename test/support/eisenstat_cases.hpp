#pragma once

#include "core/kernels/eisenstat.hpp"
#include "test/support/cg_cases.hpp"
#include "test/support/sweeps.hpp"

/// Steps of the kernels of CG with Eisenstat's trick: operands, scalars and stopping state before and after.
namespace linden::test {

template <class V>
struct EisenstatStep {
    Blocks<V> blocks;
    std::vector<real_t<V>> d;
    std::vector<V> values;         // rho, rho_old, pv: k each
    std::vector<real_t<V>> reals;  // ratio, square
    std::vector<std::int32_t> is_due;
    StopValues<real_t<V>> stop;

    std::size_t cols() const { return stop.cols(); }
    V& rho(std::size_t col) { return values[col]; }
    V& rho_old(std::size_t col) { return values[cols() + col]; }
    V& pv(std::size_t col) { return values[2 * cols() + col]; }
    real_t<V>& ratio(std::size_t col) { return reals[col]; }
    real_t<V>& square(std::size_t col) { return reals[cols() + col]; }
};

template <class V>
EisenstatStep<V> random_eisenstat_step(Random& random, int num_blocks, Dim size, size_type padding)
{
    using R = real_t<V>;
    const auto k = static_cast<std::size_t>(size.cols);
    EisenstatStep<V> step{random_blocks<V>(random, num_blocks, size, padding),
                          std::vector<R>(static_cast<std::size_t>(size.rows)),
                          std::vector<V>(3 * k),
                          std::vector<R>(2 * k),
                          std::vector<std::int32_t>(k),
                          StopValues<R>::running(k, R{-1}, 4)};
    const auto positive = [&] { return static_cast<R>(random.real(0.5, 1.5)); };
    std::generate(step.d.begin(), step.d.end(), positive);
    std::generate(step.values.begin(), step.values.end(), positive);
    std::generate(step.reals.begin(), step.reals.end(), positive);
    return step;
}

/// The step as `launch(exec, blocks, d, scalars, stop, workspace)` leaves it.
template <class V, class Launch>
EisenstatStep<V> after(const Executor& exec, const EisenstatStep<V>& before, const Launch& launch)
{
    const auto k = static_cast<size_type>(before.cols());
    auto blocks = copies(before.blocks, exec);
    const Array<real_t<V>> d(exec, before.d);
    Array<V> values(exec, before.values);
    Array<real_t<V>> reals(exec, before.reals);
    Array<std::int32_t> is_due(exec, before.is_due);
    auto stop = stop_state(exec, before.stop);
    auto workspace = ReductionWorkspace::for_values<V>(exec, std::max<size_type>(k, 1));
    const EisenstatScalars<V> scalars{values.data(), values.data() + k, values.data() + 2 * k,
                                      reals.data(),  reals.data() + k,  is_due.data()};
    launch(exec, blocks, d.data(), scalars, stop.view(), workspace.view());
    expect_clean_header(exec, workspace.view());
    return {std::move(blocks), before.d, values.to_host(), reals.to_host(), is_due.to_host(), values_of(stop)};
}

/// Every backend does the step as the reference does, within k * eps of the largest magnitudes (at least 1), with the
/// same bits in two runs, and leaves paddings alone.
template <class V, class Launch>
void expect_like_reference(const EisenstatStep<V>& before, double k, const Launch& launch)
{
    const auto expected = after(reference_executor(), before, launch);
    on_each_other_executor([&](const Executor& exec) {
        const auto actual = after(exec, before, launch);
        const auto again = after(exec, before, launch);
        EXPECT_TRUE(same_bits(actual.values, again.values) && same_bits(actual.reals, again.reals))
            << "two runs differ";
        expect_near(actual.values, expected.values, k, std::max(1.0, scale_of(expected.values)));
        expect_near(actual.reals, expected.reals, k, std::max(1.0, scale_of(expected.reals)));
        EXPECT_EQ(actual.is_due, expected.is_due);
        expect_same_state(actual.stop, expected.stop, k);
        for (std::size_t i = 0; i < before.blocks.size(); ++i) {
            SCOPED_TRACE("block " + std::to_string(i));
            expect_near(actual.blocks[i], expected.blocks[i], k, std::max(1.0, scale_of(expected.blocks[i].to_host())));
            expect_same_padding(actual.blocks[i], before.blocks[i]);
        }
    });
}

/// Shapes of colours with one column and with three, some of them stopped: f(shape, k, padding).
template <class F>
void for_each_eisenstat_shape(F&& f)
{
    for_each_colour_shape([&](const ColourShape& shape) {
        f(shape, 1, 0);
        if (shape.rows < 1000) {
            f(shape, 1, 2);
            f(shape, 3, 1);
        }
    });
}

}  // namespace linden::test
