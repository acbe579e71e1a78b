#include "core/kernels/csr.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

/// What csr_find_split_rows finds in a matrix with rows of these lengths.
template <class I>
std::vector<I> split_rows(const Executor& exec, const std::vector<size_type>& lengths)
{
    std::vector<I> ptrs{0};
    for (const auto length : lengths) {
        ptrs.push_back(static_cast<I>(ptrs.back() + length));
    }
    const Array<I> row_ptrs(exec, ptrs);
    const size_type nnz = ptrs.back();
    Array<I> found(exec, num_splits(nnz));
    csr_find_split_rows<I>(
        exec, PatternView<I>{static_cast<size_type>(lengths.size()), nnz, nnz, row_ptrs.data(), nullptr}, found.data());
    return found.to_host();
}

TEST(CsrFindSplitRows, ByHand)
{
    on_each_executor([](const Executor& exec) {
        for_each_index([&]<class I>() {
            constexpr size_type n = split_nonzeros;
            EXPECT_EQ(split_rows<I>(exec, {}), (std::vector<I>{}));
            EXPECT_EQ(split_rows<I>(exec, {0, 0}), (std::vector<I>{}));
            EXPECT_EQ(split_rows<I>(exec, {0, 1}), (std::vector<I>{1}));
            EXPECT_EQ(split_rows<I>(exec, {n, 0, 0, n, 1}), (std::vector<I>{0, 3, 4}));
            EXPECT_EQ(split_rows<I>(exec, {0, n + 1, 0, n - 1, 0}), (std::vector<I>{1, 1}));
            EXPECT_EQ(split_rows<I>(exec, {5, 3 * n, 0}), (std::vector<I>{0, 1, 1, 1}));
        });
    });
}

TEST(CsrFindSplitRows, LikeReference)
{
    Random random(223);
    for_each_index([&]<class I>() {
        for (const size_type rows : {1, 33, 597, 20000}) {
            std::vector<size_type> lengths(static_cast<std::size_t>(rows));
            for (auto& length : lengths) {
                length = random.integer(0, 3) * random.integer(0, 9);
            }
            const auto expected = split_rows<I>(reference_executor(), lengths);
            on_each_other_executor([&](const Executor& exec) { EXPECT_EQ(split_rows<I>(exec, lengths), expected); });
        }
    });
}

}  // namespace
}  // namespace linden::test
