#include "test/support/backends.hpp"

namespace linden::test {
namespace {

std::vector<BackendInfo> infos()
{
    std::vector<BackendInfo> all;
    for (int b = 0; b < num_backends; ++b) {
        all.push_back(backend_info(static_cast<Backend>(b)));
    }
    return all;
}

}  // namespace

const std::vector<Executor>& tested_executors()
{
    static const std::vector<Executor> executors = [] {
        std::vector<Executor> made;
        for (const auto& info : infos()) {
            if (info.built && info.why_not.empty()) {
                made.push_back(Executor::create(info.backend, {.threads = 3}));
            }
        }
        return made;
    }();
    return executors;
}

std::vector<BackendInfo> backends_without_device()
{
    auto all = infos();
    std::erase_if(all, [](const auto& info) { return !info.built || info.why_not.empty(); });
    return all;
}

}  // namespace linden::test
