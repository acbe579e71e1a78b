#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/matrix/permutation.hpp>
#include <linden/preconditioner/ic.hpp>
#include <linden/preconditioner/ilu.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "core/base/check_parameter.hpp"
#include "core/config/parameter_names.hpp"
#include "core/factorization/column_pivoting.hpp"
#include "core/factorization/equilibrated_matrix.hpp"
#include "core/factorization/factor_pattern.hpp"
#include "core/factorization/fixed_point.hpp"
#include "core/factorization/numeric_factorization.hpp"
#include "core/factorization/threshold.hpp"
#include "core/kernels/array.hpp"
#include "core/matrix/block_cache.hpp"
#include "core/matrix/csr_operator.hpp"
#include "core/matrix/pattern_operations.hpp"
#include "core/matrix/row_blocks.hpp"
#include "core/triangular/triangular_solve.hpp"

// instantiate: class CsrOperator<IncompleteFactorization, V>
// instantiate: class IncompleteFactorization<V>
// instantiate: class FactorizationWith<V, ZeroFill, false>
// instantiate: class FactorizationWith<V, LevelFill, false>
// instantiate: class FactorizationWith<V, ThresholdFill, false>
// instantiate: class FactorizationWith<V, SweptFill, false>
// instantiate: class FactorizationWith<V, SweptThresholdFill, false>
// instantiate: class FactorizationWith<V, ZeroFill, true>
// instantiate: class FactorizationWith<V, LevelFill, true>
// instantiate: class FactorizationWith<V, ThresholdFill, true>
// instantiate: class FactorizationWith<V, SweptFill, true>
// instantiate: class FactorizationWith<V, SweptThresholdFill, true>

namespace linden {
namespace detail {

/// Incomplete factors, for any index type, and the solves with them.
template <class V>
class IncompleteFactors {
public:
    explicit IncompleteFactors(const Executor& exec) : report(exec, 1), between(exec) {}
    virtual ~IncompleteFactors() = default;

    virtual void update(const LinOp<V>& matrix) = 0;
    virtual LinOpPtr<V> factors() const = 0;
    virtual size_type num_nonzeros() const = 0;
    virtual double shift() const = 0;

    bool is_capturable() const { return lower->is_capturable() && upper->is_capturable(); }

    std::unique_ptr<TriangularSolve<V>> lower, upper;
    LinOpPtr<V> columns_back;  ///< Q^T of A Q^T ~ L U; null without pivoting
    size_type num_moved_columns = 0;
    Array<PivotReport> report;
    mutable BlockCache<V> between;
};

namespace {

/// A Q^T for ILUTP, and its map to the entries of A.
template <class V, class I>
struct PivotedMatrix {
    PivotedMatrix(const Csr<V, I>& a, const FactorizationPlan& plan)
        : order(pivot_order(a, plan)),
          columns_back(Permutation<V, I>(a.executor(), order).inverse()),
          source(a.executor()),
          matrix(a.executor(), a.size())
    {
        auto pattern = permuted_pattern<I>(a.executor(), a.view(), nullptr, columns_back.rows());
        source = std::move(pattern.source);
        matrix = Csr<V, I>(a.executor(), a.size(), std::move(pattern.row_ptrs), std::move(pattern.col_idxs),
                           Array<V>(a.executor(), source.size()));
        update(a);
    }
    void update(const Csr<V, I>& a)
    {
        array_gather<V, V, I>(a.executor(), source.size(), source.data(), a.values(), matrix.values(), Conjugate::no);
    }
    size_type num_moved() const
    {
        size_type count = 0;
        for (std::size_t j = 0; j < order.size(); ++j) {
            count += order[j] != static_cast<I>(j);
        }
        return count;
    }

    static std::vector<I> pivot_order(const Csr<V, I>& a, const FactorizationPlan& plan)
    {
        const auto rule = threshold_rule(a.size(), a.num_nonzeros(), plan);
        return plan.scaling == FactorScaling::none
                   ? columns_by_pivots(a, rule, plan.pivoting)
                   : columns_by_pivots(EquilibratedMatrix<V, I>(a, false).matrix(), rule, plan.pivoting);
    }

