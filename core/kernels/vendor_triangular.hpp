#pragma once

#include <linden/side.hpp>
#include <linden/views.hpp>

#include <memory>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// Solves with triangular matrices by the library of a device's vendor.
namespace linden {

/// A triangular matrix. Rows are sorted; each has its diagonal entry, and none on the other side of it.
template <class V, class I>
struct VendorTriangleView {
    PatternView<I> pattern;  ///< n x n, n > 0
    V* values = nullptr;
    Side side = Side::lower;
    bool unit_diagonal = false;  ///< the values on the diagonal are not read
};

/// What a library keeps for solves with one triangle and one number of right-hand sides. It holds the addresses of the
/// triangle and of its workspace, which must outlive it. One thread at a time may use it.
class VendorPlan {
public:
    virtual ~VendorPlan() = default;
    virtual size_type workspace_bytes() const = 0;
};

/// Values of the diagonal that are 0 become 1;  *num_zeros := how many were.  A library would divide by them.
template <class V, class I>
inline constinit kernel<void(VendorTriangleView<V, I> triangle, size_type* num_zeros)> vendor_triangular_replace_zeros{
    "vendor_triangular::replace_zeros", types_of<V, I>};

/// *plan := a plan for num_rhs > 0 right-hand sides, to be analysed. Allocates what the library does not leave to
/// callers.
template <class V, class I>
inline constinit kernel<void(VendorTriangleView<V, I> triangle, size_type num_rhs, std::unique_ptr<VendorPlan>* plan)>
    vendor_triangular_create{"vendor_triangular::create", types_of<V, I>};

/// Readies the plan for solves with the triangle's values. Workspace: plan->workspace_bytes(), aligned to 256, the
/// plan's own until its end. May wait for the executor.
template <class V, class I>
inline constinit kernel<void(VendorPlan* plan, WorkspaceView workspace)> vendor_triangular_analyse{
    "vendor_triangular::analyse", types_of<V, I>};

/// The triangle's values have changed, at the same address. May wait for the executor.
template <class V, class I>
inline constinit kernel<void(VendorPlan* plan)> vendor_triangular_update{"vendor_triangular::update", types_of<V, I>};

/// T x = b.  b, x: n x k, contiguous; they do not overlap.  Only launches, so that it can be recorded; counts as one
/// launch, whatever the library does. Deterministic as far as the library is: cuSPARSE promises the same bits.
template <class V, class I>
inline constinit kernel<void(VendorPlan* plan, DenseView<const V> b, DenseView<V> x)> vendor_triangular_solve{
    "vendor_triangular::solve", types_of<V, I>};

}  // namespace linden
