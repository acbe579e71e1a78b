#include <linden/config.hpp>

#include <sys/utsname.h>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <thread>

#include "core/base/type_lists.hpp"

#include "tools/compiler.hpp"
#include "tools/validate/report.hpp"

namespace linden::tool {
namespace {

/// The first line `key : value` of a file.
std::string value_of(const char* file, const std::string& key)
{
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        const auto colon = line.find(": ");
        if (line.starts_with(key) && colon != std::string::npos) {
            return line.substr(colon + 2);
        }
    }
    return {};
}

/// Those that change what kernels do.
Json environment()
{
    Json set = Json::object();
    for (const char* name : {"OMP_NUM_THREADS", "OMP_PROC_BIND", "OMP_PLACES", "OMP_WAIT_POLICY", "OMP_DYNAMIC",
                             "GOMP_SPINCOUNT", "CUDA_VISIBLE_DEVICES", "CUDA_LAUNCH_BLOCKING", "HIP_VISIBLE_DEVICES",
                             "ROCR_VISIBLE_DEVICES", "LINDEN_HIP_HOST_WAVE", "LINDEN_HIP_HOST_ORDER"}) {
        if (const char* value = std::getenv(name)) {
            set[name] = value;
        }
    }
    return set;
}

/// In UTC, as in `2026-11-25 13:05`.
std::string time_of_day()
{
    const auto now = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&now, &utc);
    char text[32];
    (void)std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &utc);
    return text;
}

}  // namespace

Json describe_machine()
{
    utsname system{};
    (void)uname(&system);
    Json values = Json::array();
    for_each_value([&]<class V>() { values.push_back(name(value_type_of<V>)); });
    Json indices = Json::array();
    for_each_index([&]<class I>() { indices.push_back(name(index_type_of<I>)); });
#if defined(__OPTIMIZE__)
    constexpr bool is_optimised = true;
#else
    constexpr bool is_optimised = false;
#endif
    return {{"time", time_of_day()},
            {"processor", value_of("/proc/cpuinfo", "model name")},
            {"threads", std::thread::hardware_concurrency()},
            {"memory", value_of("/proc/meminfo", "MemTotal")},
            {"architecture", system.machine},
            {"system", std::string(system.sysname) + " " + system.release},
            {"version", LINDEN_VERSION},
            {"compiler", compiler()},
            {"optimised", is_optimised},
            {"value_types", values},
            {"index_types", indices},
            {"environment", environment()}};
}

}  // namespace linden::tool
