// needs: double int32
// An application that checks its machine before it starts, in a second or two: every kernel that level 1 reaches
// against the reference, and twice. The same as `linden validate --level 1`.
#include <linden/executor.hpp>
#include <linden/validate.hpp>

#include <iostream>

using namespace linden;

int main(int argc, char** argv)
{
    const auto exec = Executor::create(argc > 1 ? argv[1] : "reference");
    const MachineReport report = validate(exec, {.level = 1});  // nobody else may use exec meanwhile

    int inspected = 0;
    for (const auto& kernel : report.kernels) {
        inspected += kernel.num_inspected > 0;
        for (const auto& fault : kernel.faults) {
            std::cerr << kernel.kernel << "<" << kernel.types << "> " << fault << '\n';
        }
    }
    for (const auto& solve : report.solves) {
        for (const auto& fault : solve.faults) {
            std::cerr << solve.method << " on " << solve.problem << ": " << fault << '\n';
        }
    }
    for (const auto& fault : report.faults) {
        std::cerr << fault << '\n';
    }
    std::cout << name(report.verdict()) << " on " << exec.name() << ": " << inspected << " kernels and "
              << report.solves.size() << " solves in " << report.seconds << " s\n";
    for (const auto& limit : report.limits) {
        std::cout << "  " << limit.name << ": " << limit.value << ' ' << limit.unit << '\n';
    }
    // Here the work would begin.
    return report.verdict() == Verdict::pass ? 0 : 1;
}
