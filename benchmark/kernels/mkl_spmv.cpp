// needs: double int32
#include <mkl.h>

#include <stdexcept>

#include "benchmark/support/suite.hpp"

/// MKL's products on the same matrices and with as many threads, after its own optimisation for many of them: `mkl2` on
/// two threads, where MKL may copy the matrix to a format of its own (diagonals for stencils, sliced rows), and
/// `mkl_csr2`, where it has to take the compressed rows as they are.
namespace linden::benchmarks {
namespace {

void check(sparse_status_t status)
{
    if (status != SPARSE_STATUS_SUCCESS) {
        throw std::runtime_error("MKL: status " + std::to_string(status));
    }
}

/// x := A b
void add_case(const Executor& exec, const std::string& spec, bool may_copy)
{
    const int threads = exec.info().num_units;
    const auto name = (may_copy ? "mkl" : "mkl_csr") + std::to_string(threads);
    add("csr_spmv", name, "double_int32", short_name(spec), [=](benchmark::State& state) {
        mkl_set_num_threads(threads);
        const auto a = problem<double, std::int32_t>(exec, spec);
        const auto b = block<double>(exec, {a->size().cols, 1});
        Dense<double> x(exec, {a->size().rows, 1});
        auto* const row_ptrs = const_cast<std::int32_t*>(a->row_ptrs());
        sparse_matrix_t handle = nullptr;
        check(mkl_sparse_d_create_csr(&handle, SPARSE_INDEX_BASE_ZERO, static_cast<MKL_INT>(a->size().rows),
                                      static_cast<MKL_INT>(a->size().cols), row_ptrs, row_ptrs + 1,
                                      const_cast<std::int32_t*>(a->col_idxs()), const_cast<double*>(a->values())));
        const matrix_descr general{SPARSE_MATRIX_TYPE_GENERAL, SPARSE_FILL_MODE_FULL, SPARSE_DIAG_NON_UNIT};
        check(mkl_sparse_set_mv_hint(handle, SPARSE_OPERATION_NON_TRANSPOSE, general, 10000));
        check(mkl_sparse_set_memory_hint(handle, may_copy ? SPARSE_MEMORY_AGGRESSIVE : SPARSE_MEMORY_NONE));
        check(mkl_sparse_optimize(handle));
        const auto words = a->size().rows + a->size().cols;
        measure(state, exec, bytes_of(*a) + words * static_cast<size_type>(sizeof(double)), [&] {
            mkl_sparse_d_mv(SPARSE_OPERATION_NON_TRANSPOSE, 1.0, handle, general, b.data(), 0.0, x.data());
        });
        mkl_sparse_destroy(handle);
    });
}

const Suite suite{[](const Executor& exec) {
    if (exec.backend() != Backend::omp) {
        return;
    }
    for (const bool may_copy : {true, false}) {
        for (const char* spec : {"lap2d:1000", "lap3d:100", "random:200000:20:1", "powerlaw:1000000:7:1"}) {
            add_case(exec, spec, may_copy);
        }
        for (const auto& file : matrix_files()) {
            add_case(exec, file, may_copy);
        }
    }
}};

}  // namespace
}  // namespace linden::benchmarks
