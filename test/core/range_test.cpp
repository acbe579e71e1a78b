#include "test/support/solvers.hpp"

/// Where squares of values leave the range of their type, and values do not.
namespace linden::test {
namespace {

template <class V>
class RangeTest : public testing::Test {
};
TYPED_TEST_SUITE(RangeTest, TestedValues, TypeNames);

TYPED_TEST(RangeTest, SolversTakeRightHandSidesWhoseSquaresAreZeroOrInfinite)
{
    using V = TypeParam;
    using R = real_t<V>;
    on_each_executor_and_method([](const Executor& exec, Method method) {
        Random random(40);
        const auto a = is_cg(method) ? random_hpd_csr<V, DefaultIndex>(random, 40, 4) : random_dominant<V>(random, 40);
        const auto solver = make_solver<V>(method, matrix_on(exec, a),
                                           {.stop = {.max_iterations = 100, .relative_residual = 1000 * eps<V>}});
        const auto b = Dense<V>::filled(exec, {40, 2}, V{1});
        auto x = Dense<V>::filled(exec, {40, 2}, V{});
        ASSERT_TRUE(solver->solve(b, x).converged());
        const auto expected = x.to_host();
        // A quarter of the range in digits, to either side: squares are 0 or infinite.
        const R unit = std::ldexp(R{1}, 5 * std::numeric_limits<R>::max_exponent / 8);
        for (const R scale : {1 / unit, unit}) {
            SCOPED_TRACE(scale);
            auto scaled_b = b.copy();
            scaled_b.columns(1, 1).scale(V{scale});
            x.fill(V{});
            const auto result = solver->solve(scaled_b, x, {.history = true});
            EXPECT_TRUE(result.converged()) << result.reason();
            EXPECT_NEAR(result.columns[1].rhs_norm / scale, std::sqrt(40.0), 1e-5);
            EXPECT_NEAR(result.history.front()[1] / scale, std::sqrt(40.0), 1e-5);
            EXPECT_LE(result.columns[1].relative_residual(), 1000 * eps<V>);
            const auto found = x.to_host();
            for (std::size_t i = 0; i < found.size(); i += 2) {
                EXPECT_EQ(found[i], expected[i]);
                EXPECT_EQ(found[i + 1], V{scale} * expected[i + 1]);
            }
        }
    });
}

}  // namespace
}  // namespace linden::test
