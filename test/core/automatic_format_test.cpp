// needs: double int32
#include <linden/matrix/automatic_format.hpp>

#include <linden/error.hpp>
#include <linden/io/problems.hpp>
#include <linden/matrix/formatted.hpp>
#include <linden/preconditioner/jacobi.hpp>
#include <linden/solver/cg.hpp>

#include "test/support/formats.hpp"

namespace linden::test {
namespace {

using I = std::int32_t;

std::shared_ptr<const Csr<double, I>> csr_on(const Executor& exec, const CsrData<double, I>& data)
{
    return std::make_shared<const Csr<double, I>>(exec, data);
}

TEST(AutomaticFormat, TakesDiagonalsOfStencils)
{
    on_each_executor([](const Executor& exec) {
        const auto a = csr_on(exec, generate_problem<double, I>("lap2d:20"));
        const auto chosen = automatic_format(a);
        EXPECT_EQ(chosen->name(), "Dia");
        EXPECT_EQ(applied<double>(*chosen), applied<double>(*a));
    });
}

TEST(AutomaticFormat, TakesStencilsOfLargeGrids)
{
    on_each_executor([](const Executor& exec) {
        const auto a = csr_on(exec, generate_problem<double, I>("lap2d:256"));
        const auto chosen = automatic_format(a);
        EXPECT_EQ(chosen->name(), "Stencil");
        EXPECT_EQ(applied<double>(*chosen), applied<double>(*a));
    });
}

TEST(AutomaticFormat, StaysWithCsrElse)
{
    Random random(45);
    const auto uneven = random_csr<double, I>(random, {900, 900}, 3, Pattern::dense_row);
    on_each_executor([&](const Executor& exec) {
        const auto a = csr_on(exec, uneven);
        EXPECT_EQ(automatic_format(a), LinOpPtr<double>(a));
        const auto empty = csr_on(exec, {{3, 3}, {0, 0, 0, 0}, {}, {}});
        EXPECT_EQ(automatic_format(empty), LinOpPtr<double>(empty));
        EXPECT_THROW(automatic_format<double>(std::make_shared<const Dense<double>>(exec, Dim{2, 2})), NotSupported);
        EXPECT_THROW(automatic_format<double>(LinOpPtr<double>()), InvalidParameter);
    });
}

TEST(Formatted, SolvesWithTheOneAndPreconditionsWithTheOther)
{
    on_each_executor([](const Executor& exec) {
        const auto csr = csr_on(exec, generate_problem<double, I>("lap2d:12"));
        const auto dia = share(convert<Dia<double, I>>(*csr));
        const auto a = share(Formatted<double>(csr, dia));
        EXPECT_EQ(a->name(), "Dia of Csr");
        const auto factory =
            Cg<double>::factory({.stop = {.relative_residual = 1e-10}, .preconditioner = Jacobi<double>::factory()});
        EXPECT_THROW(factory.generate(dia), NotSupported) << "a preconditioner needs the Csr matrix";
        const auto solver = factory.generate(a);
        const auto b = Dense<double>::filled(exec, {144, 1}, 1.0);
        auto x = Dense<double>::filled(exec, {144, 1}, 0.0);
        EXPECT_TRUE(solver->solve(b, x).converged());
        auto r = b.copy();
        csr->apply(-1.0, x, 1.0, r);
        EXPECT_LE(r.norm2()[0], 1e-9 * 12);
    });
}

TEST(Formatted, RefusesWhatDoesNotBelongTogether)
{
    const auto exec = reference_executor();
    const auto a = csr_on(exec, three_by_four<double, I>());
    EXPECT_THROW(Formatted<double>(a, nullptr), InvalidParameter);
    EXPECT_THROW(Formatted<double>(nullptr, a), InvalidParameter);
    EXPECT_THROW(Formatted<double>(a, csr_on(Executor::reference(), three_by_four<double, I>())), InvalidParameter);
    EXPECT_THROW(Formatted<double>(a, std::make_shared<const Csr<double, I>>(exec, Dim{3, 3})), DimensionMismatch);
}

TEST(Formatted, TakesNewValues)
{
    on_each_executor([](const Executor& exec) {
        auto data = three_by_four<double, I>();
        const auto csr = csr_on(exec, data);
        Formatted<double> a(csr, share(convert<Ell<double, I>>(*csr)));
        data.values = {10, 20, 30, 40, 50};
        a.update_values(csr_on(reference_executor(), data));
        EXPECT_EQ(applied<double>(a), (std::vector<double>{70, 0, 310}));
        EXPECT_EQ(applied<double>(*a.source()), (std::vector<double>{70, 0, 310}));
        EXPECT_EQ(applied<double>(*a.clone(reference_executor())), (std::vector<double>{70, 0, 310}));
    });
}

}  // namespace
}  // namespace linden::test
