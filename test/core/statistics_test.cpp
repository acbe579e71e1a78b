// needs: double int32
#include <linden/error.hpp>
#include <linden/io/problems.hpp>
#include <linden/matrix/statistics.hpp>

#include "test/support/backends.hpp"
#include "test/support/built_types.hpp"
#include "test/support/pathological.hpp"

namespace linden::test {
namespace {

using I = std::int32_t;
namespace p = pathological;

template <class V>
MatrixStatistics statistics_on(const Executor& exec, const CsrData<V, I>& a)
{
    return statistics(p::unchecked(exec, a));
}

TEST(Statistics, OfTheLaplacian)
{
    on_each_executor([](const Executor& exec) {
        const auto s = statistics_on(exec, generate_problem<double, I>("lap2d:4"));
        EXPECT_EQ(s.size, (Dim{16, 16}));
        EXPECT_EQ(s.num_nonzeros, 64);
        EXPECT_EQ(s.min_row_length, 3);
        EXPECT_EQ(s.max_row_length, 5);
        EXPECT_EQ(s.mean_row_length, 4);
        EXPECT_EQ(s.row_length_variance, 0.5);  // 4 corners, 8 edges, 4 inside
        EXPECT_EQ(s.num_empty_rows, 0);
        EXPECT_EQ(s.row_length_histogram, (std::vector<size_type>{0, 0, 4, 12}));
        EXPECT_EQ(s.lower_bandwidth, 4);
        EXPECT_EQ(s.upper_bandwidth, 4);
        EXPECT_EQ(s.num_diagonal_entries, 16);
        EXPECT_TRUE(s.is_pattern_symmetric);
        EXPECT_TRUE(s.is_symmetric);
        EXPECT_TRUE(s.is_hermitian);
        EXPECT_EQ(s.num_dominant_rows, 16);
        EXPECT_EQ(s.num_strictly_dominant_rows, 12);
        EXPECT_EQ(s.text(),
                  "size                16 x 16, 64 nonzeros\n"
                  "row lengths         3 to 5, mean 4, variance 0.5\n"
                  "rows by length      2-3: 4, 4-7: 12\n"
                  "bandwidths          4 below, 4 above\n"
                  "diagonal entries    16 of 16\n"
                  "symmetry            symmetric\n"
                  "diagonal dominance  rows: 16 of 16, strictly: 12 of 16\n");
    });
}

TEST(Statistics, OfNothing)
{
    on_each_executor([](const Executor& exec) {
        const auto none = statistics_on(exec, p::without_rows<double, I>());
        EXPECT_EQ(none.row_length_histogram, std::vector<size_type>{0});
        EXPECT_EQ(none.min_row_length, 0);
        EXPECT_EQ(none.mean_row_length, 0);
        EXPECT_TRUE(none.is_symmetric);
        EXPECT_NE(none.text().find("no rows"), std::string::npos);

        const auto empty = statistics_on<double>(exec, {{3, 0}, {0, 0, 0, 0}, {}, {}});
        EXPECT_EQ(empty.num_empty_rows, 3);
        EXPECT_EQ(empty.row_length_histogram, std::vector<size_type>{3});
        EXPECT_EQ(empty.row_length_variance, 0);
        EXPECT_FALSE(empty.is_pattern_symmetric);
        EXPECT_EQ(empty.num_dominant_rows, 3);
        EXPECT_EQ(empty.num_strictly_dominant_rows, 0);
    });
}

TEST(Statistics, TellsSymmetricFromHermitian)
{
    where_built<std::complex<float>>([]<class V>() {
        const auto matrix = [](V lower) {
            return CsrData<V, I>{{2, 2}, {0, 2, 4}, {0, 1, 0, 1}, {V{1}, V{2, 3}, lower, V{1}}};
        };
        on_each_executor([&](const Executor& exec) {
            const auto hermitian = statistics_on(exec, matrix({2, -3}));
            EXPECT_TRUE(hermitian.is_hermitian && !hermitian.is_symmetric && hermitian.is_pattern_symmetric);
            EXPECT_NE(hermitian.text().find("Hermitian"), std::string::npos);
            const auto symmetric = statistics_on(exec, matrix({2, 3}));
            EXPECT_TRUE(!symmetric.is_hermitian && symmetric.is_symmetric);
            const auto neither = statistics_on(exec, matrix({2, 2}));
            EXPECT_TRUE(!neither.is_hermitian && !neither.is_symmetric && neither.is_pattern_symmetric);
        });
    });
}

TEST(Statistics, RefusesMalformedRows)
{
    on_each_executor([](const Executor& exec) {
        try {
            (void)statistics_on(exec, p::unsorted<double, I>());
            FAIL() << "nothing was thrown";
        } catch (const InvalidParameter& e) {
            EXPECT_EQ(e.name, "row 1");
        }
        EXPECT_THROW(statistics_on(exec, p::duplicate<double, I>()), InvalidParameter);
        EXPECT_THROW(statistics_on(exec, p::out_of_bounds<double, I>(3)), InvalidParameter);
        EXPECT_THROW(statistics_on(exec, p::out_of_bounds<double, I>(-1)), InvalidParameter);
    });
}

}  // namespace
}  // namespace linden::test
