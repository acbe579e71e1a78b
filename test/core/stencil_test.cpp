// needs: double int32
#include <linden/error.hpp>
#include <linden/io/problems.hpp>

#include "core/matrix/stencil_search.hpp"
#include "test/support/formats.hpp"
#include "test/support/stencils.hpp"

namespace linden::test {
namespace {

template <class Types>
class StencilOp : public testing::Test {
};
TYPED_TEST_SUITE(StencilOp, TestedValueIndices, TypeNames);

TYPED_TEST(StencilOp, IsTheMatrix)
{
    expect_format_works<Stencil<typename TypeParam::value_type, typename TypeParam::index_type>>();
}

using I = std::int32_t;
using Search = linden::detail::StencilSearch<double, I>;

Csr<double, I> on(const Executor& exec, const CsrData<double, I>& data) { return Csr<double, I>(exec, data); }

/// Each row has the first entry that no other stencil has.
CsrData<double, I> different_rows(size_type rows, size_type num_stencils)
{
    CsrData<double, I> a{{rows, rows}, {0}, {}, {}};
    for (size_type row = 0; row < rows; ++row) {
        a.col_idxs.push_back(static_cast<I>(row));
        a.values.push_back(static_cast<double>(1 + row * 7919 % num_stencils));
        a.row_ptrs.push_back(static_cast<I>(row + 1));
    }
    return a;
}

TEST(Stencil, FindsTheDifferentRowsOfAGrid)
{
    on_each_executor([](const Executor& exec) {
        for (const auto& [spec, expected] : {std::pair{"lap2d:40", 9}, {"lap3d:12", 27}, {"convdiff3d:9:4", 27}}) {
            const auto data = generate_problem<double, I>(spec);
            const auto a = Stencil<double, I>::from_csr(on(exec, data));
            EXPECT_EQ(a.num_stencils(), expected) << spec;
            expect_same(a.to_csr().to_host(), data);
        }
    });
}

/// So many that they meet in tables.
TEST(Stencil, FindsMany)
{
    on_each_executor([](const Executor& exec) {
        for (const size_type count : {1000, 1024}) {
            const auto data = different_rows(5000, count);
            const auto a = Stencil<double, I>::from_csr(on(exec, data));
            EXPECT_EQ(a.num_stencils(), count);
            expect_same(a.to_csr().to_host(), data);
        }
        EXPECT_THROW((Stencil<double, I>::from_csr(on(exec, different_rows(5000, 1025)))), InvalidParameter);
        const auto more = Stencil<double, I>::from_csr(on(exec, different_rows(5000, 5000)), {.max_stencils = 5000});
        EXPECT_EQ(more.num_stencils(), 5000);
        EXPECT_EQ((Stencil<double, I>::bytes_of_stencils(on(exec, different_rows(5000, 1025)))), -1);
        EXPECT_EQ((Stencil<double, I>::bytes_of_stencils(on(exec, different_rows(5000, 10)))), 10 * 12);
    });
}

/// Bits count: zeros of both signs and numbers that are none are values as others.
TEST(Stencil, ComparesBits)
{
    const auto nan = std::numeric_limits<double>::quiet_NaN();
    const CsrData<double, I> data{{6, 6}, {0, 1, 2, 3, 4, 5, 6}, {0, 1, 2, 3, 4, 5}, {0.0, -0.0, nan, nan, 1, 0.0}};
    on_each_executor([&](const Executor& exec) {
        const auto a = Stencil<double, I>::from_csr(on(exec, data));
        EXPECT_EQ(a.num_stencils(), 4);
        EXPECT_TRUE(same_bits(a.to_csr().to_host().values, data.values));
    });
}

TEST(Stencil, SaysWhatIsTooMuch)
{
    const auto expect_message = [](const CsrData<double, I>& data, const char* part) {
        try {
            (void)Stencil<double, I>::from_csr(on(reference_executor(), data), {.max_stencils = 20});
            FAIL();
        } catch (const InvalidParameter& e) {
            EXPECT_EQ(e.name, "max_stencils");
            EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
        }
    };
    expect_message(different_rows(300, 21), "more");
    CsrData<double, I> long_row{{2, 200}, {0, 0, 129}, {}, {}};
    for (I col = 0; col < 129; ++col) {
        long_row.col_idxs.push_back(col);
        long_row.values.push_back(1);
    }
    expect_message(long_row, "1 rows");
    // 4 stencils of 81 to 100 entries
    CsrData<double, I> entries{{4, 200}, {0}, {}, {}};
    for (I row = 0; row < 4; ++row) {
        for (I col = 0; col < 100; ++col) {
            entries.col_idxs.push_back(row + col);
            entries.values.push_back(row);
        }
        entries.row_ptrs.push_back(static_cast<I>(entries.values.size()));
    }
    expect_message(entries, "400 entries");
    EXPECT_THROW((Stencil<double, I>::from_csr(on(reference_executor(), entries), {.max_stencils = 0})),
                 InvalidParameter);
    EXPECT_THROW((Stencil<double, I>::from_csr(on(reference_executor(), entries), {.max_stencils = 65537})),
                 InvalidParameter);
}

TEST(Stencil, TakesNewStencilsWithNewValues)
{
    on_each_executor([](const Executor& exec) {
        auto a = Stencil<double, I>::from_csr(on(exec, different_rows(400, 3)));
        a.update_values(share(on(exec, different_rows(400, 300))));
        EXPECT_EQ(a.num_stencils(), 300);
        const auto other = different_rows(3000, 2000);
        auto b = Stencil<double, I>::from_csr(on(exec, different_rows(3000, 3)));
        EXPECT_THROW(b.update_values(share(on(exec, other))), InvalidParameter);
        EXPECT_EQ(b.num_stencils(), 3);
        expect_same(b.to_csr().to_host(), different_rows(3000, 3));
    });
}

TEST(Stencil, ChecksArrays)
{
    on_each_executor([](const Executor& exec) {
        const auto make = [&](size_type rows, size_type num_values) {
            return Stencil<double, I>(exec, {rows, 4}, Array<std::uint16_t>(exec, std::vector<std::uint16_t>(3)),
                                      Array<I>(exec, std::vector<I>{0, 1}), Array<I>(exec, std::vector<I>{0}),
                                      Array<double>(exec, num_values));
        };
        EXPECT_EQ(make(3, 1).num_nonzeros(), 3);
        EXPECT_THROW(make(4, 1), InvalidParameter);
        EXPECT_THROW(make(3, 2), InvalidParameter);
    });
}

/// Neighbours with other scalings make other stencils; a second search sees new values, without allocation.
TEST(StencilSearch, ScalingsArePartOfStencils)
{
    const auto data = different_rows(90, 1);
    on_each_executor([&](const Executor& exec) {
        auto a = on(exec, data);
        std::vector<double> host(90, 0.5);
        host[40] = 2;
        const Array<double> scales(exec, host), ones(exec, std::vector<double>(90, 1.0));
        const ScaledView<double, I> scaled{a.view(), scales.data(), scales.data()};
        Search search(exec, scaled, 20);
        search.search(scaled);
        ASSERT_TRUE(search.has_stencils());
        EXPECT_EQ(search.num_stencils(), 2);
        const auto before = exec.counters().allocations;
        search.search({a.view(), ones.data(), ones.data()});
        EXPECT_EQ(exec.counters().allocations, before);
        ASSERT_TRUE(search.has_stencils());
        EXPECT_EQ(search.num_stencils(), 1);
        a.update_values(share(on(exec, different_rows(90, 30))));
        search.search(scaled);
        EXPECT_FALSE(search.has_stencils());
    });
}

}  // namespace
}  // namespace linden::test
