#pragma once

#include <memory>
#include <vector>

namespace linden {
class Transport;
}  // namespace linden

namespace linden::detail {

/// n ranks that are threads of this process; element r is the transport of rank r.
std::vector<std::shared_ptr<Transport>> make_thread_transports(int n);

}  // namespace linden::detail
