#include <algorithm>
#include <iterator>

#include "core/base/executor_state.hpp"
#include "core/base/type_lists.hpp"
#include "core/kernels/breadth_first_search.hpp"
#include "core/validation/runner.hpp"

namespace linden::validation {
namespace {

struct Gap {
    std::string_view kernel;
    const char* reason;
};

constexpr const char* on_devices = "methods call it on devices only";

/// Kernels that hosts have, for tests and as the meaning of those of devices, and that no method calls there.
constexpr Gap gaps_of_hosts[] = {
    {"bicgstab::run_persistent", on_devices},
    {"cg::run_cluster", on_devices},
    {"cg::run_persistent", on_devices},
    {"cg::run_stencils", on_devices},
    {"csr::find_split_rows", on_devices},
    {"csr::row_lengths", on_devices},
    {"csr::spmv_nnz_split", on_devices},
    {"segments::fill_halo", on_devices},
    {"segments::halo_sizes", on_devices},
    {"segments::order", on_devices},
    {"triangular::solve_segments", on_devices},
    {"triangular::solve_syncfree", on_devices},
    {"vendor_triangular::replace_zeros", on_devices},
};

/// Ranks call these with what others have sent.
constexpr std::string_view of_ranks[] = {"exchange::", "cg::run_spread"};

/// Kernels that on hosts meet indices of 16 bits in no matrix.
constexpr std::string_view with_short_indices[] = {"eisenstat::", "neumann::", "sweep::", "multigrid::"};

/// Whether each type of values in `types`, as in `double, float, int64`, is one that this build has methods for.
bool has_methods(std::string_view types)
{
    for (const auto type : {ValueType::float32, ValueType::float64, ValueType::complex64, ValueType::complex128}) {
        const auto at = types.find(name(type));
        if (at != std::string_view::npos && !with_value_type(type, []<class V>() {})) {
            return false;
        }
    }
    return true;
}

}  // namespace

const char* reason_of_gap(std::string_view kernel, std::string_view types, const Executor& exec)
{
    if (!has_methods(types)) {
        return "what methods of another type store in this one does not need it";
    }
    if (std::any_of(std::begin(of_ranks), std::end(of_ranks),
                    [&](std::string_view prefix) { return kernel.starts_with(prefix); })) {
        return "ranks call it with what others have sent, and a validation is one rank";
    }
    if (!exec.is_host()) {
        const bool searches_in_one = breadth_first_search<DefaultIndex>.available(exec.state().backend());
        if (kernel == "breadth_first::level" && searches_in_one) {
            return "a whole search is one kernel here";
        }
        return kernel.starts_with("vendor_") ? "its factor is an object of the vendor's library, not memory" : nullptr;
    }
    if (kernel == "levels::find_runs" && exec.info().num_units == 1) {
        return "one thread takes all rows in their order";
    }
    for (const auto& gap : gaps_of_hosts) {
        if (gap.kernel == kernel) {
            return gap.reason;
        }
    }
    for (const auto prefix : with_short_indices) {
        if (kernel.starts_with(prefix) && types.ends_with("uint16")) {
            return "hosts store columns of 32 bits";
        }
    }
    return nullptr;
}

}  // namespace linden::validation
