#pragma once

#include <hip/hip_runtime.h>
#include <hip/library_types.h>

#include <cusparse.h>

/// <hipsparse/hipsparse.h> for LINDEN_HIP_PLATFORM=nvidia: the part of hipSPARSE that solves triangular systems, in
/// terms of cuSPARSE.

using hipsparseStatus_t = cusparseStatus_t;
using hipsparseHandle_t = cusparseHandle_t;
using hipsparseSpMatDescr_t = cusparseSpMatDescr_t;
using hipsparseDnVecDescr_t = cusparseDnVecDescr_t;
using hipsparseDnMatDescr_t = cusparseDnMatDescr_t;
using hipsparseConstSpMatDescr_t = cusparseConstSpMatDescr_t;
using hipsparseConstDnVecDescr_t = cusparseConstDnVecDescr_t;
using hipsparseConstDnMatDescr_t = cusparseConstDnMatDescr_t;
using hipsparseIndexType_t = cusparseIndexType_t;
using hipsparseIndexBase_t = cusparseIndexBase_t;
using hipsparseOrder_t = cusparseOrder_t;
using hipsparseOperation_t = cusparseOperation_t;
using hipsparseSpMatAttribute_t = cusparseSpMatAttribute_t;
using hipsparseFillMode_t = cusparseFillMode_t;
using hipsparseDiagType_t = cusparseDiagType_t;
using hipsparseSpSVAlg_t = cusparseSpSVAlg_t;
using hipsparseSpSMAlg_t = cusparseSpSMAlg_t;

inline constexpr hipsparseStatus_t HIPSPARSE_STATUS_SUCCESS = CUSPARSE_STATUS_SUCCESS;
inline constexpr hipsparseIndexType_t HIPSPARSE_INDEX_32I = CUSPARSE_INDEX_32I,
                                      HIPSPARSE_INDEX_64I = CUSPARSE_INDEX_64I;
inline constexpr hipsparseIndexBase_t HIPSPARSE_INDEX_BASE_ZERO = CUSPARSE_INDEX_BASE_ZERO;
inline constexpr hipsparseOrder_t HIPSPARSE_ORDER_ROW = CUSPARSE_ORDER_ROW;
inline constexpr hipsparseOperation_t HIPSPARSE_OPERATION_NON_TRANSPOSE = CUSPARSE_OPERATION_NON_TRANSPOSE;
inline constexpr hipsparseSpMatAttribute_t HIPSPARSE_SPMAT_FILL_MODE = CUSPARSE_SPMAT_FILL_MODE,
                                           HIPSPARSE_SPMAT_DIAG_TYPE = CUSPARSE_SPMAT_DIAG_TYPE;
inline constexpr hipsparseFillMode_t HIPSPARSE_FILL_MODE_LOWER = CUSPARSE_FILL_MODE_LOWER,
                                     HIPSPARSE_FILL_MODE_UPPER = CUSPARSE_FILL_MODE_UPPER;
inline constexpr hipsparseDiagType_t HIPSPARSE_DIAG_TYPE_UNIT = CUSPARSE_DIAG_TYPE_UNIT,
                                     HIPSPARSE_DIAG_TYPE_NON_UNIT = CUSPARSE_DIAG_TYPE_NON_UNIT;
inline constexpr hipsparseSpSVAlg_t HIPSPARSE_SPSV_ALG_DEFAULT = CUSPARSE_SPSV_ALG_DEFAULT;
inline constexpr hipsparseSpSMAlg_t HIPSPARSE_SPSM_ALG_DEFAULT = CUSPARSE_SPSM_ALG_DEFAULT;

inline const char* hipsparseGetErrorString(hipsparseStatus_t status) { return cusparseGetErrorString(status); }
inline hipsparseStatus_t hipsparseCreate(hipsparseHandle_t* handle) { return cusparseCreate(handle); }
inline hipsparseStatus_t hipsparseDestroy(hipsparseHandle_t handle) { return cusparseDestroy(handle); }
inline hipsparseStatus_t hipsparseSetStream(hipsparseHandle_t handle, hipStream_t s)
{
    return cusparseSetStream(handle, s);
}

// ---- matrices, vectors and blocks -----------------------------------------------------------------------------------

