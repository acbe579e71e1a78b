#include "core/base/device_messages.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <vector>

#include "gpu/runtime/launch.hpp"
#include "gpu/runtime/side_stream.hpp"

/// NCCL, and RCCL, which has the same functions: found when the first ranks ask for it, so that programs need it
/// neither to be built nor to start. What is declared here is that of nccl.h, versions 2.4 and later.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

#if defined(LINDEN_GPU_HIP)
constexpr const char* library_name = "RCCL";
constexpr const char* file_names[] = {"librccl.so.1", "librccl.so"};
#else
constexpr const char* library_name = "NCCL";
constexpr const char* file_names[] = {"libnccl.so.2", "libnccl.so"};
#endif

using NcclComm = void*;
constexpr int nccl_success = 0;
constexpr int nccl_bytes = 0;  // ncclInt8

struct NcclFunctions {
    int (*GetVersion)(int*) = nullptr;
    int (*GetUniqueId)(DeviceMessagesId*) = nullptr;
    int (*CommInitRank)(NcclComm*, int size, DeviceMessagesId, int rank) = nullptr;
    int (*CommDestroy)(NcclComm) = nullptr;
    int (*CommAbort)(NcclComm) = nullptr;
    int (*CommGetAsyncError)(NcclComm, int*) = nullptr;
    const char* (*GetErrorString)(int) = nullptr;
    int (*GroupStart)() = nullptr;
    int (*GroupEnd)() = nullptr;
    int (*Send)(const void*, std::size_t, int type, int rank, NcclComm, Stream) = nullptr;
    int (*Recv)(void*, std::size_t, int type, int rank, NcclComm, Stream) = nullptr;
    int (*AllGather)(const void*, void*, std::size_t, int type, NcclComm, Stream) = nullptr;

    /// @throws VendorError
    void check(int code, std::string_view call) const
    {
        if (code != nccl_success) {
            throw VendorError(library_name, call, code, GetErrorString(code));
        }
    }
};

/// The first of the library's files that can be opened, for good. @throws NotSupported with why none can
void* open_library()
{
    // Multicast of NVLink takes memory of the fabric that other programs may have used up; sums here are small.
    ::setenv("NCCL_NVLS_ENABLE", "0", 0);
    std::string tried;
    for (const char* name : file_names) {
        if (void* const library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL); library != nullptr) {
            return library;
        }
        const char* const why = ::dlerror();
        tried += (tried.empty() ? "" : "; ") + std::string(why != nullptr ? why : name);
    }
    throw NotSupported(std::string(library_name), "the library cannot be opened: " + tried);
}

NcclFunctions find_functions()
{
    void* const library = open_library();
    NcclFunctions f;
    const auto find = [&](auto& function, const char* name) {
        void* const address = ::dlsym(library, name);
        if (address == nullptr) {
            throw NotSupported(std::string(library_name), std::string("the library has no function ") + name);
        }
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(address);
    };
    find(f.GetVersion, "ncclGetVersion");
    find(f.GetUniqueId, "ncclGetUniqueId");
    find(f.CommInitRank, "ncclCommInitRank");
    find(f.CommDestroy, "ncclCommDestroy");
    find(f.CommAbort, "ncclCommAbort");
    find(f.CommGetAsyncError, "ncclCommGetAsyncError");
    find(f.GetErrorString, "ncclGetErrorString");
    find(f.GroupStart, "ncclGroupStart");
    find(f.GroupEnd, "ncclGroupEnd");
    find(f.Send, "ncclSend");
    find(f.Recv, "ncclRecv");
    find(f.AllGather, "ncclAllGather");
    return f;
}

__global__ void write_time(std::int64_t* time) { *time = static_cast<std::int64_t>(global_timer_ns()); }

class NcclMessages final : public DeviceMessages {
public:
    NcclMessages(const NcclFunctions& nccl, GpuExecutor& exec, const DeviceMessagesId& id, int rank, int size)
        : nccl_(nccl),
          exec_(exec),
          side_(exec.device())
    {
        const DeviceScope scope(exec_.device());
        nccl_.check(nccl_.CommInitRank(&comm_, size, id, rank), "CommInitRank");
    }
    ~NcclMessages() override
    {
        if (comm_ != nullptr) {
            const DeviceScope scope(exec_.device(), std::nothrow);
            (void)nccl_.CommDestroy(comm_);
        }
    }

