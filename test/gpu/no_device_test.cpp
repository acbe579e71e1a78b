#include <linden/error.hpp>
#include <linden/executor.hpp>

#include <gtest/gtest.h>

/// A library with a backend loads and says what is missing where there is no device for it.
namespace linden::test {
namespace {

TEST(NoDevice, BackendIsBuiltAndSaysWhyItCannotBeUsed)
{
    int num_unusable = 0;
    for (const auto backend : {Backend::cuda, Backend::hip}) {
        const auto info = backend_info(backend);
        if (!info.built || info.why_not.empty()) {
            continue;
        }
        ++num_unusable;
        EXPECT_TRUE(info.devices.empty());
        try {
            Executor::create(backend);
            ADD_FAILURE() << name(backend) << " made an executor without a device";
        } catch (const BackendNotAvailable& e) {
            EXPECT_EQ(e.backend, backend);
            EXPECT_NE(std::string(e.what()).find(info.why_not), std::string::npos) << e.what();
        }
    }
    if (num_unusable == 0) {
        GTEST_SKIP() << "every GPU backend of this build has a device";
    }
}

}  // namespace
}  // namespace linden::test