    std::vector<I> order;
    Permutation<V, I> columns_back;
    Array<I> source;
    Csr<V, I> matrix;
};

template <class V, class I>
class FactorsOf final : public IncompleteFactors<V> {
public:
    FactorsOf(const Csr<V, I>& given, const FactorizationPlan& plan)
        : IncompleteFactors<V>(given.executor()),
          exec_(given.executor()),
          plan_(plan),
          matrix_nonzeros_(given.num_nonzeros())
    {
        if (plan.pivoting > 0) {
            pivoted_ = std::make_unique<PivotedMatrix<V, I>>(given, plan);
            this->columns_back = share(pivoted_->columns_back.copy());
            this->num_moved_columns = pivoted_->num_moved();
        }
        const Csr<V, I>& a = pivoted_ == nullptr ? given : pivoted_->matrix;
        if (plan.scaling != FactorScaling::none) {
            scaled_ = std::make_unique<EquilibratedMatrix<V, I>>(a, plan.is_cholesky);
        }
        std::optional<RowLevels<I>> levels;
        auto inside = pattern_inside<I>(exec_, a.view(), row_blocks(plan.blocks, plan.block_rows, a.size().rows));
        if (plan.fill == Fill::threshold) {
            const auto& scaled = scaled_ == nullptr ? a : scaled_->matrix();
            find_shift([&] {
                auto found = inside ? factorize_with_threshold(restricted_to(*inside, scaled), plan_)
                                    : factorize_with_threshold(scaled, plan_);
                factors_ = std::make_shared<Csr<V, I>>(std::move(found.factors));
                this->report = Array<PivotReport>(exec_, std::vector<PivotReport>{found.report});
            });
            restore();
        } else if (is_swept()) {
            swept_ = std::make_unique<FixedPointFactorization<V, I>>(pattern_of(a, inside, false), plan_, a,
                                                                     this->report.data());
            factors_ = swept_->factors();
            if (plan_.eliminates) {
                swept_ = nullptr;
                make_numeric(source_of<I>(exec_, factors_->view(), a.view()), levels.emplace(lower_levels(*factors_)));
                numeric_->factorize(a, this->report.data());
            }
        } else {
            auto f = pattern_of(a, inside, plan_.is_cholesky);
            const auto nnz = f.source.size();
            factors_ = std::make_shared<Csr<V, I>>(exec_, a.size(), std::move(f.row_ptrs), std::move(f.col_idxs),
                                                   Array<V>(exec_, nnz));
            make_numeric(std::move(f.source), levels.emplace(lower_levels(*factors_)));
            find_shift([&] {
                numeric_->set_shift(plan_.shift);
                numeric_->factorize(a, this->report.data());
            });
        }
        const auto solve = [&](TriangleChoice with, const RowLevels<I>* known) {
            return make_triangular_solve<V, I>(*factors_, with, plan.triangular, known);
        };
        const TriangleChoice adjoint{Side::lower, false, MatrixOperation::conjugate_transpose};
        this->lower = solve({Side::lower, !plan.is_cholesky}, levels ? &*levels : nullptr);
        this->upper = solve(plan.is_cholesky ? adjoint : TriangleChoice{Side::upper}, nullptr);
    }

    double shift() const override { return plan_.shift; }

    void update(const LinOp<V>& matrix) override
    {
        const auto& given = csr_of<V, I>(plan_.name, matrix, matrix_nonzeros_);
        if (pivoted_ != nullptr) {
            pivoted_->update(given);
        }
        const auto& a = pivoted_ == nullptr ? given : pivoted_->matrix;
        if (swept_ != nullptr) {
            swept_->update(a, this->report.data());
        } else {
            if (numeric_ == nullptr) {  // thresholds have found the pattern
                make_numeric(source_of<I>(exec_, factors_->view(), a.view()), lower_levels(*factors_));
            }
            if (scaled_ != nullptr) {
                scaled_->update(a);
            }
            numeric_->factorize(scaled_ == nullptr ? a : scaled_->matrix(), this->report.data());
            restore();
        }
        this->lower->update(*factors_);
        this->upper->update(*factors_);
    }

    LinOpPtr<V> factors() const override { return factors_; }
    size_type num_nonzeros() const override { return factors_->num_nonzeros(); }

private:
    /// Calls factorize() with the plan's shift, and again with growing ones while a Cholesky factor has bad pivots;
    /// with the first one if none helps. [Manteuffel80]
    template <class F>
    void find_shift(const F& factorize)
    {
        constexpr double first = 1e-3, last = 2;
        factorize();
        if (!plan_.is_cholesky || !has_bad_pivots()) {
            return;
        }
        const double given = plan_.shift;
        for (plan_.shift = std::max(first, 2 * given); plan_.shift <= last; plan_.shift *= 2) {
            factorize();
            if (!has_bad_pivots()) {
                return;
            }
        }
        plan_.shift = given;
        factorize();
    }
    /// Makes the factors of a scaled matrix those of A. On a given pattern these do not depend on scaling, shifts do:
    /// so without any, new values are not scaled.
    void restore()
    {
        if (scaled_ == nullptr) {
            return;
        }
        scaled_->restore(*factors_);
        if (plan_.shift == 0) {
            scaled_ = nullptr;
        }
    }
    bool has_bad_pivots() const { return this->report.to_host().front().num_bad > 0; }

