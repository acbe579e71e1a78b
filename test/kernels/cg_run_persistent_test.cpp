#include "core/kernels/cg_persistent.hpp"
#include "test/support/whole_cg.hpp"

namespace linden::test {
namespace {

template <class V>
class CgRunPersistent : public testing::Test {
};
TYPED_TEST_SUITE(CgRunPersistent, TestedValues, TypeNames);

struct Kernel {
    static constexpr size_type slice = persistent_slice;
    static int num_blocks(const Executor& exec) { return exec.state().grid_memory().num_blocks; }

    template <class V, class I>
    static void run(const Executor& exec, const Csr<V, I>& a, const V* d, Dense<V>& r, Dense<V>& x, Dense<V>& p,
                    Dense<V>&, PersistentPartition partition, StopView<real_t<V>> stop)
    {
        run_twice(exec, persistent_workspace_bytes<V>(r.size().rows, partition), r, x, stop,
                  [&](DenseView<V> own_r, DenseView<V> own_x, WorkspaceView workspace, StopView<real_t<V>> own_stop) {
                      const WholeSolve<V, I> solve{
                          .a = a.view(), .d = d, .partition = partition, .r = own_r, .x = own_x};
                      cg_run_persistent<V, I>(exec, solve, p.view(), workspace, own_stop);
                  });
    }
};

TYPED_TEST(CgRunPersistent, ByHand) { by_hand<TypeParam>(Kernel{}); }
TYPED_TEST(CgRunPersistent, PreconditionedByHand) { preconditioned_by_hand<TypeParam>(Kernel{}); }
TYPED_TEST(CgRunPersistent, BreaksDownWhereThePreconditionerVanishes)
{
    breaks_down_where_the_preconditioner_vanishes<TypeParam>(Kernel{});
}
TYPED_TEST(CgRunPersistent, StandsStillWhereNothingRuns) { stands_still_where_nothing_runs<TypeParam>(Kernel{}); }
TYPED_TEST(CgRunPersistent, BreaksDownWithoutCurvature) { breaks_down_without_curvature<TypeParam>(Kernel{}); }
TYPED_TEST(CgRunPersistent, LikeReference)
{
    for_each_index([]<class I>() { like_reference<TypeParam, I>(Kernel{}); });
}

}  // namespace
}  // namespace linden::test
