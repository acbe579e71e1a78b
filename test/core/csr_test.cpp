// needs: double int32
#include <linden/error.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/matrix/operations.hpp>

#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "test/support/backends.hpp"

namespace linden {
namespace {

using test::on_each_executor;
using test::tested_executors;
using I = std::int32_t;

static_assert(is_value_type<float> && is_value_type<std::complex<double>>);
static_assert(!is_value_type<int> && !is_value_type<long double> && !is_value_type<std::complex<long double>>);
static_assert(is_index_type<I> && is_index_type<std::int64_t> && !is_index_type<unsigned> && !is_index_type<short>);

/// 1 . 2
/// . . .
/// 3 4 .
/// . . 5
const CsrData<double, I> four_by_three{{4, 3}, {0, 2, 2, 4, 5}, {0, 2, 0, 1, 2}, {1, 2, 3, 4, 5}};

void expect_same(const CsrData<double, I>& actual, const CsrData<double, I>& expected)
{
    EXPECT_EQ(actual.size, expected.size);
    EXPECT_EQ(actual.row_ptrs, expected.row_ptrs);
    EXPECT_EQ(actual.col_idxs, expected.col_idxs);
    EXPECT_EQ(actual.values, expected.values);
}

/// A (1, 2, 3)
std::vector<double> applied(const LinOp<double>& a)
{
    Dense<double> x(a.executor(), {a.size().rows, 1});
    a.apply(Dense<double>::vector(a.executor(), {1, 2, 3}), x);
    return x.to_host();
}

TEST(Csr, TakesHostDataAndGivesItBack)
{
    on_each_executor([](const Executor& exec) {
        const Csr<double, I> a(exec, four_by_three);
        EXPECT_EQ(a.size(), (Dim{4, 3}));
        EXPECT_EQ(a.num_nonzeros(), 5);
        expect_same(a.to_host(), four_by_three);
        EXPECT_EQ(applied(a), (std::vector<double>{7, 0, 11, 15}));
    });
}

TEST(Csr, IsEmptyBySizeAlone)
{
    on_each_executor([](const Executor& exec) {
        const Csr<double, I> a(exec, Dim{2, 3});
        expect_same(a.to_host(), {{2, 3}, {0, 0, 0}, {}, {}});
        EXPECT_EQ(applied(a), (std::vector<double>{0, 0}));
        expect_same(Csr<double, I>(exec, Dim{}).to_host(), {{0, 0}, {0}, {}, {}});
    });
}

TEST(Csr, AdoptsMemoryWithoutACopy)
{
    auto data = four_by_three;
    const auto exec = Executor::reference();
    {
        auto a = csr_view(exec, 4, 3, 5, data.row_ptrs.data(), data.col_idxs.data(), data.values.data());
        EXPECT_EQ(a.row_ptrs(), data.row_ptrs.data());
        EXPECT_EQ(a.col_idxs(), data.col_idxs.data());
        EXPECT_EQ(a.values(), data.values.data());
        EXPECT_EQ(a.view().values, data.values.data());
        EXPECT_EQ(exec.counters().allocated_bytes, 0u);
        EXPECT_EQ(applied(a), (std::vector<double>{7, 0, 11, 15}));
        data.values[4] = 50;
        EXPECT_EQ(applied(a), (std::vector<double>{7, 0, 11, 150}));
        const auto moved = std::move(a);
        EXPECT_EQ(moved.values(), data.values.data());
    }
    EXPECT_EQ(data.values, (std::vector<double>{1, 2, 3, 4, 50}));
}

TEST(Csr, MovedFromIsAnEmptyMatrix)
{
    on_each_executor([](const Executor& exec) {
        Csr<double, I> a(exec, four_by_three);
        const auto moved = std::move(a);
        const auto& empty = a;
        EXPECT_EQ(empty.size(), Dim{});
        EXPECT_EQ(empty.num_nonzeros(), 0);
        EXPECT_NO_THROW(require_valid_pattern(empty));
        expect_same(empty.to_host(), {{0, 0}, {0}, {}, {}});
        expect_same(empty.copy().to_host(), {{0, 0}, {0}, {}, {}});
        const Dense<double> b(exec, {0, 2});
        Dense<double> x(exec, {0, 2});
        EXPECT_NO_THROW(empty.apply(b, x));
        EXPECT_THROW(empty.apply(Dense<double>::filled(exec, {3, 1}, 1), x), DimensionMismatch);
        a = moved.copy();
        expect_same(a.to_host(), four_by_three);
    });
}

TEST(Csr, AdoptsConstantMemory)
{
    const auto data = four_by_three;
    const auto exec = Executor::reference();
    const auto a = csr_view(exec, 4, 3, 5, data.row_ptrs.data(), data.col_idxs.data(), data.values.data());
    EXPECT_EQ(a.values(), data.values.data());
    EXPECT_EQ(applied(a), (std::vector<double>{7, 0, 11, 15}));
}

/// Unsorted rows used to give wrong factors, and columns outside of the matrix wrong addresses, without a word.
TEST(Csr, ViewsRefuseBadPatterns)
{
    on_each_executor([](const Executor& exec) {
        const auto refusal = [&](std::vector<I> row_ptrs, std::vector<I> col_idxs) {
            const Array<I> ptrs(exec, row_ptrs), cols(exec, col_idxs);
            const Array<double> values(exec, std::vector<double>(col_idxs.size(), 1.0));
            try {
                csr_view(exec, std::ssize(row_ptrs) - 1, 3, std::ssize(col_idxs), ptrs.data(), cols.data(),
                         values.data());
            } catch (const InvalidParameter& error) {
                return error.name + ": " + error.value;
            }
            return std::string("none");
        };
        EXPECT_EQ(refusal({0, 1, 3}, {0, 1, 2}), "none");
        EXPECT_EQ(refusal({0, 1, 3}, {0, 1, 0}), "row 1: column 0 after column 1");
        EXPECT_EQ(refusal({0, 1, 3}, {0, 1, 1}), "row 1: column 1 after column 1");
        EXPECT_EQ(refusal({0, 1, 3}, {3, 1, 2}), "col_idxs[0]: 3");
        EXPECT_EQ(refusal({0, 1, 3}, {0, -1, 2}), "col_idxs[1]: -1");
        EXPECT_EQ(refusal({1, 1, 3}, {0, 1, 2}), "row_ptrs[0]: 1");
        EXPECT_EQ(refusal({0, 2, 1}, {0, 1, 2}), "row_ptrs[2]: 1");
        EXPECT_EQ(refusal({0, 1, 2}, {0, 1, 2}), "row_ptrs[2]: 2");
        EXPECT_EQ(refusal({0, 1 << 30, 3}, {0, 1, 2}), "row_ptrs[2]: 3");
    });
}

TEST(Csr, UnsortedArraysAreCopiedInOrder)
{
    const auto exec = Executor::reference();
    const std::vector<I> row_ptrs{0, 2, 4}, col_idxs{1, 0, 1, 0};
    const std::vector<double> values{1, 2, 3, 4};
    const auto a =
        sort_rows(csr_view_unchecked<double, I>(exec, 2, 2, 4, row_ptrs.data(), col_idxs.data(), values.data()));
    expect_same(a.to_host(), {{2, 2}, {0, 2, 4}, {0, 1, 0, 1}, {2, 1, 4, 3}});
}

TEST(Csr, TakesArraysOver)
{
    on_each_executor([](const Executor& exec) {
        Array<I> row_ptrs(exec, {0, 1, 2});
        Array<I> col_idxs(exec, {0, 1});
        Array<double> values(exec, {2.0, 3.0});
        const double* data = values.data();
        const Csr<double, I> a(exec, {2, 3}, std::move(row_ptrs), std::move(col_idxs), std::move(values));
        EXPECT_EQ(a.values(), data);
        EXPECT_EQ(applied(a), (std::vector<double>{2, 6}));
    });
}

TEST(Csr, RefusesArraysThatDoNotFit)
{
    const auto exec = Executor::reference();
    const auto other = Executor::reference();
    const auto make = [&](Dim size, const Executor& ptrs_on, std::vector<I> row_ptrs, std::vector<I> col_idxs,
                          std::vector<double> values) {
        return Csr<double, I>(exec, size, Array<I>(ptrs_on, row_ptrs), Array<I>(exec, col_idxs),
                              Array<double>(exec, values));
    };
    EXPECT_NO_THROW(make({2, 2}, exec, {0, 1, 2}, {0, 1}, {1, 1}));
    EXPECT_THROW(make({3, 2}, exec, {0, 1, 2}, {0, 1}, {1, 1}), InvalidParameter);
    EXPECT_THROW(make({2, 2}, exec, {0, 1, 2}, {0, 1}, {1}), InvalidParameter);
    EXPECT_THROW(make({2, 2}, exec, {0, 1, 2}, {0}, {1, 1}), InvalidParameter);
    EXPECT_THROW(make({-1, 2}, exec, {}, {}, {}), InvalidParameter);
    try {
        make({2, 2}, other, {0, 1, 2}, {0, 1}, {1, 1});
        FAIL() << "took row pointers on another executor";
    } catch (const InvalidParameter& e) {
        EXPECT_EQ(e.name, "row_ptrs");
    }
    EXPECT_EQ(exec.counters().allocated_bytes, 0u);
    EXPECT_EQ(other.counters().allocated_bytes, 0u);
}

TEST(Csr, RefusesNullPointers)
{
    const auto exec = Executor::reference();
    const std::vector<I> row_ptrs{0, 1}, col_idxs{0};
    double value = 1;
    EXPECT_THROW((csr_view<double, I>(exec, 1, 1, 1, nullptr, col_idxs.data(), &value)), InvalidParameter);
    EXPECT_THROW((csr_view<double, I>(exec, 1, 1, 1, row_ptrs.data(), nullptr, &value)), InvalidParameter);
    double* const nowhere = nullptr;
    EXPECT_THROW((csr_view<double, I>(exec, 1, 1, 1, row_ptrs.data(), col_idxs.data(), nowhere)), InvalidParameter);
    EXPECT_EQ((csr_view<double, I>(exec, 0, 1, 0, row_ptrs.data(), nullptr, nowhere).num_nonzeros()), 0);
}

TEST(Csr, RefusesNegativeSizes)
{
    const auto exec = Executor::reference();
    for (const Dim size : {Dim{-1, 2}, Dim{-7, 2}, Dim{2, -1}}) {
        EXPECT_THROW((Csr<double, I>(exec, size)), InvalidParameter);
        EXPECT_THROW((csr_view<double, I>(exec, size.rows, size.cols, 0, nullptr, nullptr, nullptr)), InvalidParameter);
    }
}

TEST(Csr, UpdatesItsValues)
{
    on_each_executor([](const Executor& exec) {
        Csr<double, I> a(exec, four_by_three);
        const auto* values = a.values();
        auto doubled = four_by_three;
        for (auto& value : doubled.values) {
            value *= 2;
        }
        for (const auto& from : {exec, Executor::reference()}) {
            a.update_values(share(Csr<double, I>(exec, four_by_three)));
            a.update_values(share(Csr<double, I>(from, doubled)));
            EXPECT_EQ(a.values(), values);
            expect_same(a.to_host(), doubled);
        }
    });
}

TEST(Csr, RefusesValuesOfAnotherPattern)
{
    const auto exec = Executor::reference();
    Csr<double, I> a(exec, four_by_three);
    try {
        a.update_values(share(Csr<double, I>(exec, Dim{4, 3})));
        ADD_FAILURE() << "a matrix without entries is taken";
    } catch (const DimensionMismatch& error) {
        EXPECT_EQ(std::string(error.what()),
                  "Csr::update_values: the vector of nonzeros is 5 x 1, that of the new matrix is 0 x 1");
    }
    EXPECT_THROW(a.update_values(share(Csr<double, I>(exec, Dim{3, 4}))), DimensionMismatch);
    EXPECT_THROW(a.update_values(share(Dense<double>(exec, {4, 3}))), NotSupported);
    EXPECT_THROW(a.update_values(nullptr), InvalidParameter);
    expect_same(a.to_host(), four_by_three);
}

TEST(Csr, CopiesAcrossExecutors)
{
    for (const auto& from : tested_executors()) {
        const Csr<double, I> a(from, four_by_three);
        for (const auto& to : tested_executors()) {
            SCOPED_TRACE(from.name() + " to " + to.name());
            const auto copy = a.copy(to);
            EXPECT_TRUE(copy.executor() == to);
            EXPECT_NE(copy.values(), a.values());
            expect_same(copy.to_host(), four_by_three);
            const auto clone = a.clone(to);
            EXPECT_EQ(clone->name(), "Csr");
            EXPECT_EQ(applied(*clone), (std::vector<double>{7, 0, 11, 15}));
        }
    }
}

TEST(Csr, LeavesNothingWhereItMovedFrom)
{
    const auto exec = Executor::reference();
    Csr<double, I> a(exec, four_by_three);
    Csr<double, I> b(std::move(a));
    expect_same(b.to_host(), four_by_three);
    EXPECT_EQ(a.size(), (Dim{0, 0}));
    EXPECT_EQ(a.num_nonzeros(), 0);
    EXPECT_TRUE(a.executor() == exec);
    Dense<double> none(exec, {0, 1});
    a.apply(Dense<double>(exec, {0, 1}), none);
    EXPECT_EQ(*a.view().row_ptrs, 0);
    expect_same(a.copy().to_host(), CsrData<double, I>{{0, 0}, {0}, {}, {}});
    EXPECT_EQ(a.clone(exec)->size(), (Dim{0, 0}));
    a = std::move(b);
    expect_same(a.to_host(), four_by_three);
}

}  // namespace
}  // namespace linden
