#include "core/factorization/direct_factors.hpp"

#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/factorization/closed_pattern.hpp"
#include "core/factorization/dense_factors.hpp"
#include "core/factorization/entries_across.hpp"
#include "core/factorization/factor_pattern.hpp"
#include "core/factorization/host_panels.hpp"
#include "core/factorization/lu_pattern.hpp"
#include "core/factorization/numeric_factorization.hpp"
#include "core/factorization/ordered_factors.hpp"
#include "core/factorization/outside_blocks.hpp"
#include "core/factorization/partial_pivoting.hpp"
#include "core/factorization/plain_factors.hpp"
#include "core/factorization/row_panels.hpp"
#include "core/factorization/supernodal_factors.hpp"
#include "core/factorization/trial_solve.hpp"
#include "core/matrix/new_values.hpp"
#include "core/matrix/square.hpp"
#include "core/matrix/visit_csr.hpp"

// instantiate: std::unique_ptr<detail::DirectFactors<V>> detail::make_direct_factors<V>(const DirectPlan&, const LinOpPtr<V>&, double)
// instantiate: FactorSize detail::predicted_factor_size<V>(const DirectPlan&, const LinOp<V>&)

namespace linden::detail {
namespace {

/// The entries on and below the diagonal.
template <class I>
HostPattern<I> lower_of(const HostPattern<I>& a)
{
    HostPattern<I> lower;
    for (size_type i = 0; i < a.rows(); ++i) {
        for (I k = a.row_ptrs[i]; k < a.row_ptrs[i + 1] && a.col_idxs[k] <= i; ++k) {
            lower.col_idxs.push_back(a.col_idxs[k]);
        }
        lower.row_ptrs.push_back(static_cast<I>(lower.col_idxs.size()));
    }
    return lower;
}

/// L sqrt(D) of the factors L, D L^H in one Csr.
template <class V, class I>
CsrData<V, I> cholesky_factor(const CsrData<V, I>& f)
{
    CsrData<V, I> lower{f.size, {0}, {}, {}};
    std::vector<V> roots;
    for (size_type i = 0; i < f.size.rows; ++i) {
        I k = f.row_ptrs[i];
        for (; f.col_idxs[k] < i; ++k) {
            lower.col_idxs.push_back(f.col_idxs[k]);
            lower.values.push_back(f.values[k] * roots[f.col_idxs[k]]);
        }
        roots.push_back(V{std::sqrt(std::real(f.values[k]))});
        lower.col_idxs.push_back(static_cast<I>(i));
        lower.values.push_back(roots.back());
        lower.row_ptrs.push_back(static_cast<I>(lower.col_idxs.size()));
    }
    return lower;
}

bool takes_own_pattern(const Executor& exec, const DirectPlan& plan) { return exec.is_host() && !plan.is_symmetric; }

/// An order of minimum degree if that is asked for, with pivots of the diagonal or, of networks, of any kind.
template <class V, class I>
std::optional<PlainOrder<I>> plain_order_for(const DirectPlan& plan, CsrView<V, I> a)
{
    const bool wants_one = plan.ordering == FillOrdering::automatic || plan.ordering == FillOrdering::amd;
    return wants_one && plan.pivoting != Pivoting::partial
               ? plain_order<V, I>(a, plan.has_own_pattern && plan.pivoting == Pivoting::automatic)
               : std::nullopt;
}

template <class V, class I>
class DirectFactorsOf final : public OrderedFactors<V, I> {
    using R = real_t<V>;
    using Base = OrderedFactors<V, I>;
    using Base::plan_, Base::exec_, Base::rows_, Base::columns_, Base::row_scaling_, Base::column_scaling_,
        Base::places_, Base::new_rows_, Base::scaling_, Base::norms_, Base::workspace_, Base::solve_;

public:
    /// host: the matrix a in host memory.
    DirectFactorsOf(const Csr<V, I>& a, const Csr<V, I>& host, const DirectPlan& plan,
                    const DirectAnalysis<I>& analysis)
        : Base(a, plan, analysis.rows, analysis.columns, analysis.row_scaling, analysis.column_scaling),
          may_be_hermitian_(analysis.is_hermitian),
          across_(exec_, 0),
          values_(exec_),
          outside_(exec_)
    {
        this->pairs_ = analysis.pairs;
        this->unmatched_ = analysis.unmatched;
        const auto pattern = pattern_of(host, analysis);
        this->factor_size_ =
            detail::size_of_factors<V, I>(plan_, analysis.counts, pattern.num_nonzeros(), a.num_nonzeros());
        std::optional<HostPanels<I>> panels;
        if (exec_.is_host()) {
            panels = panels_of(exec_, plan_, pattern, analysis);
            this->factor_size_.entries = entries_on_host(plan_, pattern);
            this->factor_size_.bytes =
                bytes_on_host<V, I>(exec_, a.num_nonzeros(), pattern, *panels, may_be_hermitian_);
        }
        this->naming_what_lacks([&] {
            norms_ = Array<R>(exec_, a.size().rows);
            place_entries(host, pattern);
            make_csr(pattern, Array<V>(exec_, pattern.num_nonzeros()));
            new_rows_ = Array<I>(exec_, rows_);
            if (panels) {
                make_panels(*panels);
                factorize(a);
            } else {
                make_phases(a);
            }
        });
    }

