#include "core/kernels/csr.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class I>
void expect_lengths(const std::vector<size_type>& lengths, std::int64_t longest, std::int64_t sum_of_squares)
{
    std::vector<I> ptrs{0};
    for (const auto length : lengths) {
        ptrs.push_back(static_cast<I>(ptrs.back() + length));
    }
    on_each_executor([&](const Executor& exec) {
        const Array<I> row_ptrs(exec, ptrs);
        const size_type nnz = ptrs.back();
        Array<RowLengths> found(exec, std::vector<RowLengths>{{-1, -1}});
        csr_row_lengths<I>(exec,
                           PatternView<I>{static_cast<size_type>(lengths.size()), nnz, nnz, row_ptrs.data(), nullptr},
                           found.data());
        EXPECT_EQ(found.to_host().front().longest, longest);
        EXPECT_EQ(found.to_host().front().sum_of_squares, sum_of_squares);
    });
}

TEST(CsrRowLengths, ByHand)
{
    for_each_index([]<class I>() {
        expect_lengths<I>({}, 0, 0);
        expect_lengths<I>({0, 0}, 0, 0);
        expect_lengths<I>({3, 0, 4, 1}, 4, 26);
        expect_lengths<I>({100000, 1}, 100000, 10000000001);
    });
}

TEST(CsrRowLengths, OfManyRows)
{
    Random random(224);
    for_each_index([&]<class I>() {
        std::vector<size_type> lengths(20000);
        std::int64_t longest = 0;
        std::int64_t squares = 0;
        for (auto& length : lengths) {
            length = random.integer(0, 50);
            longest = std::max(longest, length);
            squares += length * length;
        }
        expect_lengths<I>(lengths, longest, squares);
    });
}

}  // namespace
}  // namespace linden::test
