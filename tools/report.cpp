#include "tools/report.hpp"

#include <linden/config.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "tools/formatted.hpp"

namespace linden::tool {
namespace {

using Json = nlohmann::ordered_json;

std::string dump(const Json& object) { return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

std::string joined(const std::vector<std::string>& words)
{
    std::string text;
    for (const auto& word : words) {
        text += (text.empty() ? "" : ", ") + word;
    }
    return text;
}

std::string line(std::string_view key, const std::string& value)
{
    std::string text(key);
    text.resize(16, ' ');
    return text + value + "\n";
}

std::string padded(std::string text, std::size_t width)
{
    text.resize(std::max(text.size(), width), ' ');
    return text;
}

Json json(const KernelReport& kernel)
{
    Json backends = Json::object();
    for (int b = 0; b < num_backends; ++b) {
        const auto backend = static_cast<Backend>(b);
        backends[std::string(name(backend))] =
            std::find(kernel.backends.begin(), kernel.backends.end(), backend) != kernel.backends.end();
    }
    return {{"name", kernel.name}, {"types", kernel.types}, {"backends", backends}};
}

Json json(const BackendInfo& backend)
{
    Json devices = Json::array();
    for (const auto& device : backend.devices) {
        devices.push_back({{"name", device.name}, {"units", device.num_units}, {"memory_bytes", device.memory_bytes}});
    }
    return {{"name", name(backend.backend)},
            {"built", backend.built},
            {"available", backend.why_not.empty()},
            {"why_not", backend.why_not},
            {"devices", devices}};
}

Json json(const AmgReport& r)
{
    Json levels = Json::array();
    for (const auto& level : r.levels) {
        levels.push_back({{"rows", level.rows},
                          {"nnz", level.nonzeros},
                          {"prolongator_nnz", level.prolongator_nonzeros},
                          {"storage_bytes", level.storage_bytes},
                          {"storage", level.index_bits == 0 ? "dense" : name(level.storage)},
                          {"index_bits", level.index_bits},
                          {"stencils", level.num_stencils},
                          {"block_points", level.block_points}});
    }
    Json phases = Json::object();
    for (std::size_t phase = 0; phase < num_amg_phases; ++phase) {
        phases[std::string(name(static_cast<AmgPhase>(phase)))] = r.seconds[phase];
    }
    return {{"levels", levels},
            {"spread_levels", r.num_spread_levels},
            {"cycle", name(r.cycle)},
            {"phase_seconds", phases},
            {"operator_complexity", r.operator_complexity()},
            {"grid_complexity", r.grid_complexity()},
            {"storage_bytes", r.storage_bytes()},
            {"end", name(r.end)}};
}

Json json(const AutomaticReport& r)
{
    Json attempts = Json::array();
    for (const auto& attempt : r.attempts) {
        attempts.push_back({{"solver", attempt.solver},
                            {"preconditioner", attempt.preconditioner},
                            {"config", Json::parse(attempt.json)},
                            {"format", attempt.format},
                            {"setup_seconds", attempt.set_up_seconds},
                            {"solve_seconds", attempt.solve_seconds},
                            {"status", name(attempt.status)},
                            {"iterations", attempt.iterations},
                            {"relative_residual", attempt.relative_residual},
                            {"outcome", attempt.outcome}});
    }
    return {{"matrix", r.matrix}, {"look_seconds", r.look_seconds}, {"attempts", attempts}};
}

Json json(const MatrixStatistics& s, const std::string& file)
{
    return {{"file", file},
            {"rows", s.size.rows},
            {"cols", s.size.cols},
            {"nnz", s.num_nonzeros},
            {"min_row_length", s.min_row_length},
            {"max_row_length", s.max_row_length},
            {"mean_row_length", s.mean_row_length},
            {"row_length_variance", s.row_length_variance},
            {"empty_rows", s.num_empty_rows},
            {"row_length_histogram", s.row_length_histogram},
            {"lower_bandwidth", s.lower_bandwidth},
            {"upper_bandwidth", s.upper_bandwidth},
            {"diagonal_entries", s.num_diagonal_entries},
            {"pattern_symmetric", s.is_pattern_symmetric},
            {"symmetric", s.is_symmetric},
            {"hermitian", s.is_hermitian},
            {"dominant_rows", s.num_dominant_rows},
            {"strictly_dominant_rows", s.num_strictly_dominant_rows}};
}

Json json(const Range& range) { return {{"smallest", range.smallest}, {"largest", range.largest}}; }

/// What decides which methods suit the matrix.
void add_facts(Json& object, const InfoReport& r)
{
    const auto& f = r.facts;
    object["missing_diagonal"] = f.num_missing_diagonal;
    object["zero_diagonal"] = f.num_zero_diagonal;
    object["tiny_diagonal"] = f.num_tiny_diagonal;
    object["positive_diagonal"] = f.num_positive_diagonal;
    object["negative_diagonal"] = f.num_negative_diagonal;
    object["zeros"] = f.num_zeros;
    object["not_finite"] = f.num_not_finite;
    object["zero_rows"] = f.num_zero_rows;
    object["zero_columns"] = f.num_zero_columns;
    object["entry_magnitudes"] = json(f.entries);
    object["row_magnitudes"] = json(f.rows);
    object["column_magnitudes"] = json(f.columns);
    object["norm_1"] = f.norm_1;
    object["norm_inf"] = f.norm_inf;
    object["norm_frobenius"] = f.norm_frobenius;
    if (f.is_square()) {
        object["asymmetry"] = f.asymmetry;
        object["conjugate_asymmetry"] = f.conjugate_asymmetry;
        object["structural_rank"] = f.structural_rank;
        object["constant_image"] = f.constant_image;
    }
    if (r.condition) {  // null where infinite
        object["condition_estimate"] = *r.condition;
    }
    object["advice"] = r.advice;
}

Json json(const OrderingsReport& r)
{
    Json orderings = Json::array();
    for (const auto& row : r.orderings) {
        if (!row.why_not.empty()) {
            orderings.push_back({{"ordering", row.name}, {"why_not", row.why_not}});
            continue;
        }
        orderings.push_back({{"ordering", row.name},
                             {"bandwidth", row.sizes.bandwidth},
                             {"profile", row.sizes.profile},
                             {"cholesky_entries", row.sizes.cholesky},
                             {"cholesky_bytes", row.sizes.cholesky * r.bytes_of_entry},
                             {"lu_entries", row.sizes.lu},
                             {"lu_bytes", row.sizes.lu * r.bytes_of_entry},
                             {"lu_entries_bound", row.sizes.lu_bound},
                             {"seconds", row.seconds}});
    }
    return {{"is_matched", r.is_matched},
            {"orderings", orderings},
            {"block_triangular",
             {{"blocks", r.block_sizes.size()},
              {"block_sizes", r.block_sizes},
              {"largest_block", r.largest_block()},
              {"horizontal", {r.horizontal_rows, r.horizontal_columns}},
              {"vertical", {r.vertical_rows, r.vertical_columns}}}}};
}

std::string wide_line(std::string_view key, const std::string& value)
{
    return padded(std::string(key), 20) + value + "\n";
}

/// Up to rounding: ||A - A^T|| is 2 ||A|| for A^T = -A alone, and at most that.
bool is_twice(double norm) { return norm >= 2 - 1e-10; }

std::string facts_text(const InfoReport& r)
{
    const auto& f = r.facts;
    const auto range = [](const Range& x) {
        return x.largest > 0 ? formatted("%.3g to ", x.smallest) + formatted("%.3g", x.largest) : std::string("none");
    };
    auto text =
        wide_line("diagonal", std::to_string(f.num_missing_diagonal) + " missing, " +
                                  std::to_string(f.num_zero_diagonal) + " zero, " +
                                  std::to_string(f.num_tiny_diagonal) + " tiny, " +
                                  std::to_string(f.num_positive_diagonal) + " positive, " +
                                  std::to_string(f.num_negative_diagonal) + " negative") +
        wide_line("magnitudes", "entries " + range(f.entries) + ", largest of rows " + range(f.rows) + ", of columns " +
                                    range(f.columns)) +
        wide_line("norms", "1-norm " + formatted("%.4g", f.norm_1) + ", infinity norm " +
                               formatted("%.4g", f.norm_inf) + ", Frobenius norm " +
                               formatted("%.4g", f.norm_frobenius)) +
        wide_line("zeros and others", count(f.num_zeros, "zero") + " stored, " + std::to_string(f.num_not_finite) +
                                          " not finite, " + count(f.num_zero_rows, "zero row") + ", " +
                                          count(f.num_zero_columns, "zero column"));
    if (f.is_square()) {
        const auto asymmetry = [](const char* difference, double norm, const char* name_of_twice) {
            return std::string("||") + difference + "|| = " + formatted("%.3g", norm) + " ||A||" +
                   (is_twice(norm) ? std::string(": ") + name_of_twice : "");
        };
        text += wide_line("asymmetry",
                          asymmetry("A - A^T", f.asymmetry, "skew-symmetric") +
                              (f.is_complex ? ", " + asymmetry("A - A^H", f.conjugate_asymmetry, "skew-Hermitian")
                                            : std::string())) +
                wide_line("structural rank", std::to_string(f.structural_rank) + " of " + std::to_string(f.size.rows));
    }
    if (r.condition) {
        text += wide_line("condition", std::isinf(*r.condition)
                                           ? "A is singular up to rounding"
                                           : formatted("%.3g", *r.condition) + " in the 1-norm (estimate)");
    }
    return text;
}

std::string advice_text(const InfoReport& r)
{
    std::string text;
    for (const auto& advice : r.advice) {
        text += wide_line(&advice == &r.advice.front() ? "advice" : "", advice);
    }
    return text;
}

/// The matrix of the report for people.
std::string matrix_text(const InfoReport& r)
{
    const auto last = (r.orderings ? r.orderings->text() + "\n" : std::string()) + advice_text(r);
    if (r.colour_sizes.empty()) {
        return r.matrix->text() + facts_text(r) + last;
    }
    const auto [least, most] = std::minmax_element(r.colour_sizes.begin(), r.colour_sizes.end());
    const auto sizes =
        *least == *most ? std::to_string(*most) : std::to_string(*least) + " to " + std::to_string(*most);
    return r.matrix->text() + padded("colours", 20) + std::to_string(r.colour_sizes.size()) + ", of " + sizes +
           " rows (greedy)\n" + facts_text(r) + last;
}

/// Kernels by name, with the number of type combinations that each backend has.
std::string kernel_table(const std::vector<KernelReport>& kernels)
{
    struct Row {
        int types = 0;
        int bound[num_backends] = {};
    };
    std::map<std::string, Row> rows;
    std::size_t width = 6;
    for (const auto& kernel : kernels) {
        auto& row = rows[kernel.name];
        ++row.types;
        for (const auto backend : kernel.backends) {
            ++row.bound[static_cast<int>(backend)];
        }
        width = std::max(width, kernel.name.size());
    }
    std::string text = "\n" + padded("kernel", width) + "  types";
    for (int b = 0; b < num_backends; ++b) {
        text += "  " + padded(std::string(name(static_cast<Backend>(b))), 9);
    }
    for (const auto& [kernel, row] : rows) {
        text.erase(text.find_last_not_of(' ') + 1);
        text += "\n" + padded(kernel, width) + formatted("  %5d", row.types);
        for (const int bound : row.bound) {
            const auto some = std::to_string(bound) + " of " + std::to_string(row.types);
            text += "  " + padded(bound == 0 ? "-" : bound == row.types ? "yes" : some, 9);
        }
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
}

}  // namespace

std::string seconds(double s)
{
    if (s >= 1) {
        return formatted("%.3g s", s);
    }
    return s >= 1e-3 ? formatted("%.3g ms", s * 1e3) : formatted("%.3g us", s * 1e6);
}

std::string count(size_type n, std::string_view what)
{
    return std::to_string(n) + " " + std::string(what) + (n == 1 ? "" : "s");
}

std::string bytes(std::uint64_t b)
{
    const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    auto value = static_cast<double>(b);
    std::size_t unit = 0;
    for (; value >= 1024 && unit + 1 < std::size(units); ++unit) {
        value /= 1024;
    }
    return formatted("%.4g ", value) + units[unit];
}

std::string exact(double value)
{
    char digits[32];
    return {std::begin(digits), std::to_chars(std::begin(digits), std::end(digits), value).ptr};
}

namespace {

Json object_of(const SolveReport& r)
{
    Json object{{"problem", r.problem},
                {"rows", r.size.rows},
                {"cols", r.size.cols},
                {"nnz", r.num_nonzeros},
                {"executor", r.executor},
                {"device", r.device},
                {"value_type", r.value_type},
                {"solver", r.solver},
                {"preconditioner", r.preconditioner},
                {"status", name(r.status)},
                {"iterations", r.iterations},
                {"relative_residual", r.relative_residual},
                {"setup_seconds", r.setup_seconds},
                {"solve_seconds", r.solve_seconds},
                {"seconds_per_iteration", r.seconds_per_iteration()},
                {"kernel_launches_per_iteration", r.launches_per_iteration},
                {"host_synchronizations_per_iteration", r.synchronizations_per_iteration},
                {"allocations_per_iteration", r.allocations_per_iteration},
                {"peak_bytes", r.peak_bytes},
                {"version", LINDEN_VERSION},
                {"read_seconds", r.read_seconds},
                {"reason", r.reason}};
    if (!r.cure.empty()) {
        object["advice"] = r.cure;
    }
    if (!r.view.empty()) {
        object["view"] = r.view;
    }
    if (r.automatic) {
        object["automatic"] = json(*r.automatic);
    }
    if (r.ranks) {
        object["ranks"] = r.ranks->ranks;
        object["transport"] = r.ranks->transport;
        object["partition"] = r.ranks->partition;
        object["ghosts"] = r.ranks->ghosts;
        object["imbalance"] = r.ranks->imbalance;
        object["neighbours"] = r.ranks->neighbours;
        object["reductions_per_iteration"] = r.ranks->reductions_per_iteration;
        object["halo_bytes_per_iteration"] = r.ranks->halo_bytes_per_iteration;
        object["all_reduce_seconds"] = r.ranks->all_reduce_seconds;
        object["halo_seconds"] = r.ranks->halo_seconds;
    }
    if (r.multigrid) {
        object["multigrid"] = json(*r.multigrid);
    }
    return object;
}

std::string ranks_line(const RanksReport& r)
{
    return line("processes", std::to_string(r.ranks) + " by " + r.transport + ", rows by " + r.partition +
                                 ", imbalance " + formatted("%.3g", r.imbalance) + ", up to " +
                                 count(r.ghosts, "ghost") + " of " + count(r.neighbours, "neighbour")) +
           line("messages", formatted("%.4g", r.reductions_per_iteration) + " reductions and " +
                                formatted("%.4g", r.halo_bytes_per_iteration) + " halo bytes per iteration, " +
                                seconds(r.all_reduce_seconds) + " and " + seconds(r.halo_seconds));
}

}  // namespace

std::string json(const SolveReport& r) { return dump(object_of(r)); }

std::string json(const ComparisonReport& r)
{
    Json methods = Json::array();
    for (const auto& row : r.rows) {
        if (row.failure.empty()) {
            methods.push_back(object_of(row.solve));
        } else {
            methods.push_back({{"status", "failed"}, {"reason", row.failure}});
        }
        methods.back()["method"] = row.method;
    }
    return dump({{"problem", r.problem},
                 {"rows", r.size.rows},
                 {"cols", r.size.cols},
                 {"nnz", r.num_nonzeros},
                 {"executor", r.executor},
                 {"methods", methods},
                 {"version", LINDEN_VERSION}});
}

std::string table(const ComparisonReport& r)
{
    std::size_t width = 6;
    for (const auto& row : r.rows) {
        width = std::max(width, row.method.size());
    }
    auto text = r.problem + ", " + std::to_string(r.size.rows) + " x " + std::to_string(r.size.cols) + ", " +
                count(r.num_nonzeros, "nonzero") + ", " + r.executor + "\n\n" + padded("method", width) +
                "  status          iterations  true residual  setup     solve     peak memory\n";
    for (const auto& row : r.rows) {
        const auto& s = row.solve;
        text += padded(row.method, width) + "  ";
        if (!row.failure.empty()) {
            text += "failed: " + row.failure + "\n";
            continue;
        }
        text += padded(std::string(name(s.status)), 14) + "  " +
                formatted("%10lld", static_cast<long long>(s.iterations)) + "  " +
                padded(formatted("%.3e", std::abs(s.relative_residual)), 13) + "  " +
                padded(seconds(s.setup_seconds), 8) + "  " + padded(seconds(s.solve_seconds), 8) + "  " +
                bytes(s.peak_bytes) + (row.remark.empty() ? "" : "  " + row.remark) + "\n";
    }
    return text;
}

namespace {

/// What Automatic did, and the options that choose its method at once.
std::string text_of(const AutomaticReport& r)
{
    const auto word = [](const std::string& text) {  // of a shell
        const bool is_plain = text.find_first_not_of(
                                  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  ":=,._+-") == std::string::npos;
        return is_plain ? text : "'" + text + "'";
    };
    if (r.attempts.empty()) {
        return "\n" + r.text();
    }
    const auto& used = r.attempts.back();
    return "\n" + r.text() + "again: --solver " + word(used.solver) +
           (used.preconditioner == "none" ? "" : " --preconditioner " + word(used.preconditioner)) +
           (used.format == "csr" ? "" : " --format " + used.format) + "\n";
}

}  // namespace

std::string table(const SolveReport& r)
{
    const auto size = std::to_string(r.size.rows) + " x " + std::to_string(r.size.cols);
    const auto rhs = r.num_rhs == 1 ? std::string() : ", " + count(r.num_rhs, "right-hand side");
    return line("problem", r.problem + ", " + size + ", " + count(r.num_nonzeros, "nonzero") + rhs) +
           line("executor", r.executor + " (" + r.device + "), " + r.value_type) + line("solver", r.solver) +
           line("preconditioner", r.preconditioner) + line("status", std::string(name(r.status)) + ": " + r.reason) +
           (r.cure.empty() ? "" : line("advice", r.cure)) + line("iterations", std::to_string(r.iterations)) +
           line("true residual", formatted("%.3e", std::abs(r.relative_residual)) + " relative, tolerance " +
                                     formatted("%.3g", r.tolerance)) +
           line("reading", seconds(r.read_seconds)) + line("setup", seconds(r.setup_seconds)) +
           line("solve", seconds(r.solve_seconds) + ", " + seconds(r.seconds_per_iteration()) + " per iteration") +
           line("per iteration", formatted("%.4g", r.launches_per_iteration) + " kernel launches, " +
                                     formatted("%.4g", r.synchronizations_per_iteration) + " host synchronizations, " +
                                     formatted("%.4g", r.allocations_per_iteration) + " allocations") +
           line("peak memory", bytes(r.peak_bytes)) + (r.ranks ? ranks_line(*r.ranks) : std::string()) +
           (r.view.empty() ? "" : "\n" + r.view) + (r.automatic ? text_of(*r.automatic) : std::string()) +
           (r.multigrid ? "\n" + r.multigrid->text() : std::string());
}

std::string json(const MpiReport& r)
{
    Json hosts = Json::array();
    for (const auto& [name, ranks] : r.hosts) {
        hosts.push_back({{"name", name}, {"ranks", ranks}});
    }
    const Json object = {
        {"ranks", r.ranks}, {"transport", r.transport}, {"why", r.why}, {"mpi_library", r.library}, {"hosts", hosts}};
    return object.dump(2) + "\n";
}

std::string table(const MpiReport& r)
{
    auto text = line("processes", std::to_string(r.ranks)) + line("transport", r.transport) + line("why", r.why) +
                line("MPI library", r.library);
    for (const auto& [name, ranks] : r.hosts) {
        text += line(&name == &r.hosts.front().first ? "hosts" : "", name + ", " + count(ranks, "rank"));
    }
    return text;
}

std::string json(const InfoReport& r)
{
    Json backends = Json::array();
    for (const auto& backend : r.backends) {
        backends.push_back(json(backend));
    }
    Json kernels = Json::array();
    for (const auto& kernel : r.kernels) {
        kernels.push_back(json(kernel));
    }
    Json object{{"version", LINDEN_VERSION},    {"compiler", r.compiler}, {"value_types", r.value_types},
                {"index_types", r.index_types}, {"backends", backends},   {"kernels", kernels}};
    if (r.matrix) {
        object["matrix"] = json(*r.matrix, r.matrix_file);
        object["matrix"]["colour_sizes"] = r.colour_sizes;
        add_facts(object["matrix"], r);
        if (r.orderings) {
            object["matrix"].update(json(*r.orderings));
        }
    }
    return dump(object);
}

std::string table(const InfoReport& r, bool with_kernels)
{
    if (r.matrix && !with_kernels) {
        return matrix_text(r);
    }
    std::string text = line("linden", LINDEN_VERSION) + line("compiler", r.compiler) +
                       line("value types", joined(r.value_types)) + line("index types", joined(r.index_types)) + "\n";
    for (const auto& backend : r.backends) {
        const std::string backend_name(name(backend.backend));
        if (!backend.why_not.empty()) {
            text += line(backend_name, "not available: " + backend.why_not);
        }
        for (std::size_t i = 0; i < backend.devices.size(); ++i) {
            const auto& device = backend.devices[i];
            const auto memory = device.memory_bytes == 0 ? "" : ", " + bytes(device.memory_bytes);
            const auto label = backend.devices.size() == 1 ? backend_name : backend_name + ":" + std::to_string(i);
            text += line(label, device.name + ", " + count(device.num_units, "unit") + memory);
        }
    }
    text += r.matrix ? "\n" + matrix_text(r) : std::string();
    return with_kernels ? text + kernel_table(r.kernels) : text;
}

}  // namespace linden::tool
