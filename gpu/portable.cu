#include "gpu/portable.cuh"

#include "core/portable/kernels.hpp"

namespace linden::LINDEN_GPU_NAMESPACE {

void register_portable()
{
    for_each_portable_kernel(
        []<class Kernel, class Body>(Kernel& kernel, BodyOf<Body>) { kernel.bind(this_backend, run_body<Body>); });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
