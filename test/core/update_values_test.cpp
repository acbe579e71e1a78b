// needs: double int32
#include <linden/io/problems.hpp>
#include <linden/matrix/csr.hpp>

#include "core/config/registry.hpp"
#include "test/support/backends.hpp"

/// New values on the same pattern, for everything that the registry makes.
namespace linden::test {
namespace {

using I = std::int32_t;

TEST(UpdateValues, AllocatesNothing)
{
    const auto data = generate_problem<double, I>("lap2d:12");
    auto doubled = data;
    for (auto& value : doubled.values) {
        value *= 2;
    }
    on_each_executor([&](const Executor& exec) {
        const LinOpPtr<double> first = share(Csr<double, I>(exec, data));
        const LinOpPtr<double> second = share(Csr<double, I>(exec, doubled));
        for (const auto& entry : config::registry<double>()) {
            SCOPED_TRACE(entry.type);
            const auto op = entry.create()->make(first);
            op->update_values(second);
            const auto before = exec.counters().allocations;
            op->update_values(first);
            EXPECT_EQ(exec.counters().allocations, before);
        }
    });
}

}  // namespace
}  // namespace linden::test
