#pragma once

#include "gpu/device/api.hpp"

namespace linden::LINDEN_GPU_NAMESPACE {

/// A stream beside an executor's, whose work goes first where both have some.
class SideStream {
public:
    explicit SideStream(int device) : device_(device)
    {
        const DeviceScope scope(device_);
#if defined(LINDEN_GPU_HIP)
        check(hipStreamCreateWithFlags(&stream_, hipStreamNonBlocking), "StreamCreateWithFlags");
#else
        int least = 0, greatest = 0;
        check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "DeviceGetStreamPriorityRange");
        check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, greatest), "StreamCreateWithPriority");
#endif
        for (auto* const event : {&begun_, &done_}) {
            check(LINDEN_GPU(EventCreateWithFlags)(event, LINDEN_GPU(EventDisableTiming)), "EventCreateWithFlags");
        }
    }
    ~SideStream()
    {
        const DeviceScope scope(device_, std::nothrow);
        (void)LINDEN_GPU(EventDestroy)(begun_);
        (void)LINDEN_GPU(EventDestroy)(done_);
        (void)LINDEN_GPU(StreamDestroy)(stream_);
    }
    SideStream(const SideStream&) = delete;
    SideStream& operator=(const SideStream&) = delete;

    operator Stream() const { return stream_; }
    /// Whether a recording of other work than that of `stream` has work from here, as long as it goes on: one within it
    /// needs a stream of its own. HIP's loops have none within another.
    bool is_elsewhere([[maybe_unused]] Stream stream) const
    {
#if defined(LINDEN_GPU_HIP)
        return false;
#else
        cudaStreamCaptureStatus here, there;
        unsigned long long number_here = 0, number_there = 0;
        check(cudaStreamGetCaptureInfo(stream_, &here, &number_here), "StreamGetCaptureInfo");
        check(cudaStreamGetCaptureInfo(stream, &there, &number_there), "StreamGetCaptureInfo");
        return here != cudaStreamCaptureStatusNone && (here != there || number_here != number_there);
#endif
    }
    /// What follows here comes behind the work of `other` so far.
    void follow(Stream other) { pass(other, begun_, stream_); }
    /// The work of `other` from now on comes behind what was asked for here.
    void lead(Stream other) { pass(stream_, done_, other); }

private:
    static void pass(Stream from, LINDEN_GPU(Event_t) event, Stream to)
    {
        check(LINDEN_GPU(EventRecord)(event, from), "EventRecord");
        check(LINDEN_GPU(StreamWaitEvent)(to, event, 0), "StreamWaitEvent");
    }

    int device_;
    Stream stream_ = nullptr;
    LINDEN_GPU(Event_t) begun_ = nullptr;
    LINDEN_GPU(Event_t) done_ = nullptr;
};

}  // namespace linden::LINDEN_GPU_NAMESPACE
