#include "core/kernels/limits.hpp"
#include "core/kernels/persistent.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

/// Twice in one workspace: the second call counts on from where the first ended.
TEST(LimitsMeet, CountsMeetings)
{
    on_each_executor([&](const Executor& exec) {
        if (!limits_meet.available(exec.backend())) {
            return;
        }
        Array<std::int32_t> met(exec, 1);
        Array<std::byte> workspace(exec, persistent_header_bytes);
        exec.state().fill_zero(workspace.data(), persistent_header_bytes);
        for (const std::int32_t count : {1, 2, 1001}) {
            limits_meet(exec, count, met.data(), {workspace.data(), workspace.size()});
            EXPECT_EQ(met.to_host().front(), count);
        }
    });
}

}  // namespace
}  // namespace linden::test
