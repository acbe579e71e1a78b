#pragma once

#include <linden/matrix/dense.hpp>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "core/kernels/reduction.hpp"
#include "test/support/backends.hpp"
#include "test/support/compare.hpp"
#include "test/support/matrices.hpp"
#include "test/support/random.hpp"

/// What the tests of kernels share: the shapes of random cases, and their comparison with the reference.
namespace linden::test {

/// Around the widths of vectors and subgroups, several parts for a team, none at all.
inline constexpr size_type tested_rows[] = {0, 1, 31, 32, 33, 597, 20000};

/// Calls f(size, padding): every number of rows with one and with three columns, contiguous and with padding, and
/// widths up to 15 columns.
template <class F>
void for_each_shape(F&& f)
{
    const auto call = [&](Dim size, size_type padding) {
        SCOPED_TRACE(std::to_string(size.rows) + " x " + std::to_string(size.cols) + ", padding " +
                     std::to_string(padding));
        f(size, padding);
    };
    for (const auto rows : tested_rows) {
        for (const size_type cols : {1, 3}) {
            call({rows, cols}, 0);
            call({rows, cols}, 2);
        }
    }
    for (const size_type cols : {0, 2, 4, 8, 15}) {
        call({597, cols}, 0);
        call({597, cols}, 1);
    }
}

/// `re`, or re + i im for complex types.
template <class V>
V number(double re, double im)
{
    using R = real_t<V>;
    if constexpr (is_complex<V>) {
        return V(static_cast<R>(re), static_cast<R>(im));
    } else {
        return static_cast<R>(re);
    }
}

template <class V>
V not_a_number()
{
    return V{std::numeric_limits<real_t<V>>::quiet_NaN()};
}

template <class V>
using Blocks = std::vector<Dense<V>>;

/// Random blocks in the reference executor's memory, all of this shape.
template <class V>
Blocks<V> random_blocks(Random& random, int count, Dim size, size_type padding)
{
    Blocks<V> blocks;
    for (int i = 0; i < count; ++i) {
        blocks.push_back(random_dense<V>(random, reference_executor(), size, padding));
    }
    return blocks;
}

template <class V>
Blocks<V> copies(const Blocks<V>& blocks, const Executor& exec)
{
    Blocks<V> result;
    for (const auto& block : blocks) {
        result.push_back(with_padding(block, exec));
    }
    return result;
}

/// Calls f(exec) for every tested executor but the reference.
template <class F>
void on_each_other_executor(F&& f)
{
    on_each_executor([&](const Executor& exec) {
        if (!(exec == reference_executor())) {
            f(exec);
        }
    });
}

/// `run(exec, blocks)` changes blocks as the reference does, within k * eps * the largest magnitude of each block (at
/// least 1, that of the operands), and leaves every padding alone.
template <class V, class Run>
void expect_like_reference(const Blocks<V>& operands, double k, Run&& run)
{
    auto expected = copies(operands, reference_executor());
    run(reference_executor(), expected);
    for (std::size_t i = 0; i < operands.size(); ++i) {
        expect_same_padding(expected[i], operands[i]);
    }
    on_each_other_executor([&](const Executor& exec) {
        auto actual = copies(operands, exec);
        run(exec, actual);
        for (std::size_t i = 0; i < operands.size(); ++i) {
            SCOPED_TRACE("block " + std::to_string(i));
            expect_near(actual[i], expected[i], k, std::max(1.0, scale_of(expected[i].to_host())));
            expect_same_padding(actual[i], operands[i]);
        }
    });
}

/// Sums of n terms whose order is free differ by this many eps of the sum of the magnitudes, with a wide margin: the
/// rounding errors of n additions are a random walk.
inline double summation_factor(size_type num_terms) { return 8 + 2 * std::sqrt(static_cast<double>(num_terms)); }

/// The header of a reduction's workspace stays zero.
inline void expect_clean_header(const Executor& exec, WorkspaceView workspace)
{
    std::vector<std::byte> header(reduction_header_bytes);
    copy_bytes(exec, workspace.data, reference_executor(), header.data(), header.size());
    EXPECT_EQ(header, std::vector<std::byte>(reduction_header_bytes));
}

/// The `num_results` results of `run(exec, blocks, T* results, workspace)` on `exec`: the same bits in two runs.
template <class T, class V, class Run>
std::vector<T> reduce_twice(const Executor& exec, const Blocks<V>& operands, size_type num_results, Run&& run)
{
    auto blocks = copies(operands, exec);
    auto workspace = ReductionWorkspace::for_values<V>(exec, num_results);
    Array<T> first(exec, num_results);
    Array<T> second(exec, num_results);
    run(exec, blocks, first.data(), workspace.view());
    run(exec, blocks, second.data(), workspace.view());
    const auto result = first.to_host();
    EXPECT_TRUE(same_bits(result, second.to_host())) << "two runs differ";
    expect_clean_header(exec, workspace.view());
    return result;
}

/// Results of a reduction agree with the reference within k * eps * scale.
template <class T, class V, class Run>
void expect_reduction_like_reference(const Blocks<V>& operands, size_type num_results, double k, double scale,
                                     Run&& run)
{
    const auto expected = reduce_twice<T>(reference_executor(), operands, num_results, run);
    on_each_other_executor([&](const Executor& exec) {
        expect_near(reduce_twice<T>(exec, operands, num_results, run), expected, k, scale);
    });
}

}  // namespace linden::test
