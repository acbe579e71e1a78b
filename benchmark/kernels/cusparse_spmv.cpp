// needs: double int32
#include "benchmark/support/cusparse.hpp"
#include "benchmark/support/suite.hpp"

/// cuSPARSE's products on the same matrices, in the same process, after its own preprocessing.
namespace linden::benchmarks {
namespace {

/// What cuSPARSE wants to know of x := A b with k columns, row-major.
class Product {
public:
    Product(const Csr<double, std::int32_t>& a, const Dense<double>& b, Dense<double>& x, cudaStream_t stream)
        : is_matrix_(x.size().cols > 1)
    {
        check(cusparseCreate(&handle_));
        check(cusparseSetStream(handle_, stream));
        check(cusparseCreateCsr(&a_, a.size().rows, a.size().cols, a.num_nonzeros(),
                                const_cast<std::int32_t*>(a.row_ptrs()), const_cast<std::int32_t*>(a.col_idxs()),
                                const_cast<double*>(a.values()), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
        auto* const b_values = const_cast<double*>(b.data());
        const auto k = x.size().cols;
        check(cusparseCreateDnVec(&b_vector_, b.size().rows, b_values, CUDA_R_64F));
        check(cusparseCreateDnVec(&x_vector_, x.size().rows, x.data(), CUDA_R_64F));
        check(cusparseCreateDnMat(&b_matrix_, b.size().rows, k, k, b_values, CUDA_R_64F, CUSPARSE_ORDER_ROW));
        check(cusparseCreateDnMat(&x_matrix_, x.size().rows, k, k, x.data(), CUDA_R_64F, CUSPARSE_ORDER_ROW));
        std::size_t bytes = 0;
        if (is_matrix_) {
            check(cusparseSpMM_bufferSize(handle_, none, none, &one_, a_, b_matrix_, &zero_, x_matrix_, CUDA_R_64F,
                                          CUSPARSE_SPMM_CSR_ALG2, &bytes));
        } else {
            check(cusparseSpMV_bufferSize(handle_, none, &one_, a_, b_vector_, &zero_, x_vector_, CUDA_R_64F,
                                          CUSPARSE_SPMV_CSR_ALG1, &bytes));
        }
        buffer_ = Array<std::byte>(a.executor(), static_cast<size_type>(std::max<std::size_t>(bytes, 1)));
        if (is_matrix_) {
            check(cusparseSpMM_preprocess(handle_, none, none, &one_, a_, b_matrix_, &zero_, x_matrix_, CUDA_R_64F,
                                          CUSPARSE_SPMM_CSR_ALG2, buffer_.data()));
        } else {
            check(cusparseSpMV_preprocess(handle_, none, &one_, a_, b_vector_, &zero_, x_vector_, CUDA_R_64F,
                                          CUSPARSE_SPMV_CSR_ALG1, buffer_.data()));
        }
    }
    ~Product()
    {
        cusparseDestroySpMat(a_);
        cusparseDestroyDnVec(b_vector_);
        cusparseDestroyDnVec(x_vector_);
        cusparseDestroyDnMat(b_matrix_);
        cusparseDestroyDnMat(x_matrix_);
        cusparseDestroy(handle_);
    }
    Product(const Product&) = delete;
    Product& operator=(const Product&) = delete;

    void run()
    {
        if (is_matrix_) {
            check(cusparseSpMM(handle_, none, none, &one_, a_, b_matrix_, &zero_, x_matrix_, CUDA_R_64F,
                               CUSPARSE_SPMM_CSR_ALG2, buffer_.data()));
        } else {
            check(cusparseSpMV(handle_, none, &one_, a_, b_vector_, &zero_, x_vector_, CUDA_R_64F,
                               CUSPARSE_SPMV_CSR_ALG1, buffer_.data()));
        }
    }

private:
    static constexpr auto none = CUSPARSE_OPERATION_NON_TRANSPOSE;
    bool is_matrix_;
    double one_ = 1, zero_ = 0;
    cusparseHandle_t handle_ = nullptr;
    cusparseSpMatDescr_t a_ = nullptr;
    cusparseDnVecDescr_t b_vector_ = nullptr, x_vector_ = nullptr;
    cusparseDnMatDescr_t b_matrix_ = nullptr, x_matrix_ = nullptr;
    Array<std::byte> buffer_{Executor::reference()};
};

void add_case(const std::string& spec, size_type k)
{
    const auto what = k == 1 ? short_name(spec) : spec + "x" + std::to_string(k);
    add("csr_spmv", "cusparse", "double_int32", what, [=](benchmark::State& state) {
        static const Queue queue;
        const auto a = problem<double, std::int32_t>(queue.exec, spec);
        const auto b = block<double>(queue.exec, {a->size().cols, k});
        Dense<double> x(queue.exec, {a->size().rows, k});
        Product product(*a, b, x, queue.stream);
        const auto words = (a->size().rows + a->size().cols) * k;
        measure(state, queue.exec, bytes_of(*a) + words * static_cast<size_type>(sizeof(double)),
                [&] { product.run(); });
    });
}

const Suite suite{[](const Executor& exec) {
    if (exec.backend() != Backend::cuda) {
        return;
    }
    for (const char* spec : {"lap2d:1000", "lap3d:100", "lap3d:128", "lap3d:256", "st27:128", "random:200000:20:1",
                             "powerlaw:1000000:7:1"}) {
        add_case(spec, 1);
    }
    add_case("lap3d:128", 8);
    add_case("lap3d:128", 32);
    for (const auto& file : matrix_files()) {
        add_case(file, 1);
    }
}};

}  // namespace
}  // namespace linden::benchmarks
