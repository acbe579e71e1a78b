#include <linden/error.hpp>
#include <linden/solver/solver.hpp>
#include <linden/validate.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/base/type_lists.hpp"
#include "core/config/registry.hpp"
#include "core/inspect/inspector.hpp"
#include "core/validation/cases.hpp"
#include "core/validation/runner.hpp"

namespace linden {
namespace {

using validation::Runner;
using Clock = std::chrono::steady_clock;

inspect::InspectorOptions inspector_options(const ValidateOptions& options)
{
    inspect::InspectorOptions o;
    o.calls_per_shape = options.level <= 2 ? 1 : 4;
    o.calls_per_kernel = options.level <= 1 ? 3 : options.level == 2 ? 8 : 64;
    o.only = options.only_kernel;
    return o;
}

void run_cases(Runner& runner)
{
    if (runner.level() <= 1) {
        validation::drive_blocks<DefaultValue, DefaultIndex>(runner);
        validation::drive_methods<DefaultValue, DefaultIndex>(runner);
        return;
    }
    bool is_first = true;
    for_each_value_index([&]<class V, class I>() {
        runner.begin_types<V>(std::exchange(is_first, false));
        validation::drive_blocks<V, I>(runner);
        validation::drive_formats<V, I>(runner);
        validation::drive_kernels<V, I>(runner);
        validation::drive_algebra<V, I>(runner);
        validation::drive_methods<V, I>(runner);
    });
}

KernelCheck check_of(const KernelEntry& kernel, const inspect::KernelRecord& r, const Executor& exec)
{
    KernelCheck c;
    c.kernel = kernel.name();
    c.types = kernel.types();
    c.num_calls = r.num_calls;
    c.num_inspected = r.num_inspected - r.num_idle;
    c.num_decided_by_rounding = r.num_decided_by_rounding;
    c.fraction = r.fraction;
    c.ulps = r.ulps;
    c.is_same_bits = r.is_same_bits;
    c.worst = r.worst;
    c.faults = r.faults;
    c.num_planted = r.num_planted;
    c.num_found = r.num_found;
    c.bytes = static_cast<double>(r.bytes);
    c.seconds = r.seconds;
    if (c.num_inspected == 0) {
        const char* reason = validation::reason_of_gap(kernel.name(), kernel.types(), exec);
        c.is_named_gap = reason != nullptr;
        c.gap = reason != nullptr ? reason : r.num_calls == 0 ? "no case calls it" : r.obstacle;
        if (c.gap.empty()) {
            c.gap =
                r.num_idle > 0 ? "no inspected call has changed anything" : "its calls were too large to be inspected";
        }
    }
    return c;
}

/// Of all kernels that the backend has, called or not.
std::vector<KernelCheck> checks_of(const inspect::Inspector& inspector, const Executor& exec)
{
    const auto records = inspector.records();
    std::vector<KernelCheck> checks;
    for (const auto* kernel : KernelEntry::all()) {
        if (!kernel->available(exec.backend())) {
            continue;
        }
        const auto found =
            std::find_if(records.begin(), records.end(), [&](const auto& r) { return r.kernel == kernel; });
        checks.push_back(check_of(*kernel, found == records.end() ? inspect::KernelRecord{} : *found, exec));
    }
    return checks;
}

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// A system that solves are timed with.
struct TimedSystem {
    LinOpPtr<DefaultValue> matrix;
    Dense<DefaultValue> b;
};

/// Some whose vectors leave caches last, if the level has time for that.
std::vector<TimedSystem> timed_systems(const Executor& exec, int level)
{
    std::vector<int> sides{exec.is_host() ? 350 : 1000};
    if (exec.backend() == Backend::reference) {
        sides = {100};  // nobody asks how fast it is, and its direct solvers take rows one by one
    } else if (level >= 3) {
        sides.push_back(2 * sides.front());
    }
    std::vector<TimedSystem> systems;
    for (const int side : sides) {
        const auto data = validation::problem<DefaultValue, DefaultIndex>("lap2d:" + std::to_string(side));
        systems.push_back({share(Csr<DefaultValue, DefaultIndex>(exec, data)),
                           validation::random_block<DefaultValue>(exec, {data.size.rows, 1}, 1)});
    }
    return systems;
}

/// Makes an operator and applies it, a solver for a few iterations, several times, since setups call kernels once: but
/// no further than until that has taken a while.
void run_timed(const config::Entry<DefaultValue>& entry, const std::vector<TimedSystem>& systems)
{
    constexpr int num_rounds = 3;
    constexpr double long_enough = 1;
    const auto start = Clock::now();
    std::shared_ptr<const LinOpFactory<DefaultValue>> factory = entry.create();
    if (entry.kind == config::Kind::solver) {
        factory = config::with_parameters(*factory, "max_iterations=8");
    }
    for (const auto& system : systems) {
        for (int round = 0; round < num_rounds && seconds_since(start) < long_enough; ++round) {
            auto x = Dense<DefaultValue>::filled(system.b.executor(), system.b.size(), DefaultValue{});
            factory->make(system.matrix)->apply(system.b, x);
        }
    }
}

/// Times of kernels in solves with every method, and from level 3 on in set-ups and applications of every
/// preconditioner.
void time_kernels(const Executor& exec, int level, MachineReport& report)
{
    inspect::InspectorOptions timing;
    timing.calls_per_kernel = 0;
    timing.measures_time = true;
    timing.least_timed_bytes = std::size_t{1} << 20;
    inspect::Inspector inspector(exec, timing);
    const auto systems = timed_systems(exec, level);
    for (const auto& entry : config::registry<DefaultValue>()) {
        const bool is_solver = entry.kind == config::Kind::solver;
        if (!is_solver && level < 3) {
            continue;
        }
        try {
            run_timed(entry, systems);
        } catch (const std::exception& error) {
            report.faults.push_back("timed run of " + std::string(entry.type) + ": " + error.what());
        }
    }
    for (const auto& record : inspector.records()) {
        for (auto& check : report.kernels) {
            if (check.kernel == record.kernel->name() && check.types == record.kernel->types()) {
                check.bytes = static_cast<double>(record.bytes);
                check.seconds = record.seconds;
            }
        }
    }
}

/// Runs the cases with each fault in turn; what is found is added up.
void check_the_check(const Executor& exec, const ValidateOptions& options, MachineReport& report)
{
    for (int f = 1; f < inspect::num_faults; ++f) {
        auto inspecting = inspector_options(options);
        inspecting.fault = static_cast<inspect::Fault>(f);
        inspect::Inspector inspector(exec, inspecting);
        MachineReport ignored;
        Runner runner(exec, options, inspector, ignored);
        run_cases(runner);
        for (const auto& record : inspector.records()) {
            for (auto& check : report.kernels) {
                if (check.kernel == record.kernel->name() && check.types == record.kernel->types()) {
                    check.num_planted += record.num_planted;
                    check.num_found += record.num_found;
                }
            }
        }
    }
}

}  // namespace

std::string_view name(Verdict verdict)
{
    constexpr std::string_view names[] = {"PASS", "FAIL", "SLOW", "INCOMPLETE"};
    return names[static_cast<int>(verdict)];
}

Verdict MachineReport::verdict() const
{
    const bool is_right = faults.empty() &&
                          std::all_of(kernels.begin(), kernels.end(), [](const auto& k) { return k.is_right(); }) &&
                          std::all_of(solves.begin(), solves.end(), [](const auto& s) { return s.faults.empty(); });
    const bool is_whole = std::all_of(kernels.begin(), kernels.end(), [&](const KernelCheck& k) {
        return k.num_inspected > 0 || k.is_named_gap || level <= 1;
    });
    return !is_right ? Verdict::fail : is_whole ? Verdict::pass : Verdict::incomplete;
}

namespace {

/// A case without its number: backends have more or fewer cases before it.
std::string_view text_of(const Refusal& refusal)
{
    const std::string_view text = refusal.text;
    const auto colon = text.find(": ");
    return colon == std::string_view::npos ? text : text.substr(colon + 2);
}

/// Whether both have had the same cases: emulations have smaller problems from level 2 on.
bool has_same_cases(const MachineReport& a, const MachineReport& b)
{
    return a.level <= 1 || validation::is_emulation(a.device) == validation::is_emulation(b.device);
}

}  // namespace

void compare_refusals(std::vector<MachineReport>& reports)
{
    for (auto& report : reports) {
        for (const auto& other : reports) {
            if (!has_same_cases(report, other)) {
                continue;
            }
            for (const auto& refusal : other.refusals) {
                const bool is_about_backend =  // other backends have what this one lacks
                    refusal.message.find("for " + std::string(name(other.backend)) + ":") != std::string::npos;
                const bool is_here =
                    is_about_backend || std::any_of(report.refusals.begin(), report.refusals.end(),
                                                    [&](const Refusal& r) { return text_of(r) == text_of(refusal); });
                if (!is_here) {
                    report.faults.push_back(refusal.text + ": not refused here, on " +
                                            std::string(name(other.backend)) + " " + refusal.message);
                }
            }
        }
    }
}

MachineReport validate(const Executor& exec, const ValidateOptions& options)
{
    if (options.level < 1 || options.level > 4) {
        throw InvalidParameter("level", std::to_string(options.level), "1 to 4");
    }
    const auto start = Clock::now();
    MachineReport report;
    report.backend = exec.backend();
    report.device = exec.info();
    report.level = options.level;
    report.seed = options.seed;
    bool has_device = true;
    {
        inspect::Inspector inspector(exec, inspector_options(options));
        Runner runner(exec, options, inspector, report);
        run_cases(runner);
        const bool is_soak = options.level == 4 && options.only_case < 0;
        const auto is_over = [&] { return !is_soak || seconds_since(start) >= options.seconds; };
        for (; !is_over(); ++report.num_rounds) {
            runner.begin_round(options.seed + static_cast<std::uint64_t>(report.num_rounds), is_over);
            run_cases(runner);
        }
        report.kernels = checks_of(inspector, exec);
        has_device = !runner.has_lost_device();
    }
    const bool is_whole = options.only_case < 0 && options.only_kernel.empty() && options.records_loops;
    if (options.plants_faults && has_device) {
        check_the_check(exec, options, report);
    }
    if (is_whole && has_device && !options.plants_faults) {
        report.limits = validation::measure_limits(exec, options.level);
        if (options.level >= 2 && !validation::is_emulation(exec)) {
            time_kernels(exec, options.level, report);
        }
    }
    report.seconds = seconds_since(start);
    return report;
}

}  // namespace linden
