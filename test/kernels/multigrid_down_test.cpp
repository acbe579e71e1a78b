#include "core/kernels/multigrid.hpp"
#include "test/support/kernel_cases.hpp"

/// The way down of a level.
namespace linden::test {
namespace {

/// x := R b in an executor's memory, R stored as S. Rounds the values of R.
template <class S, class V, class I>
void expect_down(CsrData<V, I> r, const Blocks<V>& operands, const std::vector<V>& expected, double eps_scale)
{
    std::vector<S> stored;
    for (const V value : r.values) {
        stored.push_back(static_cast<S>(value));
    }
    on_each_executor([&](const Executor& exec) {
        auto blocks = copies(operands, exec);
        const Array<I> row_ptrs(exec, r.row_ptrs), col_idxs(exec, r.col_idxs);
        const Array<S> values(exec, stored);
        const CsrView<S, I> view{r.size.rows,     r.size.cols,     values.size(),
                                 row_ptrs.data(), col_idxs.data(), values.data()};
        multigrid_down<V, S, I>(exec, view, std::as_const(blocks[0]).view(), blocks[1].view());
        expect_near(blocks[1].to_host(), expected, eps_scale, std::max(1.0, scale_of(expected)));
        expect_same_padding(blocks[1], operands[1]);
        EXPECT_TRUE(same_bits(blocks[0].to_host(), operands[0].to_host()));
    });
}

TEST(MultigridDown, ByHand)
{
    for_each_slice_type([]<class V, class S, class I>() {
        // R = [2 . 1; . . .; -1 4 .]
        const CsrData<V, I> r{{3, 3}, {0, 2, 2, 4}, {0, 2, 0, 1}, {V{2}, V{1}, V{-1}, V{4}}};
        Blocks<V> operands;
        const auto& host = reference_executor();
        operands.push_back(Dense<V>::from_rows(host, {{V{1}, V{3}}, {V{2}, V{}}, {V{-3}, number<V>(1, 2)}}));
        operands.push_back(Dense<V>::filled(host, {3, 2}, not_a_number<V>()));
        expect_down<S>(r, operands, {V{-1}, number<V>(7, 2), V{}, V{}, V{7}, V{-3}}, 0);
    });
}

TEST(MultigridDown, ByDefinition)
{
    Random random(2160);
    for_each_slice_type([&]<class V, class S, class I>() {
        if constexpr (has_types<V, I>) {
            const auto expect = [&](Dim size, size_type cols, size_type padding, Pattern pattern) {
                SCOPED_TRACE(std::to_string(size.rows) + " rows, " + std::to_string(cols) + " columns");
                auto r = random_csr<V, I>(random, size, 5, pattern);
                Blocks<V> operands;
                operands.push_back(random_dense<V>(random, reference_executor(), {size.cols, cols}, padding));
                operands.push_back(random_dense<V>(random, reference_executor(), {size.rows, cols}, 2 * padding));
                const auto b = operands[0].to_host();
                std::vector<V> expected(static_cast<std::size_t>(size.rows * cols));
                for (I row = 0; row < size.rows; ++row) {
                    for (I k = r.row_ptrs[row]; k < r.row_ptrs[row + 1]; ++k) {
                        r.values[k] = static_cast<V>(static_cast<S>(r.values[k]));
                        for (size_type col = 0; col < cols; ++col) {
                            expected[row * cols + col] += r.values[k] * b[r.col_idxs[k] * cols + col];
                        }
                    }
                }
                expect_down<S>(r, operands, expected, 4 * summation_factor(size.cols));
            };
            for (const size_type rows : {0, 1, 31, 33, 597}) {
                for (const auto pattern : all_patterns) {
                    expect({rows, rows + 5}, 1, 0, pattern);
                    expect({rows, 3 * rows + 1}, 3, 1, pattern);
                }
            }
            expect({40, 4000}, 1, 0, Pattern::uniform);
            expect({9000, 300}, 1, 0, Pattern::uniform);
        }
    });
}

}  // namespace
}  // namespace linden::test
