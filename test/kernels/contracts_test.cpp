#include "core/inspect/inspector.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <string>

#include "core/kernels/dense.hpp"
#include "test/support/backends.hpp"

/// Every call that a kernel test makes on a tested executor keeps the kernel's contract (core/base/contract.hpp): tests
/// and `linden validate` compare alike.
namespace linden::test {
namespace {

class ContractListener final : public testing::EmptyTestEventListener {
public:
    void OnTestStart(const testing::TestInfo& test) override
    {
        if (inspectors_.empty()) {
            for (const auto& exec : tested_executors()) {
                inspectors_.emplace_back(exec, options());
            }
        }
        for (auto& inspector : inspectors_) {
            inspector.begin_round();
            inspector.begin_case(std::string(test.test_suite_name()) + "." + test.name());
        }
    }

    void OnTestEnd(const testing::TestInfo&) override
    {
        for (std::size_t i = 0; i < inspectors_.size(); ++i) {
            for (const auto& record : inspectors_[i].records()) {
                report(record, tested_executors()[i]);
            }
        }
    }

    void OnTestProgramEnd(const testing::UnitTest&) override { inspectors_.clear(); }

    std::int64_t num_reached() const
    {
        std::int64_t sum = 0;
        for (const auto& inspector : inspectors_) {
            sum += inspector.num_reached();
        }
        return sum;
    }

private:
    static inspect::InspectorOptions options()
    {
        inspect::InspectorOptions o;
        o.calls_per_kernel = 2;
        o.largest_bytes = std::size_t{1} << 20;
        return o;
    }

    void report(const inspect::KernelRecord& record, const Executor& exec)
    {
        auto& num_reported = num_reported_[{record.kernel, exec.backend()}];
        for (; num_reported < record.faults.size(); ++num_reported) {
            ADD_FAILURE() << record.kernel->name() << " (" << record.kernel->types() << ") on " << exec.name() << ": "
                          << record.faults[num_reported];
        }
    }

    std::deque<inspect::Inspector> inspectors_;
    std::map<std::pair<const KernelEntry*, Backend>, std::size_t> num_reported_;
};

ContractListener* begin_listening()
{
    auto* const listener = new ContractListener;
    testing::UnitTest::GetInstance()->listeners().Append(listener);  // owns it
    return listener;
}

const ContractListener* const listener = begin_listening();

TEST(Contracts, AreAskedOfEveryCall)
{
    const auto reached = [] { return listener->num_reached(); };
    const auto before = reached();
    on_each_executor([](const Executor& exec) {
        Dense<DefaultValue> x(exec, {7, 1});
        dense_fill<DefaultValue>(exec, DefaultValue{2}, x.view());
    });
    const auto num_new = reached() - before;
    const bool is_first = num_new == static_cast<std::int64_t>(tested_executors().size());
    EXPECT_TRUE(is_first || before > 0) << num_new;  // others may have filled blocks before
}

}  // namespace
}  // namespace linden::test