    /// Without another numeric phase.
    DirectFactorsOf(const Csr<V, I>& a, const DirectPlan& plan, PlainFactors<V, I> factors)
        : Base(a, plan, std::move(factors.rows), std::move(factors.found.columns), std::move(factors.scalings.rows),
               std::move(factors.scalings.columns)),
          may_be_hermitian_(factors.found.is_hermitian),
          across_(exec_, 0),
          values_(exec_),
          outside_(exec_)
    {
        const auto& pattern = factors.found.pattern;
        const auto panels = panels_of(factors);
        this->factor_size_ = size_on_host(exec_, plan_, a.num_nonzeros(), factors, panels);
        this->naming_what_lacks([&] {
            new_rows_ = Array<I>(exec_, rows_);
            norms_ = Array<R>(exec_, factors.found.norms);
            places_ = Array<I>(exec_, a.num_nonzeros());
            scaling_ = Array<R>(exec_, a.num_nonzeros());
            outside_ = OutsideBlocks<I>(exec_, factors.found.outside, factors.block_ptrs);
            make_csr(pattern, Array<V>(exec_, factors.found.values));
            make_panels(panels);
        });
        this->report_.data()[0] = {};
    }

    void update_values(LinOpPtr<V> matrix) override
    {
        matrix = new_values_here(*this, std::move(matrix));
        const auto& a = csr_of<V, I>(plan_.name, *matrix, places_.size());
        if (!has_places_) {
            I* const room = reinterpret_cast<I*>(workspace_.data());
            find_places(a, factors_->row_ptrs(), factors_->col_idxs(), room, room + rows_.size());
            has_places_ = true;
        }
        if (panels_ && panels_->has_updates() && !panels_->view().updates.is_there) {
            across_.find(a.view(), reinterpret_cast<I*>(workspace_.data()));
            panels_->write_updates({workspace_.data(), workspace_.size()});
        }
        factorize(a);
        solve_->update_triangles(*factors_);
    }

    /// Hosts have both triangles of Cholesky factors, too, and copy the one that is asked for.
    LinOpPtr<V> factors() const override
    {
        return plan_.is_cholesky && panels_ ? share(Csr<V, I>(exec_, cholesky_factor(factors_->to_host())))
                                            : LinOpPtr<V>(whole_factors());
    }

    /// Operations with a pattern of its own are counted when they are asked for.
    FactorSize size_of_factors() const override
    {
        auto size = this->factor_size_;
        if (plan_.has_own_pattern) {
            size.operations = operations_of<I>(factors_->view());
        }
        return size;
    }

    std::unique_ptr<LinOp<V>> adjoint() const override
    {
        constexpr auto transposed = MatrixOperation::conjugate_transpose;
        const auto both = whole_factors();
        const auto triangle = [&](const TriangleChoice& choice) {
            return make_triangular_solve<V, I>(*both, choice, {}, nullptr);
        };
        auto m = this->make_adjoint_solve();
        if (plan_.is_cholesky && !panels_) {
            m->set_triangles(triangle({Side::lower}), triangle({Side::lower, false, transposed}));
        } else {
            m->set_triangles(triangle({Side::upper, false, transposed}), triangle({Side::lower, true, transposed}));
        }
        return m;
    }

private:
    /// Partial pivoting finds the order of the rows, and at times another one of the columns.
    HostPattern<I> pattern_of(const Csr<V, I>& host, const DirectAnalysis<I>& analysis)
    {
        const auto lower = analysis.num_lower();
        if (2 * lower > std::numeric_limits<I>::max()) {
            throw InvalidParameter("the factors' number of entries", std::to_string(2 * lower),
                                   "what the index type counts");
        }
        if (plan_.pivoting == Pivoting::partial) {
            return pivoted_pattern<V, I>(host, analysis, plan_.ordering == FillOrdering::automatic, rows_, columns_);
        }
        if (plan_.has_own_pattern) {
            return lu_pattern<I>(host.view(), analysis);
        }
        auto filled = filled_pattern(analysis.graph, analysis.parent, analysis.counts);
        return plan_.is_cholesky && !exec_.is_host() ? lower_of(filled) : std::move(filled);
    }

