#include <linden/config/config.hpp>
#include <linden/error.hpp>

#include <algorithm>
#include <chrono>

#include "core/config/short_form.hpp"
#include "core/matrix/visit_csr.hpp"

#include "tools/advice.hpp"
#include "tools/choice.hpp"
#include "tools/commands.hpp"
#include "tools/measure.hpp"
#include "tools/operands.hpp"
#include "tools/output_file.hpp"
#include "tools/progress.hpp"
#include "tools/report.hpp"
#include "tools/setup_limit.hpp"
#include "tools/svg_compare.hpp"

namespace linden::tool {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Whether standard output is for somebody who reads along.
bool is_live(const SolveCommand& c) { return is_terminal() && c.json != "-" && c.plot != "-"; }

Method parse_method(const std::string& text)
{
    if (text.substr(0, text.find_first_of(":+")).find_first_of(", ") != std::string::npos) {
        throw UsageError("--methods " + text + ": methods are words of their own, as in --methods cg+ic0 bicgstab");
    }
    const auto plus = text.find('+');
    if (plus == 0 || plus + 1 == text.size()) {
        throw UsageError("--methods " + text + ": expected solver or solver+preconditioner");
    }
    return plus == std::string::npos ? Method{text, "none"} : Method{text.substr(0, plus), text.substr(plus + 1)};
}

std::string shown(const Method& m) { return m.solver + (m.preconditioner == "none" ? "" : "+" + m.preconditioner); }

template <class V>
std::vector<Method> methods_of(const CompareCommand& command, const Operands<V>& operands)
{
    std::vector<Method> methods;
    for (const auto& text : command.methods) {
        methods.push_back(parse_method(text));
    }
    if (methods.empty()) {
        visit_csr("compare", *operands.matrix, [&](const auto& csr) { methods = suitable_methods(facts_of(csr)); });
        const auto size = operands.matrix->size();
        if (size.rows == size.cols) {
            methods.insert(methods.begin(), {"automatic", "none"});
        }
    }
    return methods;
}

/// The iterations as if each had taken the same time.
TimedCurve curve_of(const std::string& name, const SolveReport& report, const SolveResult& result)
{
    TimedCurve curve{name, {}};
    for (const auto& row : relative_history(result)) {
        const auto done = static_cast<double>(curve.points.size()) * report.seconds_per_iteration();
        curve.points.emplace_back(report.setup_seconds + done, *std::max_element(row.begin(), row.end()));
    }
    return curve;
}

template <class V>
class Comparison {
public:
    Comparison(const CompareCommand& command, const Executor& exec)
        : command_(command),
          operands_(make_operands<V>(command.solve, parse_rhs(command.solve.rhs), {}, exec)),
          rhs_norms_(operands_.b.norm2())
    {
        report_.problem = command.solve.file + command.solve.problem;
        report_.size = operands_.matrix->size();
        report_.num_nonzeros = operands_.num_nonzeros;
        report_.executor = name(exec.backend());
    }

    void run()
    {
        const auto methods = methods_of(command_, operands_);
        for (const auto& method : methods) {
            check(method);
        }
        const auto start = Clock::now();
        for (std::size_t k = 0; k < methods.size(); ++k) {
            const auto left = command_.seconds - seconds_since(start);
            if (left > 0 && !is_interrupted()) {
                run(methods[k], left / static_cast<double>(methods.size() - k));
            } else {
                const auto* const why = is_interrupted() ? "not tried, interrupted" : "not tried, the time was over";
                report_.rows.push_back({shown(methods[k]), why, {}, {}});
            }
        }
    }

