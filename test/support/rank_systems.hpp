#pragma once

#include <linden/solver/solver.hpp>

#include <utility>

#include "test/support/ranks.hpp"

/// Systems that several ranks solve together.
namespace linden::test {

/// The matrix, and the rank's block of b and of x = 0.
struct SpreadSystem {
    using Data = CsrData<double, std::int32_t>;
    using Matrix = distributed::Matrix<double, std::int32_t>;

    SpreadSystem(const Communicator& ranks, Executor executor, const Data& a, const distributed::Partition& partition,
                 size_type cols = 1)
        : exec(std::move(executor)),
          matrix(share(Matrix::from_whole(exec, ranks, partition, a))),
          b(rows_of(exec, random_block<double>({a.size.rows, cols}, 12), partition, ranks.rank())),
          x(Dense<double>::filled(exec, b.size(), 0))
    {
    }
    SpreadSystem(const Communicator& ranks, Backend backend, const Data& a, const distributed::Partition& partition,
                 size_type cols = 1)
        : SpreadSystem(ranks, rank_executor(backend), a, partition, cols)
    {
    }
    std::vector<double> gather() const
    {
        return distributed::Vector<double>(matrix->communicator(), matrix->partition(), x.copy()).gather().values;
    }

    Executor exec;
    std::shared_ptr<const Matrix> matrix;
    Dense<double> b, x;
};

/// What all ranks found, which must be the same on each.
struct Outcome {
    SolveStatus status = SolveStatus::running;
    size_type iterations = 0;
    std::vector<double> x;
};

inline Outcome solve(Backend backend, const SpreadSystem::Data& a, const distributed::Partition& partition,
                     const FactoryPtr<double>& factory, size_type cols = 1)
{
    Outcome outcome;
    on_ranks(partition.num_ranks(), [&](const Communicator& ranks) {
        SpreadSystem system(ranks, backend, a, partition, cols);
        const auto solver = factory->make(system.matrix);
        const auto result = static_cast<const Solver<double>&>(*solver).solve(system.b, system.x);
        EXPECT_EQ(ranks.from_first([&] { return result.iterations(); }), result.iterations());
        EXPECT_EQ(ranks.from_first([&] { return result.columns[0].residual; }), result.columns[0].residual);
        const auto x = system.gather();
        if (ranks.rank() == 0) {
            outcome = {result.status(), result.iterations(), x};
        }
    });
    return outcome;
}

inline void expect_close(const std::vector<double>& x, const std::vector<double>& expected, double tolerance)
{
    ASSERT_EQ(x.size(), expected.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        ASSERT_NEAR(x[i], expected[i], tolerance) << "value " << i;
    }
}

struct Messages {
    double sums, exchanges;
};

/// On three ranks, per iteration, from two solves that are cut off.
inline Messages messages_per_iteration(Backend backend, const FactoryPtr<double>& factory,
                                       const SpreadSystem::Data& a = laplace_2d<double>(30, 1))
{
    Messages result{};
    on_ranks(3, [&](const Communicator& ranks) {
        SpreadSystem system(ranks, backend, a, distributed::Partition::stripes(a.size.rows, 3));
        const auto solver = factory->make(system.matrix);
        const auto count = [&](size_type iterations) {
            const auto before = ranks.counters();
            system.x.fill(0);
            static_cast<const Solver<double>&>(*solver).solve(system.b, system.x, {.max_iterations = iterations});
            auto after = ranks.counters();
            return std::pair{static_cast<double>(after.gathers - before.gathers),
                             static_cast<double>(after.exchanges - before.exchanges)};
        };
        const auto few = count(5), many = count(15);
        if (ranks.rank() == 0) {
            result = {(many.first - few.first) / 10, (many.second - few.second) / 10};
        }
    });
    return result;
}

}  // namespace linden::test
