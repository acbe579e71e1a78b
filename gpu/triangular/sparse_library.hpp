#pragma once

#include <linden/error.hpp>

#include <memory>
#include <string>
#include <string_view>

#include "gpu/device/api.hpp"

#if defined(LINDEN_GPU_HIP)
#include <hipsparse/hipsparse.h>
#else
#include <cusparse.h>
#endif

/// The vendor's library for sparse matrices under one spelling: cuSPARSE, or hipSPARSE with the same functions. Only
/// what differs has a body.
namespace linden::LINDEN_GPU_NAMESPACE::sparse {

#if defined(LINDEN_GPU_HIP)

inline constexpr std::string_view library_name = "hipSPARSE", prefix = "hipsparse";
using Status = hipsparseStatus_t;
using Context = hipsparseHandle_t;
using Csr = hipsparseSpMatDescr_t;
using Vector = hipsparseDnVecDescr_t;
using Block = hipsparseDnMatDescr_t;
using VectorSolve = hipsparseSpSVDescr_t;
using BlockSolve = hipsparseSpSMDescr_t;
using Operation = hipsparseOperation_t;
using DataType = hipDataType;
using IndexType = hipsparseIndexType_t;

inline constexpr Status success = HIPSPARSE_STATUS_SUCCESS;
inline constexpr DataType float32 = HIP_R_32F, float64 = HIP_R_64F, complex64 = HIP_C_32F, complex128 = HIP_C_64F;
inline constexpr IndexType int32 = HIPSPARSE_INDEX_32I, int64 = HIPSPARSE_INDEX_64I;
inline constexpr auto zero_based = HIPSPARSE_INDEX_BASE_ZERO;
inline constexpr auto row_major = HIPSPARSE_ORDER_ROW;
inline constexpr auto as_is = HIPSPARSE_OPERATION_NON_TRANSPOSE;
inline constexpr auto fill_mode = HIPSPARSE_SPMAT_FILL_MODE;
inline constexpr auto lower = HIPSPARSE_FILL_MODE_LOWER, upper = HIPSPARSE_FILL_MODE_UPPER;
inline constexpr auto diagonal_type = HIPSPARSE_SPMAT_DIAG_TYPE;
inline constexpr auto unit = HIPSPARSE_DIAG_TYPE_UNIT, non_unit = HIPSPARSE_DIAG_TYPE_NON_UNIT;
inline constexpr auto vector_algorithm = HIPSPARSE_SPSV_ALG_DEFAULT;
inline constexpr auto block_algorithm = HIPSPARSE_SPSM_ALG_DEFAULT;

inline constexpr auto create_context = hipsparseCreate;
inline constexpr auto destroy_context = hipsparseDestroy;
inline constexpr auto set_stream = hipsparseSetStream;
inline constexpr auto create_csr = hipsparseCreateCsr;
inline constexpr auto set_attribute = hipsparseSpMatSetAttribute;
inline constexpr auto destroy_csr = hipsparseDestroySpMat;
inline constexpr auto create_vector = hipsparseCreateDnVec;
inline constexpr auto set_vector_values = hipsparseDnVecSetValues;
inline constexpr auto destroy_vector = hipsparseDestroyDnVec;
inline constexpr auto create_block = hipsparseCreateDnMat;
inline constexpr auto set_block_values = hipsparseDnMatSetValues;
inline constexpr auto destroy_block = hipsparseDestroyDnMat;
inline constexpr auto create_vector_solve = hipsparseSpSV_createDescr;
inline constexpr auto destroy_vector_solve = hipsparseSpSV_destroyDescr;
inline constexpr auto vector_solve_bytes = hipsparseSpSV_bufferSize;
inline constexpr auto analyse_vector_solve = hipsparseSpSV_analysis;
inline constexpr auto create_block_solve = hipsparseSpSM_createDescr;
inline constexpr auto destroy_block_solve = hipsparseSpSM_destroyDescr;
inline constexpr auto block_solve_bytes = hipsparseSpSM_bufferSize;
inline constexpr auto analyse_block_solve = hipsparseSpSM_analysis;

/// Solves take new values after another analysis, which costs little where the library knows the pattern.
inline constexpr auto update_vector_solve = hipsparseSpSV_analysis;
inline constexpr auto update_block_solve = hipsparseSpSM_analysis;
inline constexpr std::string_view vector_update_call = "SpSV_analysis", block_update_call = "SpSM_analysis";

/// ROCm 5 wants the workspace of the analysis once more.
inline constexpr auto solve_vector = [](Context context, Operation a_is, const void* alpha, Csr a, Vector b, Vector x,
                                        DataType type, auto algorithm, auto solve, [[maybe_unused]] void* workspace) {
    if constexpr (requires { hipsparseSpSV_solve(context, a_is, alpha, a, b, x, type, algorithm, solve); }) {
        return hipsparseSpSV_solve(context, a_is, alpha, a, b, x, type, algorithm, solve);
    } else {
        return hipsparseSpSV_solve(context, a_is, alpha, a, b, x, type, algorithm, solve, workspace);
    }
};
inline constexpr auto solve_block = hipsparseSpSM_solve;

/// A name that depends on S, since hipSPARSE of ROCm 5 has no such function.
template <class S>
std::string_view status_text(S status)
{
    if constexpr (requires { hipsparseGetErrorString(status); }) {
        return hipsparseGetErrorString(status);
    } else {
        return {};
    }
}

#else

inline constexpr std::string_view library_name = "cuSPARSE", prefix = "cusparse";
using Status = cusparseStatus_t;
using Context = cusparseHandle_t;
using Csr = cusparseSpMatDescr_t;
using Vector = cusparseDnVecDescr_t;
using Block = cusparseDnMatDescr_t;
using VectorSolve = cusparseSpSVDescr_t;
using BlockSolve = cusparseSpSMDescr_t;
using Operation = cusparseOperation_t;
using DataType = cudaDataType;
using IndexType = cusparseIndexType_t;

inline constexpr Status success = CUSPARSE_STATUS_SUCCESS;
inline constexpr DataType float32 = CUDA_R_32F, float64 = CUDA_R_64F, complex64 = CUDA_C_32F, complex128 = CUDA_C_64F;
inline constexpr IndexType int32 = CUSPARSE_INDEX_32I, int64 = CUSPARSE_INDEX_64I;
inline constexpr auto zero_based = CUSPARSE_INDEX_BASE_ZERO;
inline constexpr auto row_major = CUSPARSE_ORDER_ROW;
inline constexpr auto as_is = CUSPARSE_OPERATION_NON_TRANSPOSE;
inline constexpr auto fill_mode = CUSPARSE_SPMAT_FILL_MODE;
inline constexpr auto lower = CUSPARSE_FILL_MODE_LOWER, upper = CUSPARSE_FILL_MODE_UPPER;
inline constexpr auto diagonal_type = CUSPARSE_SPMAT_DIAG_TYPE;
inline constexpr auto unit = CUSPARSE_DIAG_TYPE_UNIT, non_unit = CUSPARSE_DIAG_TYPE_NON_UNIT;
inline constexpr auto vector_algorithm = CUSPARSE_SPSV_ALG_DEFAULT;
inline constexpr auto block_algorithm = CUSPARSE_SPSM_ALG_DEFAULT;

inline constexpr auto create_context = cusparseCreate;
inline constexpr auto destroy_context = cusparseDestroy;
inline constexpr auto set_stream = cusparseSetStream;
inline constexpr auto create_csr = cusparseCreateCsr;
inline constexpr auto set_attribute = cusparseSpMatSetAttribute;
inline constexpr auto destroy_csr = cusparseDestroySpMat;
inline constexpr auto create_vector = cusparseCreateDnVec;
inline constexpr auto set_vector_values = cusparseDnVecSetValues;
inline constexpr auto destroy_vector = cusparseDestroyDnVec;
inline constexpr auto create_block = cusparseCreateDnMat;
inline constexpr auto set_block_values = cusparseDnMatSetValues;
inline constexpr auto destroy_block = cusparseDestroyDnMat;
inline constexpr auto create_vector_solve = cusparseSpSV_createDescr;
inline constexpr auto destroy_vector_solve = cusparseSpSV_destroyDescr;
inline constexpr auto vector_solve_bytes = cusparseSpSV_bufferSize;
inline constexpr auto analyse_vector_solve = cusparseSpSV_analysis;
inline constexpr auto create_block_solve = cusparseSpSM_createDescr;
inline constexpr auto destroy_block_solve = cusparseSpSM_destroyDescr;
inline constexpr auto block_solve_bytes = cusparseSpSM_bufferSize;
inline constexpr auto analyse_block_solve = cusparseSpSM_analysis;
inline constexpr auto status_text = cusparseGetErrorString;

/// Takes over the values that `a` has now. The arguments are those of the analysis.
inline Status update_vector_solve(Context context, Operation, const void*, Csr a, Vector, Vector, DataType,
                                  cusparseSpSVAlg_t, VectorSolve solve, void*)
{
    void* values = nullptr;
    const Status status = cusparseSpMatGetValues(a, &values);
    return status == success ? cusparseSpSV_updateMatrix(context, solve, values, CUSPARSE_SPSV_UPDATE_GENERAL) : status;
}
inline Status update_block_solve(Context context, Operation, Operation, const void*, Csr a, Block, Block, DataType,
                                 cusparseSpSMAlg_t, BlockSolve solve, void*)
{
    void* values = nullptr;
    const Status status = cusparseSpMatGetValues(a, &values);
    return status == success ? cusparseSpSM_updateMatrix(context, solve, values, CUSPARSE_SPSM_UPDATE_GENERAL) : status;
}
inline constexpr std::string_view vector_update_call = "SpSV_updateMatrix", block_update_call = "SpSM_updateMatrix";

/// Like the analysis, whose workspace cuSPARSE remembers.
inline Status solve_vector(Context context, Operation a_is, const void* alpha, Csr a, Vector b, Vector x, DataType type,
                           cusparseSpSVAlg_t algorithm, VectorSolve solve, void*)
{
    return cusparseSpSV_solve(context, a_is, alpha, a, b, x, type, algorithm, solve);
}
inline Status solve_block(Context context, Operation a_is, Operation b_is, const void* alpha, Csr a, Block b, Block x,
                          DataType type, cusparseSpSMAlg_t algorithm, BlockSolve solve, void*)
{
    return cusparseSpSM_solve(context, a_is, b_is, alpha, a, b, x, type, algorithm, solve);
}

#endif

/// `call` without the prefix of the library. @throws VendorError if it failed
inline void check(Status status, std::string_view call)
{
    if (status != success) {
        throw VendorError(library_name, std::string(prefix).append(call), status, status_text(status));
    }
}

/// Owns what the library creates and `destroy` ends.
template <auto destroy>
struct Destroy {
    template <class T>
    void operator()(T* object) const noexcept
    {
        (void)destroy(object);
    }
};
template <class T, auto destroy>
using Owned = std::unique_ptr<std::remove_pointer_t<T>, Destroy<destroy>>;

/// What `create(&object)` makes.
template <class Owner, class Create>
Owner made(std::string_view call, Create create)
{
    typename Owner::pointer object = nullptr;
    check(create(&object), call);
    return Owner(object);
}

}  // namespace linden::LINDEN_GPU_NAMESPACE::sparse
