#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/base/message.hpp"

/// Messages between devices that a vendor's library carries: NCCL on CUDA, RCCL on HIP.
namespace linden {

/// The messages of a rank's device. All data is in the executor's memory, all acts are in the order of its work, and
/// the host waits for none: acts are collective, and a wait for the executor may last until the other ranks take part.
class DeviceMessages {
public:
    virtual ~DeviceMessages() = default;
    /// all[r * bytes, ...) := the `bytes` bytes at `mine` of rank r. @throws VendorError
    virtual void all_gather(const void* mine, std::size_t bytes, void* all) = 0;
    /// *time := the device's clock, in nanoseconds. @throws VendorError
    virtual void stamp(std::int64_t* time) = 0;
    /// Messages that are on their way beside the work that the executor is asked for next, until `finish_exchange`.
    /// @throws VendorError
    virtual void start_exchange(std::span<const Message> sent, std::span<const Message> received) = 0;
    virtual void finish_exchange() = 0;
    /// @throws VendorError if the library has found that something failed
    virtual void check() = 0;
    /// Ends what is under way; nothing can be sent any more.
    virtual void abort() noexcept = 0;
};

/// What the ranks of a group of messages have in common.
struct DeviceMessagesId {
    std::byte bytes[128] = {};
};

/// A library of messages that has been found.
class MessageLibrary {
public:
    virtual ~MessageLibrary() = default;
    /// With its version, as "NCCL 2.28.3".
    virtual std::string name() const = 0;
    /// Of a new group, for one rank to make and to tell the others. @throws VendorError
    virtual DeviceMessagesId make_id() = 0;
    /// Collective: returns when all ranks of the group have called. @throws VendorError
    virtual std::unique_ptr<DeviceMessages> connect(const DeviceMessagesId& id, int rank, int size) = 0;
};

}  // namespace linden
