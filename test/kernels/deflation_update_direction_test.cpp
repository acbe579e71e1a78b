#include "core/kernels/deflation.hpp"
#include "test/support/cg_cases.hpp"
#include "test/support/domains.hpp"

namespace linden::test {
namespace {

template <class Types>
class DeflationUpdateDirection : public testing::Test {
};
TYPED_TEST_SUITE(DeflationUpdateDirection, TestedValueIndices, TypeNames);

enum { z, p, x };

/// A launch for CgStep, with these domains and coefficients.
template <class V, class I>
auto launch_with(const std::vector<I>& of_row, const Dense<V>& c)
{
    return [&](const Executor& exec, Blocks<V>& blocks, V* s, StopView<real_t<V>> stop, WorkspaceView) {
        const TestDomains<I> domains(exec, of_row, c.size().rows);
        const auto coefficients = c.copy(exec);
        const auto k = blocks[x].size().cols;
        deflation_update_direction<V, I>(exec, domains.view(), coefficients.view(), std::as_const(blocks[z]).view(),
                                         blocks[p].view(), blocks[x].view(), {s, s + k, s + 2 * k, s + 3 * k}, stop);
        exec.synchronize();
    };
}

TYPED_TEST(DeflationUpdateDirection, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    // columns: one runs, one has just converged, one has stood still since long
    CgStep<V> before{{},
                     {V{6}, V{6}, V{6}, V{2}, V{2}, V{2}, V{}, V{}, V{}, number<V>(2, 1), V{2}, V{0}},
                     StopValues<real_t<V>>::running(3)};
    before.stop.stop(1, SolveStatus::converged);
    before.stop.stop(2, SolveStatus::converged);
    const auto nan = not_a_number<V>();
    const auto& host = reference_executor();
    before.blocks.push_back(Dense<V>::from_rows(host, {{V{1}, nan, nan}, {V{2}, nan, nan}}));
    before.blocks.push_back(Dense<V>::from_rows(host, {{V{10}, V{10}, nan}, {V{20}, V{20}, nan}}));
    before.blocks.push_back(Dense<V>::from_rows(host, {{V{3}, V{3}, V{3}}, {V{4}, V{4}, V{4}}}));
    const auto c = Dense<V>::from_rows(host, {{V{100}, nan, nan}, {V{7}, nan, nan}});
    on_each_executor([&](const Executor& exec) {
        const auto s = after(exec, before, launch_with<V, I>({1, 0}, c));
        EXPECT_EQ(s.blocks[x].to_host(),
                  (std::vector<V>{number<V>(23, 10), V{23}, V{3}, number<V>(44, 20), V{44}, V{4}}));
        const auto directions = s.blocks[p].to_host();
        EXPECT_EQ(directions[0], V{1 - 7 + 30});
        EXPECT_EQ(directions[3], V{2 - 100 + 60});
        EXPECT_EQ(directions[1], V{10});
        EXPECT_EQ(directions[4], V{20});
    });
}

TYPED_TEST(DeflationUpdateDirection, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(953);
    for_each_shape([&](Dim size, size_type padding) {
        for_each_partition<I>(random, size.rows, [&](const std::vector<I>& of_row, size_type num_domains) {
            auto before = random_step<V>(random, 3, size, padding, 0);
            const auto stands = [](size_type col) { return col % 3 == 1; };
            for (size_type col = 0; col < size.cols; ++col) {
                const auto at = static_cast<std::size_t>(col);
                before.stop.status[at] = SolveStatus::running;
                if (col % 3 != 0) {
                    before.stop.stop(at, SolveStatus::converged);
                }
                if (stands(col)) {
                    before.scalar(3, col) = V{};
                }
            }
            const auto c = random_dense<V>(random, reference_executor(), {num_domains, size.cols});
            expect_step_like_reference(before, 64, launch_with<V, I>(of_row, c), stands);
        });
    });
}

}  // namespace
}  // namespace linden::test
