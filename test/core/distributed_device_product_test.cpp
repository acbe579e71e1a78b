// needs: double int32
#include <linden/distributed/vector.hpp>
#include <linden/matrix/csr.hpp>

#include "core/kernels/reduction.hpp"
#include "test/support/device_ranks.hpp"

namespace linden::test {
namespace {

using distributed::Partition;
using Matrix = distributed::Matrix<double, std::int32_t>;

void expect_close(const std::vector<double>& x, const std::vector<double>& expected, double tolerance)
{
    ASSERT_EQ(x.size(), expected.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        ASSERT_NEAR(x[i], expected[i], tolerance) << "value " << i;
    }
}

/// Rows without entries, and rows at the rim, are empty among those that need nothing of others.
TEST(DistributedDeviceProductTest, SumsOfProductsTakeAllRows)
{
    Random random(8);
    const auto a = random_csr<double, std::int32_t>(random, {700, 700}, 5, Pattern::empty_rows);
    const auto whole = random_block<double>({700, 1}, 3);
    const auto alone = Executor::reference();
    const auto whole_b = rows_of(alone, whole, Partition::stripes(700, 1), 0);
    auto expected = Dense<double>(alone, {700, 1});
    Csr<double, std::int32_t>(alone, a).apply(whole_b, expected);
    double wx = 0, xx = 0;
    const auto w = whole_b.to_host(), products = expected.to_host();
    for (std::size_t row = 0; row < products.size(); ++row) {
        wx += w[row] * products[row];
        xx += products[row] * products[row];
    }
    for_each_way(2, [&](Backend backend, DeviceTransport transport) {
        for (const auto& partition : partitions(700, 2)) {
            in_time(2, [&](const Communicator& world) {
                const auto ranks = world.with_transport(transport);
                const auto exec = device_executor(backend, ranks.rank());
                const auto matrix = Matrix::from_whole(exec, ranks, partition, a);
                const auto b = rows_of(exec, whole, partition, ranks.rank());
                auto workspace = ReductionWorkspace::for_values<double>(exec, 2);
                workspace.sum_over(matrix.communicator());
                Array<double> sums(exec, std::vector<double>(2, 0.5));
                for (int i = 0; i < 3; ++i) {
                    auto x = Dense<double>::filled(exec, b.size(), 0.5);
                    matrix.apply_dot(b, x, {b, sums.data(), sums.data() + 1, workspace.view()});
                    const auto all = distributed::Vector<double>(ranks, partition, x.copy()).gather();
                    expect_close(all.values, expected.to_host(), 1e-12);
                    expect_close(sums.to_host(), {wx, xx}, 1e-10);
                }
            });
        }
    });
}

}  // namespace
}  // namespace linden::test