    /// values: those outside of blocks, too.
    void make_csr(const HostPattern<I>& pattern, Array<V> values)
    {
        values_ = std::move(values);
        auto of_factors =
            outside_.are_there() ? Array<V>::view(exec_, pattern.num_nonzeros(), values_.data()) : std::move(values_);
        factors_ = std::make_shared<Csr<V, I>>(exec_, this->size(), Array<I>(exec_, pattern.row_ptrs),
                                               Array<I>(exec_, pattern.col_idxs), std::move(of_factors));
    }

    /// Those of the whole matrix.
    std::shared_ptr<const Csr<V, I>> whole_factors() const
    {
        if (!outside_.are_there()) {
            return factors_;
        }
        const auto right = outside_.view().pattern;
        const CsrView<V, I> outside{right.rows,     right.cols,     right.num_nonzeros,
                                    right.row_ptrs, right.col_idxs, values_.data() + factors_->num_nonzeros()};
        return std::make_shared<const Csr<V, I>>(exec_, joined_factors<V, I>(factors_->to_host(), outside));
    }

    void place_entries(const Csr<V, I>& host, const HostPattern<I>& pattern)
    {
        places_ = Array<I>(host.executor(), host.num_nonzeros());
        scaling_ = Array<R>(host.executor(), host.num_nonzeros());
        std::vector<I> column_places(columns_.size()), entry_of(columns_.size());
        find_places(host, pattern.row_ptrs.data(), pattern.col_idxs.data(), column_places.data(), entry_of.data());
        has_places_ = true;
        if (!exec_.is_host()) {
            places_ = places_.clone(exec_);
            scaling_ = scaling_.clone(exec_);
        }
    }

    /// Where each entry of A goes, and its factor: all have a place where there are blocks. host: A; the last two: room
    /// for n indices each. Allocates nothing.
    void find_places(const Csr<V, I>& host, const I* row_ptrs, const I* col_idxs, I* column_places, I* entry_of)
    {
        for (std::size_t j = 0; j < columns_.size(); ++j) {
            column_places[columns_[j]] = static_cast<I>(j);
        }
        std::fill_n(entry_of, columns_.size(), I{-1});  // the last one in each column of the factors
        const auto outside = outside_.view().pattern;
        const bool has_outside = outside_.are_there();
        const I num_inside = row_ptrs[rows_.size()];
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            const I row = rows_[i], first = row_ptrs[i];
            for (I k = first; k < row_ptrs[i + 1]; ++k) {
                entry_of[col_idxs[k]] = k;
            }
            for (I k = has_outside ? outside.row_ptrs[i] : 0; has_outside && k < outside.row_ptrs[i + 1]; ++k) {
                entry_of[outside.col_idxs[k]] = num_inside + k;
            }
            for (I k = host.row_ptrs()[row]; k < host.row_ptrs()[row + 1]; ++k) {
                const I column = host.col_idxs()[k], entry = entry_of[column_places[column]];
                places_.data()[k] = entry >= first ? entry : I{-1};
                scaling_.data()[k] = static_cast<R>(row_scaling_[row] * column_scaling_[column]);
            }
        }
    }

    void make_panels(const HostPanels<I>& panels)
    {
        panels_.emplace(exec_, factors_->view(), panels.rows, panels.updates);
        across_ = EntriesAcross<I>(exec_, may_be_hermitian_ && panels_->has_updates() ? places_.size() : 0);
        workspace_ = Array<std::byte>(exec_, panels_workspace<V, I>(exec_, this->size().rows));
        solve_ = this->make_solve();
        auto view = panels_->view();
        view.outside = outside_.view();
        solve_->set_panels(view, factors_->values());
    }

