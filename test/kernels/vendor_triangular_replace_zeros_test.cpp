#include "core/kernels/vendor_triangular.hpp"
#include "test/support/kernel_cases.hpp"
#include "test/support/patterns.hpp"

/// The diagonal that a vendor's library would divide by.
namespace linden::test {
namespace {

template <class T>
class VendorTriangularReplaceZeros : public testing::Test {
};
TYPED_TEST_SUITE(VendorTriangularReplaceZeros, TestedValueIndices, TypeNames);

TYPED_TEST(VendorTriangularReplaceZeros, OnTheDiagonalOnly)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    on_each_executor([](const Executor& exec) {
        if (!vendor_triangular_replace_zeros<V, I>.available(exec.backend())) {
            return;
        }
        const HostPattern<I> lower{{3, 3}, {0, 1, 3, 5}, {0, 0, 1, 0, 2}}, upper{{3, 3}, {0, 2, 4, 5}, {0, 1, 1, 2, 2}};
        const auto check = [&](const HostPattern<I>& host, Side side, const std::vector<V>& before,
                               const std::vector<V>& after, size_type count) {
            const PatternOn<I> pattern(exec, host);
            Array<V> values(exec, before);
            Array<size_type> num_zeros(exec, std::vector<size_type>{77});
            vendor_triangular_replace_zeros<V, I>(exec, {pattern.view(), values.data(), side, false}, num_zeros.data());
            EXPECT_EQ(values.to_host(), after);
            EXPECT_EQ(num_zeros.to_host().front(), count);
        };
        check(lower, Side::lower, {0, 0, 5, 0, 0}, {1, 0, 5, 0, 1}, 2);
        check(upper, Side::upper, {2, 0, 0, 0, 3}, {2, 0, 1, 0, 3}, 1);
        check(upper, Side::upper, {2, 0, 4, 0, 3}, {2, 0, 4, 0, 3}, 0);
    });
}

}  // namespace
}  // namespace linden::test
