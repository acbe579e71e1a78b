// needs: double int32
#include <linden/preconditioner/neumann.hpp>

#include "test/support/rank_systems.hpp"

/// Truncated Neumann series over ranks.
namespace linden::test {
namespace {

using distributed::Partition;
using I = std::int32_t;
using Data = SpreadSystem::Data;
using Matrix = SpreadSystem::Matrix;

std::vector<double> applied_alone(const Data& a, const Neumann<double>::Parameters& p, const Dense<double>& b)
{
    const auto m = Neumann<double>::factory(p).generate(share(Csr<double, I>(b.executor(), a)));
    auto x = Dense<double>::filled(b.executor(), b.size(), 0);
    m->apply(b, x);
    return x.to_host();
}

/// Sums of rows have the same order, but for four of them at a time on some backends.
TEST(DistributedNeumannTest, IsThatOfOneProcess)
{
    Random random(3);
    const Data matrices[] = {laplace_2d<double>(9, 0.6), random_dominant<double>(random, 60)};
    for (const auto& a : matrices) {
        const auto n = a.size.rows;
        for (const auto backend : rank_backends()) {
            const auto b =
                rows_of(rank_executor(backend), random_block<double>({n, 3}, 12), Partition::stripes(n, 1), 0);
            for (const size_type order : {0, 1, 2, 3, 4, 5}) {
                const auto expected = applied_alone(a, {.order = order}, b);
                for (const int ranks_used : {1, 2, 3, 4}) {
                    for (const auto& partition : partitions(n, ranks_used)) {
                        on_ranks(ranks_used, [&](const Communicator& ranks) {
                            SpreadSystem system(ranks, backend, a, partition, 3);
                            const auto m = Neumann<double>::factory({.order = order}).generate(system.matrix);
                            EXPECT_EQ(m->communicator(), system.matrix->communicator());
                            const auto before = ranks.counters();
                            m->apply(system.b, system.x);
                            const auto after = ranks.counters();
                            EXPECT_EQ(after.gathers, before.gathers);
                            EXPECT_LE(after.exchanges - before.exchanges, static_cast<std::uint64_t>(2 * order));
                            expect_close(system.gather(), expected, 1e-13);
                        });
                    }
                }
            }
        }
    }
}

TEST(DistributedNeumannTest, NewValuesAndZerosOnTheDiagonal)
{
    const auto a = laplace_2d<double>(8);
    auto changed = a;
    for (std::size_t row = 0; row < 64; ++row) {
        for (auto k = static_cast<std::size_t>(a.row_ptrs[row]); k < static_cast<std::size_t>(a.row_ptrs[row + 1]);
             ++k) {
            const bool is_diagonal = a.col_idxs[k] == static_cast<I>(row);
            changed.values[k] = is_diagonal && row % 9 == 0 ? 0 : a.values[k] * (1 + static_cast<double>(row) / 100);
        }
    }
    const Neumann<double>::Parameters p{.order = 2, .storage = StoragePrecision::single};
    const auto whole = Partition::stripes(64, 1);
    const auto b = rows_of(Executor::reference(), random_block<double>({64, 1}, 12), whole, 0);
    const auto expected = applied_alone(changed, p, b);
    on_ranks(3, [&](const Communicator& ranks) {
        const Partition partition({0, 20, 20, 64});
        SpreadSystem system(ranks, Backend::reference, a, partition);
        auto m = Neumann<double>::factory(p).generate(system.matrix);
        EXPECT_EQ(m->num_zero_diagonals(), 0);
        m->update_values(share(Matrix::from_whole(system.exec, ranks, partition, changed)));
        m->apply(system.b, system.x);
        expect_close(system.gather(), expected, 1e-13);
        size_type num_zeros = 0;
        for (const auto zeros : ranks.all_gather(m->num_zero_diagonals())) {
            num_zeros += zeros;
        }
        EXPECT_EQ(num_zeros, 8);
        EXPECT_THROW(m->update_values(share(Matrix::from_whole(system.exec, ranks, Partition({0, 0, 20, 64}), a))),
                     Error);
    });
}

}  // namespace
}  // namespace linden::test