    /// Of devices.
    void make_phases(const Csr<V, I>& a)
    {
        const auto n = a.size().rows;
        workspace_ = Array<std::byte>(exec_, closed_ilu_workspace_bytes<V>(n, 0));
        const auto levels = lower_levels(*factors_);
        schedule_.emplace(exec_, factors_->view(), levels);
        factorize(a);
        const TriangleChoice upper = plan_.is_cholesky
                                         ? TriangleChoice{Side::lower, false, MatrixOperation::conjugate_transpose}
                                         : TriangleChoice{Side::upper};
        solve_ = this->make_solve();
        solve_->set_triangles(make_triangular_solve<V, I>(*factors_, {Side::lower, !plan_.is_cholesky}, {}, &levels),
                              make_triangular_solve<V, I>(*factors_, upper, {}, nullptr));
    }

    /// Allocates nothing.
    void factorize(const Csr<V, I>& a)
    {
        V* const values = factors_->values();
        const auto count = static_cast<std::size_t>(factors_->num_nonzeros() + outside_.num_entries());
        exec_.state().fill_zero(values, count * sizeof(V));
        direct_load_rows<V, I>(exec_, a.view(), {new_rows_.data(), places_.data()}, scaling_.data(), values,
                               norms_.data());
        const auto limits = this->limits();
        const WorkspaceView workspace{workspace_.data(), workspace_.size()};
        if (panels_) {
            auto panels = panels_->view();
            panels.updates.is_hermitian = panels.updates.is_there && across_.are_hermitian(a.values());
            panels_factorize<V, I>(exec_, panels, limits, values, this->report_.data(), workspace);
            return;
        }
        auto pattern = schedule_->view();
        pattern.is_closed = true;
        const auto& kernel = plan_.is_cholesky ? ic_factorize<V, I> : ilu_factorize<V, I>;
        kernel(exec_, pattern, limits, values, this->report_.data(), workspace);
    }

    std::vector<I> diagonal() const { return (panels_ ? panels_->diagonal() : schedule_->diagonal).to_host(); }
    std::vector<V> values() const
    {
        return Array<V>::view(exec_, factors_->num_nonzeros(), factors_->values()).to_host();
    }

    std::vector<V> pivots() const override
    {
        const auto of_factors = values();
        std::vector<V> result;
        for (const I k : diagonal()) {
            const V pivot = of_factors[k];
            result.push_back(plan_.is_cholesky && !panels_ ? pivot * pivot : pivot);
        }
        return result;
    }
    std::vector<std::pair<V, V>> couplings_of_pairs() const override
    {
        const auto of_factors = values();
        const auto places = diagonal();
        std::vector<std::pair<V, V>> result;
        for (const I i : this->pairs_) {
            result.emplace_back(of_factors[places[i] + 1], of_factors[places[i + 1] - 1]);
        }
        return result;
    }

