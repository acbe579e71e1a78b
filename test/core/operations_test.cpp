#include <linden/error.hpp>
#include <linden/matrix/operations.hpp>

#include <algorithm>

#include "test/support/kernel_cases.hpp"
#include "test/support/pathological.hpp"

namespace linden::test {
namespace {

template <class Types>
class Operations : public testing::Test {
};
TYPED_TEST_SUITE(Operations, TestedValueIndices, TypeNames);

template <class V>
struct Triplet {
    size_type row;
    size_type col;
    V value;

    bool operator==(const Triplet&) const = default;
};

template <class V, class I>
std::vector<Triplet<V>> triplets(const CsrData<V, I>& a)
{
    std::vector<Triplet<V>> result;
    for (size_type row = 0; row < a.size.rows; ++row) {
        for (auto k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            result.push_back({row, a.col_idxs[k], a.values[k]});
        }
    }
    return result;
}

/// `actual` has this size and these entries, rows sorted, entries of the same position in the order given.
template <class V, class I>
void expect_matrix(const Csr<V, I>& actual, Dim size, std::vector<Triplet<V>> expected)
{
    std::stable_sort(expected.begin(), expected.end(),
                     [](const auto& a, const auto& b) { return a.row != b.row ? a.row < b.row : a.col < b.col; });
    EXPECT_EQ(actual.size(), size);
    EXPECT_EQ(actual.num_nonzeros(), static_cast<size_type>(expected.size()));
    EXPECT_TRUE(triplets(actual.to_host()) == expected);
}

/// The entries of `a` that `change(triplet)` leaves, as it changes them.
template <class V, class I, class Change>
std::vector<Triplet<V>> changed(const CsrData<V, I>& a, const Change& change)
{
    std::vector<Triplet<V>> result;
    for (auto t : triplets(a)) {
        if (change(t)) {
            result.push_back(t);
        }
    }
    return result;
}

template <class V>
V conj(V value)
{
    if constexpr (is_complex<V>) {
        return std::conj(value);
    } else {
        return value;
    }
}

/// Empty ones, without rows, columns or entries; rectangular ones with empty rows and with a dense row.
template <class V, class I>
std::vector<CsrData<V, I>> matrices()
{
    Random random(741);
    std::vector<CsrData<V, I>> result{{{0, 0}, {0}, {}, {}},
                                      {{0, 5}, {0}, {}, {}},
                                      {{4, 0}, std::vector<I>(5), {}, {}},
                                      {{3, 7}, std::vector<I>(4), {}, {}}};
    for (const Dim size : {Dim{1, 1}, Dim{40, 40}, Dim{33, 150}, Dim{600, 300}}) {
        for (const auto pattern : all_patterns) {
            result.push_back(random_csr<V, I>(random, size, 4, pattern));
        }
    }
    return result;
}

template <class V, class I, class F>
void for_each_matrix(const F& f)
{
    for (const auto& data : matrices<V, I>()) {
        SCOPED_TRACE(std::to_string(data.size.rows) + " x " + std::to_string(data.size.cols));
        on_each_executor([&](const Executor& exec) { f(data, Csr<V, I>(exec, data)); });
    }
}

TYPED_TEST(Operations, Transpose)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    for_each_matrix<V, I>([](const CsrData<V, I>& data, const Csr<V, I>& a) {
        expect_matrix(transpose(a), transpose(data.size), changed(data, [](auto& t) {
                          std::swap(t.row, t.col);
                          return true;
                      }));
        expect_matrix(conjugate_transpose(a), transpose(data.size), changed(data, [](auto& t) {
                          std::swap(t.row, t.col);
                          t.value = conj(t.value);
                          return true;
                      }));
    });
}

TYPED_TEST(Operations, TransposeIsUpdated)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    for_each_matrix<V, I>([](CsrData<V, I> data, const Csr<V, I>& a) {
        auto plain = updatable_transpose(a);
        auto conjugated = updatable_conjugate_transpose(a);
        for (auto& value : data.values) {
            value = value * number<V>(2, 1);
        }
        const Csr<V, I> changed_a(a.executor(), data);
        plain.update(changed_a);
        conjugated.update(changed_a);
        expect_matrix(plain.result, transpose(data.size), triplets(transpose(changed_a).to_host()));
        expect_matrix(conjugated.result, transpose(data.size), triplets(conjugate_transpose(changed_a).to_host()));
    });
}

