#include "gpu/runtime/executor.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <string>

#include "gpu/device/device.cuh"
#include "gpu/runtime/launch.hpp"

namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

int num_devices(std::string& why_not)
{
    int count = 0;
    const ErrorCode code = LINDEN_GPU(GetDeviceCount)(&count);
    if (code != success) {
        (void)LINDEN_GPU(GetLastError)();
        why_not = error_text(code);
        return 0;
    }
    if (count == 0) {
        why_not = "no device found";
    }
    return count;
}

/// Asked for once, which takes a device a millisecond.
DeviceInfo device_info(int device)
{
    static std::mutex asking;
    static std::map<int, DeviceInfo> known;
    const std::lock_guard lock(asking);
    if (const auto found = known.find(device); found != known.end()) {
        return found->second;
    }
    DeviceProperties properties{};
    check(LINDEN_GPU(GetDeviceProperties)(&properties, device), "GetDeviceProperties");
    std::string name = properties.name;
#if defined(LINDEN_HIP_PLATFORM_AMD)
    name += std::string(name.empty() ? "" : ", ") + properties.gcnArchName;
#elif defined(LINDEN_HIP_PLATFORM_NVIDIA)
    name += ", HIP on CUDA";
#endif
    return known[device] = {name, properties.multiProcessorCount, properties.totalGlobalMem};
}

/// The device's own pool, in the order of one stream. Freed memory stays in the pool.
class StreamOrderedMemory final : public MemoryResource {
public:
    StreamOrderedMemory(int device, Stream stream) : device_(device), stream_(stream)
    {
        const DeviceScope scope(device);
        check(LINDEN_GPU(DeviceGetDefaultMemPool)(&pool_, device), "DeviceGetDefaultMemPool");
        std::uint64_t keep_everything = UINT64_MAX;
        check(LINDEN_GPU(MemPoolSetAttribute)(pool_, LINDEN_GPU(MemPoolAttrReleaseThreshold), &keep_everything),
              "MemPoolSetAttribute");
    }

    void* allocate(std::size_t bytes) noexcept override
    {
        const DeviceScope scope(device_, std::nothrow);
        void* data = nullptr;
        if (LINDEN_GPU(MallocAsync)(&data, bytes, stream_) == success) {
            return data;
        }
        // What other sizes have left behind may be enough once it is given back.
        (void)LINDEN_GPU(GetLastError)();
        (void)LINDEN_GPU(StreamSynchronize)(stream_);
        (void)LINDEN_GPU(MemPoolTrimTo)(pool_, 0);
        if (LINDEN_GPU(MallocAsync)(&data, bytes, stream_) == success) {
            return data;
        }
        (void)LINDEN_GPU(GetLastError)();
        return nullptr;
    }
    void deallocate(void* data, std::size_t) noexcept override
    {
        const DeviceScope scope(device_, std::nothrow);
        (void)LINDEN_GPU(FreeAsync)(data, stream_);
    }

private:
    int device_;
    Stream stream_;
    LINDEN_GPU(MemPool_t) pool_ = nullptr;
};

/// The device and stream that options ask for. @throws BackendNotAvailable
struct DeviceAndStream {
    explicit DeviceAndStream(const ExecutorOptions& options) : device(options.device)
    {
        std::string why_not;
        const int count = num_devices(why_not);
        if (count == 0) {
            throw BackendNotAvailable(this_backend, why_not);
        }
        if (device < 0 || device >= count) {
            throw BackendNotAvailable(this_backend, "there is no device " + std::to_string(device) + ", only 0 to " +
                                                        std::to_string(count - 1));
        }
        if (options.stream != nullptr) {
            stream = static_cast<Stream>(options.stream);
        } else {
            const DeviceScope scope(device);
            check(LINDEN_GPU(StreamCreateWithFlags)(&stream, LINDEN_GPU(StreamNonBlocking)), "StreamCreateWithFlags");
        }
        memory = options.memory ? options.memory : std::make_shared<StreamOrderedMemory>(device, stream);
    }

    int device;
    Stream stream = nullptr;
    std::shared_ptr<MemoryResource> memory;
};

/// The stream that records for this thread, and for which executor.
thread_local const GpuExecutor* recording_exec = nullptr;
thread_local Stream recording_stream = nullptr;

}  // namespace

GpuExecutor::Recording::Recording(const GpuExecutor& exec, Stream stream)
    : previous_exec_(recording_exec),
      previous_stream_(recording_stream)
{
    recording_exec = &exec;
    recording_stream = stream;
}