    bool is_swept() const { return plan_.fill == Fill::swept_levels || plan_.fill == Fill::swept_threshold; }

    /// The pattern that the plan gives, of the entries `inside` of blocks if there are any.
    Pattern<I> pattern_of(const Csr<V, I>& a, const std::optional<Pattern<I>>& inside, bool is_lower) const
    {
        const PatternView<I> pattern = inside ? inside->view() : PatternView<I>(a.view());
        auto f = plan_.k == 0 ? pattern_without_fill<I>(exec_, pattern, is_lower)
                              : pattern_with_levels<I>(exec_, pattern, plan_.k, is_lower);
        return inside ? composed(exec_, std::move(f), inside->source) : std::move(f);
    }
    void make_numeric(Array<I> source, const RowLevels<I>& levels)
    {
        const NumericRule rule{plan_.is_cholesky, plan_.shift};
        numeric_ = std::make_unique<NumericFactorization<V, I>>(factors_, std::move(source), rule, levels);
    }

    Executor exec_;
    FactorizationPlan plan_;
    size_type matrix_nonzeros_;
    std::unique_ptr<PivotedMatrix<V, I>> pivoted_;      ///< null without pivoting
    std::unique_ptr<EquilibratedMatrix<V, I>> scaled_;  ///< null without scaling
    std::shared_ptr<Csr<V, I>> factors_;
    std::unique_ptr<NumericFactorization<V, I>> numeric_;
    std::unique_ptr<FixedPointFactorization<V, I>> swept_;
};

template <class Parameters>
FactorizationPlan plan_of(std::string_view name, bool is_cholesky, const Parameters& p)
{
    FactorizationPlan plan{.name = name,
                           .is_cholesky = is_cholesky,
                           .shift = p.shift,
                           .triangular = p.triangular,
                           .blocks = p.blocks,
                           .block_rows = p.block_rows};
    if constexpr (requires { p.k; }) {
        plan.fill = Fill::levels;
        plan.k = p.k;
    }
    if constexpr (requires { p.tol; }) {
        plan.fill = Fill::threshold;
        plan.tolerance = p.tol;
        plan.pivoting = p.pivoting;
        plan.scaling = p.scaling;
    }
    if constexpr (requires { p.factor_sweeps; }) {
        plan.fill = Fill::swept_levels;
        plan.sweeps = p.factor_sweeps;
        plan.sweep_order = p.sweep_order;
    }
    if constexpr (requires { p.steps; }) {
        plan.fill = Fill::swept_threshold;
        plan.steps = p.steps;
        plan.fill_limit = p.fill;
        plan.row_limit = p.row_fill;
        plan.byte_limit = p.bytes;
        plan.selection = p.selection;
        plan.eliminates = p.eliminate;
    }
    return plan;
}

void describe_order(SweepOrder& order, ParameterVisitor& v)
{
    static constexpr std::array<std::string_view, 2> orders{"synchronous", "in_place"};
    v.choice("sweep_order", order, orders,
             "whether a sweep reads values from before it, or those that it has found itself");
}

/// The common parameters of all kinds of fill.
template <class Parameters>
void describe_factors(Parameters& p, ParameterVisitor& v)
{
    v("shift", p.shift, config::shift_meaning);
    describe_row_blocks(v, p.blocks, p.block_rows);
    p.triangular.describe(v);
}

}  // namespace
}  // namespace detail

void ZeroFill::describe(ParameterVisitor& v) { detail::describe_factors(*this, v); }

void LevelFill::describe(ParameterVisitor& v)
{
    v("k", k, "levels of fill, at least 0");
    detail::describe_factors(*this, v);
}

void ThresholdFill::describe(ParameterVisitor& v)
{
    v("k", k, "entries kept per row of L and of U (ILUT) or of L^H (ICT): at most nnz/n + k");
    v("tol", tol, "drop tolerance: entries below tol * ||a_i||_2 are dropped");
    static constexpr std::array<std::string_view, 2> scalings{"none", "equilibrate"};
    v.choice("scaling", scaling, scalings,
             "what tolerances look at: none: the matrix as it is; equilibrate: with rows and columns scaled");
    v("pivoting", pivoting,
      "ILUT: exchange columns if the largest entry times this exceeds the pivot, 0 to 1; 0: never");
    detail::describe_factors(*this, v);
}

void SweptFill::describe(ParameterVisitor& v)
{
    v("k", k, "levels of fill, at least 0");
    v("factor_sweeps", factor_sweeps, "number of sweeps over all entries, at least 0");
    detail::describe_order(sweep_order, v);
    detail::describe_factors(*this, v);
}

void SweptThresholdFill::describe(ParameterVisitor& v)
{
    static constexpr std::array<std::string_view, 2> selections{"exact", "approximate"};
    v("k", k, "levels of fill of the pattern that steps start from, at least 0");
    v("steps", steps, "number of steps, each of which changes the pattern, at least 0");
    v("fill", fill, "most entries of the factors, as a multiple of the matrix's");
    v("row_fill", row_fill, "most entries of the factors per row on average; 0: no such limit");
    v("bytes", bytes, "most bytes of the factors' entries; 0: no such limit");
    v("factor_sweeps", factor_sweeps, "sweeps over the new pattern in each step, at least 0");
    detail::describe_order(sweep_order, v);
    v("eliminate", eliminate, "values by elimination on the pattern of each step, in place of sweeps");
    v.choice("selection", selection, selections, "whether the limit is kept exactly, or to some per cent");
    detail::describe_factors(*this, v);
}

template <class V, class Fill, bool is_cholesky>
FactorizationWith<V, Fill, is_cholesky>::FactorizationWith(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : IncompleteFactorization<V>(std::move(exec), detail::plan_of(type_name, is_cholesky, parameters),
                                 std::move(matrix))
{
}

template <class V>
IncompleteFactorization<V>::IncompleteFactorization(Executor exec, detail::FactorizationPlan plan, LinOpPtr<V> matrix)
    : CsrOperator<IncompleteFactorization, V>(std::move(exec), detail::square(plan.name, matrix->size())),
      parameters_(plan),
      matrix_(std::move(matrix))
{
    for (const auto& [parameter, value] :
         {std::pair{"k", plan.k}, {"steps", plan.steps}, {"factor_sweeps", plan.sweeps}}) {
        if (value < 0) {
            throw InvalidParameter(parameter, std::to_string(value), "at least 0");
        }
    }
    for (const auto& [parameter, value] :
         {std::pair{"fill", plan.fill_limit}, {"row_fill", plan.row_limit}, {"bytes", plan.byte_limit}}) {
        check_parameter(value >= 0, parameter, static_cast<double>(value), "at least 0");
    }
    check_parameter(plan.pivoting >= 0 && plan.pivoting <= 1, "pivoting", plan.pivoting, "from 0 to 1");
    if (plan.pivoting > 0 && (plan.is_cholesky || plan.blocks > 1 || plan.block_rows > 0)) {
        throw NotSupported(std::string(plan.name) + " with pivoting",
                           plan.is_cholesky ? "Cholesky factors have none" : "rows are in blocks");
    }
    visit_csr(plan.name, *matrix_,
              [&]<class I>(const Csr<V, I>& a) { impl_ = std::make_unique<detail::FactorsOf<V, I>>(a, plan); });
}

template <class V>
size_type IncompleteFactorization<V>::num_bad_pivots() const
{
    return impl_->report.to_host().front().num_bad;
}

template <class V>
size_type IncompleteFactorization<V>::first_bad_row() const
{
    const auto report = impl_->report.to_host().front();
    return report.num_bad == 0 ? -1 : report.first_row;
}

template <class V>
double IncompleteFactorization<V>::shift() const
{
    return impl_->shift();
}

template <class V>
LinOpPtr<V> IncompleteFactorization<V>::factors() const
{
    return impl_->factors();
}

template <class V>
size_type IncompleteFactorization<V>::num_nonzeros() const
{
    return impl_->num_nonzeros();
}

template <class V>
size_type IncompleteFactorization<V>::num_moved_columns() const
{
    return impl_->num_moved_columns;
}

template <class V>
TriangularAlgorithm IncompleteFactorization<V>::algorithm() const
{
    return impl_->lower->algorithm();
}

template <class V>
size_type IncompleteFactorization<V>::num_levels() const
{
    return impl_->lower->num_levels();
}

template <class V>
void IncompleteFactorization<V>::apply_impl(const Dense<V>& b, Dense<V>& x) const
{
    const auto& factors = *impl_;
    typename detail::BlockCache<V>::Lease lease(factors.between, b.size().rows * b.size().cols);
    auto y = lease.block(b.size());
    factors.lower->solve(b, y);  // y := L^-1 b
    if (factors.columns_back == nullptr) {
        factors.upper->solve(y, x);  // x := U^-1 y or L^-H y
        return;
    }
    typename detail::BlockCache<V>::Lease second_lease(factors.between, b.size().rows * b.size().cols);
    auto z = second_lease.block(b.size());
    factors.upper->solve(y, z);         // z := U^-1 y
    factors.columns_back->apply(z, x);  // x := Q^T z
}

}  // namespace linden
