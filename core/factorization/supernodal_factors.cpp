#include "core/factorization/supernodal_factors.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "core/factorization/lu_pattern.hpp"
#include "core/factorization/ordered_factors.hpp"
#include "core/factorization/supernode_turns.hpp"
#include "core/matrix/new_values.hpp"

// instantiate: bool detail::takes_supernodes<I>(const Executor&, const DirectPlan&, PatternView<I>, detail::DirectAnalysis<I>&)
// instantiate: FactorSize detail::supernodal_size<V, I>(const Executor&, const DirectPlan&, size_type, const detail::DirectAnalysis<I>&, const detail::Supernodes<I>&)
// instantiate: std::unique_ptr<detail::DirectFactors<V>> detail::make_supernodal_factors<V, I>(const Csr<V, I>&, const Csr<V, I>&, const DirectPlan&, const detail::DirectAnalysis<I>&)

namespace linden::detail {
namespace {

/// Entries in a row of L + U from which supernodes pay: on hosts where they have half of the work and where not, and on
/// devices, where rows wait for each other.
constexpr size_type long_row_of_half = 30, long_row = 45, long_row_on_devices = 6;

/// Whether L and D are all that is stored.
template <class I>
bool has_half(const DirectPlan& plan, const DirectAnalysis<I>& analysis)
{
    return plan.is_symmetric && analysis.pairs.empty();
}

/// What schedules and workspaces take beside the supernodes themselves.
template <class V, class I>
size_type bytes_of_schedule(const Executor& exec, size_type n, const Supernodes<I>& s, bool has_upper)
{
    constexpr auto size = static_cast<size_type>(sizeof(V));
    if (exec.is_host()) {
        const auto threads = num_threads_of(exec);
        return supernodes_workspace_bytes<V>(n, threads) +
               size * supernodes_solve_workspace_values<V>(n, size_type(s.task_rows.size()), threads, 1);
    }
    size_type tiles = 0;
    for (size_type k = 0; k < s.count(); ++k) {
        tiles += supernode_tiles(s.rows_below(k));
    }
    return bytes_of_turns(s, has_upper ? 2 : 1) + supernodes_device_bytes(s.count(), tiles) +
           size * supernodes_solve_device_values<V>(n, tiles, 1);
}

template <class V, class I>
size_type bytes_of(const Executor& exec, size_type n, size_type num_entries, const Supernodes<I>& s, bool has_upper)
{
    using R = real_t<V>;
    const auto values = (has_upper ? 2 : 1) * s.value_ptrs.back() + 4;
    return values * static_cast<size_type>(sizeof(V)) + s.bytes() + bytes_of_schedule<V>(exec, n, s, has_upper) +
           num_entries * static_cast<size_type>(sizeof(I) + sizeof(R)) +
           n * static_cast<size_type>(3 * sizeof(I) + 3 * sizeof(R)) + static_cast<size_type>(sizeof(PivotReport)) +
           bytes_of_trial<V>(n);
}

template <class V, class I>
class SupernodalFactors final : public OrderedFactors<V, I> {
    using R = real_t<V>;
    using Base = OrderedFactors<V, I>;
    using Base::plan_, Base::exec_, Base::rows_, Base::columns_, Base::places_, Base::scaling_, Base::norms_,
        Base::workspace_, Base::solve_;

public:
    /// host: the matrix a in host memory.
    SupernodalFactors(const Csr<V, I>& a, const Csr<V, I>& host, const DirectPlan& plan,
                      const DirectAnalysis<I>& analysis)
        : Base(a, plan, analysis.rows, analysis.columns, analysis.row_scaling, analysis.column_scaling),
          supernodes_(make_supernodes(analysis.graph, analysis.parent, analysis.counts, most_columns_for<V>(exec_))),
          has_upper_(!has_half(plan, analysis)),
          values_(exec_)
    {
        this->pairs_ = analysis.pairs;
        this->unmatched_ = analysis.unmatched;
        this->factor_size_ = supernodal_size<V, I>(exec_, plan_, a.num_nonzeros(), analysis, supernodes_);
        const size_type n = a.size().rows, num_values = supernodes_.value_ptrs.back();
        if (2 * num_values > std::numeric_limits<I>::max()) {
            throw InvalidParameter("the factors' number of entries", std::to_string(2 * num_values),
                                   "what the index type counts");
        }
        this->naming_what_lacks([&] {
            values_ = Array<V>(exec_, (has_upper_ ? 2 : 1) * num_values);
            place_entries(host);
            norms_ = Array<R>(exec_, n);
            this->new_rows_ = Array<I>(exec_, rows_);
            schedule_.emplace(exec_, supernodes_, has_upper_ ? 2 : 1);
            workspace_ = Array<std::byte>(exec_, schedule_->template workspace_bytes<V>(num_threads_of(exec_)));
            solve_ = this->make_solve();
            set_supernodes(*solve_);
        });
        factorize(a);
    }

    void update_values(LinOpPtr<V> matrix) override
    {
        matrix = new_values_here(*this, std::move(matrix));
        factorize(csr_of<V, I>(plan_.name, *matrix, places_.size()));
    }

