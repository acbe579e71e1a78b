#include "core/automatic/methods.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>

namespace linden::detail {
namespace {

constexpr Method methods[] = {
    {"cg+amg", R"({"type": "Cg", "preconditioner": "Amg"})"},
    {"cg+ic0", R"({"type": "Cg", "preconditioner": {"type": "SymmetricScaling", "inner": "Ic0"}})"},
    {"cg+ict", R"({"type": "Cg", "preconditioner": {"type": "SymmetricScaling", "inner": "Ict"}})"},
    {"cg+jacobi", R"({"type": "Cg", "preconditioner": "Jacobi"})"},
    {"cg", R"({"type": "Cg"})"},
    {"ssor-cg", R"({"type": "SsorCg"})"},
    {"bicgstab+amg", R"({"type": "BiCgStab", "preconditioner": "Amg"})"},
    {"bicgstab+ilu0", R"({"type": "BiCgStab", "preconditioner": "Ilu0"})"},
    {"bicgstab+jacobi", R"({"type": "BiCgStab", "preconditioner": "Jacobi"})"},
    {"bicgstab", R"({"type": "BiCgStab"})"},
    {"gmres+ilu0", R"({"type": "Gmres", "preconditioner": {"type": "Scaled", "inner": "Ilu0"}})"},
    {"gmres+ilut", R"({"type": "Gmres", "preconditioner": {"type": "Scaled", "inner": "Ilut"}})"},
    {"gmres+matched-ilut", R"({"type": "Gmres", "preconditioner": {"type": "Reordered", "ordering": "rcm",
         "matching": true, "inner": {"type": "Scaled", "inner": "Ilut"}}})"},
    {"cholesky", R"({"type": "Cholesky"})"},
    {"ldlt", R"({"type": "Ldlt"})"},
    {"lu", R"({"type": "Lu"})"},
};

/// One row of the table of choices: methods in their order, separated by blanks.
struct Choice {
    MatrixKind kind;
    size_type most_rows;  ///< of matrices that it is for, if no row before is
    std::string_view order;
};

constexpr size_type any = INT64_MAX;

/// Set-up and solve of matrices that the method solves, in the geometric mean, over size_of.
struct TypicalTime {
    std::string_view method;
    double seconds_per_size;
};

#include "core/automatic/choices.inc"  // host_choices, host_times