GpuExecutor::Recording::~Recording()
{
    recording_exec = previous_exec_;
    recording_stream = previous_stream_;
}

GpuExecutor::GpuExecutor(const ExecutorOptions& options)
    : ExecutorState(this_backend, options.device, nullptr),
      stream_(nullptr),
      owns_stream_(options.stream == nullptr),
      windows_(options.device)
{
    DeviceAndStream made(options);
    stream_ = made.stream;
    set_memory(std::move(made.memory));
    const DeviceScope scope(device());
    multiprocessors_ = device_info(device()).num_units;
#if !defined(LINDEN_GPU_HIP)
    int major = 0;
    check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device()), "DeviceGetAttribute");
    can_overlap_kernels_ = major >= 9;
#endif
    void* counter = nullptr;
    check(LINDEN_GPU(Malloc)(&counter, sizeof(std::uint64_t)), "Malloc");
    replayed_launches_ = static_cast<std::uint64_t*>(counter);
    check(LINDEN_GPU(Memset)(replayed_launches_, 0, sizeof(std::uint64_t)), "Memset");
}

GpuExecutor::~GpuExecutor()
{
    const DeviceScope scope(device(), std::nothrow);
    (void)LINDEN_GPU(StreamSynchronize)(stream_);
    for (auto& buffer : staging_) {
        if (buffer.data != nullptr) {
            free_pinned(buffer.data);
        }
        if (buffer.done != nullptr) {
            (void)LINDEN_GPU(EventDestroy)(buffer.done);
        }
    }
    (void)LINDEN_GPU(Free)(replayed_launches_);
    if (owns_stream_) {
        (void)LINDEN_GPU(StreamDestroy)(stream_);
    }
}

std::uint64_t GpuExecutor::repetitions(std::uint64_t launches, std::uint64_t wanted, std::uint64_t most) const
{
    constexpr std::uint64_t fixed = 4;
    return has_fixed_repetitions_ ? fixed
                                  : std::clamp<std::uint64_t>(wanted / std::max<std::uint64_t>(launches, 1), 1, most);
}

Stream GpuExecutor::stream() const { return recording_exec == this ? recording_stream : stream_; }

DeviceInfo GpuExecutor::info() const { return device_info(device()); }

void GpuExecutor::check_can_allocate() const { refuse_while_recording("allocation"); }

void GpuExecutor::refuse_while_recording(std::string_view what) const
{
    if (is_recording()) {
        throw NotSupported(what, "a loop body that a device records must only launch kernels");
    }
}

void GpuExecutor::synchronize()
{
    refuse_while_recording("synchronization");
    count_synchronization();
    if (look_ == nullptr) {
        check(LINDEN_GPU(StreamSynchronize)(stream_), "StreamSynchronize");
    } else {
        wait_until([this] { return LINDEN_GPU(StreamQuery)(stream_); }, "StreamQuery");
    }
}

template <class Ask>
void GpuExecutor::wait_until(const Ask& ask, std::string_view call) const
{
    constexpr int asks_before_look = 16;
    const auto begin = std::chrono::steady_clock::now();
    for (;;) {
        for (int i = 0; i < asks_before_look; ++i) {
            const ErrorCode code = ask();
            if (code != LINDEN_GPU(ErrorNotReady)) {
                check(code, call);
                return;
            }
        }
        look_(std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count());
    }
}

void GpuExecutor::wait_for(LINDEN_GPU(Event_t) event) const
{
    if (look_ == nullptr) {
        check(LINDEN_GPU(EventSynchronize)(event), "EventSynchronize");
    } else {
        wait_until([event] { return LINDEN_GPU(EventQuery)(event); }, "EventQuery");
    }
}

void GpuExecutor::begin_branch()
{
    const DeviceScope scope(device());
    const auto free =
        std::find_if(sides_.begin(), sides_.end(), [&](const auto& side) { return !side->is_elsewhere(stream()); });
    side_ = (free != sides_.end() ? *free : sides_.emplace_back(std::make_unique<SideStream>(device()))).get();
    side_->follow(stream());
    branch_.emplace(*this, *side_);
}

void GpuExecutor::join_branch()
{
    const DeviceScope scope(device());
    side_->lead(stream());
}

MessageLibrary& GpuExecutor::message_library()
{
    if (message_library_ == nullptr) {
        message_library_ = find_message_library(*this);
    }
    return *message_library_;
}