    const ComparisonReport& report() const { return report_; }
    std::string picture() const { return comparison_plot(report_.problem, curves_, tolerance_); }
    int exit_code() const
    {
        const bool some = std::any_of(report_.rows.begin(), report_.rows.end(), [](const auto& row) {
            return row.failure.empty() && row.solve.status == SolveStatus::converged;
        });
        return is_interrupted() ? interrupted : some ? success : not_converged;
    }

private:
    /// A wrong name is an error before anything is solved. @throws UsageError
    void check(const Method& method) const
    {
        try {
            choose(method, 0);
        } catch (const UsageError& error) {
            const std::string message = error.what();  // names an option of `linden solve`
            throw UsageError("--methods " + shown(method) + message.substr(message.find(": ")));
        }
    }

    ChosenSolver<V> choose(const Method& method, double seconds) const
    {
        auto c = command_.solve;
        c.solver = method.solver;
        c.preconditioner = method.preconditioner;
        c.max_seconds = seconds;
        return choose_solver<V>(c);
    }

    void run(const Method& method, double seconds)
    {
        const bool live = is_live(command_.solve);
        if (live) {
            show_line("setting up " + shown(method));
        }
        ComparisonReport::Row row{shown(method), {}, {}, {}};
        try {
            const auto chosen = choose(method, seconds);
            const std::vector<double> norms(rhs_norms_.begin(), rhs_norms_.end());
            SetupLimit limit(operands_.matrix->executor(), seconds);
            const auto measured =
                Measurement<V>(*chosen.factory, operands_)
                    .run({.history = true, .watcher = std::make_shared<Watcher>(norms, live), .when_set_up = [&] {
                              limit.lift();
                          }});
            row.solve = make_report(chosen.text, measured);
            if (measured.automatic) {
                const auto& used = measured.automatic->attempts.back();
                row.remark = "took " + shown({std::string(config::short_type(used.solver)), used.preconditioner});
            }
            if (measured.setup_seconds > seconds) {
                row.remark = "its set-up took longer than its share, " + tool::seconds(seconds);
            }
            curves_.push_back(curve_of(row.method, row.solve, measured.result));
        } catch (const DimensionMismatch& error) {
            const bool is_square = report_.size.rows == report_.size.cols;
            row.failure = is_square ? error.what() : "needs a square matrix; lsqr and lsmr do not";
        } catch (const Error& error) {
            row.failure = error.what();
        } catch (const SetupTimeout&) {
            row.failure = "its set-up takes longer than its share, " + tool::seconds(seconds);
        }
        if (live) {
            show_line("");
        }
        report_.rows.push_back(std::move(row));
    }

    SolveReport make_report(const config::ShortForm& text, const Measured<V>& m)
    {
        auto report = report_of(report_.problem, text, operands_, m);
        tolerance_ = std::max(tolerance_, report.tolerance);
        return report;
    }

    const CompareCommand& command_;
    Operands<V> operands_;
    std::vector<real_t<V>> rhs_norms_;
    ComparisonReport report_;
    std::vector<TimedCurve> curves_;
    double tolerance_ = 0;
};

template <class V>
int compare_as(const CompareCommand& command)
{
    const auto& c = command.solve;
    OutputFile json_file(c.json, "--json"), plot(c.plot, "--plot");
    check_distinct({&json_file, &plot}, {c.file, c.rhs});
    Comparison<V> comparison(command, make_executor(c));
    comparison.run();
    if (!json_file.is_standard_output() && !plot.is_standard_output()) {
        print_to_standard_output(table(comparison.report()));
    }
    if (json_file) {
        json_file.write(json(comparison.report()));
    }
    if (plot) {
        plot.write(comparison.picture());
    }
    return comparison.exit_code();
}

}  // namespace

int compare(const CompareCommand& command)
{
    const auto& c = command.solve;
    if (c.file.empty() == c.problem.empty()) {
        throw UsageError(c.file.empty() ? "compare: give a Matrix Market file, or --problem"
                                        : "compare: " + c.file + " and --problem " + c.problem + " exclude each other");
    }
    check_picture(c.plot, "--plot");
    return with_types_of(c, [&]<class V>() { return compare_as<V>(command); });
}

}  // namespace linden::tool