// By hand, after benchmark/results/2026-11-23-h200-amg.md and what failed on hosts.
constexpr Choice device_choices[] = {
    {MatrixKind::laplacian, any, "cg+jacobi cg+amg ssor-cg cg+ic0 cholesky lu"},
    {MatrixKind::definite, any, "cg+jacobi cg+amg cg+ic0 cholesky lu"},
    {MatrixKind::indefinite, any, "gmres+matched-ilut ldlt lu"},
    {MatrixKind::dominant, any, "bicgstab+jacobi bicgstab+ilu0 bicgstab+amg gmres+ilut lu"},
    {MatrixKind::general, 20'000, "lu gmres+matched-ilut gmres+ilut"},
    {MatrixKind::general, any, "bicgstab+ilu0 gmres+ilut gmres+matched-ilut lu"},
    {MatrixKind::hollow, any, "gmres+matched-ilut gmres+ilut lu"},
};

const Method& find_method(std::string_view name)
{
    return *std::find_if(std::begin(methods), std::end(methods), [&](const Method& m) { return m.name == name; });
}

/// What times on hosts are in proportion to: neither rows nor entries alone tell as well how long a direct solver
/// takes.
double size_of(const MatrixStatistics& m)
{
    const auto rows = static_cast<double>(m.size.rows);
    return std::max(std::sqrt(rows * std::max(rows, static_cast<double>(m.num_nonzeros))), 100.0);
}

/// On hosts typical times; on devices that of multigrid on an H100, within 15 % for six of seven problems of 5 to 117
/// million entries (benchmark/results/2026-11-25-h100-amg.md), or on several (2026-11-26-h100x2-ranks.md there), where
/// a part of the set-up is messages.
double expected_seconds(std::string_view method, const MatrixStatistics& m, int num_devices)
{
    if (num_devices > 0) {
        const double fixed = num_devices > 1 ? 16e-3 : 6e-3, per_entry = num_devices > 1 ? 2.3e-9 : 1.27e-9;
        const double own_entries = static_cast<double>(m.num_nonzeros) / num_devices;
        return method.ends_with("+amg") ? fixed + per_entry * own_entries : 0;
    }
    const auto* const time = std::find_if(std::begin(host_times), std::end(host_times),
                                          [&](const TypicalTime& t) { return t.method == method; });
    return time == std::end(host_times) ? 0 : time->seconds_per_size * size_of(m);
}

/// Seconds of an iteration of CG: on an H200 (benchmark/results/2026-11-24-h200-automatic.md), or on several H100,
/// whose kernels hold what fits into them (2026-11-26-h100x2-ranks.md there).
double iteration_seconds(const MatrixStatistics& m, int num_devices)
{
    const auto rows = static_cast<double>(m.size.rows);
    const auto nonzeros = static_cast<double>(m.num_nonzeros);
    if (num_devices == 1) {
        return 5e-6 + (12 * nonzeros + 40 * rows) / 4.5e12;
    }
    constexpr double most_held_rows = 1.2e6;
    const bool is_held = rows / num_devices <= most_held_rows;
    return 9e-6 + (12 * nonzeros + (is_held ? 40 : 80) * rows) / num_devices / (is_held ? 5e12 : 2.6e12);
}

/// Whether CG needs so many iterations that multigrid, set-up and all, arrives earlier on devices.
bool pays_multigrid(const MatrixStatistics& m, int num_devices)
{
    // Coefficients that differ cost iterations: bubbles of 1000 in 1 make 1854 of 203, nine times as many.
    const double by_contrast = std::max(1.0, std::sqrt(m.row_scale_spread) / 4);
    return iterations_by_layers(m) * by_contrast * iteration_seconds(m, num_devices) >
           expected_seconds("cg+amg", m, num_devices);
}

/// The same on hosts, where multigrid takes as long as some 330 iterations of CG with Jacobi, 100 ns an entry beside
/// 0.3 (benchmark/results/2026-11-25-cpu-automatic.md).
bool pays_multigrid_on_hosts(const MatrixStatistics& m) { return iterations_by_layers(m) > 330; }

/// What has the same iterates where all diagonal entries are the same positive number, for less work in each.
std::string_view without_jacobi(std::string_view name)
{
    return name == "cg+jacobi" ? "cg" : name == "bicgstab+jacobi" ? "bicgstab" : name;
}

/// Entries of A + A^T, whose factors direct solvers make.
size_type num_entries_of_sum(const MatrixStatistics& m) { return m.num_nonzeros + m.num_unmirrored; }

bool is_most(size_type count, size_type of) { return 10 * count >= 9 * of; }

/// Hermitian, with a positive diagonal that outweighs the rest of each row: no eigenvalue is negative (Gershgorin).
bool is_semidefinite(const MatrixStatistics& m)
{
    return m.is_nearly_hermitian && m.num_negative_diagonal == 0 && m.num_zero_diagonal == 0 &&
           m.num_dominant_rows == m.size.rows;
}

/// Cholesky in the place of Lu, which remains the last resort. Pivots of Lu that are less than sqrt(eps) of their row,
/// as coefficients that jump by 1e8 make them, are replaced, and where refinement then fails others are searched.
void prefer_cholesky(std::vector<Method>& order)
{
    const auto place = std::find_if(order.begin(), order.end(), [](const Method& m) { return m.name == "lu"; });
    const Method lu = *place;
    *place = find_method("cholesky");
    place->expected_seconds = lu.expected_seconds;
    order.push_back(lu);
}

}  // namespace

double iterations_by_layers(const MatrixStatistics& m)
{
    const auto bandwidth = static_cast<double>(std::max<size_type>({m.lower_bandwidth, m.upper_bandwidth, 1}));
    return 2 * static_cast<double>(m.size.rows) / bandwidth;
}

MatrixKind kind_of(const MatrixStatistics& m)
{
    const size_type n = m.size.rows;
    const bool has_diagonal = m.num_zero_diagonal == 0 && m.num_tiny_diagonal == 0;
    const bool is_dominant = is_most(m.num_dominant_rows, n);
    if (m.is_nearly_hermitian) {
        const bool has_one_sign = m.num_negative_diagonal == 0 || m.num_negative_diagonal == n;
        if (m.num_zero_diagonal > 0 || !has_one_sign) {
            return MatrixKind::indefinite;
        }
        return is_dominant && is_most(m.num_sign_rows, n) ? MatrixKind::laplacian : MatrixKind::definite;
    }
    if (!has_diagonal) {
        return MatrixKind::hollow;
    }
    return is_dominant ? MatrixKind::dominant : MatrixKind::general;
}

