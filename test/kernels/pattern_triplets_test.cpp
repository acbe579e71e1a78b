#include "test/support/patterns.hpp"

namespace linden::test {
namespace {

template <class I>
class PatternTriplets : public testing::Test {
};
TYPED_TEST_SUITE(PatternTriplets, TestedIndices);

template <class I>
struct HostTriplets {
    Dim size;
    std::vector<I> rows;
    std::vector<I> cols;
};

/// The counts, and the first triplet outside.
template <class I>
std::pair<std::vector<I>, size_type> counts_of(const Executor& exec, const HostTriplets<I>& t)
{
    const Array<I> rows(exec, t.rows);
    const Array<I> cols(exec, t.cols);
    Array<I> counts(exec, t.size.rows);
    Array<size_type> first_outside(exec, 1);
    pattern_count_triplets<I>(exec, {t.size, rows.size(), rows.data(), cols.data()}, counts.data(),
                              first_outside.data());
    return {counts.to_host(), first_outside.to_host().front()};
}

template <class I>
Arrays<I> grouped(const Executor& exec, const HostTriplets<I>& t)
{
    const Array<I> rows(exec, t.rows);
    const Array<I> cols(exec, t.cols);
    const TripletsView<I> view{t.size, rows.size(), rows.data(), cols.data()};
    Array<size_type> first_outside(exec, 1);
    return filled_pattern<I>(
        exec, t.size.rows, [&](I* counts) { pattern_count_triplets<I>(exec, view, counts, first_outside.data()); },
        [&](auto& g, WorkspaceView workspace) {
            pattern_group_triplets<I>(exec, view, g.row_ptrs.data(), g.col_idxs.data(), g.source.data(), workspace);
        });
}

TYPED_TEST(PatternTriplets, ByHand)
{
    using I = TypeParam;
    const HostTriplets<I> t{{3, 4}, {2, 0, 2, 2, 0, 2}, {1, 3, 0, 1, 0, 1}};
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(counts_of(exec, t), (std::pair<std::vector<I>, size_type>({2, 0, 4}, INT64_MAX)));
        EXPECT_EQ(grouped(exec, t), (Arrays<I>{{0, 2, 2, 6}, {0, 3, 0, 1, 1, 1}, {4, 1, 2, 0, 3, 5}}));
    });
}

TYPED_TEST(PatternTriplets, FindsTheFirstOutside)
{
    using I = TypeParam;
    for (const auto& [row, col] : {std::pair<I, I>(3, 0), {-1, 0}, {0, 4}, {0, -1}}) {
        HostTriplets<I> t{{3, 4}, std::vector<I>(20000, 1), std::vector<I>(20000, 2)};
        for (const std::size_t k : {19999, 12345, 11111}) {
            t.rows[k] = row;
            t.cols[k] = col;
        }
        on_each_executor([&](const Executor& exec) {
            EXPECT_EQ(counts_of(exec, t), (std::pair<std::vector<I>, size_type>({0, 19997, 0}, 11111)));
        });
    }
}

TYPED_TEST(PatternTriplets, LikeReference)
{
    using I = TypeParam;
    Random random(710);
    for (const size_type count : {0, 1, 31, 32, 33, 597, 20000}) {
        for (const Dim size : {Dim{1, 1}, Dim{1, 30000}, Dim{40, 7}, Dim{5000, 100}}) {
            HostTriplets<I> t{size, {}, {}};
            for (size_type k = 0; k < count; ++k) {
                t.rows.push_back(static_cast<I>(random.integer(0, size.rows)));
                t.cols.push_back(static_cast<I>(random.integer(0, size.cols)));
            }
            expect_equal_to_reference(
                [&](const Executor& exec) { return std::make_pair(counts_of(exec, t), grouped(exec, t)); });
        }
    }
}

}  // namespace
}  // namespace linden::test