std::size_t GpuExecutor::make_staging(std::size_t bytes)
{
    const std::size_t wanted = bytes <= Staging::few_bytes ? Staging::few_bytes : Staging::most_bytes;
    for (auto& buffer : staging_) {
        if (buffer.bytes >= wanted) {
            continue;
        }
        if (buffer.done == nullptr) {
            check(LINDEN_GPU(EventCreateWithFlags)(&buffer.done, LINDEN_GPU(EventDisableTiming)),
                  "EventCreateWithFlags");
        }
        wait_for(buffer.done);
        auto* const data = static_cast<std::byte*>(allocate_pinned(wanted));
        if (buffer.data != nullptr) {
            free_pinned(buffer.data);
        }
        buffer.data = data;
        buffer.bytes = wanted;
    }
    return staging_.front().bytes;
}

void GpuExecutor::copy_from_host(const void* source, void* target, std::size_t bytes)
{
    refuse_while_recording("a copy from the host");
    const DeviceScope scope(device());  // memory of a pool is there for its own device only
    count_synchronization();
    const std::lock_guard lock(staging_mutex_);
    const std::size_t part = make_staging(bytes);
    const auto from = static_cast<const std::byte*>(source);
    const auto to = static_cast<std::byte*>(target);
    std::size_t turn = 0;
    for (std::size_t done = 0; done < bytes; done += part, ++turn) {
        auto& buffer = staging_[turn % staging_.size()];
        const std::size_t count = std::min(part, bytes - done);
        wait_for(buffer.done);
        std::memcpy(buffer.data, from + done, count);
        check(LINDEN_GPU(MemcpyAsync)(to + done, buffer.data, count, LINDEN_GPU(MemcpyHostToDevice), stream_),
              "MemcpyAsync");
        check(LINDEN_GPU(EventRecord)(buffer.done, stream_), "EventRecord");
    }
}

void GpuExecutor::copy_to_host(const void* source, void* target, std::size_t bytes)
{
    refuse_while_recording("a copy to the host");
    const DeviceScope scope(device());
    count_synchronization();
    const std::lock_guard lock(staging_mutex_);
    const std::size_t part = make_staging(bytes);
    const auto from = static_cast<const std::byte*>(source);
    const auto to = static_cast<std::byte*>(target);
    const auto fetch = [&](std::size_t done, Staging& buffer) {
        check(LINDEN_GPU(MemcpyAsync)(buffer.data, from + done, std::min(part, bytes - done),
                                      LINDEN_GPU(MemcpyDeviceToHost), stream_),
              "MemcpyAsync");
        check(LINDEN_GPU(EventRecord)(buffer.done, stream_), "EventRecord");
    };
    std::size_t turn = 0;
    fetch(0, staging_[0]);
    for (std::size_t done = 0; done < bytes; done += part, ++turn) {
        auto& buffer = staging_[turn % staging_.size()];
        if (done + part < bytes) {
            fetch(done + part, staging_[(turn + 1) % staging_.size()]);
        }
        wait_for(buffer.done);
        std::memcpy(to + done, buffer.data, std::min(part, bytes - done));
    }
}

void GpuExecutor::copy_to_peer(const void* source, ExecutorState& peer, void* target, std::size_t bytes)
{
    auto& other = static_cast<GpuExecutor&>(peer);
    if (&other == this) {
        const DeviceScope scope(device());
        check(LINDEN_GPU(MemcpyAsync)(target, source, bytes, LINDEN_GPU(MemcpyDeviceToDevice), stream()),
              "MemcpyAsync");
        return;
    }
    refuse_while_recording("a copy to another executor");
    // The copy runs in this stream, between what the other has been asked before and after.
    LINDEN_GPU(Event_t) before = nullptr;
    LINDEN_GPU(Event_t) after = nullptr;
    {
        const DeviceScope scope(other.device());
        check(LINDEN_GPU(EventCreateWithFlags)(&before, LINDEN_GPU(EventDisableTiming)), "EventCreateWithFlags");
        check(LINDEN_GPU(EventRecord)(before, other.stream_), "EventRecord");
    }
    {
        const DeviceScope scope(device());
        check(LINDEN_GPU(EventCreateWithFlags)(&after, LINDEN_GPU(EventDisableTiming)), "EventCreateWithFlags");
        check(LINDEN_GPU(StreamWaitEvent)(stream_, before, 0), "StreamWaitEvent");
        check(LINDEN_GPU(MemcpyPeerAsync)(target, other.device(), source, device(), bytes, stream_), "MemcpyPeerAsync");
        check(LINDEN_GPU(EventRecord)(after, stream_), "EventRecord");
    }
    check(LINDEN_GPU(StreamWaitEvent)(other.stream_, after, 0), "StreamWaitEvent");
    check(LINDEN_GPU(EventDestroy)(before), "EventDestroy");
    check(LINDEN_GPU(EventDestroy)(after), "EventDestroy");
}

