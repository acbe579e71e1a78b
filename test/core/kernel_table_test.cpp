// needs: double int32
#include "core/base/kernel.hpp"

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "core/base/type_lists.hpp"
#include "core/kernels/dense.hpp"
#include "test/support/backends.hpp"

namespace linden::test {
namespace {

/// A line of doc/kernel-gaps.md.
struct Gap {
    std::string kernel, backend;
    bool in_some_builds;  ///< others have the kernel
};

std::vector<Gap> known_gaps()
{
    std::vector<Gap> gaps;
    std::ifstream file(LINDEN_SOURCE_DIR "/doc/kernel-gaps.md");
    EXPECT_TRUE(file.is_open());
    for (std::string line; std::getline(file, line);) {
        const auto on = line.find(" on ");
        const auto colon = line.find(": ");
        if (line.starts_with("- ") && on != std::string::npos && colon != std::string::npos && on < colon) {
            gaps.push_back({line.substr(2, on - 2), line.substr(on + 4, colon - on - 4),
                            line.substr(colon + 2).starts_with("unless ")});
        }
    }
    return gaps;
}

bool is_listed(const std::vector<Gap>& gaps, std::string_view kernel, Backend backend)
{
    return std::any_of(gaps.begin(), gaps.end(),
                       [&](const Gap& gap) { return gap.kernel == kernel && gap.backend == name(backend); });
}

std::vector<Backend> built_backends()
{
    std::vector<Backend> built;
    for (int b = 0; b < num_backends; ++b) {
        if (backend_info(static_cast<Backend>(b)).built) {
            built.push_back(static_cast<Backend>(b));
        }
    }
    return built;
}

TEST(KernelTable, HasEveryKernelOnEveryBuiltBackend)
{
    const auto gaps = known_gaps();
    ASSERT_FALSE(KernelEntry::all().empty());
    for (const auto* kernel : KernelEntry::all()) {
        for (const Backend backend : built_backends()) {
            EXPECT_TRUE(kernel->available(backend) || is_listed(gaps, kernel->name(), backend))
                << kernel->name() << "<" << kernel->types() << "> is neither bound on " << name(backend)
                << " nor listed in doc/kernel-gaps.md";
        }
    }
}

/// Whether the list says that no backend of this build has the kernel; then its name is in no table.
bool is_missing_everywhere(const std::string& kernel, const std::vector<Gap>& gaps)
{
    const auto built = built_backends();
    return std::all_of(built.begin(), built.end(), [&](Backend backend) { return is_listed(gaps, kernel, backend); });
}

TEST(KernelTable, ListsOnlyGapsThatExist)
{
    const auto gaps = known_gaps();
    for (const auto& gap : gaps) {
        const auto all = KernelEntry::all();
        if (is_missing_everywhere(gap.kernel, gaps)) {
            continue;
        }
        EXPECT_TRUE(
            std::any_of(all.begin(), all.end(), [&](const auto* kernel) { return kernel->name() == gap.kernel; }))
            << gap.kernel << " is no kernel";
        for (const Backend backend : built_backends()) {
            const bool misses_one = std::any_of(all.begin(), all.end(), [&](const auto* kernel) {
                return kernel->name() == gap.kernel && !kernel->available(backend);
            });
            EXPECT_TRUE(name(backend) != gap.backend || misses_one || gap.in_some_builds)
                << gap.backend << " has " << gap.kernel << " for all types: strike it from doc/kernel-gaps.md";
        }
    }
}

TEST(KernelTable, HasNoKernelOfThatNameAndTypesTwice)
{
    std::vector<std::string> names;
    for (const auto* kernel : KernelEntry::all()) {
        names.push_back(std::string(kernel->name()) + "<" + std::string(kernel->types()) + ">");
    }
    std::sort(names.begin(), names.end());
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
    EXPECT_TRUE(std::binary_search(names.begin(), names.end(), "csr::spmv<double, int32>"));
    for_each_value([&]<class V>() {
        const auto fill = "dense::fill<" + std::string(name(value_type_of<V>)) + ">";
        EXPECT_TRUE(std::binary_search(names.begin(), names.end(), fill)) << fill;
    });
}

TEST(KernelTable, UnboundSlotThrowsWithNames)
{
    static const kernel<void(int)> unbound{"test::unbound", types_of<float, std::int64_t>};
    on_each_executor([](const Executor& exec) {
        try {
            unbound(exec, 1);
            FAIL() << "nothing was thrown";
        } catch (const KernelNotAvailable& e) {
            EXPECT_EQ(e.kernel, "test::unbound");
            EXPECT_EQ(e.types, "float, int64");
            EXPECT_EQ(e.backend, exec.backend());
            const std::string text = e.what();
            EXPECT_NE(text.find("test::unbound"), std::string::npos) << text;
            EXPECT_NE(text.find("float, int64"), std::string::npos) << text;
            EXPECT_NE(text.find(name(exec.backend())), std::string::npos) << text;
        }
    });
    EXPECT_FALSE(unbound.available(Backend::reference));
}

/// Writes down what it sees.
class Notes final : public Logger {
public:
    void on_kernel_begin(std::string_view kernel, std::string_view types) override { note("begin ", kernel, types); }
    void on_kernel_end(std::string_view kernel, std::string_view types) override { note("end ", kernel, types); }

    std::vector<std::string> lines;

private:
    void note(std::string_view what, std::string_view kernel, std::string_view types)
    {
        lines.push_back(std::string(what) + std::string(kernel) + "<" + std::string(types) + ">");
    }
};

TEST(KernelTable, CallsAreLoggedAndCounted)
{
    on_each_executor([](const Executor& exec) {
        Dense<double> x(exec, {3, 1});
        const auto notes = std::make_shared<Notes>();
        exec.add_logger(notes);
        const auto before = exec.counters().kernel_launches;
        dense_fill<double>(exec, 1.0, x.view());
        dense_scale<double>(exec, 2.0, x.view());
        exec.remove_logger(notes.get());
        dense_scale<double>(exec, 2.0, x.view());
        EXPECT_EQ(exec.counters().kernel_launches, before + 3);
        EXPECT_EQ(notes->lines, (std::vector<std::string>{"begin dense::fill<double>", "end dense::fill<double>",
                                                          "begin dense::scale<double>", "end dense::scale<double>"}));
    });
}

TEST(KernelTable, BackendsWithoutDeviceAreNamed)
{
    const auto untested = backends_without_device();
    if (!untested.empty()) {
        std::string text;
        for (const auto& info : untested) {
            text += std::string(name(info.backend)) + ": " + info.why_not + "\n";
        }
        GTEST_SKIP() << untested.size() << " built backends are not tested here:\n" << text;
    }
}

}  // namespace
}  // namespace linden::test
