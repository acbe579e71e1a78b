#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <string>
#include <vector>

#include "core/base/executor_state.hpp"
#include "test/support/ranks.hpp"

/// Ranks on devices, also on those of the host executor.
namespace linden::test {

inline std::vector<Backend> device_backends()
{
    std::vector<Backend> backends;
    for (const auto backend : {Backend::cuda, Backend::hip}) {
        if (backend_info(backend).built && !backend_info(backend).devices.empty()) {
            backends.push_back(backend);
        }
    }
    return backends;
}

inline Executor device_executor(Backend backend, int rank)
{
    const auto num_devices = static_cast<int>(backend_info(backend).devices.size());
    return Executor::create(backend, {.device = rank % num_devices});
}

/// The end of the program, and so a failure of the test, if ranks wait for ever: threads cannot be ended.
template <class Body>
std::vector<std::exception_ptr> failures_in_time(int n, const Body& body)
{
    auto failures = std::async(std::launch::async, [&] { return failures_on_ranks(n, body); });
    if (failures.wait_for(std::chrono::seconds(100)) != std::future_status::ready) {
        std::fprintf(stderr, "ranks wait for ever\n");
        std::_Exit(1);
    }
    return failures.get();
}
template <class Body>
void in_time(int n, const Body& body)
{
    const auto failures = failures_in_time(n, body);
    for (std::size_t r = 0; r < failures.size(); ++r) {
        if (failures[r]) {
            ADD_FAILURE() << "rank " << r << " of " << n << ": " << text_of(failures[r]);
        }
    }
}

inline std::string_view name_of(DeviceTransport transport)
{
    return transport == DeviceTransport::peer ? "peer" : transport == DeviceTransport::nccl ? "nccl" : "staged";
}

/// Why there is no NCCL or RCCL; empty if there is.
inline std::string why_no_library(Backend backend)
{
    try {
        device_executor(backend, 0).state().message_library();
        return {};
    } catch (const NotSupported& e) {
        return e.what();
    }
}

/// What is to be tested: peers and messages of a library where the devices and it are, else nothing for them.
template <class F>
void for_each_way(int n, const F& f)
{
    for (const auto backend : device_backends()) {
        for (const auto transport : {DeviceTransport::staged, DeviceTransport::peer, DeviceTransport::nccl}) {
            SCOPED_TRACE(std::string(name(backend)) + " " + std::string(name_of(transport)) + " on " +
                         std::to_string(n) + " ranks");
            const auto devices = static_cast<int>(backend_info(backend).devices.size());
            const bool is_host = backend_info(backend).devices.front().name.find("host") != std::string::npos;
            if (transport == DeviceTransport::peer && devices < n && !is_host) {
                continue;  // kernels of ranks that share a device do not run beside each other
            }
            if (transport == DeviceTransport::nccl && (devices < n || !why_no_library(backend).empty())) {
                continue;
            }
            f(backend, transport);
        }
    }
}

}  // namespace linden::test
