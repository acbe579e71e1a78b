#include "core/kernels/validate.hpp"

#include "gpu/vector/columns.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

__global__ void start_kernel(CsrFindings* findings)
{
    if (thread_id() < num_findings) {
        findings->count[thread_id()] = 0;
        findings->first_row[thread_id()] = CsrFindings::no_row;
    }
}

template <class V, class I>
struct FindInRow : NothingToPrepare {
    CsrView<V, I> a;
    CsrFindings* findings;

    __device__ void operator()(Place<1> at, Nothing) const
    {
        find_in_row(
            a, at.row, [](V value) { return is_finite(value); },
            [&](Finding finding, size_type count) {
                if (count > 0) {
                    const auto kind = static_cast<int>(finding);
                    atomic_add(findings->count + kind, count);
                    atomic_min(findings->first_row + kind, at.row);
                }
            });
    }
};

template <class V, class I>
void validate_csr(const Executor& exec, CsrView<V, I> a, CsrFindings* findings)
{
    using D = device_type<V>;
    launch_on(exec, start_kernel, 1, 32, 0, findings);
    map_elements(exec, a.rows, 1, FindInRow<D, I>{{}, as_device(a), findings});
}

}  // namespace

void register_validate()
{
    for_each_value_index([]<class V, class I>() { csr_validate<V, I>.bind(this_backend, validate_csr<V, I>); });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