std::string description_of(const MatrixStatistics& m)
{
    const auto counted = [](size_type count, const std::string& one, const std::string& many) {
        return std::to_string(count) + " " + (count == 1 ? one : many);
    };
    const auto diagonal = [&](size_type count, const std::string& kind) {
        return count == 0 ? "" : ", " + counted(count, kind + " diagonal entry", kind + " diagonal entries");
    };
    const char* const symmetry = m.is_hermitian          ? "Hermitian"
                                 : m.is_nearly_hermitian ? "Hermitian up to rounding"
                                                         : "not Hermitian";
    std::string text = counted(m.size.rows, "row", "rows") + ", " + counted(m.num_nonzeros, "nonzero", "nonzeros") +
                       ", " + symmetry + diagonal(m.num_zero_diagonal, "zero") + diagonal(m.num_tiny_diagonal, "tiny");
    const bool is_negative = m.size.rows > 0 && m.num_negative_diagonal == m.size.rows;
    text += is_negative ? ", a negative diagonal" : diagonal(m.num_negative_diagonal, "negative");
    if (is_most(m.num_dominant_rows, m.size.rows)) {
        text += ", diagonally dominant";
    }
    if (m.row_scale_spread > 1e4) {
        char spread[32];
        std::snprintf(spread, sizeof spread, "%.0e", m.row_scale_spread);
        text += std::string(", rows differ in scale by ") + spread;
    }
    return text + " (" + std::string(matrix_kind_names[static_cast<int>(kind_of(m))]) + ")";
}

std::span<const Method> all_methods() { return methods; }

bool may_fill(const MatrixStatistics& matrix)
{
    constexpr size_type few_rows = 2000, few_entries = 6;
    return matrix.size.rows > few_rows && num_entries_of_sum(matrix) > few_entries * matrix.size.rows;
}

bool may_fill_at_once(const MatrixStatistics& matrix)
{
    constexpr size_type most_entries_of_networks = 8;
    const bool is_network = 10 * matrix.num_unmirrored <= matrix.num_nonzeros &&
                            num_entries_of_sum(matrix) <= most_entries_of_networks * matrix.size.rows;
    return may_fill(matrix) && !is_network;
}

double typical_seconds_of_lu(const MatrixStatistics& matrix) { return expected_seconds("lu", matrix, 0); }

double seconds_of_factors(double operations, size_type rows)
{
    // benchmark/results/2026-11-25-cpu-automatic.md
    return 1e-6 * static_cast<double>(rows) + 0.2e-9 * operations;
}

std::vector<Method> methods_for(const MatrixStatistics& matrix, int num_devices)
{
    const bool is_device = num_devices > 0;
    const auto kind = kind_of(matrix);
    const std::span<const Choice> choices =
        is_device ? std::span<const Choice>(device_choices) : std::span<const Choice>(host_choices);
    const auto choice = std::find_if(choices.begin(), choices.end(), [&](const Choice& c) {
        return c.kind == kind && matrix.size.rows <= c.most_rows;
    });
    std::vector<Method> order;
    for (std::string_view rest = choice->order; !rest.empty();) {
        const auto end = std::min(rest.find(' '), rest.size());
        order.push_back(find_method(rest.substr(0, end)));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (is_device && order.size() > 1 && order[0].name == "cg+jacobi" && order[1].name == "cg+amg" &&
        pays_multigrid(matrix, num_devices)) {
        std::swap(order[0], order[1]);
    }
    if (!is_device && kind == MatrixKind::laplacian && pays_multigrid_on_hosts(matrix)) {
        const auto multigrid =
            std::find_if(order.begin(), order.end(), [](const Method& method) { return method.name == "cg+amg"; });
        std::rotate(order.begin(), multigrid, std::min(multigrid + 1, order.end()));
    }
    const bool jacobi_scales_all =
        matrix.has_constant_diagonal && matrix.num_zero_diagonal == 0 && matrix.num_negative_diagonal == 0;
    for (auto& method : order) {
        const double seconds = expected_seconds(method.name, matrix, num_devices);
        method = jacobi_scales_all ? find_method(without_jacobi(method.name)) : method;
        method.expected_seconds = seconds;
    }
    if (!is_device && is_semidefinite(matrix)) {
        prefer_cholesky(order);
    }
    return order;
}

}  // namespace linden::detail
