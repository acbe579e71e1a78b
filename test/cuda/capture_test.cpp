// needs: double int32
#include <linden/preconditioner/jacobi.hpp>

#include <cuda_runtime.h>

#include "test/support/solvers.hpp"

/// Solvers inside a capture of the user's own, on the user's stream.
namespace linden::test {
namespace {

void check(cudaError_t code) { ASSERT_EQ(code, cudaSuccess) << cudaGetErrorString(code); }

class Capture : public testing::TestWithParam<Method> {
protected:
    void SetUp() override
    {
        int count = 0;
        if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
            GTEST_SKIP() << "no CUDA device";
        }
        check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    }
    void TearDown() override
    {
        if (stream_ != nullptr) {
            check(cudaStreamDestroy(stream_));
        }
    }

    cudaStream_t stream_ = nullptr;
};

/// A recorded solve replays for whatever the right-hand side holds then.
void replays(cudaStream_t stream, Method method, size_type grid, bool preconditioned)
{
    const auto exec = Executor::cuda({.stream = stream});
    const auto a = matrix_on(exec, laplace_2d<double>(grid));
    const auto n = grid * grid;
    SolverOptions<double> options{.stop = {.relative_residual = 1e-8}};
    if (preconditioned) {
        options.preconditioner = Jacobi<double>::factory();
    }
    const auto solver = make_solver<double>(method, a, options);
    auto b = Dense<double>::filled(exec, {n, 1}, 1.0);
    auto x = Dense<double>::filled(exec, {n, 1}, 0.0);
    solver->apply(b, x);  // allocates what a recording must not
    const auto expected = x.to_host();

    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    solver->apply(b, x);
    cudaGraph_t graph = nullptr;
    check(cudaStreamEndCapture(stream, &graph));
    cudaGraphExec_t replay = nullptr;
    check(cudaGraphInstantiate(&replay, graph, 0));
    for (const double factor : {1.0, -2.0, 0.0, 3.0}) {
        SCOPED_TRACE(factor);
        b.fill(factor);
        x.fill(7.0);
        check(cudaGraphLaunch(replay, stream));
        const auto solution = x.to_host();
        double difference = 0;
        for (std::size_t i = 0; i < solution.size(); ++i) {
            difference = std::max(difference, std::abs(solution[i] - factor * expected[i]));
        }
        // Both are solutions to the tolerance, which the condition of the matrix, some 10^4, multiplies.
        EXPECT_LE(difference, 1e-3 * std::abs(factor) * scale_of(expected));
    }
    check(cudaGraphExecDestroy(replay));
    check(cudaGraphDestroy(graph));
}

TEST_P(Capture, ReplaysASmallSolve) { replays(stream_, GetParam(), 20, false); }
TEST_P(Capture, ReplaysASolve) { replays(stream_, GetParam(), 200, false); }
TEST_P(Capture, ReplaysAPreconditionedSolve) { replays(stream_, GetParam(), 60, true); }

INSTANTIATE_TEST_SUITE_P(Methods, Capture, testing::ValuesIn(all_methods));

}  // namespace
}  // namespace linden::test
