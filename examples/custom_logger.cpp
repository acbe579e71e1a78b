// needs: double int32
// A logger of your own: a profile of a solve's kernels. On host executors, whose kernels are done when they return.
#include <linden/io/problems.hpp>
#include <linden/log/logger.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/solver/cg.hpp>

#include <chrono>
#include <iostream>
#include <map>

using namespace linden;
using Clock = std::chrono::steady_clock;

class Profile : public Logger {
public:
    void on_kernel_begin(std::string_view, std::string_view) override { start_ = Clock::now(); }
    void on_kernel_end(std::string_view kernel, std::string_view) override
    {
        seconds[std::string(kernel)] += std::chrono::duration<double>(Clock::now() - start_).count();
        calls[std::string(kernel)] += 1;
    }
    std::map<std::string, double> seconds;
    std::map<std::string, size_type> calls;

private:
    Clock::time_point start_;
};

int main(int argc, char** argv)
{
    const auto exec = Executor::create(argc > 1 ? argv[1] : "reference");
    const auto a = share(Csr<double, int>(exec, generate_problem<double, int>("lap2d:100")));
    const auto cg = Cg<double>::factory().generate(a);
    auto x = Dense<double>::filled(exec, {a->size().rows, 1}, 0);
    const auto b = Dense<double>::filled(exec, x.size(), 1);

    const auto profile = std::make_shared<Profile>();
    exec.add_logger(profile);
    const auto result = cg->solve(b, x);
    exec.remove_logger(profile.get());

    for (const auto& [kernel, seconds] : profile->seconds) {
        std::cout << kernel << ": " << profile->calls[kernel] << " calls, " << 1e3 * seconds << " ms\n";
    }
    return profile->calls["csr::spmv_dot"] == result.iterations() ? 0 : 1;
}