inline hipsparseStatus_t hipsparseCreateCsr(hipsparseSpMatDescr_t* a, std::int64_t rows, std::int64_t cols,
                                            std::int64_t nnz, void* row_ptrs, void* col_idxs, void* values,
                                            hipsparseIndexType_t row_ptrs_type, hipsparseIndexType_t col_idxs_type,
                                            hipsparseIndexBase_t base, hipDataType type)
{
    return cusparseCreateCsr(a, rows, cols, nnz, row_ptrs, col_idxs, values, row_ptrs_type, col_idxs_type, base, type);
}
inline hipsparseStatus_t hipsparseSpMatSetAttribute(hipsparseSpMatDescr_t a, hipsparseSpMatAttribute_t attribute,
                                                    const void* value, std::size_t bytes)
{
    return cusparseSpMatSetAttribute(a, attribute, const_cast<void*>(value), bytes);
}
inline hipsparseStatus_t hipsparseDestroySpMat(hipsparseConstSpMatDescr_t a) { return cusparseDestroySpMat(a); }
inline hipsparseStatus_t hipsparseCreateDnVec(hipsparseDnVecDescr_t* x, std::int64_t size, void* values,
                                              hipDataType type)
{
    return cusparseCreateDnVec(x, size, values, type);
}
inline hipsparseStatus_t hipsparseDnVecSetValues(hipsparseDnVecDescr_t x, void* values)
{
    return cusparseDnVecSetValues(x, values);
}
inline hipsparseStatus_t hipsparseDestroyDnVec(hipsparseConstDnVecDescr_t x) { return cusparseDestroyDnVec(x); }
inline hipsparseStatus_t hipsparseCreateDnMat(hipsparseDnMatDescr_t* x, std::int64_t rows, std::int64_t cols,
                                              std::int64_t stride, void* values, hipDataType type,
                                              hipsparseOrder_t order)
{
    return cusparseCreateDnMat(x, rows, cols, stride, values, type, order);
}
inline hipsparseStatus_t hipsparseDnMatSetValues(hipsparseDnMatDescr_t x, void* values)
{
    return cusparseDnMatSetValues(x, values);
}
inline hipsparseStatus_t hipsparseDestroyDnMat(hipsparseConstDnMatDescr_t x) { return cusparseDestroyDnMat(x); }

// ---- triangular solves ----------------------------------------------------------------------------------------------

/// What solves keep. On AMD's devices they read the values of the matrix, and another analysis of it does nothing;
/// cuSPARSE's have the values of the analysis, so another one takes over those that the matrix has now.
struct hipsparseSpSVDescr {
    cusparseSpSVDescr_t state = nullptr;
    bool is_analysed = false;
};
using hipsparseSpSVDescr_t = hipsparseSpSVDescr*;
struct hipsparseSpSMDescr {
    cusparseSpSMDescr_t state = nullptr;
    bool is_analysed = false;
};
using hipsparseSpSMDescr_t = hipsparseSpSMDescr*;

