// needs: double int32
#include <linden/distributed/io.hpp>
#include <linden/distributed/schwarz.hpp>
#include <linden/memory.hpp>
#include <linden/preconditioner/adapted_deflation.hpp>
#include <linden/preconditioner/ic.hpp>
#include <linden/preconditioner/jacobi.hpp>
#include <linden/solver/bicgstab.hpp>
#include <linden/solver/cg.hpp>
#include <linden/solver/deflated_cg.hpp>
#include <linden/solver/gmres.hpp>

#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <limits>
#include <stdexcept>

#include "test/support/ranks.hpp"

/// Faults planted on one rank of three: all ranks end, and those that did not fail by a typed error that names the one
/// that did.
namespace linden::test {
namespace {

using distributed::Partition;
using distributed::Schwarz;
using Matrix = distributed::Matrix<double, std::int32_t>;
using Data = TestCsr<double>;

constexpr int num_ranks = 3;
constexpr int faulty_rank = 1;
constexpr size_type num_rows = 144;

/// `failures_on_ranks`, or the end of the program, and so a failure of the test, if they wait for ever.
template <class Body>
std::vector<std::exception_ptr> failures_in_time(const std::string& fault, const Body& body)
{
    auto failures = std::async(std::launch::async, [&] { return failures_on_ranks(num_ranks, body); });
    if (failures.wait_for(std::chrono::seconds(60)) != std::future_status::ready) {
        std::fprintf(stderr, "ranks wait for ever: %s\n", fault.c_str());
        std::_Exit(1);  // threads cannot be ended
    }
    return failures.get();
}

/// What happens on the way of a solve. A fault is a change of one of these on the faulty rank.
struct Plan {
    Executor exec = Executor::reference();
    Data matrix = laplace_2d<double>(12);
    Data new_matrix = laplace_2d<double>(12);
    Partition partition = Partition::stripes(num_rows, num_ranks);
    std::function<FactoryPtr<double>(FactoryPtr<double>)> make_solver = [](FactoryPtr<double> m) {
        return Cg<double>::factory({.stop = {.relative_residual = 1e-10}, .preconditioner = std::move(m)});
    };
    std::function<void()> in_factory = [] {}, in_update = [] {};
    std::function<void(int)> in_application = [](int) {};  // counts them from 1
    std::function<void(int)> in_product = [](int) {};
    int nan_in = 0;              // the application whose result is NaN
    bool is_plain = false;       // products are those of the matrix alone
    size_type missing_rows = 0;  // of b
    size_type num_rhs = 1;
    SolveOptions options;
    std::function<void(const Communicator&)> before_solve = [](const Communicator&) {};
};

/// The identity, or a matrix, with something before each application.
class Watched final : public LinOp<double> {
public:
    Watched(LinOpPtr<double> op, bool is_matrix, std::function<void(int)> before, std::function<void()> in_update = {},
            int nan_in = 0)
        : LinOp<double>(op->executor(), op->size()),
          op_(std::move(op)),
          is_matrix_(is_matrix),
          before_(std::move(before)),
          in_update_(std::move(in_update)),
          nan_in_(nan_in)
    {
    }
    std::string name() const override { return "Watched"; }
    Communicator communicator() const override { return is_matrix_ ? op_->communicator() : Communicator::self(); }
    void update_values(LinOpPtr<double>) override { in_update_(); }

protected:
    using LinOp<double>::apply_impl;
    void apply_impl(const Dense<double>& b, Dense<double>& x) const override
    {
        before_(++num_applications_);
        if (is_matrix_) {
            op_->apply(b, x);
        } else {
            x.copy_from(b);
        }
        if (num_applications_ == nan_in_) {
            x.fill(std::numeric_limits<double>::quiet_NaN());
        }
    }

private:
    LinOpPtr<double> op_;
    bool is_matrix_;
    std::function<void(int)> before_;
    std::function<void()> in_update_;
    int nan_in_;
    mutable int num_applications_ = 0;
};

/// The whole course; the status of the solve.
SolveStatus run(const Communicator& ranks, const Plan& plan)
{
    const auto matrix = share(Matrix::from_whole(plan.exec, ranks, plan.partition, plan.matrix));
    const auto operator_of = [&](const LinOpPtr<double>& a) {
        return plan.is_plain ? a : std::make_shared<Watched>(a, true, plan.in_product);
    };
    const FactoryPtr<double> m = make_factory<double>([&](const LinOpPtr<double>& a) {
        plan.in_factory();
        return std::make_unique<Watched>(a, false, plan.in_application, plan.in_update, plan.nan_in);
    });
    const auto solver = plan.make_solver(m)->make(operator_of(matrix));
    ranks.guard([&] {
        const auto changed = share(Matrix::from_whole(plan.exec, ranks, plan.partition, plan.new_matrix));
        solver->update_values(operator_of(changed));
    });
    ranks.guard([&] { plan.before_solve(ranks); });
    const auto rows = matrix->size().rows;
    const auto b = Dense<double>::filled(plan.exec, {rows - plan.missing_rows, plan.num_rhs}, 1);
    auto x = Dense<double>::filled(plan.exec, {rows, plan.num_rhs}, 0);
    return static_cast<const Solver<double>&>(*solver).solve(b, x, plan.options).status();
}

struct Fault {
    std::string name;
    std::function<void(Plan&)> plant;
    std::string message;  ///< part of the text of the exception on the faulty rank, and of what the others are told
    std::function<void(Plan&)> prepare = [](Plan&) {};  ///< of all ranks
};

[[noreturn]] void fail(const std::string& text) { throw std::runtime_error(text); }

/// fails in the application of this number
std::function<void(int)> in(int number, std::function<void()> act)
{
    return [=](int application) {
        if (application == number) {
            act();
        }
    };
}

template <class Solver>
void use(Plan& plan)
{
    plan.make_solver = [](FactoryPtr<double> m) { return Solver::factory({.preconditioner = std::move(m)}); };
}

void use_schwarz(Plan& plan, const FactoryPtr<double>& local, size_type overlap, size_type coarse = 0)
{
    plan.is_plain = true;
    plan.make_solver = [=](const FactoryPtr<double>&) {
        return Cg<double>::factory(
            {.preconditioner = Schwarz<double>::factory({.local = local,
                                                         .overlap = overlap,
                                                         .restricted = false,
                                                         .coarse = coarse,
                                                         .coarse_kind = distributed::CoarseDomains::stripes})});
    };
}

void use_deflation(Plan& plan)
{
    plan.is_plain = true;
    plan.make_solver = [](FactoryPtr<double> m) {
        return DeflatedCg<double>::factory({.preconditioner = std::move(m), .deflation = {.vectors = 7}});
    };
}

void use_adapted_deflation(Plan& plan)
{
    plan.is_plain = true;
    plan.make_solver = [](FactoryPtr<double> m) {
        return BiCgStab<double>::factory({.preconditioner = AdaptedDeflation<double>::factory(
                                              {.preconditioner = std::move(m), .deflation = {.vectors = 7}})});
    };
}

FactoryPtr<double> failing_factory()
{
    return make_factory<double>([](const LinOpPtr<double>&) -> std::unique_ptr<LinOp<double>> { fail("no factors"); });
}

class Criterion final : public StoppingCriterion {
public:
    SolveStatus check(const IterationInfo&) override { fail("criterion"); }
};

class Observer final : public SolveObserver {
public:
    bool observe(const IterationInfo&) override { fail("observer"); }
};

std::vector<Fault> user_code()
{
    const auto out_of_memory = [] { throw OutOfMemory(4096, "reference"); };
    const auto text = [](const char* t) { return [=] { fail(t); }; };
    return {
        {"the preconditioner in application 1", [=](Plan& p) { p.in_application = in(1, text("first")); }, "first"},
        {"the preconditioner in iteration 7", [=](Plan& p) { p.in_application = in(7, text("seventh")); }, "seventh"},
        {"out of memory in iteration 7", [=](Plan& p) { p.in_application = in(7, out_of_memory); }, "4096"},
        {"no std::exception", [](Plan& p) { p.in_application = in(3, [] { throw 3; }); }, "not std::exception"},
        {"the product of iteration 1", [=](Plan& p) { p.in_product = in(2, text("product")); }, "product"},
        {"the product of iteration 7", [=](Plan& p) { p.in_product = in(8, text("product")); }, "product"},
        {"bad_alloc in a product", [](Plan& p) { p.in_product = in(4, [] { throw std::bad_alloc(); }); }, "bad_alloc"},
        {"the factory", [=](Plan& p) { p.in_factory = text("factory"); }, "factory"},
        {"the factory is out of memory", [=](Plan& p) { p.in_factory = out_of_memory; }, "4096"},
        {"new values", [=](Plan& p) { p.in_update = text("update"); }, "update"},
        {"code of the user before the solve",
         [=](Plan& p) { p.before_solve = [](const Communicator&) { fail("own"); }; }, "own"},
        {"BiCgStab, application 7", [=](Plan& p) { p.in_application = in(7, text("seventh")); }, "seventh",
         use<BiCgStab<double>>},
        {"BiCgStab, product 6", [=](Plan& p) { p.in_product = in(6, text("product")); }, "product",
         use<BiCgStab<double>>},
        {"Gmres, application 7", [=](Plan& p) { p.in_application = in(7, text("seventh")); }, "seventh",
         use<Gmres<double>>},
        {"Gmres, product 5", [=](Plan& p) { p.in_product = in(5, text("product")); }, "product", use<Gmres<double>>},
        {"a single reduction", [=](Plan& p) { p.in_application = in(7, text("seventh")); }, "seventh",
         [](Plan& p) {
             p.make_solver = [](FactoryPtr<double> m) {
                 return Cg<double>::factory({.preconditioner = std::move(m), .single_reduction = true});
             };
         }},
        {"deflated CG, application 7", [=](Plan& p) { p.in_application = in(7, text("seventh")); }, "seventh",
         use_deflation},
        {"a factory in deflated CG", [=](Plan& p) { p.in_factory = text("factory"); }, "factory", use_deflation},
        {"new values of deflated CG", [=](Plan& p) { p.in_update = text("update"); }, "update", use_deflation},
        {"adapted deflation, application 5", [=](Plan& p) { p.in_application = in(5, text("fifth")); }, "fifth",
         use_adapted_deflation},
        {"a factory in adapted deflation", [=](Plan& p) { p.in_factory = text("factory"); }, "factory",
         use_adapted_deflation},
        {"new values of adapted deflation", [=](Plan& p) { p.in_update = text("update"); }, "update",
         use_adapted_deflation},
        {"a factory in Schwarz", [](Plan& p) { use_schwarz(p, failing_factory(), 0); }, "no factors",
         [](Plan& p) { use_schwarz(p, Jacobi<double>::factory(), 0); }},
        {"a factory in Schwarz with overlap", [](Plan& p) { use_schwarz(p, failing_factory(), 1); }, "no factors",
         [](Plan& p) { use_schwarz(p, Jacobi<double>::factory(), 1); }},
    };
}

std::vector<Fault> wrong_input()
{
    const auto change_matrix = [](auto act) { return [=](Plan& p) { act(p.matrix); }; };
    return {
        {"b is too short", [](Plan& p) { p.missing_rows = 1; }, "b"},
        {"a partition for other ranks", [](Plan& p) { p.partition = Partition::stripes(num_rows, 5); }, "5 ranks"},
        {"a partition of another matrix", [](Plan& p) { p.partition = Partition::stripes(200, num_ranks); }, "144"},
        {"a matrix of another size", change_matrix([](Data& a) { a = laplace_2d<double>(11); }), "121"},
        {"a column out of range", change_matrix([](Data& a) { a.col_idxs[300] = 1000; }), "1000"},
        {"a negative column", change_matrix([](Data& a) { a.col_idxs[300] = -1; }), "-1"},
        {"columns and values of different numbers", change_matrix([](Data& a) { a.values.resize(400); }), "400 values"},
        {"new values of another size", [](Plan& p) { p.new_matrix = laplace_2d<double>(13); }, "169"},
    };
}

void expect_all_end(const Fault& fault)
{
    SCOPED_TRACE(fault.name);
    const auto failures = failures_in_time(fault.name, [&](const Communicator& ranks) {
        Plan plan;
        fault.prepare(plan);
        if (ranks.rank() == faulty_rank) {
            fault.plant(plan);
        }
        run(ranks, plan);
    });
    for (int rank = 0; rank < num_ranks; ++rank) {
        const auto& failure = failures[static_cast<std::size_t>(rank)];
        ASSERT_TRUE(failure) << "rank " << rank << " ended without an error";
        try {
            std::rethrow_exception(failure);
        } catch (const RemoteError& e) {
            EXPECT_NE(rank, faulty_rank) << e.what();
            EXPECT_EQ(e.rank, faulty_rank) << e.what();
            EXPECT_NE(e.message.find(fault.message), std::string::npos) << e.what();
            EXPECT_FALSE(e.type.empty());
        } catch (const std::exception& e) {
            EXPECT_EQ(rank, faulty_rank) << e.what();
            EXPECT_NE(std::string(e.what()).find(fault.message), std::string::npos) << e.what();
        } catch (int) {
            EXPECT_EQ(rank, faulty_rank);
        }
    }
}

TEST(DistributedFaultsTest, CodeOfTheUserThatFailsEndsAllRanks)
{
    for (const auto& fault : user_code()) {
        expect_all_end(fault);
    }
}

TEST(DistributedFaultsTest, WrongInputOfOneRankEndsAllRanks)
{
    for (const auto& fault : wrong_input()) {
        expect_all_end(fault);
    }
}

/// Each allocation of the faulty rank fails in its turn, from the matrix to the solve, until there are no more.
void expect_end_at_each_allocation(void (*prepare)(Plan&))
{
    const auto memory = std::make_shared<FaultInjectingMemory>(host_memory());
    const auto exec = Executor::reference({.memory = memory});
    int num_failed = 0;
    for (int k = 1; k < 1000; k += 1 + k / 8) {
        memory->fail_allocation(k);
        const auto failures = failures_in_time("allocation " + std::to_string(k), [&](const Communicator& ranks) {
            Plan plan;
            prepare(plan);
            if (ranks.rank() == faulty_rank) {
                plan.exec = exec;
            }
            run(ranks, plan);
        });
        memory->fail_allocation(0);
        if (!failures[faulty_rank]) {
            break;
        }
        ++num_failed;
        for (int rank = 0; rank < num_ranks; ++rank) {
            const auto& failure = failures[static_cast<std::size_t>(rank)];
            ASSERT_TRUE(failure) << "rank " << rank << ", allocation " << k;
            const auto text = text_of(failure);
            EXPECT_NE(text.find("memory"), std::string::npos) << text;
        }
    }
    EXPECT_GE(num_failed, 20);
}

TEST(DistributedFaultsTest, AnyAllocationThatFailsEndsAllRanks)
{
    expect_end_at_each_allocation([](Plan& plan) { use_schwarz(plan, Ic0<double>::factory(), 1, 2); });
}

TEST(DistributedFaultsTest, SoDoesAnyOfDeflation)
{
    expect_end_at_each_allocation(use_deflation);
    expect_end_at_each_allocation(use_adapted_deflation);
}

/// What criteria and observers say counts on rank 0 alone, so those of others are never asked.
TEST(DistributedFaultsTest, CriteriaAndObserversFailOnTheFirstRankOnly)
{
    for (const bool observed : {false, true}) {
        for (const int asked : {0, 1}) {
            const auto failures = failures_in_time("criterion or observer", [&](const Communicator& ranks) {
                class Quiet final : public StoppingCriterion {
                public:
                    SolveStatus check(const IterationInfo&) override { return SolveStatus::running; }
                };
                class Content final : public SolveObserver {
                public:
                    bool observe(const IterationInfo&) override { return true; }
                };
                Plan plan;
                const bool fails = ranks.rank() == asked;
                if (observed) {
                    plan.options.observer = fails ? std::shared_ptr<SolveObserver>(std::make_shared<Observer>())
                                                  : std::make_shared<Content>();
                } else {
                    plan.options.criteria = {fails ? std::shared_ptr<StoppingCriterion>(std::make_shared<Criterion>())
                                                   : std::make_shared<Quiet>()};
                }
                EXPECT_EQ(run(ranks, plan), SolveStatus::converged);
            });
            for (int rank = 0; rank < num_ranks; ++rank) {
                EXPECT_EQ(failures[static_cast<std::size_t>(rank)] != nullptr, asked == 0) << "rank " << rank;
            }
        }
    }
}

/// An observer that has seen enough on the first rank ends the solve on all of them, in the same iteration.
TEST(DistributedFaultsTest, AnObserverEndsAllRanks)
{
    failures_in_time("observer", [](const Communicator& ranks) {
        class Ends final : public SolveObserver {
        public:
            explicit Ends(bool at_once) : at_once_(at_once) {}
            bool observe(const IterationInfo&) override { return !at_once_; }

        private:
            bool at_once_;
        };
        Plan plan;
        plan.options.observer = std::make_shared<Ends>(ranks.rank() == 0);
        EXPECT_EQ(run(ranks, plan), SolveStatus::interrupted);
    });
}

/// Ranks that ask for different solves: no rank is right, so each has an error of its own.
TEST(DistributedFaultsTest, DifferentSolvesEndOnAllRanks)
{
    const std::pair<const char*, std::function<void(Plan&)>> cases[] = {
        {"right-hand sides", [](Plan& p) { p.num_rhs = 2; }},
        {"limits", [](Plan& p) { p.options.max_iterations = 3; }},
        {"methods", [](Plan& p) { use<Gmres<double>>(p); }},
        {"tolerances",
         [](Plan& p) {
             p.make_solver = [](FactoryPtr<double> m) {
                 return Cg<double>::factory({.stop = {.relative_residual = 1e-3}, .preconditioner = std::move(m)});
             };
         }},
        {"observers", [](Plan& p) { p.options.observer = std::make_shared<Observer>(); }},
    };
    for (const auto& [name, plant] : cases) {
        const auto failures = failures_in_time(name, [&, change = &plant](const Communicator& ranks) {
            Plan plan;
            if (ranks.rank() == faulty_rank) {
                (*change)(plan);
            }
            run(ranks, plan);
        });
        for (const auto& failure : failures) {
            ASSERT_TRUE(failure) << name;
            EXPECT_THROW(std::rethrow_exception(failure), InvalidParameter) << name;
        }
    }
}

/// A NaN of one rank is an outcome of the method, the same on all ranks.
TEST(DistributedFaultsTest, NotANumberOfOneRankEndsAllAlike)
{
    const std::function<void(Plan&)> plants[] = {
        [](Plan& p) { p.nan_in = 1; }, [](Plan& p) { p.nan_in = 7; },
        [](Plan& p) { p.new_matrix.values[250] = std::numeric_limits<double>::quiet_NaN(); }};
    for (const auto& plant : plants) {
        const auto failures = failures_in_time("NaN", [&](const Communicator& ranks) {
            Plan plan;
            if (ranks.rank() == faulty_rank) {
                plant(plan);
            }
            EXPECT_EQ(run(ranks, plan), SolveStatus::not_a_number);
        });
        for (const auto& failure : failures) {
            EXPECT_FALSE(failure);
        }
    }
}

/// A file of which only the share of one rank is bad.
TEST(DistributedFaultsTest, BadFilesEndAllRanks)
{
    std::string good = "%%MatrixMarket matrix coordinate real general\n30 30 30\n";
    for (int row = 1; row <= 30; ++row) {
        good += std::to_string(row) + " " + std::to_string(row) + " 4\n";
    }
    const auto with = [&](const std::string& from, const std::string& to) {
        auto text = good;
        return text.replace(text.find(from), from.size(), to);
    };
    const std::string files[] = {with("\n15 15 4", "\n15 x 4"),
                                 with("\n15 15 4", "\n15 31 4"),
                                 with("\n15 15 4", "\n15 15"),
                                 with("\n15 15 4\n", "\n"),
                                 with("30 30 30", "30 30 31"),
                                 with("coordinate", "coordinat"),
                                 with("30 30 30", "30 30"),
                                 good.substr(0, 20),
                                 "\x1f\x8b broken",
                                 ""};
    const auto path =
        (std::filesystem::temp_directory_path() / ("linden_faults_" + std::to_string(getpid()) + ".mtx")).string();
    for (const auto& text : files) {
        std::ofstream(path, std::ios::binary) << text;
        for (const auto& failure :
             failures_in_time(text, [&](const Communicator& ranks) { distributed::read_rows<double>(ranks, path); })) {
            ASSERT_TRUE(failure) << text;
            EXPECT_NE(text_of(failure).find(path), std::string::npos) << text_of(failure);
        }
        std::filesystem::remove(path);
    }
}

}  // namespace
}  // namespace linden::test