    bool may_be_hermitian_;               ///< new values: the first ones were, the pattern is symmetric
    EntriesAcross<I> across_;             ///< of A; only where updates may be written for both halves
    bool has_places_ = false;             ///< and scaling_: plain factors find them for the first new values
    std::shared_ptr<Csr<V, I>> factors_;  ///< of diagonal blocks
    Array<V> values_;                     ///< and of what is outside of them, where there are several
    OutsideBlocks<I> outside_;
    std::optional<FactorSchedule<I>> schedule_;  ///< or panels
    std::optional<PanelSchedule<I>> panels_;
};

/// One thread, which takes factors with few entries alone, has no use for several tasks, and finds the same bits.
template <class I>
bool takes_tasks(const Executor& exec, const HostPattern<I>& factors)
{
    constexpr size_type least_entries = 8192;
    return exec.info().num_units > 1 && factors.num_nonzeros() >= least_entries;
}

template <class V, class I>
real_t<V> rounding_of_fixed_pivots(const Csr<V, I>& a)
{
    return rounding_of_pivots<real_t<V>>(Pivoting::fixed, a.size().rows);
}

/// With the pivots of a plain order, or none where these do not do.
template <class V, class I>
std::unique_ptr<DirectFactors<V>> make_plain_factors(const Csr<V, I>& a, const LinOp<V>& matrix, DirectPlan plan,
                                                     const PlainOrder<I>& plain, double accepted)
{
    const auto& exec = a.executor();
    std::unique_ptr<DirectFactors<V>> result;
    if (auto factors = symmetric_factors<V, I>(a.view(), plain, rounding_of_fixed_pivots(a))) {
        const bool is_definite = factors->found.is_definite;
        plan.pivoting = Pivoting::fixed;
        plan.has_own_pattern = true;
        if (!takes_tasks(exec, factors->found.pattern)) {
            factors->found.tree.clear();
        }
        result = std::make_unique<DirectFactorsOf<V, I>>(a, plan, *std::move(factors));
        // Of definite matrices other pivots would do no better. [Higham02, 10.1]
        if (is_definite || (!plan.is_cholesky && reaches(*result, matrix, accepted))) {
            return result;
        }
    }
    if (plain.num_coupled_rows == 0) {
        return nullptr;
    }
    if (prefers_panels(plain)) {
        plan.pivoting = Pivoting::fixed;
        auto analysis = analyse<I>(a.view(), plain);
        auto scalings = plain_scalings<V, I>(a.view(), plain);
        analysis.row_scaling = std::move(scalings.rows);
        analysis.column_scaling = std::move(scalings.columns);
        result = std::make_unique<DirectFactorsOf<V, I>>(a, a, plan, analysis);
        if (result->report().num_bad == 0 && reaches(*result, matrix, accepted)) {
            return result;
        }
    }
    auto factors = plain_factors<V, I>(a.view(), plain, rounding_of_fixed_pivots(a));
    if (!factors) {
        return nullptr;
    }
    plan.pivoting = factors->found.has_exchanges ? Pivoting::partial : Pivoting::fixed;
    if (plan.pivoting == Pivoting::fixed && takes_tasks(exec, factors->found.pattern)) {
        factors->found.tree = elimination_tree(graph_of<I>(a.view(), plain), plain.rows, inverse_of(plain.rows));
    }
    result = std::make_unique<DirectFactorsOf<V, I>>(a, plan, *std::move(factors));
    return reaches(*result, matrix, accepted) ? std::move(result) : nullptr;
}

/// Of the plain factors of a host, if these are what is made.
template <class V, class I>
std::optional<FactorSize> predicted_plain_size(const Csr<V, I>& a, const DirectPlan& plan, const PlainOrder<I>& plain)
{
    const auto& exec = a.executor();
    auto factors = symmetric_factors<V, I>(a.view(), plain, rounding_of_fixed_pivots(a));
    if (factors && plan.is_cholesky && !factors->found.is_definite) {
        return std::nullopt;
    }
    if (factors && !takes_tasks(exec, factors->found.pattern)) {
        factors->found.tree.clear();
    }
    if (!factors && plain.num_coupled_rows > 0 && !prefers_panels(plain)) {
        factors = plain_factors<V, I>(a.view(), plain, rounding_of_fixed_pivots(a));
        if (factors && !factors->found.has_exchanges && takes_tasks(exec, factors->found.pattern)) {
            factors->found.tree = elimination_tree(graph_of<I>(a.view(), plain), plain.rows, inverse_of(plain.rows));
        }
    }
    if (!factors) {
        return std::nullopt;
    }
    auto size = size_on_host(exec, plan, a.num_nonzeros(), *factors, panels_of(*factors));
    size.operations = operations_of<I>(view_of(factors->found.pattern));
    return size;
}

/// With the fixed pivots of an analysis. host: the pattern of a.
template <class V, class I>
FactorSize predicted_size(const Csr<V, I>& a, PatternView<I> host, const DirectPlan& plan, DirectAnalysis<I> analysis)
{
    const auto& exec = a.executor();
    if (takes_supernodes(exec, plan, host, analysis)) {
        return supernodal_size<V, I>(
            exec, plan, a.num_nonzeros(), analysis,
            make_supernodes(analysis.graph, analysis.parent, analysis.counts, most_columns_for<V>(exec)));
    }
    const auto lower = analysis.num_lower();
    if (!exec.is_host()) {
        return size_of_factors<V, I>(plan, analysis.counts, plan.is_cholesky ? lower : 2 * lower - host.rows,
                                     host.num_nonzeros);
    }
    const auto pattern = plan.has_own_pattern ? lu_pattern<I>(host, analysis)
                                              : filled_pattern(analysis.graph, analysis.parent, analysis.counts);
    auto size = size_of_factors<V, I>(plan, analysis.counts, pattern.num_nonzeros(), host.num_nonzeros);
    size.entries = entries_on_host(plan, pattern);
    size.bytes = bytes_on_host<V, I>(exec, host.num_nonzeros, pattern, panels_of(exec, plan, pattern, analysis),
                                     analysis.is_hermitian);
    if (plan.has_own_pattern) {
        size.operations = operations_of<I>(view_of(pattern));
    }
    return size;
}

}  // namespace

