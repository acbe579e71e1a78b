#pragma once

#include <cuda_runtime.h>
#include <cusparse.h>

#include <linden/executor.hpp>

#include <stdexcept>

/// What comparisons with cuSPARSE share.
namespace linden::benchmarks {

inline void check(cusparseStatus_t status)
{
    if (status != CUSPARSE_STATUS_SUCCESS) {
        throw std::runtime_error(cusparseGetErrorString(status));
    }
}

/// A stream of its own, since cuSPARSE wants to know it, and the executor on it.
struct Queue {
    cudaStream_t stream = nullptr;
    Executor exec;

    Queue() : stream(make()), exec(Executor::cuda({.stream = stream})) {}
    static cudaStream_t make()
    {
        cudaStream_t made = nullptr;
        if (cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking) != cudaSuccess) {
            throw std::runtime_error("no CUDA stream");
        }
        return made;
    }
};

}  // namespace linden::benchmarks
