#pragma once

#include <linden/error.hpp>
#include <linden/matrix/convert.hpp>

#include <gtest/gtest.h>

#include <vector>

#include "core/matrix/format_table.hpp"
#include "test/support/backends.hpp"
#include "test/support/matrices.hpp"

/// What the tests of sparse formats share.
namespace linden::test {

template <class V, class I>
void expect_same(const CsrData<V, I>& actual, const CsrData<V, I>& expected)
{
    EXPECT_EQ(actual.size, expected.size);
    EXPECT_EQ(actual.row_ptrs, expected.row_ptrs);
    EXPECT_EQ(actual.col_idxs, expected.col_idxs);
    EXPECT_EQ(actual.values, expected.values);
}

/// [1 . 2 .; . . . .; 3 4 . 5], with whole numbers that any storage type holds.
template <class V, class I>
CsrData<V, I> three_by_four()
{
    return {{3, 4}, {0, 2, 2, 5}, {0, 2, 0, 1, 3}, {V{1}, V{2}, V{3}, V{4}, V{5}}};
}

/// Matrices with all that formats may stumble over; values are whole numbers from 1 to 9, or all `value` if it is not
/// 0.
template <class V, class I>
std::vector<CsrData<V, I>> odd_matrices(V value = V{})
{
    Random random(41);
    std::vector<CsrData<V, I>> all{three_by_four<V, I>(),
                                   {{0, 0}, {0}, {}, {}},
                                   {{5, 0}, {0, 0, 0, 0, 0, 0}, {}, {}},
                                   {{0, 5}, {0}, {}, {}},
                                   {{70, 3}, std::vector<I>(71), {}, {}}};
    for (const auto pattern : all_patterns) {
        all.push_back(random_csr<V, I>(random, {1, 1}, 1, pattern));
        all.push_back(random_csr<V, I>(random, {33, 41}, 4, pattern));
        all.push_back(random_csr<V, I>(random, {131, 97}, 3, pattern));
    }
    for (auto& a : all) {
        for (auto& entry : a.values) {
            entry = value != V{} ? value : V{static_cast<real_t<V>>(random.integer(1, 10))};
        }
    }
    return all;
}

/// Op (1, 2, 3, ...)
template <class V>
std::vector<V> applied(const LinOp<V>& op)
{
    std::vector<V> b(static_cast<std::size_t>(op.size().cols));
    for (std::size_t i = 0; i < b.size(); ++i) {
        b[i] = V{static_cast<real_t<V>>(i + 1)};
    }
    Dense<V> x(op.executor(), {op.size().rows, 1});
    op.apply(Dense<V>::vector(op.executor(), b), x);
    return x.to_host();
}

/// What all formats promise: entries are those of the Csr matrix, products are (exactly, for whole numbers), and new
/// values take the place of old ones.
template <class Format>
void expect_format_works(typename Format::Parameters parameters = {}, typename Format::value_type value = {})
{
    using V = typename Format::value_type;
    using I = typename Format::index_type;
    on_each_executor([&](const Executor& exec) {
        for (const auto& data : odd_matrices<V, I>(value)) {
            SCOPED_TRACE(std::to_string(data.size.rows) + " x " + std::to_string(data.size.cols));
            const Csr<V, I> csr(exec, data);
            auto op = Format::from_csr(csr, parameters);
            EXPECT_EQ(op.num_nonzeros(), data.num_nonzeros());
            expect_same(op.to_csr().to_host(), data);
            EXPECT_EQ(applied<V>(op), applied<V>(csr));
            auto twice = data;
            for (auto& entry : twice.values) {
                entry *= V{2};
            }
            op.update_values(std::make_shared<const Csr<V, I>>(reference_executor(), twice));
            expect_same(op.to_csr().to_host(), twice);
            EXPECT_EQ(applied<V>(op.copy(reference_executor())), applied<V>(Csr<V, I>(exec, twice)));
        }
        auto op = Format::from_csr(Csr<V, I>(exec, odd_matrices<V, I>(value).front()), parameters);
        EXPECT_THROW(op.update_values(nullptr), InvalidParameter);
        EXPECT_THROW(op.update_values(std::make_shared<const Csr<V, I>>(exec, Dim{3, 4})), DimensionMismatch);
        EXPECT_THROW(op.update_values(std::make_shared<const Dense<V>>(exec, Dim{3, 4})), NotSupported);
    });
}

}  // namespace linden::test