TYPED_TEST(Operations, UpdateChecksThePattern)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    on_each_executor([](const Executor& exec) {
        auto t = updatable_transpose(Csr<V, I>(exec, pathological::healthy<V, I>()));
        EXPECT_THROW(t.update(Csr<V, I>(exec, Dim{2, 3})), DimensionMismatch);
        EXPECT_THROW(t.update(Csr<V, I>(exec, Dim{3, 3})), InvalidParameter);
        EXPECT_THROW(t.update(Csr<V, I>(Executor::reference(), pathological::healthy<V, I>())), InvalidParameter);
    });
}

TYPED_TEST(Operations, SortRows)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const CsrData<V, I> a{
        {3, 4}, {0, 3, 3, 7}, {3, 0, 2, 1, 0, 1, 0}, {V{1}, V{2}, V{3}, V{4}, V{5}, V{6}, number<V>(7, 1)}};
    on_each_executor(
        [&](const Executor& exec) { expect_matrix(sort_rows(pathological::unchecked(exec, a)), a.size, triplets(a)); });
}

TYPED_TEST(Operations, DenseRow)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    constexpr I length = 20000;
    CsrData<V, I> a{{2, length}, {0, 1, length + 1}, {5}, {V{1}}};
    for (I k = 0; k < length; ++k) {
        a.col_idxs.push_back(static_cast<I>((std::int64_t{7919} * k + 11) % length));
        a.values.push_back(V{static_cast<real_t<V>>(k)});
    }
    on_each_executor([&](const Executor& exec) {
        const auto sorted = sort_rows(pathological::unchecked(exec, a));
        expect_matrix(sorted, a.size, triplets(a));
        expect_matrix(transpose(transpose(sorted)), a.size, triplets(a));
    });
}

TYPED_TEST(Operations, Permute)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto rotation = [](size_type n) {
        std::vector<I> p;
        for (size_type i = 0; i < n; ++i) {
            p.push_back(static_cast<I>((i + 3) % n));
        }
        return p;
    };
    // Row i of the result is row p[i]: row r goes to (r - 3) mod n.
    const auto place = [](size_type index, size_type n) { return ((index - 3) % n + n) % n; };
    for_each_matrix<V, I>([&](const CsrData<V, I>& data, const Csr<V, I>& a) {
        const auto [rows, cols] = data.size;
        const Permutation<V, I> p(a.executor(), rotation(rows));
        const Permutation<V, I> q(a.executor(), rotation(cols));
        expect_matrix(permute_rows(a, p), data.size, changed(data, [&](auto& t) {
                          t.row = place(t.row, rows);
                          return true;
                      }));
        expect_matrix(permute_columns(a, q), data.size, changed(data, [&](auto& t) {
                          t.col = place(t.col, cols);
                          return true;
                      }));
        if (rows == cols) {
            expect_matrix(permute_symmetric(a, p), data.size, changed(data, [&](auto& t) {
                              t.row = place(t.row, rows);
                              t.col = place(t.col, cols);
                              return true;
                          }));
        } else {
            EXPECT_THROW(permute_symmetric(a, p), DimensionMismatch);
            EXPECT_THROW(permute_rows(a, q), DimensionMismatch);
            EXPECT_THROW(permute_columns(a, p), DimensionMismatch);
        }
    });
}

/// (P A P^T) (P b) = P (A b), with the operators themselves.
TYPED_TEST(Operations, PermuteAsOperatorsDo)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    on_each_executor([](const Executor& exec) {
        const Csr<V, I> a(exec, pathological::healthy<V, I>());
        const Permutation<V, I> p(exec, std::vector<I>{2, 0, 1});
        const auto b = Dense<V>::from_rows(exec, {{V{1}}, {V{10}}, {V{100}}});
        Dense<V> pb(exec, {3, 1}), left(exec, {3, 1}), ab(exec, {3, 1}), right(exec, {3, 1});
        p.apply(b, pb);
        permute_symmetric(a, p).apply(pb, left);
        a.apply(b, ab);
        p.apply(ab, right);
        EXPECT_EQ(left.to_host(), right.to_host());
    });
}

