#include "executor.hpp"

#include <cxxabi.h>
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "scheduler.hpp"

namespace linden::hip_host {

constinit thread_local Uint3 threadIdx, blockIdx, blockDim, gridDim;

void fill_poison(void* begin, std::size_t bytes)
{
    auto p = static_cast<std::byte*>(begin);
    for (; bytes >= sizeof poison; bytes -= sizeof poison, p += sizeof poison) {
        std::memcpy(p, &poison, sizeof poison);
    }
    std::memcpy(p, &poison, bytes);
}

void fail(const char* format, ...)
{
    std::va_list arguments;
    va_start(arguments, format);
    std::fprintf(stderr, "hip on the host: ");
    std::vfprintf(stderr, format, arguments);
    va_end(arguments);
    if (const Launch* running = Scheduler::running()) {
        Dl_info info{};
        const bool found = dladdr(running->kernel, &info) != 0 && info.dli_sname;
        char* name = found ? abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, nullptr) : nullptr;
        std::fprintf(stderr, "\n  in kernel %s, block (%u, %u, %u), thread (%u, %u, %u)",
                     name    ? name
                     : found ? info.dli_sname
                             : "(unnamed: not an exported symbol)",
                     blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z);
    }
    std::fputc('\n', stderr);
    std::abort();
}

int lane_in_wave() { return Scheduler::active().lane_in_wave(); }
void note_progress() { Scheduler::active().note_progress(); }

void note_atomic(bool is_progress)
{
    if (is_progress) {
        note_progress();
    } else {
        yield_unwatched();
    }
}

std::uint64_t timer_ns()
{
    note_progress();
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() /
                                      std::chrono::nanoseconds(1));
}

void* dynamic_shared() { return Scheduler::active().dynamic_shared(); }
void* static_shared(const void* key, std::size_t bytes) { return Scheduler::active().static_shared(key, bytes); }

bool is_valid(const Launch& l)
{
    const std::uint64_t threads = std::uint64_t{l.block.x} * l.block.y * l.block.z;
    return threads >= 1 && threads <= max_block_threads && l.grid.x >= 1 && l.grid.x <= 0x7fffffffu && l.grid.y >= 1 &&
           l.grid.y <= 65535 && l.grid.z >= 1 && l.grid.z <= 65535 && l.shared_bytes <= max_shared_bytes;
}

void execute(const Launch& launch) { Scheduler::get().run(launch); }

int occupancy(int block_threads, std::size_t shared_bytes)
{
    const int by_threads = max_resident_threads / std::max(block_threads, 1);
    const int by_shared = shared_bytes ? static_cast<int>(max_shared_bytes / shared_bytes) : max_resident_blocks;
    return std::min({by_threads, by_shared, max_resident_blocks});
}

}  // namespace linden::hip_host
