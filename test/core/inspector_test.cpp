// needs: double int32
#include "core/inspect/inspector.hpp"

#include <linden/io/problems.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/solver/cg.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/base/type_lists.hpp"
#include "core/inspect/call.hpp"
#include "core/kernels/deflation.hpp"
#include "core/kernels/stop.hpp"
#include "core/validation/cases.hpp"
#include "test/support/backends.hpp"

namespace linden::test {
namespace {

using inspect::Fault;
using inspect::Inspector;
using inspect::KernelRecord;

/// A kernel of this test alone, which is right on the reference, and on other hosts as `wrong` says.
using Doubling = kernel<void(size_type n, const double* in, double* out, std::int32_t* count)>;

enum class Wrong { nothing, last_place, item, zero_for_nan, count, runs, input, device };
Wrong wrong = Wrong::nothing;

void double_values(const Executor&, size_type n, const double* in, double* out, std::int32_t* count)
{
    for (size_type i = 0; i < n; ++i) {
        out[i] = 2 * in[i];
    }
    *count = static_cast<std::int32_t>(n);
}

void double_wrongly(const Executor& exec, size_type n, const double* in, double* out, std::int32_t* count)
{
    static int runs = 0;
    double_values(exec, n, in, out, count);
    switch (wrong) {
    case Wrong::nothing:
        break;
    case Wrong::last_place:
        out[0] = std::nextafter(out[0], 1e9);
        break;
    case Wrong::item:
        out[n - 1] = 0;
        break;
    case Wrong::zero_for_nan:
        for (size_type i = 0; i < n; ++i) {
            out[i] = std::isnan(out[i]) ? 0 : out[i];
        }
        break;
    case Wrong::count:
        ++*count;
        break;
    case Wrong::runs:
        out[1] = std::nextafter(out[1], (++runs % 2 == 0 ? 1 : -1) * 1e9);
        break;
    case Wrong::input:
        const_cast<double*>(in)[0] += 1;
        break;
    case Wrong::device:
        throw VendorError("test", "double_wrongly", 716, "misaligned address");
    }
}

/// One inspected call on omp, where the reference is another function.
KernelRecord inspected(Wrong how)
{
    static Doubling doubling{"test::doubling", types_of<double>};
    doubling.bind(Backend::reference, double_values);
    doubling.bind(Backend::omp, double_wrongly);
    doubling.bind(Backend::cuda, double_wrongly);
    doubling.bind(Backend::hip, double_wrongly);
    wrong = how;
    const auto exec = Executor::create(Backend::omp, {.threads = 2});
    Inspector inspector(exec);
    const Array<double> in(exec, std::vector<double>{1, 2, 3, 4, std::numeric_limits<double>::quiet_NaN(), 6});
    Array<double> out(exec, std::vector<double>(6));
    Array<std::int32_t> count(exec, std::vector<std::int32_t>(1));
    doubling(exec, 6, in.data(), out.data(), count.data());
    return inspector.records().at(0);
}

bool has_omp() { return backend_info(Backend::omp).built; }

TEST(Inspector, FindsWhatIsWrong)
{
    if (!has_omp()) {
        GTEST_SKIP() << "no second backend on hosts";
    }
    EXPECT_TRUE(inspected(Wrong::nothing).faults.empty());
    EXPECT_TRUE(inspected(Wrong::nothing).is_same_bits);
    for (const auto how : {Wrong::item, Wrong::zero_for_nan, Wrong::count, Wrong::runs, Wrong::input, Wrong::device}) {
        SCOPED_TRACE(static_cast<int>(how));
        const auto record = inspected(how);
        EXPECT_EQ(record.num_inspected, 1);
        EXPECT_FALSE(record.faults.empty());
    }
}

TEST(Inspector, AllowsRounding)
{
    if (!has_omp()) {
        GTEST_SKIP() << "no second backend on hosts";
    }
    const auto record = inspected(Wrong::last_place);
    EXPECT_TRUE(record.faults.empty());
    EXPECT_FALSE(record.is_same_bits);
    EXPECT_GT(record.fraction, 0);
    EXPECT_LE(record.fraction, 1);
}

TEST(Inspector, FindsAWorkspaceThatNoAllocationWouldGive)
{
    using Filling = kernel<void(size_type n, float* values, WorkspaceView workspace)>;
    static Filling filling{"test::filling", types_of<float>};
    for (int b = 0; b < num_backends; ++b) {
        filling.bind(static_cast<Backend>(b), [](const Executor&, size_type n, float* values, WorkspaceView workspace) {
            std::fill_n(values, n, static_cast<float>(workspace.bytes));
        });
    }
    const auto exec = Executor::reference();
    for (const size_type n : {4, 5}) {
        Inspector inspector(exec);
        Array<float> memory(exec, 16);
        filling(exec, n, memory.data(), {reinterpret_cast<std::byte*>(memory.data() + n), 16});
        const auto record = inspector.records().at(0);
        EXPECT_EQ(record.num_inspected, 1);
        EXPECT_EQ(record.faults.empty(), n == 4);
    }
}

/// Counts what an argument consists of.
class Parts final : public ArgumentVisitor {
public:
    void pointer(void**, ElementType, bool is_const) override { ++(is_const ? read : written); }
    void workspace(std::byte**, size_type) override { ++workspaces; }
    void value(const void*, ElementType) override { ++values; }
    void opaque() override { ++objects; }

