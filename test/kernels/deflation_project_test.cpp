#include "core/kernels/deflation.hpp"
#include "test/support/domains.hpp"
#include "test/support/matrices.hpp"

namespace linden::test {
namespace {

template <class Types>
class DeflationProject : public testing::Test {
};
TYPED_TEST_SUITE(DeflationProject, TestedValueIndices, TypeNames);

/// c, and the sums of r that are left; the blocks are z, r and, with rho, sums. beta = rho / 4.
template <class V, class I>
std::pair<Dense<V>, Dense<V>> projected(const Executor& exec, const std::vector<I>& of_row, const CsrData<V, I>& y,
                                        Scalar<V> alpha, const Blocks<V>& blocks,
                                        size_type piece_rows = deflation_piece_rows, const std::vector<V>& rho = {})
{
    const TestDomains<I> domains(exec, of_row, y.size.rows, piece_rows);
    const Csr<V, I> matrix(exec, y);
    auto here = copies(blocks, exec);
    const auto cols = here[0].size().cols;
    Array<V> workspace(exec, domains.view().num_pieces * cols);
    auto c = Dense<V>::filled(exec, {y.size.rows, cols}, not_a_number<V>());
    const Array<V> rho_here(exec, rho), rho_old(exec, std::vector<V>(rho.size(), V{4}));
    StepView<V> step{std::as_const(here[1]).view(), alpha};
    if (!rho.empty()) {
        step = {std::as_const(here[1]).view(), alpha, rho_here.data(), rho_old.data(), here[2].view()};
    }
    deflation_project<V, I>(
        exec, domains.view(), matrix.view(), std::as_const(here[0]).view(), step, c.view(),
        {reinterpret_cast<std::byte*>(workspace.data()), static_cast<size_type>(workspace.bytes())});
    return {std::move(c), std::move(here.back())};
}

/// Rows 0 and 2 are of domain 0, none of domain 1.  Y = [1 0 2; 0 0 0; 0 3 0]
TYPED_TEST(DeflationProject, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const CsrData<V, I> y{{3, 3}, {0, 2, 2, 3}, {0, 2, 1}, {V{1}, V{2}, V{3}}};
    Blocks<V> blocks;
    blocks.push_back(Dense<V>::from_rows(reference_executor(), {{V{1}, V{4}}, {V{2}, V{5}}, {V{3}, V{6}}}));
    blocks.push_back(Dense<V>::from_rows(reference_executor(), {{V{2}, V{1}}, {V{4}, V{1}}, {number<V>(6, 2), V{1}}}));
    on_each_executor([&](const Executor& exec) {
        const Array<V> alpha(exec, {V{2}, V{}});
        for (const size_type piece_rows : {1, 5}) {
            EXPECT_EQ((projected<V, I>(exec, {0, 2, 0}, y, Scalar<V>::per_column(alpha.data()), blocks, piece_rows)
                           .first.to_host()),
                      (std::vector<V>{number<V>(3, -1), V{16}, V{}, V{}, V{4}, V{15}}));
        }
        auto with_sums = copies(blocks, reference_executor());
        with_sums.push_back(Dense<V>::from_rows(reference_executor(), {{V{10}, V{1}}, {V{1}, V{2}}, {V{0}, V{3}}}));
        const auto step =
            projected<V, I>(exec, {0, 2, 0}, y, Scalar<V>::per_column(alpha.data()), with_sums, 5, {V{8}, V{4}});
        // Z^H r = 8 + 2 i, 0, 4;  c = Y z - Z^H r / 2 + 2 / 2 (sums - Z^H r) in column 0, Y z in column 1
        EXPECT_EQ(step.first.to_host(), (std::vector<V>{number<V>(5, -3), V{16}, V{1}, V{}, V{}, V{15}}));
        EXPECT_EQ(step.second.to_host(), (std::vector<V>{number<V>(8, 2), V{1}, V{}, V{2}, V{4}, V{3}}));
        auto unread = copies(blocks, reference_executor());
        unread[1].fill(not_a_number<V>());
        EXPECT_EQ((projected<V, I>(exec, {0, 2, 0}, y, V{}, unread).first.to_host()),
                  (std::vector<V>{V{7}, V{16}, V{}, V{}, V{6}, V{15}}));
    });
}

/// Also of domains that have more rows than one block sums.
TYPED_TEST(DeflationProject, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(957);
    for (const Dim size : {Dim{0, 1}, Dim{1, 1}, Dim{597, 1}, Dim{597, 3}, Dim{9000, 1}}) {
        const std::vector<V> rho(static_cast<std::size_t>(size.cols), number<V>(2, 1));
        for_each_partition<I>(random, size.rows, [&](const std::vector<I>& of_row, size_type num_domains) {
            const auto y = random_csr<V, I>(random, {num_domains, size.rows}, 5, Pattern::dense_row);
            auto blocks = random_blocks<V>(random, 2, size, size.rows % 2 == 1 ? 1 : 0);
            blocks.push_back(random_dense<V>(random, reference_executor(), {num_domains, size.cols}, 1));
            const auto run = [&](const Executor& exec) {
                return projected<V, I>(exec, of_row, y, V{2}, blocks, deflation_piece_rows, rho);
            };
            const auto expected = run(reference_executor());
            on_each_executor([&](const Executor& exec) {
                const auto scale = std::max(1., std::sqrt(static_cast<double>(size.rows)));
                const auto [c, sums] = run(exec);
                expect_near(c, expected.first, 64, scale);
                expect_near(sums, expected.second, 64, scale);
            });
        });
    }
}

}  // namespace
}  // namespace linden::test
