// needs: double int32
#include <linden/config/config.hpp>
#include <linden/error.hpp>
#include <linden/io/problems.hpp>
#include <linden/matrix/csr.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

#include "core/config/registry.hpp"
#include "core/validation/cases.hpp"
#include "test/support/backends.hpp"

/// New values on the same pattern, for everything that the registry makes.
namespace linden::test {
namespace {

using I = std::int32_t;

/// A problem, and twice its values.
struct Values {
    explicit Values(const char* spec) : data(generate_problem<double, I>(spec)), doubled(data)
    {
        std::for_each(doubled.values.begin(), doubled.values.end(), [](double& value) { value *= 2; });
    }
    CsrData<double, I> data, doubled;
};

/// What the second update of an operator that `factory` makes from `first` allocates.
std::uint64_t allocations_of_update(const LinOpFactory<double>& factory, const LinOpPtr<double>& first,
                                    const LinOpPtr<double>& second)
{
    const auto op = factory.make(first);
    op->update_values(second);
    const auto before = first->executor().counters().allocations;
    op->update_values(first);
    return first->executor().counters().allocations - before;
}

TEST(UpdateValues, AllocatesNothing)
{
    const Values values("lap2d:12");
    on_each_executor([&](const Executor& exec) {
        const LinOpPtr<double> first = share(Csr<double, I>(exec, values.data));
        const LinOpPtr<double> second = share(Csr<double, I>(exec, values.doubled));
        for (const auto& entry : config::registry<double>()) {
            EXPECT_EQ(allocations_of_update(*entry.create(), first, second), 0u) << entry.type;
        }
    });
}

/// Nor does anything with another choice of its parameters, or two others; what a method refuses is left out.
TEST(UpdateValues, AllocatesNothingWhateverIsChosen)
{
    const Values values("lap2d:6");
    on_each_executor([&](const Executor& exec) {
        const LinOpPtr<double> first = share(Csr<double, I>(exec, values.data));
        const LinOpPtr<double> second = share(Csr<double, I>(exec, values.doubled));
        int num_made = 0;
        for (const auto& entry : config::registry<double>()) {
            const auto all = validation::variations([&](ParameterVisitor& v) { entry.create()->describe(v); }, "ilu0");
            for (const auto& choice : all) {
                const auto method = std::string(entry.type) + ":" + choice;
                try {
                    const auto factory = config::parse_short<double>(method);
                    EXPECT_EQ(allocations_of_update(*factory, first, second), 0u) << method;
                    ++num_made;
                } catch (const Error&) {
                }
            }
        }
        EXPECT_GT(num_made, 500);
    });
}

}  // namespace
}  // namespace linden::test