TYPED_TEST(Operations, Triangles)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    for_each_matrix<V, I>([](const CsrData<V, I>& data, const Csr<V, I>& a) {
        const auto size = data.size;
        expect_matrix(lower_triangle(a), size, changed(data, [](auto& t) { return t.col <= t.row; }));
        expect_matrix(upper_triangle(a), size, changed(data, [](auto& t) { return t.col >= t.row; }));
        expect_matrix(lower_triangle(a, Triangle::without_diagonal), size,
                      changed(data, [](auto& t) { return t.col < t.row; }));
        expect_matrix(upper_triangle(a, Triangle::without_diagonal), size,
                      changed(data, [](auto& t) { return t.col > t.row; }));
    });
}

TYPED_TEST(Operations, Submatrix)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    for_each_matrix<V, I>([](const CsrData<V, I>& data, const Csr<V, I>& a) {
        const Range rows{data.size.rows / 3, data.size.rows - data.size.rows / 4};
        const Range cols{data.size.cols / 2, data.size.cols};
        expect_matrix(submatrix(a, rows, cols), {rows.end - rows.begin, cols.end - cols.begin},
                      changed(data, [&](auto& t) {
                          t.row -= rows.begin;
                          t.col -= cols.begin;
                          return t.row >= 0 && t.row < rows.end - rows.begin && t.col >= 0;
                      }));
        EXPECT_THROW(submatrix(a, {0, data.size.rows + 1}, cols), InvalidParameter);
        EXPECT_THROW(submatrix(a, rows, {-1, 0}), InvalidParameter);
        EXPECT_THROW(submatrix(a, rows, {data.size.cols, data.size.cols - 1}), InvalidParameter);
    });
}

TYPED_TEST(Operations, DiagonalAndMagnitudes)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    for_each_matrix<V, I>([](const CsrData<V, I>& data, const Csr<V, I>& a) {
        std::vector<V> diagonal(static_cast<std::size_t>(std::min(data.size.rows, data.size.cols)));
        for (const auto& t : triplets(data)) {
            if (t.row == t.col) {
                diagonal[t.row] = t.value;
            }
        }
        EXPECT_EQ(extract_diagonal(a).to_host(), diagonal);
        auto magnitudes = data.values;
        for (auto& value : magnitudes) {
            value = std::abs(value);
        }
        const auto actual = absolute(a).to_host();
        EXPECT_EQ(actual.col_idxs, data.col_idxs);
        expect_near(actual.values, magnitudes, 4, 1.0);
    });
}

TYPED_TEST(Operations, Scale)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    for_each_matrix<V, I>([](const CsrData<V, I>& data, const Csr<V, I>& a) {
        const auto [rows, cols] = data.size;
        std::vector<V> left, right;
        for (size_type i = 0; i < rows; ++i) {
            left.push_back(V{static_cast<real_t<V>>(1 << i % 5)});
        }
        for (size_type i = 0; i < cols; ++i) {
            right.push_back(V{static_cast<real_t<V>>(1 << i % 3)});
        }
        auto scaled = a.copy();
        scale_rows(Diagonal<V>(a.executor(), left), scaled);
        scale_columns(scaled, Diagonal<V>(a.executor(), right));
        // powers of two: without rounding
        expect_matrix(scaled, data.size, changed(data, [&](auto& t) {
                          t.value = left[t.row] * t.value * right[t.col];
                          return true;
                      }));
        if (rows != cols) {
            EXPECT_THROW(scale_rows(Diagonal<V>(a.executor(), right), scaled), DimensionMismatch);
            EXPECT_THROW(scale_columns(scaled, Diagonal<V>(a.executor(), left)), DimensionMismatch);
        }
    });
}

TYPED_TEST(Operations, AddScaledIdentity)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    for_each_matrix<V, I>([](const CsrData<V, I>& data, const Csr<V, I>& a) {
        if (data.size.rows != data.size.cols) {
            EXPECT_THROW(add_scaled_identity(V{1}, a, V{1}), DimensionMismatch);
            return;
        }
        std::vector<bool> has_diagonal(static_cast<std::size_t>(data.size.rows));
        auto expected = changed(data, [&](auto& t) {
            t.value = V{2} * t.value;
            if (t.row == t.col) {
                t.value += V{4};
                has_diagonal[t.row] = true;
            }
            return true;
        });
        for (size_type row = 0; row < data.size.rows; ++row) {
            if (!has_diagonal[row]) {
                expected.push_back({row, row, V{4}});
            }
        }
        expect_matrix(add_scaled_identity(V{2}, a, V{4}), data.size, std::move(expected));
    });
}

