#pragma once

#include <linden/types.hpp>

#include <cstddef>
#include <cstdint>

namespace linden {

/// What another process needs to find a window.
struct WindowHandle {
    char host[64] = {};
    std::int64_t process = 0;
    std::int32_t backend = 0, device = 0;
    char device_id[32] = {};  ///< the same in all processes of the host
    std::byte* address = nullptr;
    std::byte shared[64] = {};  ///< the vendor's handle
};

/// Memory of a device that kernels of other devices, and of other processes, read and write.
class PeerAccess {
public:
    virtual ~PeerAccess() = default;
    /// Where this device is; no window.
    virtual WindowHandle place() const = 0;
    /// Zeros, never freed: a peer's kernel may still write there when this process has no use for it any more.
    /// @throws VendorError, NotSupported
    virtual WindowHandle make_window(std::size_t bytes) = 0;
    /// The address of a window of another rank. @throws VendorError, NotSupported
    virtual std::byte* open(const WindowHandle& window) = 0;
    /// Whether kernels on both devices run at the same time.
    virtual bool runs_beside(const WindowHandle& window) const = 0;
    /// Copies to or from a window now, whatever the executor's work waits for.
    virtual void write(std::byte* window, const void* data, std::size_t bytes) = 0;
    virtual void read(const std::byte* window, void* data, std::size_t bytes) = 0;
    /// 64 bytes of the host that kernels write to.
    virtual void* page_locked() = 0;
};

}  // namespace linden