    /// A copy in the form that says what it is.
    LinOpPtr<V> factors() const override
    {
        const size_type n = this->size().rows;
        CsrData<V, I> f{this->size(), std::vector<I>(static_cast<std::size_t>(n) + 1, 0), {}, {}};
        for_each_entry([&](size_type i, size_type j, size_type) {
            ++f.row_ptrs[i + 1];
            f.row_ptrs[j + 1] += i != j && !plan_.is_cholesky ? 1 : 0;
        });
        std::partial_sum(f.row_ptrs.begin(), f.row_ptrs.end(), f.row_ptrs.begin());
        f.col_idxs.resize(static_cast<std::size_t>(f.row_ptrs.back()));
        f.values.resize(f.col_idxs.size());
        auto next = f.row_ptrs;
        const auto append = [&](size_type row, size_type col, V value) {
            const auto at = next[row]++;
            f.col_idxs[at] = static_cast<I>(col);
            f.values[at] = value;
        };
        // Column by column the entries of a row of L come in order, and before them its entries of U never do: each
        // row's first column of its own is its diagonal.
        V pivot{};
        const HostValues values(values_);
        for_each_entry([&](size_type i, size_type j, size_type entry) {
            const V value = values.lower[entry];
            pivot = i == j ? value : pivot;
            if (plan_.is_cholesky) {
                append(i, j, i == j ? V{std::sqrt(std::real(pivot))} : value * std::sqrt(std::real(pivot)));
                return;
            }
            append(i, j, value);
            if (i != j) {
                append(j, i, has_upper_ ? values.lower[upper_begin() + entry] : pivot * conj(value));
            }
        });
        return share(Csr<V, I>(exec_, f));
    }

    std::unique_ptr<LinOp<V>> adjoint() const override
    {
        auto m = this->make_adjoint_solve();
        if (!has_upper_) {  // L D L^H is its own adjoint.
            set_supernodes(*m);
            return m;
        }
        constexpr auto transposed = MatrixOperation::conjugate_transpose;
        const auto copy = factors();
        const auto& csr = csr_of<V, I>(plan_.name, *copy);
        m->set_triangles(make_triangular_solve<V, I>(csr, {Side::upper, false, transposed}, {}, nullptr),
                         make_triangular_solve<V, I>(csr, {Side::lower, true, transposed}, {}, nullptr));
        return m;
    }

private:
    /// The factors where hosts can read them: a copy of those of devices.
    struct HostValues {
        explicit HostValues(const Array<V>& values)
            : copy(values.executor().is_host() ? std::vector<V>() : values.to_host()),
              lower(copy.empty() ? values.data() : copy.data())
        {
        }
        std::vector<V> copy;
        const V* lower;
    };

    size_type upper_begin() const { return supernodes_.value_ptrs.back(); }
    const V* upper() const { return has_upper_ ? values_.data() + upper_begin() : nullptr; }
    V* upper() { return has_upper_ ? values_.data() + upper_begin() : nullptr; }

    void set_supernodes(FactorSolve<V, I>& solve) const
    {
        solve.set_supernodes(schedule_->view(), {values_.data(), upper()}, [this](size_type columns) {
            return schedule_->template solve_workspace_values<V>(num_threads_of(exec_), columns, values_.size());
        });
    }

    /// Calls each(i, j, place) for the entries of L, column by column.
    template <class Each>
    void for_each_entry(const Each& each) const
    {
        for (size_type s = 0; s < supernodes_.count(); ++s) {
            const I *const rows = supernodes_.rows.data() + supernodes_.row_ptrs[s], begin = supernodes_.first[s];
            const size_type height = supernodes_.row_ptrs[s + 1] - supernodes_.row_ptrs[s];
            for (size_type c = 0; c < supernodes_.first[s + 1] - begin; ++c) {
                for (size_type r = c; r < height; ++r) {
                    each(size_type{rows[r]}, begin + c, supernodes_.value_ptrs[s] + c * height + r);
                }
            }
        }
    }

