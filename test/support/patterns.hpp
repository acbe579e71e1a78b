#pragma once

#include <numeric>
#include <tuple>
#include <vector>

#include "core/kernels/pattern.hpp"
#include "core/matrix/make_pattern.hpp"
#include "test/support/kernel_cases.hpp"

/// What the tests of kernels on patterns share.
namespace linden::test {

/// For suites of kernels that know indices only.
using TestedIndices = decltype(detail::as_types(IndexTypes{}));

/// A pattern on the host.
template <class I>
struct HostPattern {
    Dim size;
    std::vector<I> row_ptrs;
    std::vector<I> col_idxs;

    size_type num_nonzeros() const { return static_cast<size_type>(col_idxs.size()); }
};

/// Row pointers, columns and sources of a result.
template <class I>
using Arrays = std::tuple<std::vector<I>, std::vector<I>, std::vector<I>>;

/// A pattern in an executor's memory.
template <class I>
class PatternOn {
public:
    PatternOn(const Executor& exec, const HostPattern<I>& a)
        : size_(a.size),
          row_ptrs_(exec, a.row_ptrs),
          col_idxs_(exec, a.col_idxs)
    {
    }

    PatternView<I> view() const
    {
        return {size_.rows, size_.cols, col_idxs_.size(), row_ptrs_.data(), col_idxs_.data()};
    }

private:
    Dim size_;
    Array<I> row_ptrs_;
    Array<I> col_idxs_;
};

/// Sorted and unique columns, see random_csr.
template <class I>
HostPattern<I> random_pattern(Random& random, Dim size, size_type mean, Pattern kind)
{
    auto a = random_csr<double, I>(random, size, mean, kind);
    return {a.size, std::move(a.row_ptrs), std::move(a.col_idxs)};
}

/// Columns in any order, and some twice.
template <class I>
HostPattern<I> random_disorder(Random& random, Dim size, size_type mean, Pattern kind)
{
    auto a = random_pattern<I>(random, size, mean, kind);
    for (std::size_t row = 0; row + 1 < a.row_ptrs.size(); ++row) {
        for (auto k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            const auto other = random.integer(a.row_ptrs[row], a.row_ptrs[row + 1]);
            std::swap(a.col_idxs[k], a.col_idxs[other]);
            if (random.integer(0, 4) == 0) {
                a.col_idxs[k] = a.col_idxs[other];
            }
        }
    }
    return a;
}

/// Calls f(pattern) for random patterns of all sizes and kinds, square, wide and tall, made by `make`.
template <class Make, class F>
void for_each_random_pattern(std::uint64_t seed, const Make& make, const F& f)
{
    Random random(seed);
    for (const size_type rows : {0, 1, 31, 32, 33, 597, 3000}) {
        for (const auto kind : all_patterns) {
            for (const size_type cols : {rows, rows / 2, 2 * rows + 5}) {
                SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(cols));
                f(make(random, Dim{rows, cols}, kind));
            }
        }
    }
}

template <class I, class F>
void for_each_sorted_pattern(std::uint64_t seed, const F& f)
{
    for_each_random_pattern(
        seed,
        [](Random& random, Dim size, Pattern kind) {
            return random_pattern<I>(random, size, size.rows < 100 ? 12 : 5, kind);
        },
        f);
}

template <class I, class F>
void for_each_disordered_pattern(std::uint64_t seed, const F& f)
{
    for_each_random_pattern(
        seed,
        [](Random& random, Dim size, Pattern kind) {
            return random_disorder<I>(random, size, size.rows < 100 ? 30 : 5, kind);
        },
        f);
}

/// One dense row of 20000 columns in disorder, each twice, between rows of one entry.
template <class I>
HostPattern<I> one_long_row()
{
    constexpr I length = 20000;
    HostPattern<I> a{{3, length}, {0, 1, 2 * length + 1, 2 * length + 2}, {7}};
    for (I k = 0; k < 2 * length; ++k) {
        a.col_idxs.push_back(static_cast<I>((std::int64_t{7919} * k + 11) % length));
    }
    a.col_idxs.push_back(0);
    return a;
}

/// Many short rows, of which successive ones share columns, and a long one among them.
template <class I>
HostPattern<I> rows_beside_each_other()
{
    constexpr I rows = 70000, cols = 40000, long_row = 12345;
    HostPattern<I> a{{rows, cols}, {0}, {}};
    for (I row = 0; row < rows; ++row) {
        if (row == long_row) {
            for (I k = 0; k < 5000; ++k) {
                a.col_idxs.push_back(8 * k);
            }
        } else if (row % 11 != 0) {
            const I far = static_cast<I>(std::int64_t{7919} * row % 10000);
            a.col_idxs.insert(a.col_idxs.end(), {row / 3, row / 3 + 1, 30000 + far});
        }
        a.row_ptrs.push_back(static_cast<I>(a.col_idxs.size()));
    }
    return a;
}

/// The numbers 0, ..., n - 1 in a mixed order. n is no multiple of 7.
template <class I>
std::vector<I> mixed_order(size_type n)
{
    std::vector<I> p(static_cast<std::size_t>(n));
    const size_type step = n % 7 == 0 ? 1 : 7;
    for (size_type i = 0; i < n; ++i) {
        p[i] = static_cast<I>((step * i + 3) % n);
    }
    return p;
}

/// The pattern that a count and a fill make, see detail::make_pattern.
template <class I, class Count, class Fill>
Arrays<I> filled_pattern(const Executor& exec, size_type rows, const Count& count, const Fill& fill)
{
    const auto made = ::linden::detail::make_pattern<I>(exec, {rows, 0}, true, count, fill);
    return {made.row_ptrs.to_host(), made.col_idxs.to_host(), made.source.to_host()};
}

/// `run(exec)` returns the same on every executor as on the reference.
template <class Run>
void expect_equal_to_reference(const Run& run)
{
    const auto expected = run(reference_executor());
    on_each_other_executor([&](const Executor& exec) { EXPECT_TRUE(run(exec) == expected); });
}

}  // namespace linden::test
