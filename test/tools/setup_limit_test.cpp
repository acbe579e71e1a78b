// needs: double int32
#include "tools/setup_limit.hpp"

#include <linden/io/problems.hpp>
#include <linden/preconditioner/ilu.hpp>

#include "core/config/registry.hpp"
#include "test/support/backends.hpp"

namespace linden::test {
namespace {

using I = std::int32_t;

LinOpPtr<double> problem(const Executor& exec, const char* spec)
{
    return share(Csr<double, I>(exec, generate_problem<double, I>(spec)));
}

TEST(SetupLimit, EndsASetupBeforeAKernelUntilItIsLifted)
{
    on_each_executor([](const Executor& exec) {
        const auto a = problem(exec, "lap2d:6");
        const auto factory = Ilu0<double>::factory();
        {
            tool::SetupLimit over(exec, 0);
            EXPECT_THROW(factory.generate(a), tool::SetupTimeout);
            EXPECT_THROW(factory.generate(a), tool::SetupTimeout);
            over.lift();
            EXPECT_NO_THROW(factory.generate(a));
        }
        EXPECT_NO_THROW(factory.generate(a));
        tool::SetupLimit long_one(exec, 1e6);
        EXPECT_NO_THROW(factory.generate(a));
    });
}

class Interruption : public std::exception {};

/// Throws in place of the kernel `which`, counted from 1.
class Interrupter final : public Logger {
public:
    explicit Interrupter(int which) : left_(which) {}
    void on_kernel_begin(std::string_view, std::string_view) override
    {
        if (std::uncaught_exceptions() == 0 && --left_ == 0) {
            throw Interruption();
        }
    }

private:
    int left_;
};

/// Every set-up may end before every kernel: nothing is left behind, and the next one works.
TEST(SetupLimit, SetupsMayEndBeforeAnyKernel)
{
    on_each_executor([](const Executor& exec) {
        const auto a = problem(exec, "lap2d:6");
        for (const auto& entry : config::registry<double>()) {
            SCOPED_TRACE(entry.type);
            const auto factory = entry.create();
            factory->make(a);  // what a matrix and an executor keep from the first time
            bool is_whole = false;
            for (int k = 1; !is_whole && k <= 40; ++k) {
                const auto before = exec.counters().allocated_bytes;
                const auto interrupter = std::make_shared<Interrupter>(k);
                exec.add_logger(interrupter);
                try {
                    factory->make(a);
                    is_whole = true;
                } catch (const Interruption&) {
                }
                exec.remove_logger(interrupter.get());
                EXPECT_EQ(exec.counters().allocated_bytes, before) << "kernel " << k;
            }
            EXPECT_NO_THROW(factory->make(a));
        }
    });
}

}  // namespace
}  // namespace linden::test
