#include <linden/distributed/session.hpp>

#include <gtest/gtest.h>

#include <iostream>

#include "core/distributed/transport.hpp"
#include "test/mpi/world.hpp"

/// Runs the tests on every rank. The first rank prints what failed on any; the program fails on all if it did on one.
namespace linden::test {
namespace {

const Communicator* the_world = nullptr;

/// Keeps the failures of a rank for the first one to print.
class Keeper final : public testing::EmptyTestEventListener {
public:
    void OnTestPartResult(const testing::TestPartResult& result) override
    {
        if (result.failed()) {
            text += std::string(result.file_name() == nullptr ? "" : result.file_name()) + ":" +
                    std::to_string(result.line_number()) + ": " + result.message() + "\n";
        }
    }
    std::string text;
};

}  // namespace

const Communicator& world() { return *the_world; }

}  // namespace linden::test

int main(int argc, char** argv)
{
    using namespace linden;
    testing::InitGoogleTest(&argc, argv);
    const distributed::Session session;
    test::the_world = &session.world();
    const auto& ranks = session.world();
    auto* const keeper = new test::Keeper;  // owned by the listeners
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    if (ranks.rank() != 0) {
        delete listeners.Release(listeners.default_result_printer());
    }
    listeners.Append(keeper);
    int failed = RUN_ALL_TESTS();
    const auto texts = linden::detail::gather_lists(ranks, std::vector<char>(keeper->text.begin(), keeper->text.end()));
    for (std::size_t r = 0; r < texts.size(); ++r) {
        failed |= !texts[r].empty();
        if (ranks.rank() == 0 && r > 0 && !texts[r].empty()) {
            std::cout << "rank " << r << ":\n" << std::string(texts[r].begin(), texts[r].end());
        }
    }
    return failed;
}
