// needs: double int32
#include <linden/error.hpp>

#include "test/support/formats.hpp"

namespace linden::test {
namespace {

using I = std::int32_t;

template <class Types>
class HybridOp : public testing::Test {
};
TYPED_TEST_SUITE(HybridOp, TestedValueIndices, TypeNames);

TYPED_TEST(HybridOp, IsTheMatrix)
{
    using Format = Hybrid<typename TypeParam::value_type, typename TypeParam::index_type>;
    for (const double whole_rows : {0.0, 0.8, 1.0}) {
        expect_format_works<Format>({.whole_rows = whole_rows});
    }
}

TEST(Hybrid, IsAsWideAsItsRowsAsk)
{
    // Ten rows with 0, 1, ..., 9 entries.
    CsrData<double, I> data{{10, 10}, {0}, {}, {}};
    for (I row = 0; row < 10; ++row) {
        for (I col = 0; col < row; ++col) {
            data.col_idxs.push_back(col);
            data.values.push_back(1);
        }
        data.row_ptrs.push_back(static_cast<I>(data.values.size()));
    }
    on_each_executor([&](const Executor& exec) {
        const Csr<double, I> csr(exec, data);
        for (const auto& [part, width] : {std::pair{0.0, 0}, {0.5, 4}, {0.75, 7}, {1.0, 9}}) {
            const auto a = Hybrid<double, I>::from_csr(csr, {.whole_rows = part});
            EXPECT_EQ(a.width(), width);
            size_type tail = 0;
            for (size_type row = width + 1; row < 10; ++row) {
                tail += row - width;
            }
            EXPECT_EQ(a.num_tail(), tail);
        }
        EXPECT_THROW((Hybrid<double, I>::from_csr(csr, {.whole_rows = 1.5})), InvalidParameter);
    });
}

}  // namespace
}  // namespace linden::test
