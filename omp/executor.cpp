#include "omp/executor.hpp"

#include <linden/error.hpp>

#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "omp/parallel.hpp"
#include "omp/team/processors.hpp"

namespace linden {
namespace omp {

/// Binds every kernel of this folder; the build writes it from the folder's files.
void register_kernels();

namespace {

constexpr std::size_t page_bytes = 4096;
/// Blocks from this size on are worth the team.
constexpr std::size_t min_first_touch_bytes = std::size_t{4} << 20;

/// Calls body(begin, end) on byte ranges, spread over the team as rows of kernels are.
template <class Body>
void parallel_bytes(int threads, std::size_t bytes, const Body& body)
{
    if (bytes == 0) {
        return;  // the pointers may be null
    }
    const RowPartition pages{static_cast<size_type>((bytes + page_bytes - 1) / page_bytes)};
    run_parts(pages, bytes < min_first_touch_bytes ? 1 : threads, [&](int, size_type begin, size_type end) {
        body(begin * page_bytes, std::min(bytes, end * page_bytes));
    });
}

/// Host memory whose pages are first written by the threads that will work on them, which on machines with several
/// memory controllers decides where they lie.
class FirstTouchMemory final : public MemoryResource {
public:
    explicit FirstTouchMemory(int threads) : threads_(threads) {}

    void* allocate(std::size_t bytes) noexcept override
    {
        void* const data = upstream_->allocate(bytes);
        if (data == nullptr || bytes < min_first_touch_bytes) {
            return data;
        }
        end_time_alone();  // else the first blocks of a process would lie where its caller runs
        parallel_bytes(threads_, bytes, [&](std::size_t begin, std::size_t end) {
            for (std::size_t at = begin; at < end; at += page_bytes) {
                static_cast<volatile char*>(data)[at] = 0;
            }
        });
        return data;
    }
    void deallocate(void* data, std::size_t bytes) noexcept override { upstream_->deallocate(data, bytes); }

private:
    std::shared_ptr<MemoryResource> upstream_ = host_memory();
    int threads_;
};

std::string processor_name()
{
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        const auto colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos) {
            return line.substr(colon + 2);
        }
    }
    return "multicore host";
}

/// Of a machine that does not change: its files are read once, since set-ups of small matrices ask each time.
DeviceInfo device_info(int threads)
{
    static const std::string name = processor_name();
    static const std::uint64_t bytes =
        static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    return {name, threads, bytes};
}

/// What OpenMP would take, but within a quota; OMP_NUM_THREADS has the last word.
int default_threads()
{
    const int of_openmp = omp_get_max_threads();
    return std::getenv("OMP_NUM_THREADS") != nullptr ? of_openmp : std::min(of_openmp, available_processors());
}

std::shared_ptr<ExecutorState> create(const ExecutorOptions& options)
{
    if (options.threads < 0) {
        throw InvalidParameter("threads", std::to_string(options.threads), "at least 0, where 0 means all");
    }
    const int threads = options.threads == 0 ? default_threads() : options.threads;
    auto memory = options.memory ? options.memory : pool_memory(std::make_shared<FirstTouchMemory>(threads));
    return std::make_shared<OmpExecutor>(std::move(memory), threads);
}

BackendInfo info() { return {Backend::omp, true, {}, {device_info(available_processors())}}; }

}  // namespace

DeviceInfo OmpExecutor::info() const { return device_info(threads_); }

void OmpExecutor::fill_zero(void* target, std::size_t bytes)
{
    parallel_bytes(threads_, bytes, [&](std::size_t begin, std::size_t end) {
        std::memset(static_cast<char*>(target) + begin, 0, end - begin);
    });
}

}  // namespace omp

void register_omp()
{
    register_backend(Backend::omp, {omp::create, omp::info});
    omp::register_kernels();
}

}  // namespace linden
