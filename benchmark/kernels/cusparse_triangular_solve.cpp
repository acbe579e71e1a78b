// needs: double int32
#include <linden/matrix/operations.hpp>

#include "benchmark/support/cusparse.hpp"
#include "benchmark/support/levels.hpp"

/// cuSPARSE's solves with the same triangles, in the same process, after its own analysis: SpSV, and SpSM for several
/// right-hand sides.
namespace linden::benchmarks {
namespace {

using Matrix = Csr<double, std::int32_t>;

/// What cuSPARSE wants to know of L x = b with k columns, row-major.
class Solve {
public:
    Solve(const Matrix& lower, const Dense<double>& b, Dense<double>& x, cudaStream_t stream)
        : is_block_(x.size().cols > 1)
    {
        check(cusparseCreate(&handle_));
        check(cusparseSetStream(handle_, stream));
        check(cusparseCreateCsr(&lower_, lower.size().rows, lower.size().cols, lower.num_nonzeros(),
                                const_cast<std::int32_t*>(lower.row_ptrs()),
                                const_cast<std::int32_t*>(lower.col_idxs()), const_cast<double*>(lower.values()),
                                CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
        auto side = CUSPARSE_FILL_MODE_LOWER;
        auto diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
        check(cusparseSpMatSetAttribute(lower_, CUSPARSE_SPMAT_FILL_MODE, &side, sizeof side));
        check(cusparseSpMatSetAttribute(lower_, CUSPARSE_SPMAT_DIAG_TYPE, &diagonal, sizeof diagonal));
        auto* const b_values = const_cast<double*>(b.data());
        const auto n = x.size().rows, k = x.size().cols;
        check(cusparseCreateDnVec(&b_vector_, n, b_values, CUDA_R_64F));
        check(cusparseCreateDnVec(&x_vector_, n, x.data(), CUDA_R_64F));
        check(cusparseCreateDnMat(&b_block_, n, k, k, b_values, CUDA_R_64F, CUSPARSE_ORDER_ROW));
        check(cusparseCreateDnMat(&x_block_, n, k, k, x.data(), CUDA_R_64F, CUSPARSE_ORDER_ROW));
        check(cusparseSpSV_createDescr(&vector_plan_));
        check(cusparseSpSM_createDescr(&block_plan_));
        analyse(lower.executor());
    }
    ~Solve()
    {
        cusparseSpSV_destroyDescr(vector_plan_);
        cusparseSpSM_destroyDescr(block_plan_);
        cusparseDestroySpMat(lower_);
        cusparseDestroyDnVec(b_vector_);
        cusparseDestroyDnVec(x_vector_);
        cusparseDestroyDnMat(b_block_);
        cusparseDestroyDnMat(x_block_);
        cusparseDestroy(handle_);
    }
    Solve(const Solve&) = delete;
    Solve& operator=(const Solve&) = delete;

    void run()
    {
        if (is_block_) {
            check(cusparseSpSM_solve(handle_, none, none, &one_, lower_, b_block_, x_block_, CUDA_R_64F,
                                     CUSPARSE_SPSM_ALG_DEFAULT, block_plan_));
        } else {
            check(cusparseSpSV_solve(handle_, none, &one_, lower_, b_vector_, x_vector_, CUDA_R_64F,
                                     CUSPARSE_SPSV_ALG_DEFAULT, vector_plan_));
        }
    }

private:
    static constexpr auto none = CUSPARSE_OPERATION_NON_TRANSPOSE;

    void analyse(const Executor& exec)
    {
        std::size_t bytes = 0;
        const auto reserve = [&] {
            buffer_ = Array<std::byte>(exec, static_cast<size_type>(std::max<std::size_t>(bytes, 1)));
        };
        if (is_block_) {
            check(cusparseSpSM_bufferSize(handle_, none, none, &one_, lower_, b_block_, x_block_, CUDA_R_64F,
                                          CUSPARSE_SPSM_ALG_DEFAULT, block_plan_, &bytes));
            reserve();
            check(cusparseSpSM_analysis(handle_, none, none, &one_, lower_, b_block_, x_block_, CUDA_R_64F,
                                        CUSPARSE_SPSM_ALG_DEFAULT, block_plan_, buffer_.data()));
        } else {
            check(cusparseSpSV_bufferSize(handle_, none, &one_, lower_, b_vector_, x_vector_, CUDA_R_64F,
                                          CUSPARSE_SPSV_ALG_DEFAULT, vector_plan_, &bytes));
            reserve();
            check(cusparseSpSV_analysis(handle_, none, &one_, lower_, b_vector_, x_vector_, CUDA_R_64F,
                                        CUSPARSE_SPSV_ALG_DEFAULT, vector_plan_, buffer_.data()));
        }
    }

    bool is_block_;
    double one_ = 1;
    cusparseHandle_t handle_ = nullptr;
    cusparseSpMatDescr_t lower_ = nullptr;
    cusparseDnVecDescr_t b_vector_ = nullptr, x_vector_ = nullptr;
    cusparseDnMatDescr_t b_block_ = nullptr, x_block_ = nullptr;
    cusparseSpSVDescr_t vector_plan_ = nullptr;
    cusparseSpSMDescr_t block_plan_ = nullptr;
    Array<std::byte> buffer_{Executor::reference()};
};

void add_case(const std::string& spec, size_type k)
{
    const auto what = short_name(spec) + (k == 1 ? "" : "x" + std::to_string(k));
    add("triangular_solve", "cusparse", "double_int32", what, [=](benchmark::State& state) {
        static const Queue queue;
        const auto lower = lower_triangle(*problem<double, std::int32_t>(queue.exec, spec));
        const auto n = lower.size().rows;
        const auto b = block<double>(queue.exec, {n, k});
        Dense<double> x(queue.exec, b.size());
        Solve solve(lower, b, x, queue.stream);
        const auto bytes = triangular_solve_bytes<double, double, std::int32_t>(n, lower.num_nonzeros() - n, k);
        measure(state, queue.exec, bytes, [&] { solve.run(); });
    });
}

const Suite suite{[](const Executor& exec) {
    if (exec.backend() != Backend::cuda) {
        return;
    }
    for (const char* spec : {"lap2d:1000", "lap3d:100", "lap3d:200"}) {
        add_case(spec, 1);
    }
    add_case("lap3d:100", 4);
    for (const auto& file : matrix_files()) {
        add_case(file, 1);
    }
}};

}  // namespace
}  // namespace linden::benchmarks
