#include <linden/config/config.hpp>
#include <linden/solver/automatic.hpp>

#include <algorithm>
#include <cstring>
#include <limits>

#include "core/config/registry.hpp"
#include "core/kernels/reduction.hpp"
#include "core/validation/cases.hpp"
#include "core/validation/runner.hpp"

// instantiate: void validation::drive_methods<V, I>(validation::Runner&)

namespace linden::validation {
namespace {

constexpr size_type num_probes = 16;
constexpr size_type max_iterations = 50;
constexpr size_type few_iterations = 8;

/// [Fowler-Noll-Vo], 64 bits
template <class V>
std::uint64_t hash_of(const std::vector<V>& x)
{
    std::uint64_t hash = 0xCBF29CE484222325u;
    const auto* const bytes = reinterpret_cast<const unsigned char*>(x.data());
    for (std::size_t i = 0; i < x.size() * sizeof(V); ++i) {
        hash = (hash ^ bytes[i]) * 0x100000001B3u;
    }
    return hash;
}

template <class V>
std::vector<double> probes_of(const std::vector<V>& x)
{
    std::vector<double> probes;
    const auto count = std::min<std::size_t>(num_probes, x.size());
    for (std::size_t i = 0; i < count; ++i) {
        const V value = x[i * x.size() / count];
        if constexpr (is_complex<V>) {
            probes.push_back(static_cast<double>(value.real()));
        } else {
            probes.push_back(static_cast<double>(value));
        }
    }
    return probes;
}

template <class V, class I>
struct System {
    std::string spec;
    CsrData<V, I> data;
    CsrData<V, I> other;  ///< with the same pattern

    explicit System(const std::string& text) : spec(text), data(problem<V, I>(text)), other(data)
    {
        for (auto& value : other.values) {
            value *= 2;
        }
    }
    LinOpPtr<V> on(const Executor& exec) const { return share(Csr<V, I>(exec, data)); }
};

/// An operator and a preconditioner as texts.
struct Method {
    std::string text;
    std::string preconditioner;

