#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "test/support/kernel_cases.hpp"
#include "test/support/stop_state.hpp"

/// Steps of conjugate gradient kernels: operands, scalars and stopping state before and after.
namespace linden::test {

/// What a column goes through in a step.
enum class Fate { runs, converges, had_stopped, zero_curvature, zero_rho, not_a_number };
inline constexpr int num_fates = 6;

/// Fates in turn, so that `first` is that of column 0.
inline Fate fate_of(size_type col, int first) { return static_cast<Fate>((col + first) % num_fates); }
inline bool is_left_alone(Fate fate) { return fate != Fate::runs && fate != Fate::converges; }

template <class V>
struct CgStep {
    Blocks<V> blocks;
    std::vector<V> scalars;  // four per column, scalar by scalar
    StopValues<real_t<V>> stop;

    V& scalar(int which, size_type col) { return scalars[static_cast<std::size_t>(which * cols() + col)]; }
    size_type cols() const { return static_cast<size_type>(stop.cols()); }
};

/// Random operands, all scalars of magnitude 1/2 and more, a state in which every column runs, or had stopped.
template <class V>
CgStep<V> random_step(Random& random, int num_blocks, Dim size, size_type padding, int first_fate)
{
    using R = real_t<V>;
    const auto cols = static_cast<std::size_t>(size.cols);
    CgStep<V> step{random_blocks<V>(random, num_blocks, size, padding), std::vector<V>(4 * cols),
                   StopValues<R>::running(cols, R{-1}, 4)};
    for (auto& scalar : step.scalars) {
        scalar = number<V>(random.real(0.5, 1.5), random.real(-0.5, 0.5));
    }
    for (size_type col = 0; col < size.cols; ++col) {
        const auto c = static_cast<std::size_t>(col);
        if (fate_of(col, first_fate) == Fate::converges) {
            step.stop.norms[cols + c] = R{1e6};
        } else if (fate_of(col, first_fate) == Fate::had_stopped) {
            step.stop.stop(c, SolveStatus::stagnated);
        }
    }
    return step;
}

/// A step of one row and one column.
template <class V>
CgStep<V> scalar_step(std::initializer_list<V> blocks, std::vector<V> scalars)
{
    CgStep<V> step{{}, std::move(scalars), StopValues<real_t<V>>::running(1)};
    for (const V& value : blocks) {
        step.blocks.push_back(Dense<V>::from_rows(reference_executor(), {{value}}));
    }
    return step;
}

template <class V>
std::vector<V> first_values(const CgStep<V>& step)
{
    std::vector<V> values;
    for (const auto& block : step.blocks) {
        values.push_back(block.to_host()[0]);
    }
    return values;
}

/// The step as `launch(exec, blocks, scalars, stop, workspace)` leaves it.
template <class V, class Launch>
CgStep<V> after(const Executor& exec, const CgStep<V>& before, Launch&& launch)
{
    auto blocks = copies(before.blocks, exec);
    Array<V> scalars(exec, before.scalars);
    auto stop = stop_state(exec, before.stop);
    auto workspace = ReductionWorkspace::for_values<V>(exec, std::max<size_type>(3 * before.cols(), 1));
    launch(exec, blocks, scalars.data(), stop.view(), workspace.view());
    expect_clean_header(exec, workspace.view());
    return {std::move(blocks), scalars.to_host(), values_of(stop)};
}

template <class V>
void expect_same_bits(const CgStep<V>& a, const CgStep<V>& b)
{
    EXPECT_TRUE(same_bits(a.scalars, b.scalars) && same_bits(a.stop.norms, b.stop.norms)) << "two runs differ";
    for (std::size_t i = 0; i < a.blocks.size(); ++i) {
        EXPECT_TRUE(same_bits(memory_of(a.blocks[i]), memory_of(b.blocks[i]))) << "two runs differ in block " << i;
    }
}

/// Column `col` of every block has the bits it had.
template <class V>
void expect_untouched(const CgStep<V>& now, const CgStep<V>& before, size_type col)
{
    for (std::size_t i = 0; i < now.blocks.size(); ++i) {
        const auto values = memory_of(now.blocks[i]);
        const auto old = memory_of(before.blocks[i]);
        const auto stride = static_cast<std::size_t>(now.blocks[i].stride());
        for (std::size_t at = static_cast<std::size_t>(col); at < values.size(); at += stride) {
            ASSERT_EQ(std::memcmp(&values[at], &old[at], sizeof(V)), 0)
                << "block " << i << ", row " << at / stride << ", column " << col << " changed";
        }
    }
}

/// Every backend does the step as the reference does, within k * eps of the largest magnitudes (at least 1), the same
/// way in two runs, and leaves the paddings and the columns alone that `left_alone(col)` names.
template <class V, class Launch, class LeftAlone>
void expect_step_like_reference(const CgStep<V>& before, double k, Launch&& launch, LeftAlone&& left_alone)
{
    const auto expected = after(reference_executor(), before, launch);
    on_each_executor([&](const Executor& exec) {
        const auto actual = after(exec, before, launch);
        expect_same_bits(actual, after(exec, before, launch));
        expect_same_state(actual.stop, expected.stop, k);
        expect_near(actual.scalars, expected.scalars, k);
        for (std::size_t i = 0; i < before.blocks.size(); ++i) {
            SCOPED_TRACE("block " + std::to_string(i));
            expect_near(actual.blocks[i], expected.blocks[i], k, std::max(1.0, scale_of(expected.blocks[i].to_host())));
            expect_same_padding(actual.blocks[i], before.blocks[i]);
        }
        for (size_type col = 0; col < before.cols(); ++col) {
            if (left_alone(col)) {
                expect_untouched(actual, before, col);
            }
        }
    });
}

/// Puts NaN into a column of a block in host memory.
template <class V>
void spoil_column(Dense<V>& block, size_type col)
{
    for (size_type row = 0; row < block.size().rows; ++row) {
        block.at(row, col) = not_a_number<V>();
    }
}

}  // namespace linden::test