TYPED_TEST(Operations, OperandsShareTheExecutor)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    on_each_executor([](const Executor& exec) {
        const auto elsewhere = Executor::reference();
        Csr<V, I> a(exec, pathological::healthy<V, I>());
        const Permutation<V, I> p(elsewhere, std::vector<I>{0, 1, 2});
        const Diagonal<V> d(elsewhere, std::vector<V>(3));
        EXPECT_THROW(permute_rows(a, p), InvalidParameter);
        EXPECT_THROW(scale_rows(d, a), InvalidParameter);
        EXPECT_THROW(scale_columns(a, d), InvalidParameter);
    });
}

template <class V, class I>
Csr<V, I> assembled(const Executor& exec, const MatrixData<V, I>& data)
{
    return assemble<V, I>(exec, data.size, Array<I>(exec, data.rows), Array<I>(exec, data.cols),
                          Array<V>(exec, data.values));
}

TYPED_TEST(Operations, AssembleSumsFromLeftToRight)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const V big{4 / std::numeric_limits<real_t<V>>::epsilon()};
    // (big - big) + 1 = 1 at (2, 1), (1 + big) - big = 0 at (0, 3)
    const MatrixData<V, I> data{
        {3, 4}, {2, 0, 0, 2, 2, 0, 0}, {1, 3, 3, 1, 1, 0, 3}, {big, V{1}, big, -big, V{1}, number<V>(7, 1), -big}};
    on_each_executor([&](const Executor& exec) {
        expect_matrix<V, I>(assembled(exec, data), data.size, {{0, 0, number<V>(7, 1)}, {0, 3, V{}}, {2, 1, V{1}}});
    });
}

TYPED_TEST(Operations, AssembleLikeTheHost)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(742);
    for (const size_type count : {0, 1, 600, 20000}) {
        for (const Dim size : {Dim{1, 1}, Dim{1, 30000}, Dim{50, 40}, Dim{5000, 100}}) {
            MatrixData<V, I> data{size, {}, {}, {}};
            for (size_type k = 0; k < count; ++k) {
                data.rows.push_back(static_cast<I>(random.integer(0, size.rows)));
                data.cols.push_back(static_cast<I>(random.integer(0, size.cols)));
                data.values.push_back(random.value<V>());
            }
            const auto expected = to_csr(data);
            on_each_executor([&](const Executor& exec) {
                const auto a = assembled(exec, data).to_host();
                EXPECT_EQ(a.row_ptrs, expected.row_ptrs);
                EXPECT_EQ(a.col_idxs, expected.col_idxs);
                EXPECT_TRUE(same_bits(a.values, expected.values));
            });
        }
    }
}

TYPED_TEST(Operations, AssembleNamesTheFirstIndexOutside)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    on_each_executor([](const Executor& exec) {
        try {
            assembled<V, I>(exec, {{3, 4}, {0, 1, 2, 3}, {0, 3, 4, 0}, std::vector<V>(4)});
            FAIL() << "nothing was thrown";
        } catch (const InvalidParameter& e) {
            EXPECT_EQ(e.name, "triplet 2");
            EXPECT_EQ(e.value, "(2, 4)");
            EXPECT_EQ(e.allowed, "a position in a 3 x 4 matrix");
        }
    });
}

TYPED_TEST(Operations, AssembleChecksItsArrays)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    on_each_executor([](const Executor& exec) {
        EXPECT_THROW((assembled<V, I>(exec, {{3, 3}, {0, 1}, {0}, {V{1}, V{2}}})), InvalidParameter);
        EXPECT_THROW((assembled<V, I>(exec, {{3, 3}, {0, 1}, {0, 1}, {V{1}}})), InvalidParameter);
        EXPECT_THROW((assembled<V, I>(exec, {{-1, 3}, {}, {}, {}})), InvalidParameter);
        const Array<I> here(exec, std::vector<I>{0});
        const Array<V> values(Executor::reference(), std::vector<V>{V{1}});
        EXPECT_THROW((assemble<V, I>(exec, {1, 1}, here, here, values)), InvalidParameter);
    });
}

}  // namespace
}  // namespace linden::test