    void all_gather(const void* mine, std::size_t bytes, void* all) override
    {
        const DeviceScope scope(exec_.device());
        nccl_.check(nccl_.AllGather(mine, all, bytes, nccl_bytes, open_comm(), exec_.stream()), "AllGather");
    }
    void stamp(std::int64_t* time) override
    {
        const DeviceScope scope(exec_.device());
        linden::LINDEN_GPU_NAMESPACE::check(launch(write_time, 1, 1, 0, exec_.stream(), time), "LaunchKernel");
        exec_.count_launches(1);
    }
    void start_exchange(std::span<const Message> sent, std::span<const Message> received) override
    {
        const DeviceScope scope(exec_.device());
        side_.follow(exec_.stream());
        NcclComm const comm = open_comm();
        nccl_.check(nccl_.GroupStart(), "GroupStart");
        int code = nccl_success;
        for (const auto& m : received) {
            code = code != nccl_success ? code : nccl_.Recv(m.data, m.bytes, nccl_bytes, m.rank, comm, side_);
        }
        for (const auto& m : sent) {
            code = code != nccl_success ? code : nccl_.Send(m.data, m.bytes, nccl_bytes, m.rank, comm, side_);
        }
        const int at_end = nccl_.GroupEnd();  // also after a failure: a group that stays open would take in later calls
        nccl_.check(code, "Send, Recv");
        nccl_.check(at_end, "GroupEnd");
    }
    void finish_exchange() override
    {
        const DeviceScope scope(exec_.device());
        side_.lead(exec_.stream());
    }
    void check() override
    {
        if (comm_ != nullptr) {
            int code = nccl_success;
            nccl_.check(nccl_.CommGetAsyncError(comm_, &code), "CommGetAsyncError");
            nccl_.check(code, "CommGetAsyncError");
        }
    }
    void abort() noexcept override
    {
        if (comm_ != nullptr) {
            const DeviceScope scope(exec_.device(), std::nothrow);
            (void)nccl_.CommAbort(comm_);
            comm_ = nullptr;
        }
    }

private:
    NcclComm open_comm() const
    {
        if (comm_ == nullptr) {
            throw Error(std::string(library_name) + " has been ended: a rank has failed");
        }
        return comm_;
    }

    const NcclFunctions& nccl_;
    GpuExecutor& exec_;
    SideStream side_;
    NcclComm comm_ = nullptr;
};

class NcclLibrary final : public MessageLibrary {
public:
    /// @throws NotSupported
    explicit NcclLibrary(GpuExecutor& exec) : nccl_(functions()), exec_(exec) {}

    std::string name() const override
    {
        int version = 0;
        nccl_.check(nccl_.GetVersion(&version), "GetVersion");
        const int base = version < 10000 ? 1000 : 10000;  // 2.8 and before: X.Y.Z is XYZZ, then XYYZZ
        return std::string(library_name) + " " + std::to_string(version / base) + "." +
               std::to_string(version % base / 100) + "." + std::to_string(version % 100);
    }
    DeviceMessagesId make_id() override
    {
        DeviceMessagesId id;
        nccl_.check(nccl_.GetUniqueId(&id), "GetUniqueId");
        return id;
    }
    std::unique_ptr<DeviceMessages> connect(const DeviceMessagesId& id, int rank, int size) override
    {
        return std::make_unique<NcclMessages>(nccl_, exec_, id, rank, size);
    }

private:
    static const NcclFunctions& functions()
    {
        static const NcclFunctions found = find_functions();
        return found;
    }

    const NcclFunctions& nccl_;
    GpuExecutor& exec_;
};

}  // namespace

std::unique_ptr<MessageLibrary> find_message_library(GpuExecutor& exec) { return std::make_unique<NcclLibrary>(exec); }

}  // namespace linden::LINDEN_GPU_NAMESPACE
