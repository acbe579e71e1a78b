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

/// Stackful coroutines for the host executor: one stack per suspended work-item, switched in place by a few
/// instructions on x86-64 and through ucontext elsewhere. One fiber runs at a time; all
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
        jump(from.at_, to.at_);
#endif
    }
    /// The first statement of every entry function.
    static void entered();

private:
    static void switch_slowly(Fiber& from, Fiber& to, bool idle);

#if defined(LINDEN_HIP_HOST_UCONTEXT)
    ucontext_t context_{};
#else
    /// Where a fiber goes on.
    struct Place {
        void* stack_pointer = nullptr;
        void* frame_pointer = nullptr;
        void* instruction = nullptr;
    };
    /// The compiler keeps what it needs of all other registers on the stack that is left. That stack is not written, so
    /// that a red zone stays as it is.
    [[gnu::always_inline]] static void jump(Place& from, Place& to)
    {
        Place *leave = &from, *enter = &to;
        __asm__ volatile(R"(
            leaq 1f(%%rip), %%rax
            movq %%rsp, 0(%0)
            movq %%rbp, 8(%0)
            movq %%rax, 16(%0)
            movq 0(%1), %%rsp
            movq 8(%1), %%rbp
            jmpq *16(%1)
            1:)"
                         : "+D"(leave), "+S"(enter)
                         :
                         : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0",
                           "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
                           "xmm12", "xmm13", "xmm14", "xmm15",
#if defined(__AVX512F__)
                           "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25",
                           "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k0", "k1", "k2", "k3", "k4", "k5",
                           "k6", "k7",
#endif
                           "memory", "cc");
    }

    Place at_;
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
