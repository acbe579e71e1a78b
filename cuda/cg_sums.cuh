#pragma once

#include "gpu/vector/elements.cuh"

namespace linden::cuda {

/// What an iteration of CG sums up over the rows of the new residual: r^H z with z = M^-1 r, and r^H r. Without
/// preconditioner both are the same, so that one is kept.
template <class V, bool preconditioned>
struct CgSums {
    static constexpr int num_values = preconditioned ? 2 : 1;
    V values[num_values]{};

    __device__ V rho() const { return values[0]; }
    __device__ V squared_residual() const { return values[num_values - 1]; }

    /// Takes in the residual of a row, where M^-1 is `inverse`; returns z.
    __device__ V add(V r, V inverse)
    {
        if constexpr (preconditioned) {
            const V z = inverse * r;
            values[0] += conj(r) * z;
            values[1] += V{abs2(r)};
            return z;
        } else {
            values[0] += V{abs2(r)};
            return r;
        }
    }
};

}  // namespace linden::cuda
