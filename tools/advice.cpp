#include "tools/advice.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "core/config/short_form.hpp"

#include "tools/formatted.hpp"

namespace linden::tool {
namespace {

std::string number(double value) { return formatted("%.2g", value); }

std::string count(size_type n, std::string_view one, std::string_view many)
{
    return std::to_string(n) + " " + std::string(n == 1 ? one : many);
}

/// The type of a short form, without parameters, as the help spells it.
std::string spelled_type(const std::string& text) { return text.substr(0, text.find(':')); }
/// The same in the spelling that ignores `-`, `_` and case.
std::string type_of(const std::string& text) { return config::normalized(spelled_type(text)); }

bool is_one_of(const std::string& type, std::initializer_list<std::string_view> types)
{
    return std::find(types.begin(), types.end(), type) != types.end();
}

bool is_none(const std::string& preconditioner)
{
    return preconditioner.empty() || is_one_of(type_of(preconditioner), {"none", "identity"});
}

/// Methods that need a Hermitian positive definite matrix and such a preconditioner.
bool is_conjugate_gradients(const Method& m)
{
    return is_one_of(type_of(m.solver), {"cg", "ssorcg", "deflatedcg", "flexiblecg"});
}

bool is_direct(const Method& m) { return is_one_of(type_of(m.solver), {"lu", "ldlt", "cholesky"}); }

/// What does not depend, or hardly, on the scales of rows and columns.
bool is_indifferent_to_scales(const std::string& preconditioner)
{
    return is_one_of(type_of(preconditioner),
                     {"jacobi", "blockjacobi", "ssor", "ilu0", "iluk", "parilu", "mcssor", "mcilu", "amg"});
}

/// Never Hermitian, or not with fill-in that is dropped on one side only.
bool is_nonsymmetric(const std::string& preconditioner)
{
    return is_one_of(type_of(preconditioner), {"ilut", "parilut", "triangular", "adapteddeflation"});
}

bool is_incomplete_cholesky(const std::string& preconditioner)
{
    return is_one_of(type_of(preconditioner), {"ic0", "ick", "ict", "paric", "parict", "mcic"});
}

std::string options(const Method& m)
{
    return "--solver " + m.solver + (is_none(m.preconditioner) ? "" : " --preconditioner " + m.preconditioner);
}

constexpr std::string_view matched_ilut = "reordered:matching=true,inner=scaled,inner.inner=ilut,inner.inner.tol=1e-3";

std::string first_method(const MatrixFacts& facts) { return options(suitable_methods(facts).front()); }

/// Why no method solves the system for every b; empty if nothing says so.
std::string singularity(const MatrixFacts& f)
{
    if (f.is_square() && f.structural_rank < f.size.rows) {
        return "A is singular whatever the values of its nonzeros are (structural rank " +
               std::to_string(f.structural_rank) + " of " + std::to_string(f.size.rows) + ")";
    }
    return {};
}

bool has_constant_null_vector(const MatrixFacts& f)
{
    return f.is_square() && f.size.rows > 0 && f.constant_image <= 1e-13;
}

bool has_zero_column_sums(const MatrixFacts& f) { return f.is_square() && f.size.rows > 0 && f.column_sum <= 1e-13; }

/// As of flows without outlet, whose pressures are determined up to a constant.
bool has_zero_rest(const MatrixFacts& f) { return f.is_square() && f.rest_column_sum <= 1e-13; }

/// What is wrong with the data; empty if nothing is.
std::string bad_data(const FailedSolve& s, const MatrixFacts& f)
{
    if (f.num_not_finite > 0) {
        return count(f.num_not_finite, "entry of A is", "entries of A are") + " NaN or infinite: mend the matrix";
    }
    if (s.num_bad_rhs_values > 0) {
        return count(s.num_bad_rhs_values, "value of b is", "values of b are") + " NaN or infinite: mend --rhs";
    }
    if (const auto why = singularity(f); !why.empty()) {
        return why +
               ": look for empty or dependent rows in the model; only a b in A's range, as of --rhs "
               "a-times-ones, has a solution";
    }
    if (has_constant_null_vector(f) && (!f.is_hermitian() || s.constant_part > 1e-10)) {
        return f.is_hermitian()
                   ? "A is singular, A 1 = 0, and b is outside of its range: subtract the mean of b, or fix "
                     "one unknown"
                   : "A is singular, A 1 = 0: only a b in its range, as of --rhs a-times-ones, has a "
                     "solution; fix one unknown";
    }
    if (has_zero_column_sums(f) && s.constant_part > 1e-10) {
        return "A is singular, its columns sum to 0 and the values of b do not: subtract the mean of b, or replace an "
               "equation, as by the sum of x";
    }
    if (s.islands_part > 1e-10) {
        return "A is singular: the columns of some connected components of it sum to 0 and the values of b there do "
               "not: "
               "fix one unknown of each, or leave them out";
    }
    if (has_zero_rest(f) && s.rest_part > 1e-10) {
        return "A is singular: its rows without a positive diagonal, as of pressures, sum to 0 and the values of b "
               "there "
               "do not: subtract their mean from them, or fix one of these unknowns";
    }
    return {};
}

/// Whether the residual is as small as rounding errors let it be, those of b and of A x.
bool is_at_rounding(const FailedSolve& s, const MatrixFacts& f)
{
    const double rounding = s.epsilon * std::max(1e4, 100 * f.norm_frobenius * s.solution_size);
    const bool has_ended = s.status == SolveStatus::stagnated || s.status == SolveStatus::breakdown;
    return has_ended && s.relative_residual < std::min(rounding, 1e-2);
}

std::string not_hermitian(const MatrixFacts& f, const std::string& needed_by)
{
    return "A is not " + std::string(f.is_complex ? "Hermitian" : "symmetric") + " (" +
           (f.is_complex ? "||A - A^H||" : "||A - A^T||") + " = " + number(f.conjugate_asymmetry) + " ||A||), which " +
           needed_by + " needs: try ";
}

std::string not_positive(const MatrixFacts& f)
{
    return count(f.num_negative_diagonal + f.num_bad_diagonal(), "diagonal entry is", "diagonal entries are") +
           " not positive, so A is not positive definite, which ";
}

/// For a direct solver, none of whose cures is a preconditioner.
std::string cure_of_direct(const FailedSolve& s, const MatrixFacts& f)
{
    const auto type = type_of(s.method.solver);
    if (type != "lu" && !f.is_hermitian()) {
        return not_hermitian(f, type) + "--solver lu";
    }
    if (type == "cholesky" && f.num_negative_diagonal + f.num_bad_diagonal() > 0) {
        return not_positive(f) + "cholesky needs: try --solver ldlt";
    }
    if (type == "cholesky" && s.num_bad_pivots > 0) {
        return count(s.num_bad_pivots, "pivot was", "pivots were") +
               " not positive, so A is not positive definite, which cholesky needs: try --solver ldlt";
    }
    if (s.status == SolveStatus::max_iterations) {
        return "raise --max-iterations, the steps of refinement, or --rtol";
    }
    const bool keeps_pivots = type == "ldlt" || s.method.solver.find("pivoting=fixed") != std::string::npos;
    if (keeps_pivots && s.num_bad_pivots > 0 && f.may_be_positive_definite()) {
        return count(s.num_bad_pivots, "small pivot was", "small pivots were") +
               " replaced: if A is positive definite, try --solver cholesky, which replaces none then";
    }
    return type == "lu"
               ? "A is singular up to rounding, see linden info --condition: only a b in its range, as of --rhs "
                 "a-times-ones, has a solution"
               : "try --solver lu, which finds pivots as it goes";
}

/// Where a method meets what it is not for; empty if it does not.
std::string wrong_method(const FailedSolve& s, const MatrixFacts& f)
{
    const auto& m = s.method;
    if (type_of(m.solver) == "richardson" && s.status != SolveStatus::time && !is_at_rounding(s, f)) {
        return "richardson converges for few matrices: try " + first_method(f);
    }
    const bool is_cg = is_conjugate_gradients(m), is_minres = type_of(m.solver) == "minres";
    if (!is_cg && !is_minres && !is_incomplete_cholesky(m.preconditioner)) {
        return {};
    }
    const auto name = spelled_type(is_cg || is_minres ? m.solver : m.preconditioner);
    if (!f.is_hermitian()) {
        return not_hermitian(f, name) + first_method(f);
    }
    if ((is_cg || is_minres) && is_nonsymmetric(m.preconditioner)) {
        const auto type = type_of(m.preconditioner);
        const bool has_twin = is_one_of(type, {"ilut", "parilut"});
        return spelled_type(m.preconditioner) + " is not symmetric, which " + name + " needs: try " +
               (has_twin ? "--preconditioner " + std::string(type == "ilut" ? "ict" : "par-ict") + " or " : "") +
               "--solver gmres";
    }
    if (is_minres) {
        return s.status == SolveStatus::breakdown && !is_none(m.preconditioner)
                   ? "minres needs a positive definite preconditioner: try another one, or none, or --solver ldlt"
                   : "";
    }
    if (f.num_negative_diagonal == f.size.rows) {
        return "the diagonal of A is negative, and " + name +
               " needs a positive definite matrix: solve -A x = -b, or try " + "--solver gmres --preconditioner ilu0";
    }
    if (f.num_negative_diagonal + f.num_bad_diagonal() > 0) {
        return not_positive(f) + name + " needs: try --solver ldlt or " + first_method(f);
    }
    return {};
}

/// What the rows and columns of a badly scaled matrix want.
std::string cure_of_scales(const FailedSolve& s, const MatrixFacts& f)
{
    const auto& inner = s.method.preconditioner;
    const auto scales = "A is badly scaled (its rows differ by " + number(f.rows.spread()) + ", its columns by " +
                        number(f.columns.spread()) + ")";
    if (is_indifferent_to_scales(inner)) {
        return scales + ", which " + spelled_type(inner) + " does not mend: try " + first_method(f);
    }
    const bool keeps_symmetry = f.may_be_positive_definite();
    return scales + ": try --preconditioner " + (keeps_symmetry ? "symmetric-scaling:inner=" : "scaled:inner=") +
           (is_none(inner) ? (keeps_symmetry ? "ic0" : "ilut") : spelled_type(inner));
}

/// Where the preconditioner, or its lack, is the likely cause.
std::string weak_preconditioner(const FailedSolve& s, const MatrixFacts& f)
{
    const auto& inner = s.method.preconditioner;
    const auto type = spelled_type(inner);
    const bool transforms = is_one_of(type_of(inner), {"scaled", "symmetricscaling", "reordered"});
    if (f.num_bad_diagonal() > 0 && !transforms) {
        return count(f.num_bad_diagonal(), "diagonal entry is", "diagonal entries are") +
               " zero or missing: bring large entries there, --solver gmres --preconditioner " +
               std::string(matched_ilut) + ", or try --solver lu";
    }
    if (const auto solver = type_of(s.method.solver); is_one_of(solver, {"lsqr", "lsmr"})) {
        return solver + " takes as many iterations as cg with A^H A: try " + first_method(f);
    }
    if (f.is_badly_scaled() && !transforms) {
        return cure_of_scales(s, f);
    }
    if (s.num_bad_pivots > 0) {
        const bool is_cholesky = is_incomplete_cholesky(inner);
        return type + " replaced " + count(s.num_bad_pivots, "pivot", "pivots") + ": try --preconditioner " + type +
               ":shift=0.1, or " + (is_cholesky ? "amg" : std::string(matched_ilut));
    }
    if (is_none(inner) && type_of(s.method.solver) != "ssorcg") {
        return "no preconditioner: try " + first_method(f);
    }
    return {};
}

/// Where a Krylov basis in lower precision ended the progress.
std::string rounded_basis(const FailedSolve& s)
{
    const bool is_rounded = is_one_of(type_of(s.method.solver), {"gmres", "fgmres"}) &&
                            (s.method.solver.find("basis_storage=half") != std::string::npos ||
                             s.method.solver.find("basis_storage=single") != std::string::npos);
    return is_rounded && s.status == SolveStatus::stagnated
               ? "the basis is kept in lower precision, which may be too little here: try basis_storage=same"
               : "";
}

/// A preconditioner that does more than the one in use.
std::string stronger(const FailedSolve& s, const MatrixFacts& f)
{
    if (f.may_be_positive_definite()) {
        return type_of(s.method.preconditioner) == "amg" ? "symmetric-scaling:inner=ict" : "amg";
    }
    return std::string(matched_ilut);
}

std::string last_resort(const FailedSolve& s, const MatrixFacts& f)
{
    const auto solver = type_of(s.method.solver);
    if (is_at_rounding(s, f)) {
        const bool is_single = s.epsilon > 1e-10;
        return "the residual is at the level of rounding errors: raise --rtol" +
               std::string(is_single ? ", or solve with --value-type double" : "");
    }
    const bool is_gmres = is_one_of(solver, {"gmres", "fgmres"});
    if (type_of(s.method.preconditioner) == "reordered" || (is_gmres && s.status != SolveStatus::max_iterations)) {
        return "try a direct solver, --solver lu, whose fill linden info --orderings tells";
    }
    if (is_gmres) {
        return "try a longer cycle, --solver " + solver + ":krylov_dim=100, or a stronger preconditioner, " +
               stronger(s, f);
    }
    if (s.status == SolveStatus::max_iterations) {
        return "raise --max-iterations, or try a stronger preconditioner, " + stronger(s, f) +
               (is_conjugate_gradients(s.method) ? "; if A may be indefinite, try --solver ldlt" : "");
    }
    return is_conjugate_gradients(s.method)
               ? "A or the preconditioner may not be positive definite: try --solver gmres, or another preconditioner"
               : "try --solver gmres:krylov_dim=100 --preconditioner " + stronger(s, f);
}

/// For least squares with a matrix that is not square, which no other solver takes.
std::string cure_of_rectangular(const Method& m, const MatrixFacts& f)
{
    const bool has_own = m.solver.find("preconditioner=") != std::string::npos || !is_none(m.preconditioner);
    const bool has_scaling = has_own || m.solver.find("column_scaling=true") != std::string::npos;
    if (!has_scaling && differ_in_units(f.columns)) {
        return "columns of A differ by " + number(f.columns.spread()) + ": try --solver " + type_of(m.solver) +
               ":column_scaling=true, or --preconditioner ic0, which is made of A^H A";
    }
    return "raise --max-iterations" +
           std::string(has_own ? "" : ", or try --preconditioner ic0, which is made of A^H A");
}

/// Preconditioners of a rank's own rows, which `schwarz` makes one of all ranks of.
bool is_of_one_process(const std::string& preconditioner)
{
    return is_incomplete_cholesky(preconditioner) ||
           is_one_of(type_of(preconditioner), {"ilu0", "iluk", "ilut", "parilu", "parilut", "ssor", "blockjacobi",
                                               "scaled", "symmetricscaling", "reordered"});
}

/// `outer:key=type,key.name=value...` for `type:name=value...`.
std::string wrapped(const std::string& text, const std::string& outer, const std::string& key)
{
    std::string result = outer + ":" + key + "=" + spelled_type(text);
    for (auto at = text.find(':'); at != std::string::npos;) {
        const auto next = text.find(',', at + 1);
        result += "," + key + "." + text.substr(at + 1, next == std::string::npos ? next : next - at - 1);
        at = next;
    }
    return result;
}

/// The other way round, for a `text` with that outer type; `usual` where it does not say what is inside.
std::string unwrapped(const std::string& text, const std::string& key, const std::string& usual)
{
    std::string type = usual, parameters;
    for (auto at = text.find(':'); at != std::string::npos;) {
        const auto next = text.find(',', at + 1);
        const auto part = text.substr(at + 1, next == std::string::npos ? next : next - at - 1);
        if (part.starts_with(key + "=")) {
            type = part.substr(key.size() + 1);
        } else if (part.starts_with(key + ".")) {
            parameters += (parameters.empty() ? ":" : ",") + part.substr(key.size() + 1);
        }
        at = next;
    }
    return type + parameters;
}

/// What a method of several processes does on one of them.
Method of_one_process(const Method& m)
{
    const auto outer = type_of(m.preconditioner);
    if (outer == "gathered") {
        const auto inner = unwrapped(m.preconditioner, "inner", "lu");
        return is_direct({inner, ""}) ? Method{inner, "none"} : Method{m.solver, inner};
    }
    return outer == "schwarz" ? Method{m.solver, unwrapped(m.preconditioner, "local", "ilu0")} : m;
}

/// Advice for one process, in methods that several have.
std::string for_ranks(const std::string& text)
{
    std::string result, before;
    for (std::size_t begin = 0; begin < text.size();) {
        const auto end = std::min(text.find(' ', begin), text.size());
        const auto word = text.substr(begin, end - begin);
        const auto length = word.find_last_not_of(",;:") + 1;
        const auto method = word.substr(0, length), rest = word.substr(length);
        if (before == "--solver" && is_direct({method, ""})) {
            result += "gmres --preconditioner " + wrapped(method, "gathered", "inner") + rest;
        } else if ((before == "--preconditioner" || before == "preconditioner,") && is_of_one_process(method)) {
            result += wrapped(method, "schwarz", "local") + rest;
        } else {
            result += word;
        }
        result += end < text.size() ? " " : "";
        before = word;
        begin = end + 1;
    }
    return result;
}

/// Of methods that square values of A which the value type cannot square; empty where it can.
std::string wrong_units(const FailedSolve& s, const MatrixFacts& f)
{
    const bool has_failed = s.status == SolveStatus::not_a_number || s.status == SolveStatus::breakdown ||
                            s.status == SolveStatus::stagnated;
    const bool is_single = s.epsilon > 1e-10;
    const double most_digits = is_single ? 37 : 307;
    const double digits = f.entries.largest > 0 ? 2 * std::log10(f.entries.largest) : 0;
    if (!has_failed || is_direct(s.method) || std::abs(digits) < most_digits) {
        return {};
    }
    return "squares of values like " + number(f.entries.largest) + ", the largest of A, are out of the range of " +
           (is_single ? "single precision: --value-type " + std::string(f.is_complex ? "complex128" : "double") + ", or"
                      : "double precision:") +
           " divide A and b by that";
}

/// cure, for one process.
std::string cure_alone(const FailedSolve& s, const MatrixFacts& f)
{
    if (s.status == SolveStatus::converged) {
        return "rounding the values of A changes b - A x as much as what is left of it: rows have very different "
               "units, "
               "or A is nearly singular, see linden info --condition";
    }
    if (s.status == SolveStatus::interrupted) {
        return "--solution FILE keeps x, and --x0 FILE continues from it";
    }
    for (const auto& text : {bad_data(s, f), wrong_units(s, f), f.is_square() ? wrong_method(s, f) : std::string()}) {
        if (!text.empty()) {
            return text;
        }
    }
    const bool is_iterative = f.is_square() && !is_direct(s.method);
    const auto weak = is_iterative ? weak_preconditioner(s, f) : std::string();
    if (s.status == SolveStatus::time) {
        return "raise --max-seconds, or keep x by --solution FILE and continue by --x0 FILE" +
               (weak.empty() ? "" : "; " + weak);
    }
    if (!is_iterative) {
        return f.is_square() ? cure_of_direct(s, f) : cure_of_rectangular(s.method, f);
    }
    if (s.has_tried_lu && !is_at_rounding(s, f)) {
        return "A may be singular up to rounding, since lu did not solve it either, see linden info --condition: only "
               "a b in its range, as of --rhs a-times-ones, has a solution";
    }
    if (const auto text = rounded_basis(s); !text.empty()) {
        return text;
    }
    return weak.empty() || is_at_rounding(s, f) ? last_resort(s, f) : weak;
}

/// Columns are scaled where they differ, but for systems with more unknowns than equations: without, x has the minimal
/// norm.
std::vector<Method> least_squares_methods(const MatrixFacts& f)
{
    std::vector<Method> methods{{"lsqr", "none"}, {"lsmr", "none"}};
    if (f.size.rows > f.size.cols && differ_in_units(f.columns)) {
        methods.insert(methods.begin(), {{"lsqr:column_scaling=true", "none"}, {"lsmr:column_scaling=true", "none"}});
    }
    return methods;
}

}  // namespace

std::vector<Method> suitable_methods(const MatrixFacts& f)
{
    if (!f.is_square()) {
        return least_squares_methods(f);
    }
    if (f.may_be_positive_definite()) {
        if (f.is_badly_scaled()) {
            return {{"cg", "symmetric-scaling:inner=ic0"}, {"cg", "amg"}, {"cg", "ic0"}, {"cg", "jacobi"}};
        }
        return {{"cg", "amg"}, {"cg", "ic0"}, {"cg", "jacobi"}, {"cg", "none"}};
    }
    const std::string matched(matched_ilut);
    if (f.num_bad_diagonal() > 0) {
        return {{"gmres", matched}, {"bicgstab", matched}, {"gmres", "reordered:matching=true,inner=ilu0"}};
    }
    if (f.is_badly_scaled()) {
        return {
            {"gmres", "scaled:inner=ilut"}, {"bicgstab", "scaled:inner=ilu0"}, {"gmres", matched}, {"gmres", "ilu0"}};
    }
    return {{"gmres", "ilu0"}, {"bicgstab", "ilu0"}, {"gmres", "scaled:inner=ilut"}, {"gmres", matched}};
}

std::vector<std::string> advice(const MatrixFacts& f)
{
    std::vector<std::string> lines;
    const auto say = [&](bool holds, const std::string& text) {
        if (holds) {
            lines.push_back(text);
        }
    };
    say(f.num_not_finite > 0, count(f.num_not_finite, "entry is", "entries are") + " NaN or infinite");
    if (!f.is_square()) {
        say(true, "not square: only lsqr and lsmr take it, try --solver lsqr");
        return lines;
    }
    const auto singular = singularity(f);
    say(!singular.empty(), singular);
    say(has_constant_null_vector(f), "A 1 = 0: A is singular, and b must be in its range");
    say(has_zero_column_sums(f) && !has_constant_null_vector(f),
        "its columns sum to 0: A is singular, and the values of b must sum to 0");
    say(has_zero_rest(f) && !has_zero_column_sums(f),
        "its rows without a positive diagonal sum to 0: A is singular, and the values of b there must sum to 0");
    say(f.num_bad_diagonal() > 0, count(f.num_bad_diagonal(), "diagonal entry is", "diagonal entries are") +
                                      " zero or missing: jacobi, ssor, ilu0 need them; matching brings others there");
    say(f.num_tiny_diagonal > 0,
        count(f.num_tiny_diagonal, "diagonal entry is", "diagonal entries are") + " tiny beside others of the row");
    say(f.is_badly_scaled(), "badly scaled: residuals of small rows mean little, and scaling helps");
    say(f.is_hermitian() && !f.may_be_positive_definite(),
        "Hermitian but not positive definite: cg and incomplete Cholesky are not for it");
    if (f.may_be_positive_definite()) {
        lines.push_back("Hermitian with a positive diagonal; if it is positive definite, try " + first_method(f));
    } else {
        lines.push_back("try " + first_method(f));
    }
    return lines;
}

std::string cure(const FailedSolve& s, const MatrixFacts& f)
{
    if (!s.is_over_ranks) {
        return cure_alone(s, f);
    }
    auto alone = s;
    alone.method = of_one_process(s.method);
    return for_ranks(cure_alone(alone, f));
}

}  // namespace linden::tool
