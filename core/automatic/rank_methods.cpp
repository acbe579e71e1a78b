#include "core/automatic/rank_methods.hpp"

#include <algorithm>
#include <iterator>

namespace linden::detail {
namespace {

constexpr Method methods[] = {
    {"cg+amg", R"({"type": "Cg", "preconditioner": "Amg"})"},
    {"cg+jacobi", R"({"type": "Cg", "preconditioner": "Jacobi"})"},
    {"cg+schwarz-ic0", R"({"type": "Cg", "preconditioner": {"type": "Schwarz",
         "local": {"type": "SymmetricScaling", "inner": "Ic0"}}})"},
    {"cg+schwarz-ict", R"({"type": "Cg", "preconditioner": {"type": "Schwarz",
         "local": {"type": "SymmetricScaling", "inner": "Ict"}}})"},
    {"bicgstab+amg", R"({"type": "BiCgStab", "preconditioner": "Amg"})"},
    {"bicgstab+jacobi", R"({"type": "BiCgStab", "preconditioner": "Jacobi"})"},
    {"bicgstab+schwarz-ilu0", R"({"type": "BiCgStab", "preconditioner": {"type": "Schwarz", "local": "Ilu0"}})"},
    {"gmres+schwarz-ilu0", R"({"type": "Gmres", "preconditioner": {"type": "Schwarz",
         "local": {"type": "Scaled", "inner": "Ilu0"}}})"},
    {"gmres+schwarz-ilut", R"({"type": "Gmres", "preconditioner": {"type": "Schwarz",
         "local": {"type": "Scaled", "inner": "Ilut"}}})"},
    {"gmres+schwarz-matched-ilut", R"({"type": "Gmres", "preconditioner": {"type": "Schwarz",
         "local": {"type": "Reordered", "ordering": "rcm", "matching": true,
                   "inner": {"type": "Scaled", "inner": "Ilut"}}}})"},
    {"gmres+gathered-lu", R"({"type": "Gmres", "preconditioner": {"type": "Gathered", "inner": "Lu"}})"},
    {"gmres+schwarz-lu", R"({"type": "Gmres", "krylov_dim": 200, "preconditioner": {"type": "Schwarz",
         "local": "Lu", "overlap": 2}})"},
};

/// What does the same over ranks as a method on one. Colours and orders of SsorCg are those of one process.
struct Counterpart {
    std::string_view on_one, over_ranks;
};
constexpr Counterpart counterparts[] = {
    {"cg+amg", "cg+amg"},
    {"cg+ic0", "cg+schwarz-ic0"},
    {"cg+ict", "cg+schwarz-ict"},
    {"cg+jacobi", "cg+jacobi"},
    {"cg", "cg+jacobi"},
    {"ssor-cg", "cg+jacobi"},
    {"bicgstab+amg", "bicgstab+amg"},
    {"bicgstab+ilu0", "bicgstab+schwarz-ilu0"},
    {"bicgstab+jacobi", "bicgstab+jacobi"},
    {"bicgstab", "bicgstab+jacobi"},
    {"gmres+ilu0", "gmres+schwarz-ilu0"},
    {"gmres+ilut", "gmres+schwarz-ilut"},
    {"gmres+matched-ilut", "gmres+schwarz-matched-ilut"},
    {"cholesky", "gmres+gathered-lu"},
    {"ldlt", "gmres+gathered-lu"},
    {"lu", "gmres+gathered-lu"},
};

/// Processor time of multigrid over ranks, whose set-up fetches rows of others, over that on one process
/// (benchmark/results/2026-11-25-cpu-ranks-automatic.md).
constexpr double multigrid_over_ranks = 3.3;

/// What a method takes on so many ranks of hosts, from what it takes on one.
double on_hosts(const Method& on_one, int num_ranks)
{
    const double times = on_one.name.ends_with("+amg") && num_ranks > 1 ? multigrid_over_ranks : 1;
    return times * on_one.expected_seconds / (on_one.is_direct() ? 1 : num_ranks);
}

/// What factors take, for each row, where nobody can tell: so long that a method is left for them only where it hardly
/// gets on.
constexpr double seconds_of_unknown_factors = 1e-4;

/// The most rows of a matrix that rank 0 takes as a whole.
constexpr size_type most_gathered_rows = 100'000;

Method find_method(std::string_view name)
{
    return *std::find_if(std::begin(methods), std::end(methods), [&](const Method& m) { return m.name == name; });
}

bool is_there(const std::vector<Method>& order, std::string_view name)
{
    return std::any_of(order.begin(), order.end(), [&](const Method& m) { return m.name == name; });
}

/// Jacobi and sums have the same bits for any partition, and rank 0 has the same matrix.
std::vector<Method> reproducible_methods(MatrixKind kind)
{
    const bool may_be_definite = kind == MatrixKind::laplacian || kind == MatrixKind::definite;
    return {find_method(may_be_definite ? "cg+jacobi" : "bicgstab+jacobi")};
}

/// Whether CG is expected to arrive before multigrid, whose set-up has many messages. Where it does not it is left for
/// that (benchmark/results/2026-11-25-cpu-ranks-automatic.md).
bool is_cg_sooner(const MatrixStatistics& m, int num_ranks, double multigrid_seconds)
{
    constexpr double bytes_per_second = 8e9, message_seconds = 1e-5;
    const double bytes = 12 * static_cast<double>(m.num_nonzeros) + 40 * static_cast<double>(m.size.rows);
    const double iteration = bytes / num_ranks / bytes_per_second + 3 * message_seconds;
    return iterations_by_layers(m) * iteration < multigrid_seconds;
}

}  // namespace

std::span<const Method> all_rank_methods() { return methods; }

std::vector<Method> methods_for_ranks(const MatrixStatistics& matrix, const RanksFacts& ranks)
{
    const bool is_gathered = matrix.size.rows <= most_gathered_rows;
    // Nobody has the matrix whose symbolic phase would tell what factors take.
    const bool gathers_last = !ranks.is_device && may_fill(matrix);
    std::vector<Method> order;
    if (ranks.is_reproducible) {
        order = reproducible_methods(kind_of(matrix));
    } else {
        for (const Method& on_one : methods_for(matrix, ranks.is_device ? ranks.num_ranks : 0)) {
            const auto* const found = std::find_if(std::begin(counterparts), std::end(counterparts),
                                                   [&](const Counterpart& c) { return c.on_one == on_one.name; });
            if (found == std::end(counterparts)) {
                continue;
            }
            auto method = find_method(found->over_ranks);
            method.expected_seconds = ranks.is_device ? on_one.expected_seconds : on_hosts(on_one, ranks.num_ranks);
            if (!is_there(order, method.name) && !(on_one.is_direct() && (gathers_last || !is_gathered))) {
                order.push_back(method);
            }
        }
    }
    if (!ranks.is_device && !order.empty() && order.front().name == "cg+amg" && !is_there(order, "cg+jacobi") &&
        is_cg_sooner(matrix, ranks.num_ranks, order.front().expected_seconds)) {
        order.insert(order.begin(), find_method("cg+jacobi"));
    }
    if (!is_there(order, "gmres+gathered-lu")) {
        order.push_back(find_method(is_gathered ? "gmres+gathered-lu" : "gmres+schwarz-lu"));
        order.back().expected_seconds = seconds_of_unknown_factors * static_cast<double>(matrix.size.rows);
    }
    return order;
}

}  // namespace linden::detail
