#include "core/factorization/dense_inverse.hpp"

#include <linden/error.hpp>
#include <linden/memory.hpp>

#include <limits>

#include "test/support/dense_inverse.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class V>
using Inverse = linden::detail::DenseInverse<V>;

template <class V>
class DenseInverse : public testing::Test {
};
TYPED_TEST_SUITE(DenseInverse, TestedValues, TypeNames);

constexpr StoragePrecision all_storages[] = {StoragePrecision::same, StoragePrecision::single, StoragePrecision::half};

/// The inverse, as its products with the unit vectors.
template <class V>
std::vector<V> entries(const Executor& exec, const Inverse<V>& inverse)
{
    const size_type n = inverse.size();
    const auto units = identity<V>(n);
    const Array<V> b(exec, units);
    Array<V> x(exec, n * n);
    inverse.apply({n, n, n, b.data()}, {n, n, n, x.data()});
    return x.to_host();
}

template <class V>
std::vector<wide_t<V>> widened(const std::vector<V>& values)
{
    return {values.begin(), values.end()};
}

/// A W - I, relative to its condition: rounding of W by eps gives |A| |W| eps.
template <class V>
void expect_inverse(size_type n, const std::vector<V>& a, const std::vector<V>& w, double eps)
{
    const auto residual = product<wide_t<V>>(n, widened(a), widened(w));
    double scale = 0;
    for (const auto& value : w) {
        scale = std::max(scale, static_cast<double>(std::abs(value)));
    }
    for (size_type i = 0; i < n * n; ++i) {
        ASSERT_LE(std::abs(residual[i] - (i % (n + 1) == 0 ? 1. : 0.)), 2 * static_cast<double>(n) * scale * eps)
            << "entry " << i;
    }
}

TYPED_TEST(DenseInverse, IsTheInverse)
{
    using V = TypeParam;
    using R = real_t<V>;
    Random random(973);
    for (const size_type n : {0, 1, 2, 31, 32, 33, 70}) {
        SCOPED_TRACE(std::to_string(n) + " rows");
        const auto a = random_general<V>(random, n);
        on_each_executor([&](const Executor& exec) {
            const Array<V> values(exec, a);
            for (const auto storage : all_storages) {
                if (is_complex<V> && storage == StoragePrecision::half) {
                    continue;
                }
                Inverse<V> inverse(exec, n, storage);
                inverse.factorize(values.data());
                EXPECT_EQ(inverse.num_singular(), 0);
                const double eps = storage == StoragePrecision::same     ? std::numeric_limits<R>::epsilon()
                                   : storage == StoragePrecision::single ? 0x1p-23
                                                                         : 0x1p-10;
                const auto w = entries(exec, inverse);
                expect_inverse(n, a, w, std::max(eps, 1e-13));
                inverse.factorize(values.data());
                EXPECT_TRUE(same_bits(entries(exec, inverse), w)) << "two runs differ";
                inverse.update(values.data());
                EXPECT_TRUE(same_bits(entries(exec, inverse), w)) << "the same values give others";
            }
        });
    }
}

/// New values that need no other pivots, among them a row that is twice as large.
TYPED_TEST(DenseInverse, TakesNewValues)
{
    using V = TypeParam;
    Random random(974);
    constexpr size_type n = 75;
    const auto a = random_general<V>(random, n);
    auto c = a;
    for (size_type i = 0; i < n; ++i) {
        c[i] *= V{2};
        c[3 * n + i] *= V{-1};
    }
    on_each_executor([&](const Executor& exec) {
        Inverse<V> inverse(exec, n, StoragePrecision::same);
        inverse.factorize(Array<V>(exec, a).data());
        const Array<V> values(exec, c);
        inverse.update(values.data());
        expect_inverse(n, c, entries(exec, inverse),
                       std::max<double>(std::numeric_limits<real_t<V>>::epsilon(), 1e-12));
    });
}

/// Zeros on the whole diagonal, and single values in the other places.
TYPED_TEST(DenseInverse, OfAPermutation)
{
    using V = TypeParam;
    for (const size_type n : {2, 5, 40, 150}) {
        const auto order = shifted_order(n);
        std::vector<V> a(static_cast<std::size_t>(n * n)), expected(a.size());
        for (size_type i = 0; i < n; ++i) {
            a[i * n + order[i]] = V{2};
            expected[order[i] * n + i] = V(0.5);
        }
        on_each_executor([&](const Executor& exec) {
            Inverse<V> inverse(exec, n, StoragePrecision::same);
            inverse.factorize(Array<V>(exec, a).data());
            EXPECT_EQ(inverse.num_singular(), 0);
            expect_near(entries(exec, inverse), expected, 4);
        });
    }
}

/// A zero column and one that is not finite: their unknowns are 0, the others those of the system without them.
TYPED_TEST(DenseInverse, DropsWhatHasNoPivot)
{
    using V = TypeParam;
    const V nan = not_a_number<V>();
    const std::vector<V> a{V{2}, V{}, V{}, V{}, V{}, V{}, V{}, V{}, V{4}};
    const std::vector<V> with_nan{V{2}, nan, V{}, V{}, nan, V{}, V{}, nan, V{4}};
    const std::vector<V> expected{V(0.5), V{}, V{}, V{}, V{}, V{}, V{}, V{}, V(0.25)};
    on_each_executor([&](const Executor& exec) {
        for (const auto& values : {a, with_nan}) {
            Inverse<V> inverse(exec, 3, StoragePrecision::same);
            const Array<V> on_exec(exec, values);
            inverse.factorize(on_exec.data());
            EXPECT_EQ(inverse.num_singular(), 1);
            EXPECT_EQ(entries(exec, inverse), expected);
            inverse.update(on_exec.data());
            EXPECT_EQ(entries(exec, inverse), expected);
        }
    });
}

