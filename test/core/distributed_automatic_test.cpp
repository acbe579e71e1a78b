// needs: double int32
#include <linden/config/config.hpp>
#include <linden/distributed/gathered.hpp>
#include <linden/distributed/schwarz.hpp>
#include <linden/io/problems.hpp>
#include <linden/memory.hpp>
#include <linden/preconditioner/ilu.hpp>
#include <linden/solver/automatic.hpp>
#include <linden/solver/gmres.hpp>

#include <cstdio>
#include <cstdlib>
#include <future>
#include <mutex>

#include "core/automatic/rank_methods.hpp"
#include "core/distributed/spread_statistics.hpp"
#include "test/support/ranks.hpp"

/// `Automatic` for matrices that are spread over ranks: one choice on all of them, that of any number of ranks.
namespace linden::test {
namespace {

using I = std::int32_t;
using distributed::Gathered;
using distributed::Partition;
using Matrix = distributed::Matrix<double, I>;
using Data = CsrData<double, I>;
using Methods = std::vector<std::string>;

Data problem(const char* spec) { return generate_problem<double, I>(spec); }

/// A permutation with entries of very different sizes: nothing but factors solves it.
Data cycle(size_type n)
{
    Data a{{n, n}, {0}, {}, {}};
    for (I row = 0; row < n; ++row) {
        a.col_idxs.push_back((row + 7) % static_cast<I>(n));
        a.values.push_back(std::ldexp(1.0, row % 30));
        a.row_ptrs.push_back(row + 1);
    }
    return a;
}

/// Hermitian with a positive diagonal, and indefinite.
Data shifted_laplacian()
{
    auto a = problem("lap2d:24");
    for (std::size_t row = 0; row + 1 < a.row_ptrs.size(); ++row) {
        for (auto k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            a.values[static_cast<std::size_t>(k)] -=
                a.col_idxs[static_cast<std::size_t>(k)] == static_cast<I>(row) ? 2.2 : 0;
        }
    }
    return a;
}

/// Rows of one entry, entries without mirror images, zero and negative diagonals, scales that differ.
Data odd()
{
    auto a = problem("convdiff3d:5:20");
    for (std::size_t k = 0; k < a.values.size(); ++k) {
        a.values[k] *= k % 13 == 0 ? 0 : k % 11 == 0 ? -1 : std::ldexp(1.0, static_cast<int>(k % 5));
    }
    Data result{a.size, {0}, {}, {}};
    for (std::size_t row = 0; row + 1 < a.row_ptrs.size(); ++row) {
        for (auto k = static_cast<std::size_t>(a.row_ptrs[row]); k < static_cast<std::size_t>(a.row_ptrs[row + 1]);
             ++k) {
            if (k % 7 != 3) {
                result.col_idxs.push_back(a.col_idxs[k]);
                result.values.push_back(a.values[k]);
            }
        }
        result.row_ptrs.push_back(static_cast<I>(result.col_idxs.size()));
    }
    return result;
}

/// Backends that have a device or are hosts.
std::vector<Backend> usable_backends()
{
    std::vector<Backend> result;
    for (const auto backend : {Backend::reference, Backend::omp, Backend::cuda, Backend::hip}) {
        if (backend_info(backend).built && !backend_info(backend).devices.empty()) {
            result.push_back(backend);
        }
    }
    return result;
}

/// A rank's executor; ranks share devices where there are fewer.
Executor executor_of(Backend backend, int rank)
{
    const auto num_devices = static_cast<int>(backend_info(backend).devices.size());
    return Executor::create(backend, {.device = rank % num_devices});
}

TEST(DistributedAutomaticTest, SeesWhatOneRankSees)
{
    auto nearly = problem("lap2d:12");
    nearly.values[1] *= 1 + 1e-15;
    for (const auto& a : {problem("lap2d:12"), nearly, problem("convdiff3d:6:20"), shifted_laplacian(), odd(),
                          cycle(40), Data{{1, 1}, {0, 1}, {0}, {-3}}}) {
        const auto one = statistics(Csr<double, I>(Executor::reference(), a));
        for (const int n : {1, 2, 3, 4}) {
            for (const auto& partition : partitions(a.size.rows, n)) {
                for (const auto backend : usable_backends()) {
                    on_ranks(n, [&](const Communicator& ranks) {
                        const auto found = distributed::spread_statistics(
                            Matrix::from_whole(executor_of(backend, ranks.rank()), ranks, partition, a));
                        EXPECT_EQ(found.text(), one.text());
                        EXPECT_EQ(linden::detail::description_of(found), linden::detail::description_of(one));
                        EXPECT_EQ(found.is_nearly_hermitian, one.is_nearly_hermitian);
                        EXPECT_EQ(found.is_hermitian, one.is_hermitian);
                        EXPECT_EQ(found.num_sign_rows, one.num_sign_rows);
                        EXPECT_EQ(found.num_zero_diagonal, one.num_zero_diagonal);
                        EXPECT_EQ(found.num_tiny_diagonal, one.num_tiny_diagonal);
                        EXPECT_EQ(found.num_negative_diagonal, one.num_negative_diagonal);
                        EXPECT_EQ(found.row_scale_spread, one.row_scale_spread);
                    });
                }
            }
        }
    }
}

Methods names(const MatrixStatistics& m, const linden::detail::RanksFacts& ranks)
{
    Methods result;
    for (const auto& method : linden::detail::methods_for_ranks(m, ranks)) {
        result.emplace_back(method.name);
    }
    return result;
}

TEST(DistributedAutomaticTest, HasMethodsForEveryKindAndSize)
{
    for (const auto& method : linden::detail::all_rank_methods()) {
        const auto factory = config::parse_factory<double>(method.json, method.name);
        EXPECT_EQ(config::kind_of<double>(factory->type()), config::Kind::solver) << method.name;
    }
    for (const auto& a : {problem("lap2d:4"), shifted_laplacian(), problem("convdiff3d:4:20"), odd(), cycle(10)}) {
        auto m = statistics(Csr<double, I>(Executor::reference(), a));
        const auto n = m.size.rows;
        for (const size_type factor : {1, 100, 10'000'000}) {
            auto larger = m;
            larger.size = {n * factor, n * factor};
            larger.num_dominant_rows *= factor;
            larger.num_sign_rows *= factor;
            larger.num_zero_diagonal *= factor;
            for (const bool is_device : {false, true}) {
                const auto order = names(larger, {3, is_device, false});
                auto once = order;
                std::sort(once.begin(), once.end());
                EXPECT_TRUE(std::adjacent_find(once.begin(), once.end()) == once.end());
                const bool is_small = larger.size.rows <= 100'000;
                EXPECT_EQ(std::count(order.begin(), order.end(), "gmres+gathered-lu"), is_small);
                EXPECT_EQ(std::count(order.begin(), order.end(), "gmres+schwarz-lu"), !is_small);
                for (const auto& name : names(larger, {3, is_device, true})) {
                    EXPECT_TRUE(name.ends_with("+jacobi") || name.ends_with("-lu")) << name;
                }
            }
        }
    }
}

/// A square of 1000 points has 1000 layers, a cube of 100 has 100.
TEST(DistributedAutomaticTest, TakesMultigridFirstWhereCgWouldTakeLonger)
{
    const auto order = [](size_type nonzeros, size_type bandwidth, bool is_device = false) {
        MatrixStatistics m;
        m.size = {1'000'000, 1'000'000};
        m.num_nonzeros = nonzeros;
        m.lower_bandwidth = m.upper_bandwidth = bandwidth;
        m.is_hermitian = m.is_nearly_hermitian = true;
        m.num_dominant_rows = m.num_sign_rows = 1'000'000;
        return names(m, {2, is_device, false});
    };
    EXPECT_EQ(order(4'996'000, 1000).front(), "cg+amg");
    EXPECT_EQ(order(4'996'000, 1000, true).front(), "cg+amg");
    EXPECT_EQ(order(6'940'000, 10'000, true).front(), "cg+jacobi");
    const auto cube = order(6'940'000, 10'000);
    EXPECT_EQ(cube.at(0), "cg+jacobi");
    EXPECT_EQ(cube.at(1), "cg+amg");
}

/// A matrix whose rows are long is gathered last: nobody can say what its factors take.
TEST(DistributedAutomaticTest, GathersLastWhereFillIsLikely)
{
    MatrixStatistics m;
    m.size = {10'000, 10'000};
    m.num_nonzeros = 50'000;
    EXPECT_NE(names(m, {2, false, false}).back(), "gmres+gathered-lu");
    m.num_nonzeros = 270'000;
    EXPECT_EQ(names(m, {2, false, false}).back(), "gmres+gathered-lu");
    // It is waited for long.
    EXPECT_GE(linden::detail::methods_for_ranks(m, {2, false, false}).back().expected_seconds, 0.5);
}

/// What rank 0 found; all ranks find the same.
struct Outcome {
    SolveStatus status = SolveStatus::running;
    size_type iterations = 0;
    double residual = 0;  ///< the largest of b - A x, with b = A 1
    Methods methods;
    AutomaticReport report;
    std::vector<double> x;
};

Methods methods_of(const AutomaticReport& report)
{
    Methods result;
    for (const auto& attempt : report.attempts) {
        result.push_back(attempt.solver + " " + attempt.preconditioner + " " + attempt.outcome + attempt.json);
    }
    return result;
}

/// Whether all ranks have the same texts.
void expect_agreed(const Communicator& ranks, const Methods& methods)
{
    std::size_t hash = methods.size();
    for (const auto& text : methods) {
        hash = 31 * hash + std::hash<std::string>{}(text);
    }
    for (const auto theirs : ranks.all_gather(hash)) {
        EXPECT_EQ(theirs, hash);
    }
}

struct Case {
    Automatic<double>::Parameters parameters{.stop = {.relative_residual = 1e-8}, .patience = 3600};
    SolveOptions options{};
    bool is_reproducible = false;
};

Outcome solve(Backend backend, const Data& a, const Partition& partition, const Case& c = {})
{
    Outcome outcome;
    on_ranks(partition.num_ranks(), [&](const Communicator& plain) {
        const auto ranks = c.is_reproducible ? plain.reproducible() : plain;
        const auto exec = rank_executor(backend);
        const auto matrix = share(Matrix::from_whole(exec, ranks, partition, a));
        const auto solver = Automatic<double>::factory(c.parameters).generate(matrix);
        const auto ones = Dense<double>::filled(exec, {matrix->size().rows, 1}, 1);
        auto b = ones.copy();
        matrix->apply(ones, b);
        auto x = Dense<double>::filled(exec, ones.size(), 0);
        const auto result = solver->solve(b, x, c.options);
        const auto report = solver->report();
        expect_agreed(ranks, methods_of(report));
        EXPECT_EQ(ranks.from_first([&] { return result.iterations(); }), result.iterations());
        EXPECT_EQ(ranks.from_first([&] { return result.status(); }), result.status());
        const auto all = distributed::Vector<double>(ranks, partition, x.copy()).gather().values;
        if (ranks.rank() == 0) {
            const auto& used = report.attempts.back();
            outcome = {result.status(),
                       result.iterations(),
                       result.relative_residual(),
                       {used.solver.substr(0, used.solver.find(':')), used.preconditioner},
                       report,
                       all};
        }
    });
    return outcome;
}

TEST(DistributedAutomaticTest, TakesTheSameMethodOnAnyNumberOfRanks)
{
    const std::pair<const char*, Methods> expected[] = {{"lap2d:40", {"cg", "jacobi"}},
                                                        {"twophase:16:1000", {"cg", "jacobi"}},
                                                        {"convdiff3d:8:20", {"bicgstab", "jacobi"}}};
    for (const auto& [spec, methods] : expected) {
        SCOPED_TRACE(spec);
        const auto a = problem(spec);
        for (const auto backend : rank_backends()) {
            const auto one = solve(backend, a, Partition::stripes(a.size.rows, 1));
            EXPECT_EQ(one.status, SolveStatus::converged);
            EXPECT_EQ(one.methods, methods);
            EXPECT_NE(one.report.text().find(" over 1 rank;"), std::string::npos) << one.report.text();
            for (const int n : {2, 3, 4}) {
                for (const auto& partition : partitions(a.size.rows, n)) {
                    const auto many = solve(backend, a, partition);
                    EXPECT_EQ(many.status, SolveStatus::converged);
                    EXPECT_LE(many.residual, 1e-8);
                    EXPECT_EQ(many.methods, one.methods);
                    EXPECT_EQ(many.report.attempts.size(), 1u) << many.report.text();
                    // Sums over ranks are rounded in another order, to which BiCgStab is more sensitive.
                    EXPECT_NEAR(static_cast<double>(many.iterations), static_cast<double>(one.iterations),
                                methods.front() == "cg" ? 0 : 2);
                }
            }
        }
    }
}

/// What rank 0 solves for all; CG and BiCGStab fail before where they are tried.
TEST(DistributedAutomaticTest, SolvesWhatOnlyFactorsSolve)
{
    const Data saddle{{3, 3}, {0, 2, 4, 6}, {0, 2, 1, 2, 0, 1}, {2, 1, 3, 1, 1, 1}};
    const Case hurried{.parameters = {.stop = {.relative_residual = 1e-8}, .patience = 1e-3}};
    for (const auto& a : {cycle(40), cycle(600), shifted_laplacian(), saddle, Data{{1, 1}, {0, 1}, {0}, {-3}}}) {
        for (const int n : {1, 2, 4}) {
            for (const auto& partition : partitions(a.size.rows, n)) {
                const auto found = solve(Backend::reference, a, partition, hurried);
                EXPECT_EQ(found.status, SolveStatus::converged) << found.report.text();
                EXPECT_LE(found.residual, 1e-8);
            }
        }
    }
    const auto gathered = solve(Backend::reference, cycle(600), Partition::stripes(600, 3));
    EXPECT_EQ(gathered.methods, (Methods{"gmres", "gathered:inner=lu"}));
}

/// Singular, with b outside of the range: every method is tried, and none pretends.
TEST(DistributedAutomaticTest, SaysThatNothingHelps)
{
    const Data a{{2, 2}, {0, 2, 4}, {0, 1, 0, 1}, {1, 2, 2, 4}};
    on_ranks(2, [&](const Communicator& ranks) {
        const auto partition = Partition::stripes(2, 2);
        const auto solver = Automatic<double>::factory().generate(
            share(Matrix::from_whole(Executor::reference(), ranks, partition, a)));
        const auto b = Dense<double>::filled(Executor::reference(), {1, 1}, ranks.rank() == 0 ? 1 : 0);
        auto x = Dense<double>::filled(Executor::reference(), {1, 1}, 0);
        EXPECT_FALSE(solver->solve(b, x).converged());
        EXPECT_GT(solver->report().attempts.size(), 1u);
        expect_agreed(ranks, methods_of(solver->report()));
    });
}

/// The clocks of ranks differ; what is left of a limit is the same on all.
TEST(DistributedAutomaticTest, HasOneClock)
{
    Case c;
    c.parameters.stop.max_seconds = 3600;
    EXPECT_EQ(solve(Backend::reference, problem("lap2d:20"), Partition::stripes(400, 3), c).status,
              SolveStatus::converged);
    c.options.max_seconds = 1e-9;
    EXPECT_EQ(solve(Backend::reference, problem("lap2d:20"), Partition::stripes(400, 3), c).status, SolveStatus::time);
}

TEST(DistributedAutomaticTest, TheObserverOfRank0EndsIt)
{
    struct Ends final : SolveObserver {
        bool observe(const IterationInfo&) override { return false; }
    };
    Case c;
    c.options.observer = std::make_shared<Ends>();
    const auto found = solve(Backend::reference, problem("lap2d:60"), Partition::stripes(3600, 3), c);
    EXPECT_EQ(found.status, SolveStatus::interrupted);
    EXPECT_EQ(found.report.attempts.size(), 1u);
}

TEST(DistributedAutomaticTest, IsReproducibleIfRanksAre)
{
    Case c;
    c.is_reproducible = true;
    for (const auto& a : {problem("lap2d:30"), problem("convdiff3d:10:20"), cycle(600)}) {
        const auto one = solve(Backend::reference, a, Partition::stripes(a.size.rows, 1, sum_block_rows), c);
        EXPECT_EQ(one.status, SolveStatus::converged);
        for (const int n : {2, 3}) {
            const auto many = solve(Backend::reference, a, Partition::stripes(a.size.rows, n, sum_block_rows), c);
            EXPECT_EQ(many.x, one.x) << n << " ranks, " << many.report.text();
        }
    }
}

TEST(DistributedAutomaticTest, TakesNewValues)
{
    for (const auto& a : {problem("lap2d:30"), cycle(600)}) {
        auto tripled = a;
        for (auto& value : tripled.values) {
            value *= 3;
        }
        const auto partition = Partition::stripes(a.size.rows, 3);
        on_ranks(3, [&](const Communicator& ranks) {
            const auto exec = Executor::reference();
            const auto solver = Automatic<double>::factory({.stop = {.relative_residual = 1e-10}, .patience = 3600})
                                    .generate(share(Matrix::from_whole(exec, ranks, partition, a)));
            const auto chosen = solver->chosen();
            const auto changed = share(Matrix::from_whole(exec, ranks, partition, tripled));
            solver->update_values(changed);
            const auto ones = Dense<double>::filled(exec, {changed->size().rows, 1}, 1);
            auto b = ones.copy();
            changed->apply(ones, b);
            auto x = Dense<double>::filled(exec, ones.size(), 0);
            ASSERT_TRUE(solver->solve(b, x).converged());
            EXPECT_EQ(solver->chosen(), chosen);
            for (const double value : x.to_host()) {
                ASSERT_NEAR(value, 1, 1e-6);
            }
        });
    }
}

/// The text of the report makes the same solver again.
TEST(DistributedAutomaticTest, ItsReportMakesTheSameSolverAgain)
{
    const auto report = solve(Backend::reference, cycle(600), Partition::stripes(600, 2)).report;
    const auto& method = report.attempts.back();
    const auto from_json = config::parse_factory<double>(method.json, "the report");
    const auto from_words = config::parse_short<double>(method.solver, method.preconditioner);
    EXPECT_EQ(config::to_json<double>(from_json), config::to_json<double>(from_words));
}

/// `failures_on_ranks`, or the end of the program, and so a failure of the test, if they wait for ever.
template <class Body>
std::vector<std::exception_ptr> failures_in_time(int n, const Body& body)
{
    auto failures = std::async(std::launch::async, [&] { return failures_on_ranks(n, body); });
    if (failures.wait_for(std::chrono::seconds(60)) != std::future_status::ready) {
        std::fprintf(stderr, "ranks wait for ever\n");
        std::_Exit(1);  // threads cannot be ended
    }
    return failures.get();
}

/// Knows whether an allocation has failed.
class WatchedMemory final : public MemoryResource {
public:
    void fail_allocation(std::int64_t k)
    {
        memory_.fail_allocation(k);
        has_failed_ = false;
    }
    bool has_failed() const { return has_failed_; }

    void* allocate(std::size_t bytes) noexcept override
    {
        void* const data = memory_.allocate(bytes);
        has_failed_ = has_failed_ || (data == nullptr && bytes > 0);
        return data;
    }
    void deallocate(void* data, std::size_t bytes) noexcept override { memory_.deallocate(data, bytes); }

private:
    FaultInjectingMemory memory_{host_memory()};
    bool has_failed_ = false;
};

/// Allocations of one rank fail in their turn: all ranks end by errors, or all go on to another method.
TEST(DistributedAutomaticTest, ARankWithoutMemoryEndsAllOrNone)
{
    const auto memory = std::make_shared<WatchedMemory>();
    const auto course = [&](const Data& a, int faulty_rank, int k, std::vector<std::size_t>& attempts) {
        return failures_in_time(3, [&](const Communicator& ranks) {
            const bool is_faulty = ranks.rank() == faulty_rank;
            const auto exec =
                is_faulty ? Executor::create(Backend::reference, {.memory = memory}) : Executor::reference();
            const auto matrix = share(Matrix::from_whole(exec, ranks, Partition::stripes(a.size.rows, 3), a));
            const auto b = Dense<double>::filled(exec, {matrix->size().rows, 1}, 1);
            auto x = Dense<double>::filled(exec, b.size(), 0);
            ranks.all_gather(0);
            if (is_faulty) {
                memory->fail_allocation(k);
            }
            const auto solver =
                Automatic<double>::factory({.stop = {.max_iterations = 60}, .patience = 3600}).generate(matrix);
            EXPECT_TRUE(solver->solve(b, x).converged() || a.size.rows == 600);
            attempts[static_cast<std::size_t>(ranks.rank())] = solver->report().attempts.size();
        });
    };
    for (const auto& [a, faulty_rank] : {std::pair{problem("lap2d:20"), 1}, std::pair{cycle(600), 0}}) {
        int num_failed = 0, num_recovered = 0;
        for (int k = 1;; ++k) {
            std::vector<std::size_t> attempts(3, 0);
            const auto failures = course(a, faulty_rank, k, attempts);
            const bool has_fired = memory->has_failed();
            memory->fail_allocation(0);
            if (!has_fired) {
                break;
            }
            const auto num =
                std::count_if(failures.begin(), failures.end(), [](const auto& f) { return f != nullptr; });
            EXPECT_TRUE(num == 0 || num == 3) << "allocation " << k;
            num_failed += num == 3;
            num_recovered += num == 0;
            for (int rank = 0; num == 3 && rank < 3; ++rank) {
                const auto& failure = failures[static_cast<std::size_t>(rank)];
                if (rank == faulty_rank) {
                    EXPECT_THROW(std::rethrow_exception(failure), OutOfMemory);
                } else {
                    EXPECT_THROW(std::rethrow_exception(failure), RemoteError);
                }
            }
            EXPECT_EQ(attempts, std::vector<std::size_t>(3, attempts.front()));
        }
        EXPECT_GE(num_failed, 5);
        EXPECT_GE(num_recovered, faulty_rank == 0 ? 5 : 0);
    }
}

TEST(DistributedAutomaticTest, RefusesOtherOperators)
{
    on_ranks(2, [](const Communicator& ranks) {
        const auto matrix =
            share(Matrix::from_whole(Executor::reference(), ranks, Partition::stripes(400, 2), problem("lap2d:20")));
        const LinOpPtr<double> schwarz =
            distributed::Schwarz<double>::factory({.local = Ilu0<double>::factory()}).generate(matrix);
        // The ranks can still be used after what all of them refuse.
        EXPECT_THROW(Automatic<double>::factory({.patience = -1}).generate(matrix), InvalidParameter);
        EXPECT_NO_THROW(Automatic<double>::factory().generate(matrix));
        EXPECT_THROW(Automatic<double>::factory().generate(schwarz), NotSupported);
    });
}

TEST(GatheredTest, SolvesForAllRanks)
{
    const auto a = problem("convdiff3d:6:20");
    auto negated = a;
    for (auto& value : negated.values) {
        value = -value;
    }
    for (const auto backend : rank_backends()) {
        for (const int n : {1, 2, 4}) {
            for (const auto& partition : partitions(a.size.rows, n)) {
                on_ranks(n, [&](const Communicator& ranks) {
                    const auto exec = rank_executor(backend);
                    const auto matrix = share(Matrix::from_whole(exec, ranks, partition, a));
                    const auto m = Gathered<double>::factory().generate(matrix);
                    EXPECT_EQ(m->inner() != nullptr, ranks.rank() == 0);
                    EXPECT_TRUE(m->communicator() == ranks);
                    const auto expected =
                        rows_of(exec, random_block<double>({a.size.rows, 2}, 5), partition, ranks.rank());
                    auto b = expected.copy(), x = expected.copy();
                    const auto expect_solved = [&](double sign) {
                        matrix->apply(expected, b);
                        m->apply(b, x);
                        const auto found = x.to_host(), wanted = expected.to_host();
                        for (std::size_t i = 0; i < found.size(); ++i) {
                            ASSERT_NEAR(found[i], sign * wanted[i], 1e-10);
                        }
                    };
                    expect_solved(1);
                    m->update_values(share(Matrix::from_whole(exec, ranks, partition, negated)));
                    expect_solved(-1);
                });
            }
        }
    }
}

/// Rank 0 alone makes factors; where that fails all ranks learn of it and can go on.
TEST(GatheredTest, AFailureOfRank0IsOneOfAll)
{
    on_ranks(3, [](const Communicator& ranks) {
        const auto matrix =
            share(Matrix::from_whole(Executor::reference(), ranks, Partition::stripes(400, 3), problem("lap2d:20")));
        const FactoryPtr<double> failing = make_factory<double>(
            [](const LinOpPtr<double>&) -> std::unique_ptr<LinOp<double>> { throw OutOfMemory(1, "reference"); });
        try {
            Gmres<double>::factory({.preconditioner = Gathered<double>::factory({.inner = failing})}).generate(matrix);
            ADD_FAILURE() << "no exception";
        } catch (const OutOfMemory&) {
            EXPECT_EQ(ranks.rank(), 0);
            EXPECT_TRUE(ranks.is_agreed(std::current_exception()));
        } catch (const RemoteError& e) {
            EXPECT_NE(ranks.rank(), 0);
            EXPECT_EQ(e.rank, 0);
            EXPECT_TRUE(ranks.is_agreed(std::current_exception()));
        }
        EXPECT_EQ(ranks.all_gather(ranks.rank()), (std::vector<int>{0, 1, 2}));
    });
}

}  // namespace
}  // namespace linden::test
