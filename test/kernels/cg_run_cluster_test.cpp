#include "core/kernels/cg_cluster.hpp"
#include "test/support/whole_cg.hpp"

namespace linden::test {
namespace {

template <class V>
class CgRunCluster : public testing::Test {
};
TYPED_TEST_SUITE(CgRunCluster, TestedValues, TypeNames);

struct Kernel {
    static constexpr size_type slice = 1;
    static int num_blocks(const Executor& exec) { return exec.state().cluster_memory().num_blocks; }

    template <class V, class I>
    static void run(const Executor& exec, const Csr<V, I>& a, const V* d, Dense<V>& r, Dense<V>& x, Dense<V>& p,
                    Dense<V>& q, PersistentPartition partition, StopView<real_t<V>> stop)
    {
        cg_run_cluster<V, I>(exec, {.a = a.view(), .d = d, .partition = partition, .r = r.view(), .x = x.view()},
                             p.view(), q.view(), stop);
    }
};

TYPED_TEST(CgRunCluster, ByHand) { by_hand<TypeParam>(Kernel{}); }
TYPED_TEST(CgRunCluster, PreconditionedByHand) { preconditioned_by_hand<TypeParam>(Kernel{}); }
TYPED_TEST(CgRunCluster, BreaksDownWhereThePreconditionerVanishes)
{
    breaks_down_where_the_preconditioner_vanishes<TypeParam>(Kernel{});
}
TYPED_TEST(CgRunCluster, StandsStillWhereNothingRuns) { stands_still_where_nothing_runs<TypeParam>(Kernel{}); }
TYPED_TEST(CgRunCluster, BreaksDownWithoutCurvature) { breaks_down_without_curvature<TypeParam>(Kernel{}); }
TYPED_TEST(CgRunCluster, LikeReference)
{
    for_each_index([]<class I>() { like_reference<TypeParam, I>(Kernel{}); });
}

}  // namespace
}  // namespace linden::test
