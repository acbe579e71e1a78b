#pragma once

#include "test/support/kernel_cases.hpp"

namespace linden::test {

/// x, wx and xx of a kernel that applies an operator and forms inner products.
template <class V>
struct ApplyDotOutcome {
    std::vector<V> x, sums;
};

/// One run of launch(exec, b, x, w, wx, xx, workspace) on copies of the operands b, x and w; a second one gives the
/// same bits. With `w_is_b` w is b.
template <class V, class Launch>
ApplyDotOutcome<V> run_apply_dot(const Executor& exec, const Blocks<V>& operands, bool w_is_b, bool wants_xx,
                                 Launch&& launch)
{
    const auto cols = operands[0].size().cols;
    auto blocks = copies(operands, exec);
    const auto b = std::as_const(blocks[0]).view();
    const auto w = w_is_b ? b : std::as_const(blocks[2]).view();
    auto workspace = ReductionWorkspace::for_values<V>(exec, 2 * cols);
    const auto once = [&] {
        Array<V> sums(exec, std::vector<V>(static_cast<std::size_t>(2 * cols), V{77}));
        launch(exec, b, blocks[1].view(), w, sums.data(), wants_xx ? sums.data() + cols : nullptr, workspace.view());
        return ApplyDotOutcome<V>{blocks[1].to_host(), sums.to_host()};
    };
    auto first = once();
    const auto second = once();
    EXPECT_TRUE(same_bits(first.x, second.x) && same_bits(first.sums, second.sums)) << "two runs differ";
    expect_same_padding(blocks[1], operands[1]);
    expect_clean_header(exec, workspace.view());
    return first;
}

/// Every executor's x is within k * eps of the reference's, and the sums are within what that and their order allow;
/// with w apart from b and w = b, with x^H x and without.
template <class V, class Launch>
void expect_apply_dot_like_reference(const Blocks<V>& operands, double k, Launch&& launch)
{
    const auto rows = operands[1].size().rows;
    for (const bool w_is_b : {false, true}) {
        for (const bool wants_xx : {false, true}) {
            const auto expected = run_apply_dot(reference_executor(), operands, w_is_b, wants_xx, launch);
            // |w^H x| and x^H x are at most 2 rows max(1, |x|)^2
            const double largest = std::max(1.0, scale_of(expected.x));
            const double scale = static_cast<double>(rows) * largest * largest;
            on_each_other_executor([&](const Executor& exec) {
                const auto actual = run_apply_dot(exec, operands, w_is_b, wants_xx, launch);
                expect_near(actual.x, expected.x, k);
                expect_near(actual.sums, expected.sums, k + summation_factor(rows), scale);
            });
        }
    }
}

}  // namespace linden::test
