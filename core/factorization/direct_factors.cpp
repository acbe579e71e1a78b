#include "core/factorization/direct_factors.hpp"

#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/factorization/closed_pattern.hpp"
#include "core/factorization/entries_across.hpp"
#include "core/factorization/factor_pattern.hpp"
#include "core/factorization/factor_solve.hpp"
#include "core/factorization/lu_pattern.hpp"
#include "core/factorization/numeric_factorization.hpp"
#include "core/factorization/ordered_graph.hpp"
#include "core/factorization/partial_pivoting.hpp"
#include "core/factorization/plain_factors.hpp"
#include "core/factorization/row_panels.hpp"
#include "core/kernels/dense.hpp"
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

/// Whether kernels of hosts factorize and solve. Their Cholesky factors have rows of L alone.
bool takes_panels(const Executor& exec, const DirectPlan& plan) { return exec.is_host() && !plan.is_cholesky; }

bool takes_own_pattern(const Executor& exec, const DirectPlan& plan)
{
    return takes_panels(exec, plan) && !plan.is_symmetric;
}

/// An order of minimum degree if that is asked for, with pivots of the diagonal or, of networks, of any kind.
template <class V, class I>
std::optional<PlainOrder<I>> plain_order_for(const DirectPlan& plan, CsrView<V, I> a)
{
    const bool wants_one = plan.ordering == FillOrdering::automatic || plan.ordering == FillOrdering::amd;
    return wants_one && plan.pivoting != Pivoting::partial
               ? plain_order<V, I>(a, plan.has_own_pattern && plan.pivoting == Pivoting::automatic)
               : std::nullopt;
}

/// The limit of pivots in multiples of their row's norm.
template <class R>
R least_pivot(Pivoting pivoting)
{
    constexpr R eps = std::numeric_limits<R>::epsilon();
    return pivoting == Pivoting::partial ? eps : std::sqrt(eps);
}

template <class V, class I>
class DirectFactorsOf final : public DirectFactors<V> {
    using R = real_t<V>;
    using Base = DirectFactors<V>;
    using Base::plan_;

public:
    /// host: the matrix a in host memory.
    DirectFactorsOf(const Csr<V, I>& a, const Csr<V, I>& host, const DirectPlan& plan,
                    const DirectAnalysis<I>& analysis)
        : Base(a.executor(), a.size(), plan),
          exec_(a.executor()),
          pairs_(analysis.pairs),
          rows_(analysis.rows),
          columns_(analysis.columns),
          row_scaling_(analysis.row_scaling),
          column_scaling_(analysis.column_scaling),
          may_be_hermitian_(analysis.is_hermitian),
          places_(exec_),
          across_(exec_, 0),
          new_rows_(exec_),
          scaling_(exec_),
          norms_(exec_, a.size().rows),
          workspace_(exec_)
    {
        this->unmatched_ = analysis.unmatched;
        const auto pattern = pattern_of(host, analysis);
        const bool copies = !takes_panels(exec_, plan_);
        this->factor_size_ = detail::size_of_factors<V, I>(plan_, analysis.counts, pattern.num_nonzeros(), copies);
        place_entries(host, pattern);
        naming_what_lacks([&] {
            factors_ =
                std::make_shared<Csr<V, I>>(exec_, a.size(), Array<I>(exec_, pattern.row_ptrs),
                                            Array<I>(exec_, pattern.col_idxs), Array<V>(exec_, pattern.num_nonzeros()));
            new_rows_ = Array<I>(exec_, rows_);
            make_phases(a, pattern, analysis);
        });
    }

