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

/// [2 1 0; 0 2 1; 0 1 2]: as many entries in each row as `healthy` but for row 1, which is at other places.
CsrData<double, I> other_pattern() { return {{3, 3}, {0, 2, 4, 7}, {0, 1, 1, 2, 0, 1, 2}, {2, 1, 2, 1, 1, 1, 2}}; }

TEST(PatternChecks, NameTheFirstBadRowOfHostData)
{
    const auto check = [](const CsrData<double, I>& a) {
        return [&a] {
            require_well_formed(a);
            linden::detail::require_sorted_rows(linden::detail::pattern_of(a));
        };
    };
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

TEST(PatternChecks, NameTheFirstRowWhereNewValuesLieElsewhere)
{
    on_each_executor([](const Executor& exec) {
        const Csr<double, I> old(exec, p::healthy<double, I>()), same(exec, p::healthy<double, I>());
        EXPECT_NO_THROW(linden::detail::require_same_pattern<double>("Op", old, old));
        EXPECT_NO_THROW(linden::detail::require_same_pattern<double>("Op", old, same));
        const Csr<double, I> other(Executor::reference(), other_pattern());
        expect_problem("row 1 has column 1 in place of 0",
                       [&] { linden::detail::require_same_pattern<double>("Op", old, other); });
        auto shorter = p::healthy<double, I>();
        shorter.row_ptrs = {0, 2, 4, 7};
        shorter.col_idxs = {0, 1, 0, 1, 0, 1, 2};
        expect_problem("row 1 has column none in place of 2",
                       [&] { linden::detail::require_same_pattern<double>("Op", old, Csr<double, I>(exec, shorter)); });
        const Csr<double, I> fewer(exec, p::missing_diagonal<double, I>());
        EXPECT_THROW(linden::detail::require_same_pattern<double>("Op", old, fewer), DimensionMismatch);
    });
}

/// In every build: kernels would read elsewhere.
TEST(PatternChecks, ColumnsOutsideOfTheMatrixAreRefused)
{
    on_each_executor([](const Executor& exec) {
        expect_problem("col_idxs[1]", [&] { Csr<double, I>(exec, p::out_of_bounds<double, I>(3)); });
        expect_problem("col_idxs[0]", [&] { Csr<double, I>(exec, p::out_of_bounds<double, I>(-1)); });
        expect_problem("row_ptrs[2]", [&] { Csr<double, I>(exec, p::with_row_ptrs<double, I>({0, 5, 2, 7})); });
    });
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
        const LinOpPtr<double> a = share(Csr<double, I>(exec, p::healthy<double, I>()));
        const LinOpPtr<double> other = share(Csr<double, I>(exec, other_pattern()));
        expect_problem("row 1", [&] { Csr<double, I>(exec, p::healthy<double, I>()).update_values(other); });
        expect_problem("row 1", [&] { Ilu0<double>::factory().generate(a)->update_values(other); });
        expect_problem("row 1", [&] { Cg<double>::factory().generate(a)->update_values(other); });
        expect_problem("row 1", [&] {
            Reordered<double>::factory({.inner = Ilu0<double>::factory()}).generate(a)->update_values(other);
        });
    });
}

}  // namespace
}  // namespace linden::test