    int read = 0, written = 0, workspaces = 0, values = 0, objects = 0;
};

template <class T>
Parts parts_of(T argument)
{
    Parts parts;
    argument_type<T>.visit(&argument, parts);
    return parts;
}

TEST(Arguments, ViewsAreTakenApart)
{
    const auto stop = parts_of(StopView<double>{});
    EXPECT_EQ(stop.written, 9);
    EXPECT_EQ(stop.values, 1);
    const auto step = parts_of(StepView<double>{});  // blocks, a Scalar, pointers
    EXPECT_EQ(step.read, 4);
    EXPECT_EQ(step.written, 1);
    const auto csr = parts_of(CsrView<double, std::int32_t>{});
    EXPECT_EQ(csr.read, 3);
    EXPECT_EQ(csr.values, 3);
    EXPECT_EQ(parts_of(PatternView<std::int32_t>{}).read, 2);
    EXPECT_EQ(parts_of(WorkspaceView{}).workspaces, 1);
}

/// A solve by CG, inspected.
std::vector<KernelRecord> inspected_solve(const Executor& exec, Fault fault, std::int64_t calls_per_kernel)
{
    inspect::InspectorOptions options;
    options.calls_per_kernel = calls_per_kernel;
    options.calls_per_shape = calls_per_kernel;
    options.fault = fault;
    Inspector inspector(exec, options);
    const auto matrix = share(Csr<double, std::int32_t>(exec, generate_problem<double, std::int32_t>("lap2d:9")));
    const auto solver = Cg<double>::factory({}).generate(matrix);
    const auto b = validation::random_block<double>(exec, {81, 2}, 1);
    auto x = Dense<double>::filled(exec, {81, 2}, 0.0);
    const auto result = solver->solve(b, x);
    EXPECT_TRUE(result.converged()) << "what is planted does not stay";
    return inspector.records();
}

TEST(Inspector, IsSilentWhereNothingIsWrong)
{
    on_each_executor([](const Executor& exec) {
        const auto records = inspected_solve(exec, Fault::none, 100);
        EXPECT_GT(records.size(), 5u);
        for (const auto& record : records) {
            EXPECT_TRUE(record.faults.empty()) << record.kernel->name() << ": " << record.faults.front();
            EXPECT_LE(record.fraction, 1) << record.kernel->name();
            EXPECT_GT(record.num_inspected, 0) << record.kernel->name() << ": " << record.obstacle;
        }
    });
}

TEST(Inspector, FindsWhatIsPlanted)
{
    on_each_executor([](const Executor& exec) {
        for (int f = 1; f < inspect::num_faults; ++f) {
            SCOPED_TRACE(name(static_cast<Fault>(f)));
            std::int64_t num_planted = 0;
            for (const auto& record : inspected_solve(exec, static_cast<Fault>(f), 2)) {
                EXPECT_EQ(record.num_found, record.num_planted) << record.kernel->name();
                num_planted += record.num_planted;
            }
            EXPECT_GT(num_planted, static_cast<Fault>(f) == Fault::lost_nan ? -1 : 5) << "this solve has no NaN";
        }
    });
}

TEST(Inspector, FindsLostNan)
{
    on_each_executor([](const Executor& exec) {
        inspect::InspectorOptions options;
        options.fault = Fault::lost_nan;
        Inspector inspector(exec, options);
        const auto b = Dense<double>::vector(exec, {1, std::numeric_limits<double>::quiet_NaN(), 3});
        auto x = Dense<double>::filled(exec, {3, 1}, 1.0);
        x.add_scaled(2.0, b);
        std::int64_t num_planted = 0;
        for (const auto& record : inspector.records()) {
            EXPECT_EQ(record.num_found, record.num_planted) << record.kernel->name();
            num_planted += record.num_planted;
        }
        EXPECT_EQ(num_planted, 1);
    });
}

TEST(Inspector, LeavesNothingBehind)
{
    on_each_executor([](const Executor& exec) {
        const auto solve = [&] {
            const auto matrix =
                share(Csr<double, std::int32_t>(exec, generate_problem<double, std::int32_t>("lap2d:9")));
            auto x = Dense<double>::filled(exec, {81, 1}, 0.0);
            Cg<double>::factory({}).generate(matrix)->solve(Dense<double>::filled(exec, {81, 1}, 1.0), x);
            return x.to_host();
        };
        const auto before = solve();
        std::vector<double> during;
        {
            Inspector inspector(exec);
            during = solve();
        }
        EXPECT_EQ(before, during) << "an inspected solve gives other bits";
        EXPECT_EQ(before, solve());
    });
}

}  // namespace
}  // namespace linden::test