    /// Without another numeric phase.
    DirectFactorsOf(const Csr<V, I>& a, const DirectPlan& plan, PlainFactors<V, I> factors)
        : Base(a.executor(), a.size(), plan),
          exec_(a.executor()),
          rows_(std::move(factors.rows)),
          columns_(std::move(factors.found.columns)),
          row_scaling_(std::move(factors.scalings.rows)),
          column_scaling_(std::move(factors.scalings.columns)),
          may_be_hermitian_(factors.found.is_hermitian),
          places_(exec_),
          across_(exec_, 0),
          new_rows_(exec_, rows_),
          scaling_(exec_),
          norms_(exec_, factors.found.norms),
          workspace_(exec_)
    {
        const auto& pattern = factors.found.pattern;
        this->factor_size_ = detail::size_of_factors<V, I>(plan_, std::vector<size_type>(rows_.size(), 1),
                                                           pattern.num_nonzeros(), false);
        naming_what_lacks([&] {
            places_ = Array<I>(exec_, a.num_nonzeros());
            scaling_ = Array<R>(exec_, a.num_nonzeros());
            factors_ =
                std::make_shared<Csr<V, I>>(exec_, a.size(), Array<I>(exec_, pattern.row_ptrs),
                                            Array<I>(exec_, pattern.col_idxs), Array<V>(exec_, factors.found.values));
            make_panels(pattern, factors.found.tree,
                        !UpdateList<I>::has_all(pattern.rows(), pattern.num_nonzeros(), factors.found.num_updates,
                                                most_updates_per_entry));
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

    LinOpPtr<V> factors() const override { return factors_; }

    /// Operations with a pattern of its own are counted when they are asked for.
    FactorSize size_of_factors() const override
    {
        auto size = this->factor_size_;
        if (plan_.has_own_pattern) {
            size.operations = operations_of<I>(factors_->view());
        }
        return size;
    }

    /// Devices have faster products than kernels that go through rows one after the other.
    void find_residual(const LinOp<V>& matrix, const Dense<V>& b, const Dense<V>& x, Dense<V>& r,
                       R* ratios) const override
    {
        const auto& a = csr_of<V, I>(plan_.name, matrix);
        const bool has_residual = !exec_.is_host();
        if (has_residual) {
            matrix.apply(x, r);
            dense_axpby<V>(exec_, V{1}, b.view(), V{-1}, r.view());
        }
        direct_error_ratios<V, I>(exec_, a.view(), b.view(), x.view(), r.view(), has_residual, ratios);
    }

    std::optional<PivotPlace> first_replaced() const override
    {
        const auto found = this->report();
        return found.num_bad == 0
                   ? std::nullopt
                   : std::optional(PivotPlace{size_type{rows_[found.first_row]}, size_type{columns_[found.first_row]}});
    }

    LogDeterminant<V> log_determinant() const override
    {
        LogDeterminant<V> result{0, V{R(is_odd(rows_) != is_odd(columns_) ? -1 : 1)}};
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            result.log_magnitude -= std::log(row_scaling_[i]) + std::log(column_scaling_[i]);
        }
        for (const V pivot : pivots()) {
            const R size = std::abs(pivot);
            result.log_magnitude += (plan_.is_cholesky ? 2 : 1) * std::log(static_cast<double>(size));
            result.argument *= plan_.is_cholesky ? V{1} : pivot / size;
        }
        return result;
    }

    Inertia inertia() const override
    {
        const auto signs = pivot_signs();
        Inertia result;
        for (const int sign : signs) {
            ++(sign > 0 ? result.positive : sign < 0 ? result.negative : result.zero);
        }
        return result;
    }

    std::unique_ptr<LinOp<V>> adjoint() const override
    {
        constexpr auto transposed = MatrixOperation::conjugate_transpose;
        const auto triangle = [&](const TriangleChoice& choice) {
            return make_triangular_solve<V, I>(*factors_, choice, {}, nullptr);
        };
        auto m = std::make_unique<FactorSolve<V, I>>(exec_, this->size().rows, order_of(columns_, column_scaling_),
                                                     places_of(rows_, row_scaling_));
        if (plan_.is_cholesky) {
            m->set_triangles(triangle({Side::lower}), triangle({Side::lower, false, transposed}));
        } else {
            m->set_triangles(triangle({Side::upper, false, transposed}), triangle({Side::lower, true, transposed}));
        }
        return m;
    }

    double norm1(const LinOp<V>& matrix) const override
    {
        const auto a = csr_of<V, I>(plan_.name, matrix).to_host();
        std::vector<double> sums(static_cast<std::size_t>(a.size.cols), 0);
        for (std::size_t k = 0; k < a.values.size(); ++k) {
            sums[a.col_idxs[k]] += std::abs(a.values[k]);
        }
        return sums.empty() ? 0 : *std::max_element(sums.begin(), sums.end());
    }

protected:
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override { solve_->apply(b, x); }

private:
    template <class Make>
    void naming_what_lacks(const Make& make) const
    {
        try {
            make();
        } catch (const OutOfMemory& e) {
            throw OutOfMemory(static_cast<std::uint64_t>(this->factor_size_.bytes),
                              e.executor + " for the factors of " + std::string(plan_.name) + ", of " +
                                  std::to_string(this->factor_size_.entries) + " entries");
        }
    }

    R limit() const { return least_pivot<R>(plan_.pivoting); }

    /// Partial pivoting finds the order of the rows, too.
    HostPattern<I> pattern_of(const Csr<V, I>& host, const DirectAnalysis<I>& analysis)
    {
        const auto lower = analysis.num_lower();
        if (2 * lower > std::numeric_limits<I>::max()) {
            throw InvalidParameter("the factors' number of entries", std::to_string(2 * lower),
                                   "what the index type counts");
        }
        if (plan_.pivoting == Pivoting::partial) {
            return pivoted_pattern<V, I>(host, analysis, rows_);
        }
        if (plan_.has_own_pattern) {
            return lu_pattern<I>(host.view(), analysis);
        }
        auto filled = filled_pattern(analysis.graph, analysis.parent, analysis.counts);
        return plan_.is_cholesky ? lower_of(filled) : std::move(filled);
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

    /// Where each entry of A goes, and its factor. host: A; the last two: room for n indices each. Allocates nothing.
    void find_places(const Csr<V, I>& host, const I* row_ptrs, const I* col_idxs, I* column_places, I* entry_of)
    {
        for (std::size_t j = 0; j < columns_.size(); ++j) {
            column_places[columns_[j]] = static_cast<I>(j);
        }
        std::fill_n(entry_of, columns_.size(), I{-1});  // the last one in each column of the factors
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            const I row = rows_[i], first = row_ptrs[i];
            for (I k = first; k < row_ptrs[i + 1]; ++k) {
                entry_of[col_idxs[k]] = k;
            }
            for (I k = host.row_ptrs()[row]; k < host.row_ptrs()[row + 1]; ++k) {
                const I column = host.col_idxs()[k], entry = entry_of[column_places[column]];
                places_.data()[k] = entry >= first ? entry : I{-1};
                scaling_.data()[k] = static_cast<R>(row_scaling_[row] * column_scaling_[column]);
            }
        }
    }

    /// x(i) := scaling[order[i]] b(order[i]).
    ScaledOrder<V, I> order_of(const std::vector<I>& order, const std::vector<double>& scaling) const
    {
        std::vector<R> factors;
        factors.reserve(order.size());
        for (const I i : order) {
            factors.push_back(static_cast<R>(scaling[i]));
        }
        return {Array<I>(exec_, order), Array<R>(exec_, factors)};
    }
    /// x(order[i]) := scaling[order[i]] b(i).
    ScaledOrder<V, I> places_of(const std::vector<I>& order, const std::vector<double>& scaling) const
    {
        return {Array<I>(exec_, inverse_of(order)), Array<R>(exec_, std::vector<R>(scaling.begin(), scaling.end()))};
    }

    /// All that hosts need besides the values. has_steps: as for make_row_panels.
    void make_panels(const HostPattern<I>& pattern, const std::vector<I>& tree, bool has_steps = true)
    {
        const auto n = pattern.rows();
        const auto threads = std::max<size_type>(exec_.info().num_units, 1);
        panels_.emplace(exec_, factors_->view(), make_row_panels(pattern, tree, has_steps));
        across_ = EntriesAcross<I>(exec_, may_be_hermitian_ && panels_->has_updates() ? places_.size() : 0);
        workspace_ =
            Array<std::byte>(exec_, std::max(panels_workspace_bytes<V>(n, threads), UpdateList<I>::workspace_bytes(n)));
        solve_ = std::make_unique<FactorSolve<V, I>>(exec_, n, order_of(rows_, row_scaling_),
                                                     places_of(columns_, column_scaling_));
        solve_->set_panels(panels_->view(), factors_->values());
    }

    void make_phases(const Csr<V, I>& a, const HostPattern<I>& pattern, const DirectAnalysis<I>& analysis)
    {
        const auto n = a.size().rows;
        const auto threads = exec_.is_host() ? std::max<size_type>(exec_.info().num_units, 1) : 0;
        if (takes_panels(exec_, plan_)) {
            // One thread has no use for several tasks, and finds the same bits.
            const bool has_tasks = plan_.pivoting == Pivoting::fixed && threads > 1;
            make_panels(pattern, has_tasks ? analysis.tree() : std::vector<I>{});
            factorize(a);
            return;
        }
        workspace_ = Array<std::byte>(exec_, closed_ilu_workspace_bytes<V>(n, threads));
        const auto levels = lower_levels(*factors_);
        schedule_.emplace(exec_, factors_->view(), levels);
        factorize(a);
        const TriangleChoice upper = plan_.is_cholesky
                                         ? TriangleChoice{Side::lower, false, MatrixOperation::conjugate_transpose}
                                         : TriangleChoice{Side::upper};
        solve_ = std::make_unique<FactorSolve<V, I>>(exec_, n, order_of(rows_, row_scaling_),
                                                     places_of(columns_, column_scaling_));
        solve_->set_triangles(make_triangular_solve<V, I>(*factors_, {Side::lower, !plan_.is_cholesky}, {}, &levels),
                              make_triangular_solve<V, I>(*factors_, upper, {}, nullptr));
    }

    /// Allocates nothing.
    void factorize(const Csr<V, I>& a)
    {
        V* const values = factors_->values();
        exec_.state().fill_zero(values, static_cast<std::size_t>(factors_->num_nonzeros()) * sizeof(V));
        direct_load_rows<V, I>(exec_, a.view(), {new_rows_.data(), places_.data()}, scaling_.data(), values,
                               norms_.data());
        // Small pivots of definite matrices are right; what is not positive gets one that lets no entry grow.
        const PivotLimits<R> limits =
            plan_.is_cholesky ? PivotLimits<R>{norms_.data()} : PivotLimits<R>{norms_.data(), limit(), limit(), true};
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

    std::vector<V> pivots() const
    {
        const auto values = Array<V>::view(exec_, factors_->num_nonzeros(), factors_->values()).to_host();
        std::vector<V> result;
        for (const I k : (panels_ ? panels_->diagonal() : schedule_->diagonal).to_host()) {
            result.push_back(values[k]);
        }
        return result;
    }

    /// Of the eigenvalues of each pivot, 0 for replaced ones. Those of a 2 x 2 pivot S = [s11 s12; s21 s22] are found
    /// in the factors of [s21 s22; s11 s12]: det S = -u11 u22, s11 = l21 u11, s22 = u12.
    std::vector<int> pivot_signs() const
    {
        const auto values = Array<V>::view(exec_, factors_->num_nonzeros(), factors_->values()).to_host();
        const auto diagonal = (panels_ ? panels_->diagonal() : schedule_->diagonal).to_host();
        const auto norms = norms_.to_host();
        const bool has_replaced = this->report().num_bad > 0;
        const auto least = limit() * (1 + 4 * std::numeric_limits<R>::epsilon());
        const auto is_replaced = [&](I i) {
            return has_replaced && !(std::abs(values[diagonal[i]]) > least * (norms[i] > 0 ? norms[i] : R{1}));
        };
        const auto sign_of = [](R x) { return x > 0 ? 1 : -1; };
        std::vector<int> signs(diagonal.size());
        for (std::size_t i = 0; i < signs.size(); ++i) {
            signs[i] = is_replaced(static_cast<I>(i)) ? 0 : sign_of(std::real(values[diagonal[i]]));
        }
        for (const I i : pairs_) {
            const V u11 = values[diagonal[i]], u12 = values[diagonal[i] + 1], l21 = values[diagonal[i + 1] - 1];
            const int of_trace = sign_of(std::real(l21 * u11) + std::real(u12));
            const bool differ = std::real(u11 * values[diagonal[i + 1]]) > 0;
            const int other = is_replaced(i) || is_replaced(i + 1) ? 0 : differ ? -of_trace : of_trace;
            signs[i] = is_replaced(i) && is_replaced(i + 1) ? 0 : of_trace;
            signs[i + 1] = other;
        }
        return signs;
    }

    Executor exec_;
    std::vector<I> pairs_;                              ///< rows of the factors that begin a 2 x 2 pivot
    std::vector<I> rows_, columns_;                     ///< row i and column j of the factors are those of A
    std::vector<double> row_scaling_, column_scaling_;  ///< of A's rows and columns
    bool may_be_hermitian_;                             ///< new values: the first ones were, the pattern is symmetric
    Array<I> places_;
    EntriesAcross<I> across_;  ///< of A; only where updates may be written for both halves
    Array<I> new_rows_;
    Array<R> scaling_, norms_;
    Array<std::byte> workspace_;
    bool has_places_ = false;  ///< and scaling_: plain factors find them for the first new values
    std::shared_ptr<Csr<V, I>> factors_;
    std::optional<FactorSchedule<I>> schedule_;  ///< or panels
    std::optional<PanelSchedule<I>> panels_;
    std::unique_ptr<FactorSolve<V, I>> solve_;
};

/// Whether refinement of A x = A 1 reaches this componentwise backward error.
template <class V>
bool reaches(const DirectFactors<V>& m, const LinOp<V>& a, double accepted)
{
    constexpr int max_steps = 6;
    const auto& exec = a.executor();
    const Dim size{a.size().rows, 1};
    Dense<V> b(exec, size), x(exec, size), r(exec, size), z(exec, size);
    Array<real_t<V>> ratios(exec, size.rows), maxima(exec, num_error_parts);
    z.fill(V{1});
    a.apply(z, b);
    x.fill(V{});
    dense_copy<V>(exec, b.view(), r.view());
    for (int step = 0; step < max_steps; ++step) {
        m.apply(r, z);
        dense_axpby<V>(exec, V{1}, std::as_const(z).view(), V{1}, x.view());  // x := x + M^-1 r
        m.find_residual(a, b, x, r, ratios.data());                           // r := b - A x
        direct_error_maxima<real_t<V>>(exec, size.rows, 1, ratios.data(), maxima.data());
        const auto found = maxima.to_host();
        if (std::all_of(found.begin(), found.end(), [&](real_t<V> error) { return error <= accepted; })) {
            return true;
        }
    }
    return false;
}

/// With the pivots of a plain order, or none where these do not do.
template <class V, class I>
std::unique_ptr<DirectFactors<V>> make_plain_factors(const Csr<V, I>& a, const LinOp<V>& matrix, DirectPlan plan,
                                                     const PlainOrder<I>& plain, double accepted)
{
    const bool has_threads = a.executor().info().num_units > 1;
    std::unique_ptr<DirectFactors<V>> result;
    if (auto factors = symmetric_factors<V, I>(a.view(), plain, least_pivot<real_t<V>>(Pivoting::fixed))) {
        const bool is_definite = factors->found.is_definite;
        plan.pivoting = Pivoting::fixed;
        plan.has_own_pattern = true;
        if (!has_threads) {
            factors->found.tree.clear();  // One thread has no use for several tasks, and finds the same bits.
        }
        result = std::make_unique<DirectFactorsOf<V, I>>(a, plan, *std::move(factors));
        // Of definite matrices other pivots would do no better. [Higham02, 10.1]
        if (is_definite || reaches(*result, matrix, accepted)) {
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
    auto factors = plain_factors<V, I>(a.view(), plain, least_pivot<real_t<V>>(Pivoting::fixed));
    if (!factors) {
        return nullptr;
    }
    plan.pivoting = factors->found.has_exchanges ? Pivoting::partial : Pivoting::fixed;
    if (plan.pivoting == Pivoting::fixed && has_threads) {
        factors->found.tree = elimination_tree(graph_of<I>(a.view(), plain), plain.rows, inverse_of(plain.rows));
    }
    result = std::make_unique<DirectFactorsOf<V, I>>(a, plan, *std::move(factors));
    return reaches(*result, matrix, accepted) ? std::move(result) : nullptr;
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
        auto chosen = plan;
        chosen.has_own_pattern = takes_own_pattern(a.executor(), plan);
        auto plain = plain_order_for<V, I>(chosen, host.view());
        if (plain && takes_panels(a.executor(), plan)) {
            factors = make_plain_factors(a, *matrix, chosen, *plain, accepted);
            if (factors != nullptr) {
                return;
            }
            chosen.has_own_pattern &= plain->roots.empty();  // The pattern of A is that of A + A^T.
        }
        const auto analysis = analyse(host, chosen, std::move(plain));
        if (plan.pivoting != Pivoting::partial) {
            chosen.pivoting = Pivoting::fixed;
            factors = std::make_unique<DirectFactorsOf<V, I>>(a, host, chosen, analysis);
        }
        if (plan.pivoting == Pivoting::partial ||
            (plan.pivoting == Pivoting::automatic && !reaches(*factors, *matrix, accepted))) {
            chosen.pivoting = Pivoting::partial;
            factors = nullptr;
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
        const auto host = a.copy(host_beside(a.executor()));
        auto here = plan;
        here.has_own_pattern = takes_own_pattern(a.executor(), plan);
        auto plain = plain_order_for<V, I>(here, host.view());
        const bool by_panels = plain && prefers_panels(*plain);
        if (const auto factors = plain && !by_panels
                                     ? plain_factors<V, I>(host.view(), *plain, least_pivot<real_t<V>>(Pivoting::fixed))
                                     : std::nullopt) {
            const auto& pattern = factors->found.pattern;
            size = size_of_factors<V, I>(plan, std::vector<size_type>(factors->rows.size(), 1), pattern.num_nonzeros(),
                                         false);
            size.operations = operations_of<I>(view_of(pattern));
            return;
        }
        const auto analysis = by_panels ? analyse<I>(host.view(), *plain) : analyse(host, here, std::move(plain));
        const auto lower = analysis.num_lower();
        const bool copies = !takes_panels(a.executor(), plan);
        if (here.has_own_pattern) {
            const auto pattern = lu_pattern<I>(host.view(), analysis);
            size = size_of_factors<V, I>(plan, analysis.counts, pattern.num_nonzeros(), copies);
            size.operations = operations_of<I>(view_of(pattern));
            return;
        }
        size =
            size_of_factors<V, I>(plan, analysis.counts, plan.is_cholesky ? lower : 2 * lower - a.size().rows, copies);
    });
    return size;
}

}  // namespace linden::detail