inline hipsparseStatus_t hipsparseSpSV_createDescr(hipsparseSpSVDescr_t* solve)
{
    *solve = new hipsparseSpSVDescr;
    return cusparseSpSV_createDescr(&(*solve)->state);
}
inline hipsparseStatus_t hipsparseSpSV_destroyDescr(hipsparseSpSVDescr_t solve)
{
    const hipsparseStatus_t status = cusparseSpSV_destroyDescr(solve->state);
    delete solve;
    return status;
}
inline hipsparseStatus_t hipsparseSpSV_bufferSize(hipsparseHandle_t handle, hipsparseOperation_t op, const void* alpha,
                                                  hipsparseConstSpMatDescr_t a, hipsparseConstDnVecDescr_t b,
                                                  hipsparseDnVecDescr_t x, hipDataType type,
                                                  hipsparseSpSVAlg_t algorithm, hipsparseSpSVDescr_t solve,
                                                  std::size_t* bytes)
{
    return cusparseSpSV_bufferSize(handle, op, alpha, a, b, x, type, algorithm, solve->state, bytes);
}
inline hipsparseStatus_t hipsparseSpSV_analysis(hipsparseHandle_t handle, hipsparseOperation_t op, const void* alpha,
                                                hipsparseConstSpMatDescr_t a, hipsparseConstDnVecDescr_t b,
                                                hipsparseDnVecDescr_t x, hipDataType type, hipsparseSpSVAlg_t algorithm,
                                                hipsparseSpSVDescr_t solve, void* workspace)
{
    if (!solve->is_analysed) {
        solve->is_analysed = true;
        return cusparseSpSV_analysis(handle, op, alpha, a, b, x, type, algorithm, solve->state, workspace);
    }
    const void* values = nullptr;
    const hipsparseStatus_t status = cusparseConstSpMatGetValues(a, &values);
    return status == HIPSPARSE_STATUS_SUCCESS
               ? cusparseSpSV_updateMatrix(handle, solve->state, const_cast<void*>(values),
                                           CUSPARSE_SPSV_UPDATE_GENERAL)
               : status;
}
inline hipsparseStatus_t hipsparseSpSV_solve(hipsparseHandle_t handle, hipsparseOperation_t op, const void* alpha,
                                             hipsparseConstSpMatDescr_t a, hipsparseConstDnVecDescr_t b,
                                             hipsparseDnVecDescr_t x, hipDataType type, hipsparseSpSVAlg_t algorithm,
                                             hipsparseSpSVDescr_t solve)
{
    return cusparseSpSV_solve(handle, op, alpha, a, b, x, type, algorithm, solve->state);
}

inline hipsparseStatus_t hipsparseSpSM_createDescr(hipsparseSpSMDescr_t* solve)
{
    *solve = new hipsparseSpSMDescr;
    return cusparseSpSM_createDescr(&(*solve)->state);
}
inline hipsparseStatus_t hipsparseSpSM_destroyDescr(hipsparseSpSMDescr_t solve)
{
    const hipsparseStatus_t status = cusparseSpSM_destroyDescr(solve->state);
    delete solve;
    return status;
}
inline hipsparseStatus_t hipsparseSpSM_bufferSize(hipsparseHandle_t handle, hipsparseOperation_t op,
                                                  hipsparseOperation_t op_b, const void* alpha,
                                                  hipsparseConstSpMatDescr_t a, hipsparseConstDnMatDescr_t b,
                                                  hipsparseDnMatDescr_t x, hipDataType type,
                                                  hipsparseSpSMAlg_t algorithm, hipsparseSpSMDescr_t solve,
                                                  std::size_t* bytes)
{
    return cusparseSpSM_bufferSize(handle, op, op_b, alpha, a, b, x, type, algorithm, solve->state, bytes);
}
inline hipsparseStatus_t hipsparseSpSM_analysis(hipsparseHandle_t handle, hipsparseOperation_t op,
                                                hipsparseOperation_t op_b, const void* alpha,
                                                hipsparseConstSpMatDescr_t a, hipsparseConstDnMatDescr_t b,
                                                hipsparseDnMatDescr_t x, hipDataType type, hipsparseSpSMAlg_t algorithm,
                                                hipsparseSpSMDescr_t solve, void* workspace)
{
    if (!solve->is_analysed) {
        solve->is_analysed = true;
        return cusparseSpSM_analysis(handle, op, op_b, alpha, a, b, x, type, algorithm, solve->state, workspace);
    }
    const void* values = nullptr;
    const hipsparseStatus_t status = cusparseConstSpMatGetValues(a, &values);
    return status == HIPSPARSE_STATUS_SUCCESS
               ? cusparseSpSM_updateMatrix(handle, solve->state, const_cast<void*>(values),
                                           CUSPARSE_SPSM_UPDATE_GENERAL)
               : status;
}
inline hipsparseStatus_t hipsparseSpSM_solve(hipsparseHandle_t handle, hipsparseOperation_t op,
                                             hipsparseOperation_t op_b, const void* alpha, hipsparseConstSpMatDescr_t a,
                                             hipsparseConstDnMatDescr_t b, hipsparseDnMatDescr_t x, hipDataType type,
                                             hipsparseSpSMAlg_t algorithm, hipsparseSpSMDescr_t solve, void*)
{
    return cusparseSpSM_solve(handle, op, op_b, alpha, a, b, x, type, algorithm, solve->state);
}
