#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#define LINDEN_HIP_HOST_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LINDEN_HIP_HOST_ASAN 1
#endif
#endif

#if !defined(__x86_64__) && !defined(LINDEN_HIP_HOST_UCONTEXT)
#define LINDEN_HIP_HOST_UCONTEXT 1
#endif

#if defined(LINDEN_HIP_HOST_UCONTEXT)
#include <ucontext.h>
#endif

#if !defined(LINDEN_HIP_HOST_UCONTEXT)
/// Leaves the callee-saved registers on the stack whose pointer goes to *save, and continues on the stack `next`.
extern "C" void linden_hip_host_switch(void** save, void* next) noexcept;
#endif

/// Stackful coroutines for the host executor: one stack per suspended work-item, switched in about a nanosecond of
/// instructions on x86-64 (callee-saved registers only) and through ucontext elsewhere. One fiber runs at a time; all
/// belong to whichever thread holds the executor.
namespace linden::hip_host {

class Fiber {
public:
    using Entry = void (*)();

    /// The context that the calling thread already has.
    Fiber() = default;
    /// A fiber on the stack [bottom, bottom + bytes) that calls `entry` when first switched to. `entry` never returns.
    Fiber(std::byte* bottom, std::size_t bytes, std::size_t unused_top, Entry entry);
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    /// Leaves `from`, the running fiber, for `to`; returns when something switches back to `from`.
    /// `idle`: nothing on from's stack is needed any more, except the frame that called.
    static void switch_to(Fiber& from, Fiber& to, bool idle = false)
    {
#if defined(LINDEN_HIP_HOST_ASAN) || defined(LINDEN_HIP_HOST_UCONTEXT)
        switch_slowly(from, to, idle);
#else
        static_cast<void>(idle);
        linden_hip_host_switch(&from.stack_pointer_, to.stack_pointer_);
#endif
    }
    /// The first statement of every entry function.
    static void entered();

private:
    static void switch_slowly(Fiber& from, Fiber& to, bool idle);

#if defined(LINDEN_HIP_HOST_UCONTEXT)
    ucontext_t context_{};
#else
    void* stack_pointer_ = nullptr;
#endif
    const void* bottom_ = nullptr;
    std::size_t bytes_ = 0;
    void* fake_stack_ = nullptr;  // AddressSanitizer's shadow of this stack
};

/// Fibers that all start in one entry function. Stacks are mapped in slabs, each behind a guard page, and reused.
class FiberPool {
public:
    explicit FiberPool(Fiber::Entry entry) : entry_(entry) {}
    FiberPool(const FiberPool&) = delete;
    FiberPool& operator=(const FiberPool&) = delete;
    ~FiberPool();

    Fiber& acquire();
    void release(Fiber& fiber) { idle_.push_back(&fiber); }

private:
    void grow();

    Fiber::Entry entry_;
    std::deque<Fiber> fibers_;
    std::vector<Fiber*> idle_;
    std::vector<void*> slabs_;
};

}  // namespace linden::hip_host
