#include "test/support/eisenstat_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class EisenstatUpdate : public testing::Test {
};
TYPED_TEST_SUITE(EisenstatUpdate, TestedValues, TypeNames);

/// Blocks t, w, x, r.
template <class V>
auto launch_with(std::int64_t period)
{
    return [=](const Executor& exec, Blocks<V>& blocks, const real_t<V>* d, EisenstatScalars<V> s,
               StopView<real_t<V>> stop, WorkspaceView workspace) {
        eisenstat_update<V>(exec,
                            {.d = d,
                             .t = blocks[0].view(),
                             .w = blocks[1].view(),
                             .x = blocks[2].view(),
                             .r = blocks[3].view(),
                             .period = period},
                            s, stop, workspace);
    };
}

TYPED_TEST(EisenstatUpdate, ByHand)
{
    using V = TypeParam;
    using R = real_t<V>;
    const auto& host = reference_executor();
    EisenstatStep<V> before{
        {}, {R{1}, R{4}}, {V{10}, V{99}, V{5}}, {R{3}, R{99}}, {0}, StopValues<R>::running(1, R{1}, 4)};
    before.blocks.push_back(Dense<V>::from_rows(host, {{V{1}}, {V{2}}}));
    before.blocks.push_back(Dense<V>::from_rows(host, {{V{3}}, {number<V>(0, 1)}}));
    before.blocks.push_back(Dense<V>::from_rows(host, {{V{100}}, {V{200}}}));
    before.blocks.push_back(Dense<V>::from_rows(host, {{V{11}}, {number<V>(6, 2)}}));
    on_each_executor([&](const Executor& exec) {
        // alpha = 2, r = (3, 2), rho = 9 + 4 4 = 25; the estimate is 15
        for (const std::int64_t period : {5, 7}) {
            for (const R tolerance : {R{1}, R{7.5}}) {
                before.stop.norms[1] = tolerance;
                const bool is_due = period == 5 || tolerance == R{7.5};
                const auto now = after(exec, before, launch_with<V>(period));
                EXPECT_EQ(now.blocks[2].to_host(), (std::vector<V>{V{102}, V{204}}));
                EXPECT_EQ(now.blocks[3].to_host(), (std::vector<V>{V{3}, V{2}}));
                EXPECT_EQ(now.values, (std::vector<V>{V{25}, V{10}, V{5}}));
                EXPECT_EQ(now.is_due[0], is_due ? 1 : 0);
                EXPECT_EQ(now.stop.counts[0], is_due ? 4 : 5);
                EXPECT_EQ(now.stop.header.running, 1);
                EXPECT_EQ(now.stop.residual(0), is_due ? before.stop.residual(0) : R{15});
            }
        }
    });
}

TYPED_TEST(EisenstatUpdate, LikeReference)
{
    using V = TypeParam;
    using R = real_t<V>;
    Random random(624);
    for_each_shape([&](Dim size, size_type padding) {
        for (std::size_t first = 0; first < 6; ++first) {
            auto before = random_eisenstat_step<V>(random, 4, size, padding);
            for (std::size_t col = 0; col < before.cols(); ++col) {
                const auto fate = (first + col) % 6;
                if (fate == 1) {
                    before.stop.stop(col, SolveStatus::converged);
                } else if (fate == 2) {
                    before.pv(col) = V{};
                } else if (fate == 3) {
                    before.pv(col) = not_a_number<V>();
                } else if (fate == 4) {
                    before.stop.norms[before.cols() + col] = R{1e6};
                } else if (fate == 5) {
                    before.stop.norms[2 * before.cols() + col] = R{0};  // diverges
                }
                if (fate == 1 || fate == 2 || fate == 3) {
                    spoil_column(before.blocks[0], static_cast<size_type>(col));
                }
            }
            expect_like_reference(before, 4 * summation_factor(size.rows), launch_with<V>(first % 2 == 0 ? 100 : 5));
        }
    });
}

}  // namespace
}  // namespace linden::test