    /// Entries of A by the supernode of the lesser of their row and column, then one after the other.
    void place_entries(const Csr<V, I>& a)
    {
        const auto row_places = inverse_of(rows_), column_places = inverse_of(columns_);
        const auto n = rows_.size();
        std::vector<I> supernode_of(n), next(static_cast<std::size_t>(supernodes_.count()) + 1, 0);
        for (size_type s = 0; s < supernodes_.count(); ++s) {
            std::fill(supernode_of.begin() + supernodes_.first[s], supernode_of.begin() + supernodes_.first[s + 1],
                      static_cast<I>(s));
        }
        struct Entry {
            I at, row, column;
        };
        std::vector<Entry> entries(static_cast<std::size_t>(a.num_nonzeros()));
        std::vector<R> scaling(entries.size());
        const auto for_each = [&](const auto& each) {
            for (std::size_t row = 0; row < n; ++row) {
                for (I k = a.row_ptrs()[row]; k < a.row_ptrs()[row + 1]; ++k) {
                    const I i = row_places[row], j = column_places[a.col_idxs()[k]];
                    each(Entry{k, i, j}, supernode_of[std::min(i, j)]);
                }
            }
        };
        for_each([&](const Entry&, I s) { ++next[s + 1]; });
        std::partial_sum(next.begin(), next.end(), next.begin());
        for_each([&](const Entry& e, I s) {
            entries[next[s]++] = e;
            scaling[e.at] =
                static_cast<R>(this->row_scaling_[rows_[e.row]] * this->column_scaling_[columns_[e.column]]);
        });
        scaling_ = Array<R>(exec_, scaling);
        places_ = Array<I>(exec_, places_by_supernodes(entries, next));
    }
    /// ends: of the entries of each supernode.
    template <class Entries>
    std::vector<I> places_by_supernodes(const Entries& entries, const std::vector<I>& ends) const
    {
        std::vector<I> place(rows_.size()), result(entries.size());
        I e = 0;
        for (size_type s = 0; s < supernodes_.count(); ++s) {
            const I first = supernodes_.row_ptrs[s], height = supernodes_.row_ptrs[s + 1] - first;
            for (I r = 0; r < height; ++r) {
                place[supernodes_.rows[first + r]] = r;
            }
            for (; e < ends[s]; ++e) {
                const auto [at, row, column] = entries[e];
                const bool is_upper = column > row;
                const size_type within = size_type{std::min(row, column) - supernodes_.first[s]} * height +
                                         place[std::max(row, column)] + supernodes_.value_ptrs[s];
                result[at] = is_upper && !has_upper_ ? I{-1} : static_cast<I>(within + (is_upper ? upper_begin() : 0));
            }
        }
        return result;
    }

    /// Allocates nothing.
    void factorize(const Csr<V, I>& a)
    {
        exec_.state().fill_zero(values_.data(), static_cast<std::size_t>(values_.size()) * sizeof(V));
        direct_load_rows<V, I>(exec_, a.view(), {this->new_rows_.data(), places_.data()}, scaling_.data(),
                               values_.data(), norms_.data());
        supernodes_factorize<V, I>(exec_, schedule_->view(), this->limits(),
                                   SupernodeFactors<V>{values_.data(), upper()}, this->report_.data(),
                                   WorkspaceView{workspace_.data(), workspace_.size()});
    }

    std::vector<V> pivots() const override
    {
        std::vector<V> result(rows_.size());
        const HostValues values(values_);
        for_each_entry([&](size_type i, size_type j, size_type entry) {
            if (i == j) {
                result[i] = values.lower[entry];
            }
        });
        return result;
    }
    std::vector<std::pair<V, V>> couplings_of_pairs() const override
    {
        std::vector<std::pair<V, V>> below(rows_.size());
        const HostValues values(values_);
        for_each_entry([&](size_type i, size_type j, size_type entry) {
            if (i == j + 1 && has_upper_) {
                below[j] = {values.lower[upper_begin() + entry], values.lower[entry]};
            }
        });
        std::vector<std::pair<V, V>> result;
        for (const I i : this->pairs_) {
            result.push_back(below[i]);
        }
        return result;
    }

    Supernodes<I> supernodes_;
    bool has_upper_;
    Array<V> values_;
    std::optional<SupernodeSchedule<I>> schedule_;
};

}  // namespace

template <class I>
bool takes_supernodes(const Executor& exec, const DirectPlan& plan, PatternView<I> a, DirectAnalysis<I>& analysis)
{
    if (plan.pivoting == Pivoting::partial || analysis.num_singletons > 0) {
        return false;
    }
    const size_type least = !exec.is_host()            ? long_row_on_devices
                            : has_half(plan, analysis) ? long_row_of_half
                                                       : long_row;
    const size_type num_entries = 2 * analysis.num_lower() - a.rows;
    return num_entries > least * a.rows && (!exec.is_host() || plan.is_symmetric ||
                                            is_almost_symmetric(a, analysis.graph) || !has_own_pattern(a, analysis));
}

template <class V, class I>
FactorSize supernodal_size(const Executor& exec, const DirectPlan& plan, size_type num_entries,
                           const DirectAnalysis<I>& analysis, const Supernodes<I>& supernodes)
{
    const auto n = static_cast<size_type>(analysis.rows.size()), lower = supernodes.num_lower();
    const bool has_upper = !has_half(plan, analysis);
    FactorSize size;
    for (const auto count : analysis.counts) {
        const auto below = static_cast<double>(count - 1);
        size.operations += has_upper ? below * (2 * below + 1) : below * (below + 2);
    }
    size.entries = plan.is_cholesky ? lower : 2 * lower - n;
    size.bytes = bytes_of<V, I>(exec, n, num_entries, supernodes, has_upper);
    return size;
}

template <class V, class I>
std::unique_ptr<DirectFactors<V>> make_supernodal_factors(const Csr<V, I>& a, const Csr<V, I>& host,
                                                          const DirectPlan& plan, const DirectAnalysis<I>& analysis)
{
    return std::make_unique<SupernodalFactors<V, I>>(a, host, plan, analysis);
}

}  // namespace linden::detail