    std::string name() const { return preconditioner.empty() ? text : text + " with " + preconditioner; }
};

template <class V, class I>
std::unique_ptr<LinOp<V>> make(const Method& method, const System<V, I>& system, const Executor& exec, size_type limit)
{
    auto factory = config::parse_short<V>(method.text, method.preconditioner);
    if (config::kind_of<V>(factory->type()) == config::Kind::solver) {
        // Well above what rounding leaves of a residual, 10^-5 in single precision: else it decides the status. A few
        // iterations come near to a large one, so that kernels are called that end a solve.
        const std::string small = sizeof(real_t<V>) == sizeof(float) ? "1e-4" : "1e-6";
        const std::string tolerance = limit == few_iterations ? "0.1" : small;
        factory = config::with_parameters(
            *factory, "relative_residual=" + tolerance + ",max_iterations=" + std::to_string(limit));
    }
    if (factory->type() == Automatic<V>::type_name) {
        factory = config::with_parameters(*factory, "patience=3600");  // else the clock decides on the bits of x
    }
    return factory->make(system.on(exec));
}

template <class V>
struct Solution {
    SolveResult result;
    std::vector<V> x;
};

/// Whether the executor has so little time for cases that only what no other backend shows is worth it.
bool is_in_haste(const Runner& runner) { return runner.level() <= 1 && is_emulation(runner.executor()); }

template <class V>
Solution<V> solve(const Solver<V>& solver, const Dense<V>& b, const SolveOptions& options = {})
{
    auto x = Dense<V>::filled(b.executor(), b.size(), V{});
    auto result = solver.solve(b, x, options);
    return {std::move(result), x.to_host()};
}

/// Whether a solve that is not inspected gives the same bits, and a third one; and what this one costs. In haste one
/// has to do: emulations record no loops.
template <class V>
void repeat(const Runner& runner, const Solver<V>& solver, const Dense<V>& b, SolveCheck& check)
{
    if (!is_in_haste(runner) && hash_of(solve(solver, b).x) != check.hash) {
        check.faults.emplace_back("a solve that is not inspected gives other bits than one whose loop the host runs");
    }
    auto x = Dense<V>::filled(b.executor(), b.size(), V{});
    const auto before = b.executor().counters();
    solver.solve(b, x);
    const auto after = b.executor().counters();
    check.launches = after.kernel_launches - before.kernel_launches;
    check.synchronizations = after.host_synchronizations - before.host_synchronizations;
    check.allocations = after.allocations - before.allocations;
    if (hash_of(x.to_host()) != check.hash) {
        check.faults.emplace_back("a second solve gives other bits");
    }
}

/// The solve inspected, which runs its loop from the host, and not inspected, where a device records it; and on the
/// reference.
template <class V, class I>
void check_solve(Runner& runner, const Method& method, const System<V, I>& system, const Solver<V>& solver,
                 const Dense<V>& b)
{
    constexpr size_type limit = max_iterations;
    SolveCheck check;
    check.method = method.name();
    check.problem = system.spec;
    check.type = name(value_type_of<V>);
    const auto inspected = solve(solver, b);
    check.status = name(inspected.result.status());
    check.iterations = inspected.result.iterations();
    check.relative_residual = inspected.result.relative_residual();
    check.hash = hash_of(inspected.x);
    check.probes = probes_of(inspected.x);
    runner.uninspected([&] {
        if (dynamic_cast<const Automatic<V>*>(&solver) != nullptr) {
            check.reference_iterations = check.iterations;  // the backend decides what it begins with
            return;
        }
        if (runner.records_loops()) {
            repeat(runner, solver, b, check);
        }
        const auto reference = Executor::reference();
        const auto op = make(method, system, reference, limit);
        const auto expected = solve(dynamic_cast<const Solver<V>&>(*op), b.copy(reference));
        check.reference_iterations = expected.result.iterations();
        const auto why = disagreement({inspected.result.status(), check.iterations},
                                      {expected.result.status(), check.reference_iterations}, false);
        if (!why.empty()) {
            check.faults.push_back(why);
        }
    });
    runner.add(std::move(check));
}

/// A solve that cannot succeed ends as on the reference, in the same iteration: nothing in it rounds. Automatic, which
/// may choose another method there, fails as well.
template <class V, class I>
void check_end(Runner& runner, const Method& method, const System<V, I>& system, const std::vector<V>& b)
{
    const auto solve_on = [&](const Executor& exec) {
        const auto op = make(method, system, exec, max_iterations);
        return solve(dynamic_cast<const Solver<V>&>(*op), Dense<V>::vector(exec, b)).result;
    };
    const auto result = solve_on(runner.executor());
    SolveCheck check;
    check.method = method.name();
    check.problem = system.spec;
    check.type = name(value_type_of<V>);
    check.status = name(result.status());
    check.iterations = result.iterations();
    check.relative_residual = result.relative_residual();
    runner.uninspected([&] {
        const auto expected = solve_on(Executor::reference());
        const bool may_differ = method.text.starts_with(Automatic<V>::type_name);
        if (may_differ && !result.converged() && !expected.converged()) {
            check.reference_iterations = check.iterations;
            return;
        }
        check.reference_iterations = expected.iterations();
        const auto why =
            disagreement({result.status(), result.iterations()}, {expected.status(), expected.iterations()}, true);
        if (!why.empty()) {
            check.faults.push_back(why);
        }
    });
    runner.add(std::move(check));
}

/// Breakdowns, and what is no number: a matrix whose values are all 0, and a right-hand side with a NaN.
template <class V, class I>
void drive_hazards(Runner& runner, const Method& method)
{
    System<V, I> system("lap2d:4");
    const auto n = system.data.size.rows;
    const auto type = ", " + std::string(name(value_type_of<V>));
    auto b = Numbers(runner.seed()).values<V>(n);
    const auto drive_end = [&] {
        runner.run(method.name() + " on " + system.spec + type, [&] { check_end(runner, method, system, b); });
    };
    std::fill(system.data.values.begin(), system.data.values.end(), V{});
    system.spec = "lap2d:4 with values 0";
    drive_end();
    system = System<V, I>("lap2d:4");
    system.spec = "lap2d:4 with NaN in b";
    b.back() = std::numeric_limits<real_t<V>>::quiet_NaN();
    drive_end();
}

/// Applies an operator to one column and to several, and once more with other values.
template <class V, class I>
void apply_all(const Runner& runner, LinOp<V>& op, const System<V, I>& system)
{
    const auto& exec = runner.executor();
    const auto n = op.size().rows;
    const auto apply = [&](size_type cols) {
        const auto b = random_block<V>(exec, {n, cols}, runner.seed() + 2);
        auto x = random_block<V>(exec, {n, cols}, runner.seed() + 3);
        op.apply(b, x);
        op.apply(V{2}, b, V{-3}, x);  // -1 would change nothing
        Array<V> products(exec, 2 * cols);
        auto workspace = ReductionWorkspace::for_values<V>(exec, 2 * cols);
        op.apply_dot(b, x, {b, products.data(), products.data() + cols, workspace.view()});
    };
    apply(1);
    apply(3);
    op.update_values(share(Csr<V, I>(exec, system.other)));
    apply(1);
}

template <class V, class I>
void drive(Runner& runner, const Method& method, const System<V, I>& system, bool is_compared)
{
    const auto text = method.name() + " on " + system.spec + ", " + std::string(name(value_type_of<V>));
    runner.run(text, is_compared ? Types::all : Types::needed, [&] {
        const auto op = make(method, system, runner.executor(), is_compared ? max_iterations : few_iterations);
        const auto n = op->size().rows;
        if (const auto* solver = dynamic_cast<const Solver<V>*>(op.get())) {
            const auto b = random_block<V>(runner.executor(), {n, 1}, runner.seed() + 1);
            if (is_compared) {
                check_solve(runner, method, system, *solver, b);
            } else {
                solve(*solver, b);
            }
            const SolveOptions options{.max_iterations = is_in_haste(runner) ? few_iterations : -1};
            solve(*solver, random_block<V>(runner.executor(), {n, 3}, runner.seed() + 4), options);
        } else {
            apply_all(runner, *op, system);
        }
    });
}

/// The first registered solver that takes a preconditioner, and the first preconditioner that does something.
template <class V>
std::string first_of(config::Kind kind)
{
    const auto types = config::registered_types<V>(kind);
    return kind == config::Kind::solver ? types.front() : types.at(1);
}

/// Whether a method that has these variations makes levels until so many rows are left, `coarse_rows=2`: it needs some
/// hundred to have one.
bool has_levels(const std::vector<std::string>& variations)
{
    return std::any_of(variations.begin(), variations.end(),
                       [](const std::string& text) { return text.find("_rows=") != std::string::npos; });
}

/// Of more rows than the 1024 that multi-elimination on devices and multigrid everywhere leave to a dense inverse, and
/// of an even number, for systems of two unknowns.
constexpr const char* several_levels = "lap2d:34";

std::vector<std::string> problems(const Runner& runner)
{
    const auto seed = std::to_string(runner.seed());
    if (runner.level() <= 1) {
        return {"lap2d:12"};
    }
    if (is_emulation(runner.executor())) {
        return {"lap2d:12", "random:97:7:" + seed};
    }
    std::vector<std::string> specs{several_levels, "random:597:7:" + seed};
    if (runner.level() >= 3) {
        for (const char* spec :
             {"lap3d:20", "st27:12", "aniso2d:64:0.01", "convdiff3d:16:2", "lap2d:1", "twophase:48:1000"}) {
            specs.emplace_back(spec);
        }
        specs.push_back("powerlaw:1201:9:" + seed);  // its factors fill up
    }
    return specs;
}

}  // namespace

template <class V, class I>
void drive_methods(Runner& runner)
{
    const auto preconditioner = first_of<V>(config::Kind::preconditioner);
    const auto solver = first_of<V>(config::Kind::solver);
    // Choices of parameters are tried on so many problems.
    auto num_varied = runner.level() <= 1 ? 0 : runner.level() == 2 ? 1 : runner.level() == 3 ? 2 : 100;
    const bool is_small = is_emulation(runner.executor()) && runner.level() > 1;
    const System<V, I> larger(several_levels);
    for (const auto& spec : problems(runner)) {
        const System<V, I> system(spec);
        for (const auto& entry : config::registry<V>()) {
            const Method method{std::string(entry.type), {}};
            const auto factory = entry.create();
            const auto other = variations([&](ParameterVisitor& v) { factory->describe(v); }, preconditioner);
            const System<V, I>& own = is_small && has_levels(other) && num_varied > 0 ? larger : system;
            drive(runner, method, own, true);
            if (entry.kind == config::Kind::preconditioner) {
                drive<V, I>(runner, {solver, method.text}, system, true);
            }
            for (std::size_t i = 0; i < other.size() && num_varied > 0; ++i) {
                const bool is_rule = other[i].starts_with("rule=");  // which leaves small systems to the dense bottom
                drive<V, I>(runner, {method.text + ":" + other[i], {}}, is_rule ? system : own, false);
            }
        }
        if (runner.level() > 1) {
            drive<V, I>(runner, {"Amg:storage=same", {}}, system, false);  // levels in V of what is not all strong, too
        }
        if (num_varied > 0) {
            drive<V, I>(runner, {"Amg:cycle=k,coarse_rows=2", {}}, system, false);  // steps are for three levels
        }
        --num_varied;
    }
    if (runner.level() > 1) {  // a nearly full matrix, which hosts factorize as a dense one
        const System<V, I> full("random:61:50:" + std::to_string(runner.seed()));
        drive<V, I>(runner, {"Lu", {}}, full, true);
    }
    for (const auto& entry : config::registry<V>()) {
        if (entry.kind == config::Kind::solver) {
            drive_hazards<V, I>(runner, {std::string(entry.type), {}});
        }
    }
}

}  // namespace linden::validation
