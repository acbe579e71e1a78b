#include "fiber.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <new>

#if defined(LINDEN_HIP_HOST_ASAN)
#include <sanitizer/common_interface_defs.h>
#endif

namespace linden::hip_host {
namespace {

constexpr std::size_t page_bytes = 4096;
#if defined(LINDEN_HIP_HOST_ASAN)
constexpr std::size_t stack_bytes = 512 * 1024;  // instrumented frames are several times larger
#else
constexpr std::size_t stack_bytes = 128 * 1024;
#endif
constexpr std::size_t stacks_per_slab = 64;
// Tops of stacks at one distance modulo 4 KiB would all compete for the same few sets of the first-level cache.
constexpr std::size_t num_colours = 29;
constexpr std::size_t colour_bytes = 128;

[[maybe_unused]] constinit thread_local Fiber* left = nullptr;  // the fiber that the last switch came from

}  // namespace

Fiber::Fiber(std::byte* bottom, std::size_t bytes, std::size_t unused_top, Entry entry) : bottom_(bottom), bytes_(bytes)
{
#if defined(LINDEN_HIP_HOST_UCONTEXT)
    getcontext(&context_);
    context_.uc_stack.ss_sp = bottom;
    context_.uc_stack.ss_size = bytes - unused_top;
    context_.uc_link = nullptr;
    makecontext(&context_, entry, 0);
#else
    // The null is the caller's address as seen by `entry`: it ends back-traces, and aligns the stack as a call would.
    auto top = reinterpret_cast<void**>(bottom + bytes - unused_top);
    *--top = nullptr;
    at_ = {top, nullptr, reinterpret_cast<void*>(entry)};
#endif
}

#if defined(LINDEN_HIP_HOST_ASAN) || defined(LINDEN_HIP_HOST_UCONTEXT)
void Fiber::switch_slowly(Fiber& from, Fiber& to, [[maybe_unused]] bool idle)
{
#if defined(LINDEN_HIP_HOST_ASAN)
    left = &from;
    from.fake_stack_ = nullptr;
    __sanitizer_start_switch_fiber(idle ? nullptr : &from.fake_stack_, to.bottom_, to.bytes_);
#endif
#if defined(LINDEN_HIP_HOST_UCONTEXT)
    swapcontext(&from.context_, &to.context_);
#else
    jump(from.at_, to.at_);
#endif
#if defined(LINDEN_HIP_HOST_ASAN)
    __sanitizer_finish_switch_fiber(from.fake_stack_, &left->bottom_, &left->bytes_);
#endif
}
#endif

void Fiber::entered()
{
#if defined(LINDEN_HIP_HOST_ASAN)
    __sanitizer_finish_switch_fiber(nullptr, &left->bottom_, &left->bytes_);
#endif
}

FiberPool::~FiberPool()
{
    for (void* slab : slabs_) {
        munmap(slab, stacks_per_slab * (page_bytes + stack_bytes));
    }
}

Fiber& FiberPool::acquire()
{
    if (idle_.empty()) {
        grow();
    }
    Fiber& fiber = *idle_.back();
    idle_.pop_back();
    return fiber;
}

void FiberPool::grow()
{
    constexpr std::size_t stride = page_bytes + stack_bytes;
    void* slab = mmap(nullptr, stacks_per_slab * stride, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (slab == MAP_FAILED) {
        throw std::bad_alloc();
    }
    slabs_.push_back(slab);
    for (std::size_t i = stacks_per_slab; i-- > 0;) {
        std::byte* guard = static_cast<std::byte*>(slab) + i * stride;
        mprotect(guard, page_bytes, PROT_NONE);
        const std::size_t colour = (fibers_.size() % num_colours) * colour_bytes;
        idle_.push_back(&fibers_.emplace_back(guard + page_bytes, stack_bytes, colour, entry_));
    }
}

}  // namespace linden::hip_host
