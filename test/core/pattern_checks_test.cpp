// needs: double int32
#include <linden/error.hpp>
#include <linden/factory.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/preconditioner/ilu.hpp>
#include <linden/preconditioner/reordered.hpp>
#include <linden/solver/cg.hpp>

#include <functional>
#include <string>

#include "core/matrix/pattern_checks/pattern_checks.hpp"
#include "test/support/backends.hpp"
#include "test/support/pathological.hpp"

namespace linden::test {
namespace {

using I = std::int32_t;
namespace p = pathological;

/// The text of the InvalidParameter that `f` throws, or nothing.
std::string problem_of(const std::function<void()>& f)
{
    try {
        f();
    } catch (const InvalidParameter& e) {
        return e.what();
    }
    return "";
}

void expect_problem(const std::string& text, const std::function<void()>& f)
{
    EXPECT_NE(problem_of(f).find(text), std::string::npos) << problem_of(f);
}

TEST(PatternChecks, NameTheFirstBadRowOfHostData)
{
    const auto check = [](const CsrData<double, I>& a) { return [&a] { linden::detail::require_sorted_pattern(a); }; };
    EXPECT_NO_THROW(check(p::healthy<double, I>())());
    EXPECT_NO_THROW(check(p::without_rows<double, I>())());
    EXPECT_NO_THROW(check(p::without_entries<double, I>(3))());
    const auto unsorted = p::unsorted<double, I>(), duplicate = p::duplicate<double, I>(),
               outside = p::out_of_bounds<double, I>(3);
    expect_problem("row 1", check(unsorted));
    expect_problem("column 1 after column 2", check(unsorted));
    expect_problem("row 2", check(duplicate));
    expect_problem("column 2 after column 2", check(duplicate));
    expect_problem("col_idxs[1]", check(outside));
}

/// What operators do of themselves depends on the build.
TEST(PatternChecks, AreMadeIfTheBuildAsksForThem)
{
    on_each_executor([](const Executor& exec) {
        const auto make_unsorted = [&] { Csr<double, I>(exec, p::unsorted<double, I>()); };
        if (!linden::detail::checks_patterns()) {
            EXPECT_NO_THROW(make_unsorted());
            return;
        }
        expect_problem("row 1", make_unsorted);
    });
}

}  // namespace
}  // namespace linden::test
