// needs: double int32
#include <cuda_runtime.h>
#include <cusparse.h>

#include <stdexcept>

#include "benchmark/support/suite.hpp"

/// cuSPARSE's product of the same matrices, from nothing to the values.
namespace linden::benchmarks {
namespace {

using Matrix = Csr<double, std::int32_t>;

void check(cusparseStatus_t status)
{
    if (status != CUSPARSE_STATUS_SUCCESS) {
        throw std::runtime_error(cusparseGetErrorString(status));
    }
}

cusparseSpMatDescr_t descriptor_of(Dim size, size_type num_nonzeros, const std::int32_t* row_ptrs,
                                   const std::int32_t* col_idxs, const double* values)
{
    cusparseSpMatDescr_t made = nullptr;
    check(cusparseCreateCsr(&made, size.rows, size.cols, num_nonzeros, const_cast<std::int32_t*>(row_ptrs),
                            const_cast<std::int32_t*>(col_idxs), const_cast<double*>(values), CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    return made;
}

/// A A. Memory is from the executor's pool, as Linden's is.
Matrix square(cusparseHandle_t handle, const Matrix& a)
{
    constexpr auto none = CUSPARSE_OPERATION_NON_TRANSPOSE;
    constexpr auto algorithm = CUSPARSE_SPGEMM_DEFAULT;
    const double one = 1, zero = 0;
    const auto& exec = a.executor();
    const auto a_matrix = descriptor_of(a.size(), a.num_nonzeros(), a.row_ptrs(), a.col_idxs(), a.values());
    const auto c_matrix = descriptor_of(a.size(), 0, nullptr, nullptr, nullptr);
    cusparseSpGEMMDescr_t plan = nullptr;
    check(cusparseSpGEMM_createDescr(&plan));

    std::size_t bytes = 0;
    check(cusparseSpGEMM_workEstimation(handle, none, none, &one, a_matrix, a_matrix, &zero, c_matrix, CUDA_R_64F,
                                        algorithm, plan, &bytes, nullptr));
    Array<std::byte> first(exec, static_cast<size_type>(bytes));
    check(cusparseSpGEMM_workEstimation(handle, none, none, &one, a_matrix, a_matrix, &zero, c_matrix, CUDA_R_64F,
                                        algorithm, plan, &bytes, first.data()));
    check(cusparseSpGEMM_compute(handle, none, none, &one, a_matrix, a_matrix, &zero, c_matrix, CUDA_R_64F, algorithm,
                                 plan, &bytes, nullptr));
    Array<std::byte> second(exec, static_cast<size_type>(bytes));
    check(cusparseSpGEMM_compute(handle, none, none, &one, a_matrix, a_matrix, &zero, c_matrix, CUDA_R_64F, algorithm,
                                 plan, &bytes, second.data()));
    std::int64_t rows = 0, cols = 0, num_nonzeros = 0;
    check(cusparseSpMatGetSize(c_matrix, &rows, &cols, &num_nonzeros));
    Array<std::int32_t> row_ptrs(exec, rows + 1), col_idxs(exec, num_nonzeros);
    Array<double> values(exec, num_nonzeros);
    check(cusparseCsrSetPointers(c_matrix, row_ptrs.data(), col_idxs.data(), values.data()));
    check(cusparseSpGEMM_copy(handle, none, none, &one, a_matrix, a_matrix, &zero, c_matrix, CUDA_R_64F, algorithm,
                              plan));
    cusparseSpGEMM_destroyDescr(plan);
    cusparseDestroySpMat(a_matrix);
    cusparseDestroySpMat(c_matrix);
    return Matrix(exec, a.size(), std::move(row_ptrs), std::move(col_idxs), std::move(values));
}

/// A stream of its own, since cuSPARSE wants to know it, and the executor on it, whose peak is that of one problem.
/// Never destroyed: `problem` may keep a matrix there.
struct Queue {
    cudaStream_t stream = nullptr;
    Executor exec;
    cusparseHandle_t handle = nullptr;

    Queue() : stream(make()), exec(Executor::cuda({.stream = stream}))
    {
        check(cusparseCreate(&handle));
        check(cusparseSetStream(handle, stream));
    }
    static cudaStream_t make()
    {
        cudaStream_t made = nullptr;
        if (cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking) != cudaSuccess) {
            throw std::runtime_error("no CUDA stream");
        }
        return made;
    }
};

void add_case(const std::string& spec)
{
    add("spgemm", "cusparse", "double_int32", short_name(spec), [=](benchmark::State& state) {
        const Queue queue;
        const auto a = problem<double, std::int32_t>(queue.exec, spec);
        const auto before = queue.exec.counters().allocated_bytes;
        const auto result_bytes = bytes_of(square(queue.handle, *a));
        const auto peak = static_cast<double>(queue.exec.counters().peak_bytes - before);
        measure(state, queue.exec, 2 * bytes_of(*a) + result_bytes, [&] { square(queue.handle, *a); });
        state.counters["result_bytes"] = static_cast<double>(result_bytes);
        state.counters["peak_of_result"] = peak / static_cast<double>(result_bytes);
    });
}

const Suite suite{[](const Executor& exec) {
    if (exec.backend() == Backend::cuda) {
        for (const char* spec : {"lap3d:64", "lap3d:128", "st27:40", "st27:100", "random:1000000:8:1"}) {
            add_case(spec);
        }
        for (const auto& file : matrix_files()) {
            add_case(file);
        }
    }
}};

}  // namespace
}  // namespace linden::benchmarks
