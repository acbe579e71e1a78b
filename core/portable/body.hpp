#pragma once

#include "core/base/host_device.hpp"

/// Portable kernels: kernels that do one independent piece of work per item, written once for all backends.
///
/// A file of core/portable/ has the bodies of the kernels of the contract of the same name: the members of a body are
/// the kernel's arguments in their order, size() is the number of items, operator() does one. Items are chosen so that
/// those of neighbouring threads write to neighbouring memory, and none is much longer than the others, whatever the
/// rows are. A body with num_entries(), the number of entries of all its rows, has rows for items whatever their
/// lengths: operator()(lanes, row) is called by some threads together, one on hosts, see lanes.hpp. Where such a body
/// has length(row), the entries of a row, negative if there is nothing to do, devices do with fewer lanes. At the
/// file's end `for_each_portable_<stem>(f)` calls f(kernel, BodyOf<body>()) for each; each backend binds them by one
/// loop (*/portable.*). Where devices have kernels of their own and hosts share a body, it is
/// `for_each_host_<stem>(f)`.
namespace linden {

template <class Body>
struct BodyOf {
};

}  // namespace linden
