// needs: int32
#include "core/kernels/level_chain.hpp"

#include "test/support/sweeps.hpp"

namespace linden::test {
namespace {

using ChainTypes = detail::BuiltSellTypes<testing::Types<SellTypes<DefaultValue, DefaultValue, std::int32_t>>,
                                          SellTypes<double, float, std::int32_t>, SellTypes<double, half, std::int32_t>,
                                          SellTypes<std::complex<float>, std::complex<float>, std::int32_t>>::type;

template <class Types>
class LevelChain : public testing::Test {
};
TYPED_TEST_SUITE(LevelChain, ChainTypes);

/// Levels of rows, and as many positions before and behind them.
struct Levels {
    std::vector<size_type> sizes;
    size_type around = 50;
    size_type most_entries = 6;

    size_type rows() const { return std::accumulate(sizes.begin(), sizes.end(), size_type{0}); }
    size_type size() const { return rows() + 2 * around; }
};

/// Random entries of rows in the columns of earlier levels, or of later ones.
template <class V>
CsrData<V, std::int32_t> random_levels(Random& random, const Levels& levels, Side side)
{
    CsrData<V, std::int32_t> a{{levels.rows(), levels.size()}, {0}, {}, {}};
    size_type first = levels.around;
    for (const auto level : levels.sizes) {
        const size_type begin = side == Side::lower ? 0 : first + level;
        const size_type end = side == Side::lower ? first : levels.size();
        for (size_type row = 0; row < level; ++row) {
            std::vector<std::int32_t> cols;
            for (size_type i = begin == end ? 0 : random.integer(0, levels.most_entries + 1); i > 0; --i) {
                // most of them nearby, so that rows wait for rows that are on their way
                const auto near = std::min<size_type>(end - begin, 20);
                const auto at = random.unit() < 0.7 ? random.integer(0, near) : random.integer(0, end - begin);
                cols.push_back(static_cast<std::int32_t>(side == Side::lower ? end - 1 - at : begin + at));
            }
            std::sort(cols.begin(), cols.end());
            cols.erase(std::unique(cols.begin(), cols.end()), cols.end());
            for (const auto col : cols) {
                a.col_idxs.push_back(col);
                a.values.push_back(random.value<V>() * V(0.3));
            }
            a.row_ptrs.push_back(static_cast<std::int32_t>(a.col_idxs.size()));
        }
        first += level;
    }
    return a;
}

const std::vector<Levels>& tested_levels()
{
    static const std::vector<Levels> all{{{1}, 0},
                                         {{1, 1, 1}, 3},
                                         {{300, 200, 100, 40, 20, 5, 1, 1, 3}},
                                         {{40, 30, 20, 20, 10}, 900, 700},  // more than a batch for each lane
                                         {std::vector<size_type>(150, 7), 0},
                                         {{3000, 2000, 0, 900, 31, 32, 33}, 2000, 40},
                                         {{20000, 4000, 200}, 50, 20}};  // more than are on their way at once
    return all;
}

/// The part of `all` that has a level's rows.
template <class S, class I>
ColourView<S, I> rows_of(ColourView<S, I> all, size_type first, size_type rows)
{
    all.first += first;
    all.entries.layout.slice_ptrs += first;
    all.entries.layout.rows = rows;
    all.entries.layout.width = 0;
    return all;
}

template <class V, class S>
void compare(const Executor& exec, const Levels& levels, int seed)
{
    using I = std::int32_t;
    if (!level_chain_forward<V, S, I>.available(exec.state().backend())) {
        return;
    }
    Random random(seed);
    const auto n = levels.size();
    const ColourShape shape{levels.rows(), 1, levels.around, levels.around, 0, 1, false};
    const auto lower = random_levels<V>(random, levels, Side::lower),
               upper = random_levels<V>(random, levels, Side::upper);
    const Colour<S, I> l(exec, lower, shape, 1), u(exec, upper, shape, 1);
    const auto scale = random_dense<V>(random, exec, {n, 1}, 0), b = random_dense<V>(random, exec, {n, 1}, 0);
    const auto start = random_dense<V>(random, exec, {n, 1}, 0);
    const Array<I> sources(exec, random_order(random, n)), targets(exec, random_order(random, n));
    auto w = start.copy(), x = start.copy(), expected_w = start.copy(), expected_x = start.copy();
    Array<std::byte> workspace(exec, level_chain_workspace_bytes<V>(levels.rows()));
    const WorkspaceView view{workspace.data(), workspace.size()};
    size_type first = 0;
    for (const auto rows : levels.sizes) {
        sweep_forward<V, S, I>(exec, rows_of(l.view(), first, rows), scale.view().values, b.view(), sources.data(),
                               expected_w.view(), {}, nullptr);
        first += rows;
    }
    const size_type num_last = levels.rows() / 3;
    auto last = Dense<V>::filled(exec, {num_last, 1}, V{8});
    for (int turn = 0; turn < 2; ++turn) {  // what one leaves in the workspace does not matter
        level_chain_forward<V, S, I>(exec, l.view(), scale.view().values, b.view(), sources.data(), w.view(),
                                     last.view(), view);
        const auto values = expected_w.to_host();
        EXPECT_EQ(w.to_host(), values);
        const auto end = values.begin() + (levels.around + levels.rows());
        EXPECT_EQ(last.to_host(), (std::vector<V>{end - num_last, end}));
    }
    for (auto level = levels.sizes.size(); level-- > 0;) {
        first -= levels.sizes[level];
        sweep_backward<V, S, I>(exec, rows_of(u.view(), first, levels.sizes[level]), expected_w.view(),
                                expected_x.view(), targets.data());
    }
    level_chain_backward<V, S, I>(exec, u.view(), w.view(), x.view(), targets.data(), view);
    EXPECT_EQ(w.to_host(), expected_w.to_host());
    EXPECT_EQ(x.to_host(), expected_x.to_host());
}

TYPED_TEST(LevelChain, SweepsLevelAfterLevel)
{
    on_each_executor([](const Executor& exec) {
        int seed = 1601;
        for (const auto& levels : tested_levels()) {
            SCOPED_TRACE(seed);
            compare<typename TypeParam::value_type, typename TypeParam::stored_type>(exec, levels, seed++);
        }
    });
}

/// w1 = 2 b2, w2 = 3 b0 - 4 w1; w2, w1 back.
TYPED_TEST(LevelChain, ByHand)
{
    using V = typename TypeParam::value_type;
    using S = typename TypeParam::stored_type;
    using I = std::int32_t;
    on_each_executor([](const Executor& exec) {
        if (!level_chain_forward<V, S, I>.available(exec.state().backend())) {
            return;
        }
        const ColourShape shape{2, 1, 1, 0, 0, 1, false};
        const Colour<S, I> l(exec, CsrData<V, I>{{2, 3}, {0, 0, 1}, {1}, {V{4}}}, shape, 1);
        const Colour<S, I> u(exec, CsrData<V, I>{{2, 3}, {0, 1, 1}, {2}, {V{2}}}, shape, 1);
        const Array<V> scale(exec, std::vector<V>{V{1}, V{2}, V{3}});
        const Array<I> sources(exec, std::vector<I>{1, 2, 0}), targets(exec, std::vector<I>{1, 0, 2});
        const auto b = Dense<V>::from_rows(exec, {{V{5}}, {V{6}}, {V{7}}});
        auto w = Dense<V>::from_rows(exec, {{V{9}}, {V{}}, {V{}}});
        auto x = Dense<V>::filled(exec, {3, 1}, V{8});
        Array<std::byte> workspace(exec, level_chain_workspace_bytes<V>(2));
        const WorkspaceView view{workspace.data(), workspace.size()};
        level_chain_forward<V, S, I>(exec, l.view(), scale.data(), b.view(), sources.data(), w.view(), {}, view);
        EXPECT_EQ(w.to_host(), (std::vector<V>{V{9}, V{14}, V{-41}}));
        level_chain_backward<V, S, I>(exec, u.view(), w.view(), x.view(), targets.data(), view);
        EXPECT_EQ(w.to_host(), (std::vector<V>{V{9}, V{96}, V{-41}}));
        EXPECT_EQ(x.to_host(), (std::vector<V>{V{96}, V{8}, V{-41}}));
    });
}

}  // namespace
}  // namespace linden::test
