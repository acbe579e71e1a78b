// needs: double int32
#include <linden/io/problems.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/stop/stop.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/type_lists.hpp"
#include "core/inspect/inspector.hpp"
#include "core/validation/cases.hpp"
#include "test/support/backends.hpp"

/// Defects that other libraries have had on devices, in kernels of this test alone: right on the reference, and on omp
/// as those were. The inspector sees each of them, in such operands as validations have.
namespace linden::test {
namespace {

using inspect::Inspector;
using I = std::int32_t;

template <class K, class F>
void bind(K& entry, F right, F defective)
{
    entry.bind(Backend::reference, right);
    for (const auto backend : {Backend::omp, Backend::cuda, Backend::hip}) {
        entry.bind(backend, defective);
    }
}

/// Whether a call is inspected, and red. `call(exec)` makes one.
template <class F>
bool is_red(const F& call)
{
    const auto exec = Executor::create(Backend::omp, {.threads = 2});
    Inspector inspector(exec);
    call(exec);
    for (const auto& record : inspector.records()) {
        if (record.kernel->name().starts_with("test::")) {
            EXPECT_EQ(record.num_inspected, 1) << record.obstacle;
            return !record.faults.empty();
        }
    }
    ADD_FAILURE() << "no call was seen";
    return false;
}

class ReplayedDefect : public testing::Test {
protected:
    void SetUp() override
    {
        if (!backend_info(Backend::omp).built) {
            GTEST_SKIP() << "no second backend on hosts";
        }
    }
};

/// A row to a subgroup that reads one round of its entries.
template <size_type most>
void multiply(const Executor&, CsrView<double, I> a, const double* b, double* x)
{
    for (size_type row = 0; row < a.rows; ++row) {
        double sum = 0;
        const size_type end = std::min<size_type>(a.row_ptrs[row + 1], a.row_ptrs[row] + most);
        for (size_type k = a.row_ptrs[row]; k < end; ++k) {
            sum += a.values[k] * b[a.col_idxs[k]];
        }
        x[row] = sum;
    }
}

TEST_F(ReplayedDefect, LongRowsAreCut)
{
    static kernel<void(CsrView<double, I> a, const double* b, double* x)> product{"test::product", types_of<double>};
    bind(product, multiply<1 << 20>, multiply<32>);
    const auto with = [&](const char* spec) {
        return is_red([&](const Executor& exec) {
            const Csr<double, I> a(exec, generate_problem<double, I>(spec));
            const auto b = validation::random_block<double>(exec, {a.size().cols, 1}, 1);
            auto x = Dense<double>::filled(exec, {a.size().rows, 1}, 0.0);
            product(exec, a.view(), b.data(), x.data());
        });
    };
    EXPECT_FALSE(with("lap2d:12")) << "even rows do not show it";
    EXPECT_TRUE(with("powerlaw:901:6:1")) << "uneven rows do, which the cases of formats have";
}

/// The reference subtracts the mean first; the backend takes mean squares, as is faster.
void variance(const Executor&, size_type n, const double* x, double* result)
{
    double mean = 0, sum = 0;
    for (size_type i = 0; i < n; ++i) {
        mean += x[i] / static_cast<double>(n);
    }
    for (size_type i = 0; i < n; ++i) {
        sum += (x[i] - mean) * (x[i] - mean);
    }
    *result = sum / static_cast<double>(n);
}

void variance_at_once(const Executor&, size_type n, const double* x, double* result)
{
    double sum = 0, squares = 0;
    for (size_type i = 0; i < n; ++i) {
        sum += x[i];
        squares += x[i] * x[i];
    }
    *result = squares / static_cast<double>(n) - sum / static_cast<double>(n) * (sum / static_cast<double>(n));
}

TEST_F(ReplayedDefect, ABackendHasAnotherAlgorithm)
{
    static kernel<void(size_type n, const double* x, double* result)> entry{"test::variance", types_of<double>};
    bind(entry, variance, variance_at_once);
    const auto around = [&](double mean) {
        return is_red([&](const Executor& exec) {
            auto values = validation::Numbers(1).values<double>(100);
            std::for_each(values.begin(), values.end(), [&](double& v) { v += mean; });
            const Array<double> x(exec, values);
            Array<double> result(exec, std::vector<double>(1));
            entry(exec, 100, x.data(), result.data());
        });
    };
    EXPECT_FALSE(around(0)) << "rounding alone is allowed";
    EXPECT_TRUE(around(1e6));
}

/// The reference ends a column whose denominator is 0; the backend goes on with a quotient of 1.
template <bool sees_breakdown>
void divide(const Executor&, size_type n, const double* a, const double* b, double* quotient, SolveStatus* status)
{
    for (size_type i = 0; i < n; ++i) {
        quotient[i] = b[i] == 0 ? 1 : a[i] / b[i];
        status[i] = sees_breakdown && b[i] == 0 ? SolveStatus::breakdown : SolveStatus::running;
    }
}

TEST_F(ReplayedDefect, ABreakdownIsLost)
{
    static kernel<void(size_type n, const double* a, const double* b, double* quotient, SolveStatus* status)> entry{
        "test::divide", types_of<double>};
    bind(entry, divide<true>, divide<false>);
    const auto with = [&](double denominator) {
        return is_red([&](const Executor& exec) {
            const Array<double> a(exec, std::vector<double>{1, 2}), b(exec, std::vector<double>{4, denominator});
            Array<double> quotient(exec, std::vector<double>(2));
            Array<SolveStatus> status(exec, std::vector<SolveStatus>(2));
            entry(exec, 2, a.data(), b.data(), quotient.data(), status.data());
        });
    };
    EXPECT_FALSE(with(8));
    EXPECT_TRUE(with(0));
}

/// A maximum in which comparisons with NaN are false: as 0 stands for NaN in the norms of some libraries.
template <bool forgets_nan>
void maximum(const Executor&, size_type n, const double* x, double* result)
{
    double largest = 0;
    for (size_type i = 0; i < n; ++i) {
        const double size = std::abs(x[i]);
        largest = size > largest || (!forgets_nan && std::isnan(size)) ? size : largest;
    }
    *result = largest;
}

TEST_F(ReplayedDefect, NanBecomesANumber)
{
    static kernel<void(size_type n, const double* x, double* result)> entry{"test::maximum", types_of<double>};
    bind(entry, maximum<false>, maximum<true>);
    const auto with = [&](double last) {
        return is_red([&](const Executor& exec) {
            const Array<double> x(exec, std::vector<double>{1, -2, last});
            Array<double> result(exec, std::vector<double>(1));
            entry(exec, 3, x.data(), result.data());
        });
    };
    EXPECT_FALSE(with(3));
    EXPECT_TRUE(with(std::nan("")));
}

}  // namespace
}  // namespace linden::test
