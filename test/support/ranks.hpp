#pragma once

#include <linden/distributed/matrix.hpp>
#include <linden/distributed/vector.hpp>
#include <linden/matrix/dense.hpp>

#include <gtest/gtest.h>

#include <complex>
#include <exception>
#include <thread>
#include <vector>

#include "test/support/matrices.hpp"
#include "test/support/problems.hpp"

/// Tests with several ranks, which are threads.
namespace linden::test {

/// Calls body(communicator) on each of n ranks; what each has thrown, null for those that have not.
template <class Body>
std::vector<std::exception_ptr> failures_on_ranks(int n, const Body& body)
{
    const auto ranks = Communicator::threads(n);
    std::vector<std::exception_ptr> failures(ranks.size());
    {
        std::vector<std::jthread> threads;
        for (std::size_t r = 0; r < ranks.size(); ++r) {
            threads.emplace_back([&, r] {
                try {
                    ranks[r].guard([&] { body(ranks[r]); });
                } catch (...) {
                    failures[r] = std::current_exception();
                }
            });
        }
    }
    return failures;
}

inline std::string text_of(std::exception_ptr failure)
{
    try {
        std::rethrow_exception(failure);
    } catch (const std::exception& e) {
        return e.what();
    }
}

/// The same; the test fails where a rank throws.
template <class Body>
void on_ranks(int n, const Body& body)
{
    const auto failures = failures_on_ranks(n, body);
    for (std::size_t r = 0; r < failures.size(); ++r) {
        if (failures[r]) {
            ADD_FAILURE() << "rank " << r << " of " << n << ": " << text_of(failures[r]);
        }
    }
}

/// The executors that several ranks compute on, each rank with its own.
inline Executor rank_executor(Backend backend) { return Executor::create(backend, {.threads = 2}); }
inline std::vector<Backend> rank_backends()
{
    std::vector<Backend> backends{Backend::reference};
    if (backend_info(Backend::omp).built) {
        backends.push_back(Backend::omp);
    }
    return backends;
}

/// The rows of `whole` that a rank owns.
template <class V>
Dense<V> rows_of(const Executor& exec, const DenseData<V>& whole, const distributed::Partition& partition, int rank)
{
    const auto cols = whole.size.cols;
    std::vector<V> values(whole.values.begin() + partition.first(rank) * cols,
                          whole.values.begin() + partition.first(rank + 1) * cols);
    return Dense<V>::adopt(Executor::reference(), {partition.num_rows(rank), cols}, cols, values.data()).copy(exec);
}

template <class V>
DenseData<V> random_block(Dim size, std::uint64_t seed)
{
    Random random(seed);
    DenseData<V> block{size, {}};
    for (size_type i = 0; i < size.rows * size.cols; ++i) {
        block.values.push_back(random.value<V>());
    }
    return block;
}

/// Partitions of n rows for P ranks: even ones, ones in which the first rank and the last own nothing, and ones in
/// which one rank owns all.
inline std::vector<distributed::Partition> partitions(size_type n, int ranks)
{
    std::vector<distributed::Partition> result{distributed::Partition::stripes(n, ranks)};
    if (ranks > 2) {
        std::vector<std::int64_t> firsts{0};
        for (std::int64_t r = 0; r <= ranks - 2; ++r) {
            firsts.push_back(n * r / (ranks - 2));
        }
        firsts.push_back(n);
        result.emplace_back(firsts);
    }
    if (ranks > 1) {
        std::vector<std::int64_t> firsts(static_cast<std::size_t>(ranks) + 1, n);
        firsts.front() = 0;
        firsts[1] = 0;
        result.emplace_back(firsts);
    }
    return result;
}

}  // namespace linden::test
