#pragma once

#include <linden/log/logger.hpp>
#include <linden/preconditioner/ilu.hpp>

#include <array>
#include <chrono>
#include <memory>
#include <numeric>

#include "benchmark/papers/chart.hpp"
#include "benchmark/papers/experiment.hpp"

/// What the parts of ParILUT's set-up take.
namespace linden::benchmarks {

enum class SetupPart { candidates, selection, kept, sweeps, pivots, prefix_sums, patterns, triangles, rest };

constexpr std::array<std::string_view, 9> setup_part_names{
    "candidates and values", "selection",         "entries kept",   "sweeps", "pivots and scales", "prefix sums",
    "patterns and gathers",  "triangular set-up", "host and copies"};

inline SetupPart part_of(std::string_view kernel)
{
    constexpr std::pair<std::string_view, SetupPart> known[] = {
        {"parilut::count", SetupPart::candidates},    {"parilut::form", SetupPart::candidates},
        {"parilut::measure", SetupPart::selection},   {"selection::select", SetupPart::selection},
        {"parilut::count_large", SetupPart::kept},    {"parilut::take_large", SetupPart::kept},
        {"parilut::sweep", SetupPart::sweeps},        {"parilut::check_pivots", SetupPart::pivots},
        {"ilu::prepare_rows", SetupPart::pivots},     {"parilut::scale", SetupPart::pivots},
        {"array::prefix_sum", SetupPart::prefix_sums}};
    for (const auto& [name, part] : known) {
        if (name == kernel) {
            return part;
        }
    }
    return SetupPart::patterns;
}

/// Times the kernels of a set-up. What follows the last kernel of the factorization is the triangles' part, and what is
/// no kernel's the rest. On devices it waits before and after each kernel, so that the times are longer than without.
class SetupProfile : public Logger {
public:
    using Seconds = std::array<double, setup_part_names.size()>;

    explicit SetupProfile(Executor exec) : exec_(std::move(exec)) {}

    void on_kernel_begin(std::string_view, std::string_view) override { kernel_began_ = now(); }
    void on_kernel_end(std::string_view kernel, std::string_view) override
    {
        const auto at = now();
        if (!is_factorized_) {
            add(part_of(kernel), at - kernel_began_);
        }
        if (kernel == "parilut::scale") {
            is_factorized_ = true;
            factorized_ = at;
        }
    }

    /// Around a set-up.
    void begin()
    {
        is_factorized_ = false;
        seconds_ = {};
        began_ = now();
    }
    void end()
    {
        const auto at = now();
        if (is_factorized_) {
            add(SetupPart::triangles, at - factorized_);
        }
        const double known = std::accumulate(seconds_.begin(), seconds_.end(), 0.0);
        seconds_[static_cast<std::size_t>(SetupPart::rest)] = seconds_of(at - began_) - known;
    }

    /// Of the last set-up.
    const Seconds& seconds() const { return seconds_; }

private:
    using Clock = std::chrono::steady_clock;

    static double seconds_of(Clock::duration time) { return std::chrono::duration<double>(time).count(); }
    Clock::time_point now() const
    {
        exec_.synchronize();
        return Clock::now();
    }
    void add(SetupPart part, Clock::duration time) { seconds_[static_cast<std::size_t>(part)] += seconds_of(time); }

    Executor exec_;
    Clock::time_point began_, kernel_began_, factorized_;
    bool is_factorized_ = false;
    Seconds seconds_{};
};

/// One bar of the paper's Figures 11 and 12.
struct SetupParts {
    std::string label;
    SetupProfile::Seconds seconds{};  ///< of the fastest of several set-ups
    double unobserved_seconds = 0;    ///< of the fastest without the profile

    double total() const { return std::accumulate(seconds.begin(), seconds.end(), 0.0); }
};

inline SetupParts measure_parts(const SweptThresholdFill& parameters, const Problem& problem, const Executor& exec,
                                int repeat)
{
    const LinOpPtr<V> a = share(Csr<V, I>(exec, problem.data));
    const auto factory = ParIlut<V>::factory(parameters);
    const auto how = parameters.selection == Selection::exact ? ", exact" : ", approximate";
    SetupParts parts{exec.name() + how, {}, INFINITY};
    (void)factory.make(a);  // warms up
    for (int i = 0; i < repeat; ++i) {
        const auto seconds = tool::timed(exec, [&] { (void)factory.make(a); });
        parts.unobserved_seconds = std::min(parts.unobserved_seconds, seconds);
    }
    const auto profile = std::make_shared<SetupProfile>(exec);
    exec.add_logger(profile);
    for (int i = 0; i < repeat; ++i) {
        profile->begin();
        (void)factory.make(a);
        profile->end();
        const SetupParts found{parts.label, profile->seconds(), parts.unobserved_seconds};
        if (i == 0 || found.total() < parts.total()) {
            parts = found;
        }
    }
    exec.remove_logger(profile.get());
    return parts;
}

inline void print_parts(const std::vector<SetupParts>& all)
{
    std::printf("| part |");
    std::string rule = "|---|";
    for (const auto& parts : all) {
        std::printf(" %s: s | %% |", parts.label.c_str());
        rule += "---:|---:|";
    }
    std::printf("\n%s\n", rule.c_str());
    for (std::size_t i = 0; i < setup_part_names.size(); ++i) {
        std::printf("| %s |", std::string(setup_part_names[i]).c_str());
        for (const auto& parts : all) {
            std::printf(" %s | %.1f |", seconds_text(parts.seconds[i]).c_str(), 100 * parts.seconds[i] / parts.total());
        }
        std::printf("\n");
    }
    std::printf("| together |");
    for (const auto& parts : all) {
        std::printf(" %s | 100 |", seconds_text(parts.total()).c_str());
    }
    std::printf("\n| not observed |");
    for (const auto& parts : all) {
        std::printf(" %s | |", seconds_text(parts.unobserved_seconds).c_str());
    }
    std::printf("\n");
}

inline StackedGroup bars_of(const std::string& name, const std::vector<SetupParts>& all)
{
    StackedGroup group{name, {}};
    for (const auto& parts : all) {
        group.bars.push_back({parts.label, {parts.seconds.begin(), parts.seconds.end()}});
    }
    return group;
}

}  // namespace linden::benchmarks