/// Nothing becomes NaN, in a panel of one block of threads and of several.
TYPED_TEST(DenseInverse, StaysFinite)
{
    using V = TypeParam;
    Random random(975);
    for (const size_type n : {40, 150}) {
        auto a = random_general<V>(random, n);
        auto zero_row = a;
        for (size_type i = 0; i < n; ++i) {
            a[i * n + 7] = a[i * n + 3];
            zero_row[5 * n + i] = V{};
        }
        auto bad_entry = zero_row;
        bad_entry[12 * n + 20] = not_a_number<V>();
        on_each_executor([&](const Executor& exec) {
            for (const auto& values : {a, zero_row, bad_entry}) {
                Inverse<V> inverse(exec, n, StoragePrecision::same);
                inverse.factorize(Array<V>(exec, values).data());
                EXPECT_GE(inverse.num_singular(), 1);
                EXPECT_LE(inverse.num_singular(), 3);
                const auto w = entries(exec, inverse);
                EXPECT_TRUE(std::none_of(w.begin(), w.end(), [](V value) { return is_nan(value); }));
                EXPECT_TRUE(std::any_of(w.begin(), w.end(), [](V value) { return value != V{}; }));
            }
        });
    }
}

/// More rows than a block of threads and a wave take, whose inverse is checked by one product.
TYPED_TEST(DenseInverse, OfManyRows)
{
    using V = TypeParam;
    if constexpr (!is_complex<V>) {
        Random random(976);
        constexpr size_type n = 597;
        const auto a = random_general<V>(random, n);
        const auto b = random_dense<V>(random, reference_executor(), {n, 1});
        on_each_executor([&](const Executor& exec) {
            Inverse<V> inverse(exec, n, StoragePrecision::same);
            inverse.factorize(Array<V>(exec, a).data());
            EXPECT_EQ(inverse.num_singular(), 0);
            const auto rhs = b.copy(exec);
            Dense<V> x(exec, {n, 1});
            inverse.apply(rhs.view(), x.view());
            const auto solution = as_wide(x), wanted = as_wide(b);
            for (size_type i = 0; i < n; ++i) {
                wide_t<V> sum{};
                for (size_type j = 0; j < n; ++j) {
                    sum += wide_t<V>(a[i * n + j]) * solution[j];
                }
                ASSERT_LE(std::abs(sum - wanted[i]), sizeof(V) == 4 ? 1e-3 : 1e-10) << "row " << i;
            }
        });
    }
}

TYPED_TEST(DenseInverse, AllocatesInFactorizeAlone)
{
    using V = TypeParam;
    const auto memory = std::make_shared<FaultInjectingMemory>(host_memory());
    const auto exec = Executor::reference({.memory = memory});
    Random random(977);
    const Array<V> a(exec, random_general<V>(random, 40)), b(exec, random_general<V>(random, 40));
    Array<V> x(exec, 40);
    Inverse<V> inverse(exec, 40, StoragePrecision::single);
    inverse.factorize(a.data());
    const auto num_allocations = memory->num_allocations();
    inverse.update(a.data());
    inverse.apply({40, 1, 1, b.data()}, {40, 1, 1, x.data()});
    EXPECT_EQ(memory->num_allocations(), num_allocations);
}

TYPED_TEST(DenseInverse, StoresHalfOfRealValuesOnly)
{
    using V = TypeParam;
    const auto make = [](StoragePrecision storage) { return Inverse<V>(reference_executor(), 9, storage).bytes(); };
    EXPECT_EQ(make(StoragePrecision::same), 9 *
                                                (sizeof(V) == 4   ? 12
                                                 : sizeof(V) == 8 ? 10
                                                                  : 9) *
                                                static_cast<size_type>(sizeof(V)));
    if constexpr (is_complex<V>) {
        EXPECT_THROW(make(StoragePrecision::half), InvalidParameter);
    } else {
        EXPECT_EQ(make(StoragePrecision::half), 9 * 16 * 2);
    }
}

/// Pivots on the diagonal give the same inverse where they are large enough; where one is 0, columns are searched.
TYPED_TEST(DenseInverse, TakesPivotsFromTheDiagonal)
{
    using V = TypeParam;
    using R = real_t<V>;
    constexpr size_type n = 70;
    std::vector<V> definite(n * n);
    for (size_type i = 0; i < n; ++i) {
        definite[i * n + i] = V{4};
        if (i + 1 < n) {
            definite[i * n + i + 1] = definite[(i + 1) * n + i] = V{-1};
        }
    }
    auto zero_pivot = definite;
    zero_pivot[0] = V{};
    on_each_executor([&](const Executor& exec) {
        for (const auto& a : {definite, zero_pivot}) {
            const Array<V> on_executor(exec, a);
            Inverse<V> inverse(exec, n, StoragePrecision::same, linden::detail::DensePivots::diagonal);
            inverse.factorize(on_executor.data());
            EXPECT_EQ(inverse.num_singular(), 0);
            expect_inverse(n, a, entries(exec, inverse), static_cast<double>(std::numeric_limits<R>::epsilon()));
            inverse.update(on_executor.data());
            expect_inverse(n, a, entries(exec, inverse), static_cast<double>(std::numeric_limits<R>::epsilon()));
        }
    });
}

}  // namespace
}  // namespace linden::test
