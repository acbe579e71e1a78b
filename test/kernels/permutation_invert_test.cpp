#include <numeric>

#include "core/kernels/permutation.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class I>
class PermutationInvert : public testing::Test {
};
using TestedIndices = decltype(detail::as_types(IndexTypes{}));
TYPED_TEST_SUITE(PermutationInvert, TestedIndices);

template <class I>
struct Inverse {
    std::vector<I> rows;
    size_type num_invalid;
};

template <class I>
Inverse<I> invert(const Executor& exec, const std::vector<I>& p)
{
    const Array<I> here(exec, p);
    Array<I> inverse(exec, std::vector<I>(p.size(), 99));
    Array<size_type> num_invalid(exec, std::vector<size_type>{-1});
    permutation_invert<I>(exec, here.size(), here.data(), inverse.data(), num_invalid.data());
    return {inverse.to_host(), num_invalid.to_host().front()};
}

TYPED_TEST(PermutationInvert, ByHand)
{
    using I = TypeParam;
    on_each_executor([](const Executor& exec) {
        const auto inverse = invert<I>(exec, {2, 0, 3, 1});
        EXPECT_EQ(inverse.num_invalid, 0);
        EXPECT_EQ(inverse.rows, (std::vector<I>{1, 3, 0, 2}));
    });
}

/// Calls in its scope are not compared with the reference: the inverse of what is no permutation is unspecified.
class Uncompared {
public:
    explicit Uncompared(const Executor& exec) : state_(exec.state()), inspector_(state_.inspector())
    {
        state_.set_inspector(nullptr);
    }
    ~Uncompared() { state_.set_inspector(inspector_); }
    Uncompared(const Uncompared&) = delete;
    Uncompared& operator=(const Uncompared&) = delete;

private:
    ExecutorState& state_;
    KernelInspector* inspector_;
};

TYPED_TEST(PermutationInvert, CountsWhatIsWrong)
{
    using I = TypeParam;
    on_each_executor([](const Executor& exec) {
        const Uncompared scope(exec);
        EXPECT_EQ(invert<I>(exec, {0, 2, 2}).num_invalid, 1) << "one repeats";
        EXPECT_EQ(invert<I>(exec, {1, 1, 1, 1}).num_invalid, 3) << "three repeat";
        EXPECT_EQ(invert<I>(exec, {0, 3, 1}).num_invalid, 1) << "past the end";
        EXPECT_EQ(invert<I>(exec, {-1, 0, 1}).num_invalid, 1) << "negative";
        EXPECT_EQ(invert<I>(exec, {std::numeric_limits<I>::min(), std::numeric_limits<I>::max(), 0, 0}).num_invalid, 3);
        EXPECT_EQ(invert<I>(exec, {}).num_invalid, 0);
    });
}

TYPED_TEST(PermutationInvert, LargeOnes)
{
    using I = TypeParam;
    Random random(310);
    for (const auto n : tested_rows) {
        std::vector<I> p(static_cast<std::size_t>(n));
        std::iota(p.begin(), p.end(), I{0});
        for (auto i = n - 1; i > 0; --i) {
            std::swap(p[i], p[random.integer(0, i + 1)]);
        }
        on_each_executor([&](const Executor& exec) {
            const auto inverse = invert(exec, p);
            EXPECT_EQ(inverse.num_invalid, 0);
            for (size_type i = 0; i < n; ++i) {
                ASSERT_EQ(inverse.rows[p[i]], i);
            }
        });
        if (n > 1) {
            p[n / 2] = p[0];
            on_each_executor([&](const Executor& exec) {
                const Uncompared scope(exec);
                EXPECT_EQ(invert(exec, p).num_invalid, 1);
            });
        }
    }
}

}  // namespace
}  // namespace linden::test