template <class V>
std::unique_ptr<DirectFactors<V>> make_direct_factors(const DirectPlan& plan, const LinOpPtr<V>& matrix,
                                                      double accepted)
{
    square(plan.name, matrix->size());
    std::unique_ptr<DirectFactors<V>> factors;
    visit_csr(plan.name, *matrix, [&]<class I>(const Csr<V, I>& a) {
        std::optional<Csr<V, I>> copy;
        if (!a.executor().is_host()) {
            copy.emplace(a.copy(host_beside(a.executor())));
        }
        const auto& host = copy ? *copy : a;
        if (takes_dense_factors(a.executor(), plan, PatternView<I>(host.view()))) {
            factors = make_dense_factors(a, *matrix, plan, accepted);
            if (factors != nullptr) {
                return;
            }
        }
        auto chosen = plan;
        chosen.prefers_short_search = plan.pivoting != Pivoting::partial;
        chosen.has_own_pattern = takes_own_pattern(a.executor(), plan);
        auto plain = plain_order_for<V, I>(chosen, host.view());
        if (plain && a.executor().is_host()) {
            factors = make_plain_factors(a, *matrix, chosen, *plain, accepted);
            if (factors != nullptr) {
                return;
            }
            chosen.has_own_pattern &= plain->roots.empty();  // The pattern of A is that of A + A^T.
        }
        auto analysis = analyse(host, chosen, std::move(plain));
        const auto with_fixed_pivots = [&](const DirectPlan& fixed) {
            factors = nullptr;
            factors = takes_supernodes(a.executor(), fixed, PatternView<I>(host.view()), analysis)
                          ? make_supernodal_factors(a, host, fixed, analysis)
                          : std::make_unique<DirectFactorsOf<V, I>>(a, host, fixed, analysis);
        };
        if (plan.pivoting != Pivoting::partial) {
            chosen.pivoting = Pivoting::fixed;
            with_fixed_pivots(chosen);
        }
        if (plan.is_symmetric && !plan.is_cholesky && analysis.pairs.empty() && factors->report().num_bad > 0 &&
            !reaches(*factors, *matrix, accepted)) {
            auto by_sign = chosen;
            by_sign.judges_by_sign = true;
            with_fixed_pivots(by_sign);
            if (factors->report().num_bad > 0 || !reaches(*factors, *matrix, accepted)) {
                with_fixed_pivots(chosen);
            }
        }
        if (plan.pivoting == Pivoting::partial ||
            (plan.pivoting == Pivoting::automatic && !reaches(*factors, *matrix, accepted))) {
            chosen.pivoting = Pivoting::partial;
            factors = nullptr;
            if (std::exchange(chosen.prefers_short_search, false) && analysis.had_short_search) {
                analysis = analyse(host, chosen);
            }
            factors = std::make_unique<DirectFactorsOf<V, I>>(a, host, chosen, analysis);
        }
    });
    return factors;
}

template <class V>
FactorSize predicted_factor_size(const DirectPlan& plan, const LinOp<V>& matrix)
{
    square(plan.name, matrix.size());
    FactorSize size;
    visit_csr(plan.name, matrix, [&]<class I>(const Csr<V, I>& a) {
        if (takes_dense_factors(a.executor(), plan, PatternView<I>(a.view()))) {
            size = dense_size<V, I>(a.executor(), a.size().rows);
            return;
        }
        const auto host = a.copy(host_beside(a.executor()));
        auto here = plan;
        here.prefers_short_search = true;
        here.has_own_pattern = takes_own_pattern(a.executor(), plan);
        auto plain = plain_order_for<V, I>(here, host.view());
        if (plain && a.executor().is_host()) {
            if (const auto found = predicted_plain_size(a, here, *plain)) {
                size = *found;
                return;
            }
            here.has_own_pattern &= plain->roots.empty();
        }
        const bool by_panels = plain && a.executor().is_host() && prefers_panels(*plain);
        here.pivoting = Pivoting::fixed;
        auto analysis = by_panels ? analyse<I>(host.view(), *plain) : analyse(host, here, std::move(plain));
        size = predicted_size(a, PatternView<I>(host.view()), here, std::move(analysis));
    });
    return size;
}

}  // namespace linden::detail
