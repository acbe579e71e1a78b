// needs: double int32
#include <linden/error.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/matrix/identity.hpp>
#include <linden/solver/cg.hpp>

#include "test/support/backends.hpp"
#include "test/support/pathological.hpp"

namespace linden::test {
namespace {

using I = std::int32_t;

TEST(Identity, Copies)
{
    on_each_executor([](const Executor& exec) {
        const Identity<double> identity(exec, 3);
        const auto b = Dense<double>::vector(exec, {1, 2, 3});
        auto x = Dense<double>::filled(exec, {3, 1}, 10);
        identity.apply(2, b, -1, x);
        EXPECT_EQ(x.to_host(), (std::vector<double>{-8, -6, -4}));
        identity.apply(b, x);
        EXPECT_EQ(x.to_host(), (std::vector<double>{1, 2, 3}));
        EXPECT_TRUE(identity.is_identity());
    });
}

TEST(Identity, SolversSkipIt)
{
    const auto a = share(Csr<double, I>(reference_executor(), pathological::healthy<double, I>()));
    const auto solver = Cg<double>::factory({.preconditioner = Identity<double>::factory()}).generate(a);
    EXPECT_EQ(solver->preconditioner(), nullptr);
}

TEST(Identity, RefusesNegativeSizes) { EXPECT_THROW(Identity<double>(reference_executor(), -1), InvalidParameter); }

}  // namespace
}  // namespace linden::test
