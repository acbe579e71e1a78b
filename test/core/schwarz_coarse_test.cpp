// needs: double int32
#include <linden/config/config.hpp>
#include <linden/distributed/schwarz.hpp>
#include <linden/preconditioner/ic.hpp>
#include <linden/preconditioner/ilu.hpp>
#include <linden/solver/cg.hpp>

#include <limits>
#include <numeric>

#include "core/matrix/metis/dissection.hpp"
#include "test/support/ranks.hpp"

/// Coarse spaces over ranks.
namespace linden::test {
namespace {

using distributed::CoarseDomains;
using distributed::Partition;
using distributed::Schwarz;
using Data = CsrData<double, std::int32_t>;
using Matrix = distributed::Matrix<double, std::int32_t>;
using Vector = distributed::Vector<double>;

std::vector<CoarseDomains> kinds()
{
    std::vector<CoarseDomains> result{CoarseDomains::stripes};
    if (linden::detail::has_metis) {
        result.push_back(CoarseDomains::metis);
    }
    return result;
}

/// Calls body(matrix, preconditioner) on 1 to 4 ranks, some of which may own no rows or fewer than domains.
template <class Body>
void with_coarse_spaces(const Data& a, const FactoryPtr<double>& local, size_type coarse, const Body& body)
{
    for (const auto backend : rank_backends()) {
        for (const int n : {1, 2, 3, 4}) {
            for (const auto& partition : partitions(a.size.rows, n)) {
                for (const auto kind : kinds()) {
                    on_ranks(n, [&](const Communicator& ranks) {
                        const auto matrix = share(Matrix::from_whole(rank_executor(backend), ranks, partition, a));
                        const auto factory =
                            Schwarz<double>::factory({.local = local, .coarse = coarse, .coarse_kind = kind});
                        body(*matrix, *factory.generate(matrix));
                    });
                }
            }
        }
    }
}

Dense<double> own_random(const Matrix& matrix, size_type cols, std::uint64_t seed)
{
    const auto block = random_block<double>({matrix.partition().num_rows(), cols}, seed);
    return rows_of(matrix.executor(), block, matrix.partition(), matrix.communicator().rank());
}

double sum(const Dense<double>& block)
{
    const auto values = block.to_host();
    return std::accumulate(values.begin(), values.end(), 0.0);
}

constexpr double eps = std::numeric_limits<double>::epsilon();

/// Z^T (b - A x) = 0, whose rows, the sums of all domains, add up to that of all rows. Rounding: 1e4 additions of
/// O(10).
TEST(SchwarzCoarseTest, NothingIsLeftInTheCoarseSpace)
{
    for (const auto& a : {laplace_2d<double>(9), laplace_2d<double>(9, 0.7)}) {
        with_coarse_spaces(a, Ilu0<double>::factory(), 3, [&](const Matrix& matrix, const Schwarz<double>& m) {
            for (const size_type cols : {1, 3}) {
                auto r = own_random(matrix, cols, 5);
                auto x = Dense<double>::filled(matrix.executor(), r.size(), 7);
                m.apply(r, x);
                matrix.apply(-1, x, 1, r);
                EXPECT_NEAR(sum(r), 0, 1e5 * eps);
            }
        });
    }
}

/// What is constant on all rows is in the coarse space, and found exactly: b = A 1 gives x = 1.
TEST(SchwarzCoarseTest, ConstantsAreFound)
{
    for (const auto& a : {laplace_2d<double>(9), laplace_2d<double>(9, 0.7)}) {
        with_coarse_spaces(a, Ilu0<double>::factory(), 3, [&](const Matrix& matrix, const Schwarz<double>& m) {
            const auto ones = Dense<double>::filled(matrix.executor(), {matrix.size().rows, 1}, 1);
            auto b = Dense<double>::filled(matrix.executor(), ones.size(), 0);
            auto x = b.copy();
            matrix.apply(ones, b);
            m.apply(b, x);
            for (const auto value : x.to_host()) {
                EXPECT_NEAR(value, 1, 1e4 * eps);
            }
        });
    }
}

/// u^T M^-1 v = v^T M^-1 u, as Cg needs it.
TEST(SchwarzCoarseTest, IsSymmetricWithSymmetricLocalOperators)
{
    const auto a = laplace_2d<double>(9);
    with_coarse_spaces(a, Ic0<double>::factory(), 4, [&](const Matrix& matrix, const Schwarz<double>& m) {
        const auto here = [&](Dense<double> block) {
            return Vector(matrix.communicator(), matrix.partition(), std::move(block));
        };
        const auto u = own_random(matrix, 1, 5), v = own_random(matrix, 1, 6);
        auto mu = Dense<double>::filled(matrix.executor(), u.size(), 0), mv = mu.copy();
        m.apply(u, mu);
        m.apply(v, mv);
        const auto one = here(u.copy()).dot(here(std::move(mv)));
        const auto other = here(v.copy()).dot(here(std::move(mu)));
        EXPECT_NEAR(one[0], other[0], 1e5 * eps);
    });
}

/// With overlap, too, and no growth with the number of ranks, which there is without.
TEST(SchwarzCoarseTest, IterationsDoNotGrowWithTheRanks)
{
    if (!linden::detail::has_metis) {
        GTEST_SKIP() << "stripes of so small parts are too thin to help";
    }
    const auto a = laplace_2d<double>(64);
    const auto count = [&](int n, size_type coarse, size_type overlap) {
        size_type iterations = 0;
        on_ranks(n, [&](const Communicator& ranks) {
            const auto partition = Partition::stripes(a.size.rows, n);
            const auto matrix = share(Matrix::from_whole(Executor::reference(), ranks, partition, a));
            const auto solver =
                Cg<double>::factory(
                    {.stop = {.relative_residual = 1e-8},
                     .preconditioner = Schwarz<double>::factory(
                         {.local = Ic0<double>::factory(), .overlap = overlap, .restricted = false, .coarse = coarse})})
                    .generate(matrix);
            const auto b = own_random(*matrix, 1, 3);
            auto x = Dense<double>::filled(matrix->executor(), b.size(), 0);
            const auto result = solver->solve(b, x);
            EXPECT_TRUE(result.converged()) << result.reason();
            if (ranks.rank() == 0) {
                iterations = result.iterations();
            }
        });
        return iterations;
    };
    const auto one = count(1, 0, 0);
    EXPECT_GT(count(8, 0, 0), one);
    EXPECT_LT(count(8, 16, 0), one);
    EXPECT_LT(count(8, 16, 0), count(2, 16, 0));
    EXPECT_LT(count(8, 16, 1), count(8, 0, 1));
}

TEST(SchwarzCoarseTest, NewValuesAreTakenAsIfItWereMadeAnew)
{
    const auto a = laplace_2d<double>(9);
    auto changed = a;
    for (std::size_t k = 0; k < changed.values.size(); ++k) {
        changed.values[k] *= changed.values[k] > 0 ? 1.5 : 1;
    }
    with_coarse_spaces(a, Ic0<double>::factory(), 3, [&](const Matrix& matrix, const Schwarz<double>&) {
        const auto& exec = matrix.executor();
        const auto other = share(Matrix::from_whole(exec, matrix.communicator(), matrix.partition(), changed));
        const auto factory = Schwarz<double>::factory(
            {.local = Ic0<double>::factory(), .coarse = 3, .coarse_kind = CoarseDomains::stripes});
        const auto fresh = factory.generate(other);
        const auto updated = factory.generate(LinOpPtr<double>(matrix.clone(exec)));
        const auto b = own_random(matrix, 1, 4);
        auto x = Dense<double>::filled(exec, b.size(), 0), y = x.copy();
        updated->apply(b, y);
        updated->update_values(other);
        fresh->apply(b, x);
        updated->apply(b, y);
        EXPECT_EQ(y.to_host(), x.to_host());
    });
}

/// A matrix of one process has domains, too; what cannot be is refused.
TEST(SchwarzCoarseTest, ParametersAreChecked)
{
    const auto exec = Executor::reference();
    const auto a = share(Csr<double, std::int32_t>(exec, laplace_2d<double>(5)));
    const auto m = config::parse_short<double>("schwarz:local=ic0,coarse=5,coarse_kind=stripes")->make(a);
    const auto b = Dense<double>::filled(exec, {25, 1}, 1);
    auto r = b.copy(), x = Dense<double>::filled(exec, {25, 1}, 0);
    m->apply(b, x);
    a->apply(-1, x, 1, r);
    EXPECT_NEAR(sum(r), 0, 1e4 * eps);
    EXPECT_FALSE(m->is_capturable());
    EXPECT_THROW(Schwarz<double>::factory({.coarse = -1}).generate(a), InvalidParameter);
    EXPECT_ANY_THROW(config::parse_short<double>("schwarz:coarse=2,coarse_kind=boxes"));
}

}  // namespace
}  // namespace linden::test
