#pragma once

#include <linden/error.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "core/base/peer_access.hpp"
#include "gpu/device/api.hpp"

namespace linden::LINDEN_GPU_NAMESPACE {

/// Windows of one device: allocations of their own, since memory of pools has no handle for other processes.
class DeviceWindows final : public PeerAccess {
public:
    explicit DeviceWindows(int device) : device_(device) {}
    ~DeviceWindows() override
    {
        const DeviceScope scope(device_, std::nothrow);
        if (stream_ != nullptr) {
            (void)LINDEN_GPU(StreamDestroy)(stream_);
        }
        for (void* const block : page_locked_) {
            free_pinned(block);
        }
    }

    WindowHandle place() const override
    {
        WindowHandle handle;
        ::gethostname(handle.host, sizeof handle.host - 1);
        handle.process = ::getpid();
        handle.backend = static_cast<std::int32_t>(this_backend);
        handle.device = device_;
        check(LINDEN_GPU(DeviceGetPCIBusId)(handle.device_id, sizeof handle.device_id - 1, device_),
              "DeviceGetPCIBusId");
        return handle;
    }

    WindowHandle make_window(std::size_t bytes) override
    {
        const DeviceScope scope(device_);
        void* data = nullptr;
        check(LINDEN_GPU(Malloc)(&data, bytes), "Malloc");
        check(LINDEN_GPU(Memset)(data, 0, bytes), "Memset");
        check(LINDEN_GPU(DeviceSynchronize)(), "DeviceSynchronize");
        WindowHandle handle = place();
        handle.address = static_cast<std::byte*>(data);
#if !defined(LINDEN_HIP_PLATFORM_HOST)
        LINDEN_GPU(IpcMemHandle_t) shared;
        check(LINDEN_GPU(IpcGetMemHandle)(&shared, data), "IpcGetMemHandle");
        static_assert(sizeof shared == sizeof handle.shared);
        std::memcpy(handle.shared, &shared, sizeof shared);
#endif
        return handle;
    }

    std::byte* open(const WindowHandle& window) override
    {
        const DeviceScope scope(device_);
        if (window.process == ::getpid()) {
            if (window.device != device_) {
                int can = 0;
                check(LINDEN_GPU(DeviceCanAccessPeer)(&can, device_, window.device), "DeviceCanAccessPeer");
                if (can == 0) {
                    throw NotSupported("memory of device " + std::to_string(window.device),
                                       "device " + std::to_string(device_) + " does not reach it");
                }
                const ErrorCode code = LINDEN_GPU(DeviceEnablePeerAccess)(window.device, 0);
                if (code != LINDEN_GPU(ErrorPeerAccessAlreadyEnabled)) {
                    check(code, "DeviceEnablePeerAccess");
                }
                (void)LINDEN_GPU(GetLastError)();
            }
            return window.address;
        }
#if defined(LINDEN_HIP_PLATFORM_HOST)
        throw NotSupported("memory of another process", "the host executor has none");
#else
        LINDEN_GPU(IpcMemHandle_t) shared;
        std::memcpy(&shared, window.shared, sizeof shared);
        void* data = nullptr;
        check(LINDEN_GPU(IpcOpenMemHandle)(&data, shared, LINDEN_GPU(IpcMemLazyEnablePeerAccess)), "IpcOpenMemHandle");
        return static_cast<std::byte*>(data);
#endif
    }

    bool runs_beside(const WindowHandle& window) const override
    {
#if defined(LINDEN_HIP_PLATFORM_HOST)
        return window.process == ::getpid();  // each thread runs its own kernels
#else
        return std::strcmp(window.device_id, place().device_id) != 0;
#endif
    }

    void write(std::byte* window, const void* data, std::size_t bytes) override
    {
        copy(window, data, bytes, LINDEN_GPU(MemcpyHostToDevice));
    }
    void read(const std::byte* window, void* data, std::size_t bytes) override
    {
        copy(data, window, bytes, LINDEN_GPU(MemcpyDeviceToHost));
    }

    void* page_locked() override
    {
        const DeviceScope scope(device_);
        page_locked_.push_back(allocate_pinned(64));
        std::memset(page_locked_.back(), 0, 64);
        return page_locked_.back();
    }

private:
    void copy(void* to, const void* from, std::size_t bytes, decltype(LINDEN_GPU(MemcpyHostToDevice)) kind)
    {
        const DeviceScope scope(device_);
        if (stream_ == nullptr) {
            check(LINDEN_GPU(StreamCreateWithFlags)(&stream_, LINDEN_GPU(StreamNonBlocking)), "StreamCreateWithFlags");
        }
        check(LINDEN_GPU(MemcpyAsync)(to, from, bytes, kind, stream_), "MemcpyAsync");
        check(LINDEN_GPU(StreamSynchronize)(stream_), "StreamSynchronize");
    }

    int device_;
    Stream stream_ = nullptr;  // of copies alone
    std::vector<void*> page_locked_;
};

}  // namespace linden::LINDEN_GPU_NAMESPACE
