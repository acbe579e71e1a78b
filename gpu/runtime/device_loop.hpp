#pragma once

#include <functional>

#include "gpu/runtime/launch.hpp"

/// What the loops of CUDA and HIP share (cuda/loop.cu, hip/loop.cu): bodies that cannot be recorded run from the host.
namespace linden::LINDEN_GPU_NAMESPACE {

/// A stream for recording, owned.
class RecordingStream {
public:
    RecordingStream()
    {
        check(LINDEN_GPU(StreamCreateWithFlags)(&stream_, LINDEN_GPU(StreamNonBlocking)), "StreamCreateWithFlags");
    }
    ~RecordingStream() { (void)LINDEN_GPU(StreamDestroy)(stream_); }
    RecordingStream(const RecordingStream&) = delete;
    RecordingStream& operator=(const RecordingStream&) = delete;
    operator Stream() const { return stream_; }

private:
    Stream stream_ = nullptr;
};

class DeviceLoop : public LoopState {
public:
    explicit DeviceLoop(GpuExecutor& exec) : exec_(exec) {}

    /// Recorded bodies do nothing where the flag has dropped; those that the host runs are left out.
    void run_if(const std::int32_t* flag, const std::function<void()>& body) override
    {
        if (!runs_from_host_ || is_up(flag)) {
            body();
        }
    }

protected:
    /// The loop for bodies that need the host: the flag is read after each.
    void run_from_host(const std::int32_t* running, const std::function<void()>& body)
    {
        runs_from_host_ = true;
        while (is_up(running)) {
            body();
        }
    }

    GpuExecutor& exec_;
    bool runs_from_host_ = false;  ///< to be reset at the start of a run: a body may have thrown

private:
    bool is_up(const std::int32_t* flag)
    {
        std::int32_t value = 0;
        exec_.copy_to_host(flag, &value, sizeof value);
        return value != 0;
    }
};

}  // namespace linden::LINDEN_GPU_NAMESPACE