namespace {

/// More bytes are left to the runtime.
constexpr std::size_t most_cleared_bytes = std::size_t{1} << 20;
constexpr int clear_threads = 256;
constexpr int cleared_words = 4;  // of a thread

__global__ void __launch_bounds__(clear_threads) clear_words(std::uint32_t* words, size_type n)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    for (size_type i = global_id(); i < n; i += grid_threads()) {
        words[i] = 0;
    }
}

/// Whether kernels clear memory: a kernel may begin while the one before it ends, a memory set waits, and is waited
/// for.
bool clears_by_kernels([[maybe_unused]] const GpuExecutor& exec)
{
#if defined(LINDEN_HIP_PLATFORM_HOST)  // for its tests
    return true;
#else
    return exec.can_overlap_kernels();
#endif
}

}  // namespace

void GpuExecutor::fill_zero(void* target, std::size_t bytes)
{
    if (bytes == 0) {
        return;
    }
    const DeviceScope scope(device());
    constexpr std::size_t word = sizeof(std::uint32_t);
    const bool has_words = bytes % word == 0 && reinterpret_cast<std::uintptr_t>(target) % word == 0;
    if (!has_words || bytes > most_cleared_bytes || !clears_by_kernels(*this)) {
        check(LINDEN_GPU(MemsetAsync)(target, 0, bytes, stream()), "MemsetAsync");
        return;
    }
    const auto n = static_cast<size_type>(bytes / word);
    check(launch(can_overlap_kernels_ ? Overlap::with_previous : Overlap::none, clear_words,
                 blocks_for(n, clear_threads, cleared_words), clear_threads, 0, stream(),
                 static_cast<std::uint32_t*>(target), n),
          "LaunchKernel");
}

namespace {

/// Between two events in the executor's stream.
class EventStopwatch final : public StopwatchState {
public:
    explicit EventStopwatch(GpuExecutor& exec) : exec_(exec)
    {
        const DeviceScope scope(exec_.device());
        check(LINDEN_GPU(EventCreate)(&begin_), "EventCreate");
        check(LINDEN_GPU(EventCreate)(&end_), "EventCreate");
    }
    ~EventStopwatch() override
    {
        (void)LINDEN_GPU(EventDestroy)(begin_);
        (void)LINDEN_GPU(EventDestroy)(end_);
    }

    void start() override
    {
        exec_.synchronize();
        const DeviceScope scope(exec_.device());
        check(LINDEN_GPU(EventRecord)(begin_, exec_.stream()), "EventRecord");
    }
    double stop() override
    {
        const DeviceScope scope(exec_.device());
        check(LINDEN_GPU(EventRecord)(end_, exec_.stream()), "EventRecord");
        exec_.wait_for(end_);
        float milliseconds = 0;
        check(LINDEN_GPU(EventElapsedTime)(&milliseconds, begin_, end_), "EventElapsedTime");
        return 1e-3 * milliseconds;
    }

private:
    GpuExecutor& exec_;
    LINDEN_GPU(Event_t) begin_ = nullptr;
    LINDEN_GPU(Event_t) end_ = nullptr;
};

}  // namespace

std::unique_ptr<StopwatchState> GpuExecutor::make_stopwatch() { return std::make_unique<EventStopwatch>(*this); }

ExecutorCounters GpuExecutor::counters() const
{
    ExecutorCounters result = ExecutorState::counters();
    std::uint64_t replayed = 0;
    const DeviceScope scope(device());
    check(LINDEN_GPU(MemcpyAsync)(&replayed, replayed_launches_, sizeof replayed, LINDEN_GPU(MemcpyDeviceToHost),
                                  stream_),
          "MemcpyAsync");
    check(LINDEN_GPU(StreamSynchronize)(stream_), "StreamSynchronize");
    result.kernel_launches += replayed;
    return result;
}

BackendInfo info_of_backend()
{
    BackendInfo info{this_backend, true, {}, {}};
    const int count = num_devices(info.why_not);
    for (int device = 0; device < count; ++device) {
        info.devices.push_back(device_info(device));
    }
    return info;
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
