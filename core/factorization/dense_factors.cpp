#include "core/factorization/dense_factors.hpp"

#include <algorithm>
#include <numeric>

#include "core/factorization/ordered_factors.hpp"
#include "core/factorization/plain_factors.hpp"
#include "core/factorization/trial_solve.hpp"
#include "core/kernels/dense_lu.hpp"
#include "core/matrix/new_values.hpp"
#include "core/matrix/range.hpp"

// instantiate: bool detail::takes_dense_factors<I>(const Executor&, const DirectPlan&, PatternView<I>)
// instantiate: FactorSize detail::dense_size<V, I>(const Executor&, size_type)
// instantiate: std::unique_ptr<detail::DirectFactors<V>> detail::make_dense_factors<V, I>(const Csr<V, I>&, const LinOp<V>&, detail::DirectPlan, double)

namespace linden::detail {
namespace {

/// Entries of a matrix from which it is factorized as a dense one, as a share of all. Triangles and Hessenberg
/// matrices, which have few operations, have half of them.
constexpr double dense_share = 0.55;

/// Columns begin in different sets of the first cache.
template <class V>
constexpr size_type stride_of(size_type n)
{
    constexpr size_type line = 64 / sizeof(V);
    const size_type lines = (n + line - 1) / line;
    return (lines + 1 - lines % 2) * line;
}

/// Rows, and then columns, get entries whose largest is in [1, 2).
template <class V, class I>
Scalings equilibration(CsrView<V, I> a)
{
    const auto n = static_cast<std::size_t>(a.rows);
    Scalings scalings{std::vector<double>(n), std::vector<double>(n, 0.0)};
    auto& largest = scalings.columns;
    for (std::size_t i = 0; i < n; ++i) {
        real_t<V> most{};
        for (I k = a.row_ptrs[i]; k < a.row_ptrs[i + 1]; ++k) {
            most = std::max(most, magnitude(a.values[k]));
        }
        scalings.rows[i] = scale_to_one(most);
        for (I k = a.row_ptrs[i]; k < a.row_ptrs[i + 1]; ++k) {
            double& of_column = largest[a.col_idxs[k]];
            of_column = std::max(of_column, scalings.rows[i] * magnitude(a.values[k]));
        }
    }
    std::transform(largest.begin(), largest.end(), largest.begin(), scale_to_one<double>);
    return scalings;
}

template <class V, class I>
class DenseFactors final : public OrderedFactors<V, I> {
    using R = real_t<V>;
    using Base = OrderedFactors<V, I>;
    using Base::plan_, Base::exec_, Base::rows_, Base::columns_, Base::norms_, Base::workspace_, Base::solve_;

public:
    DenseFactors(const Csr<V, I>& a, const DirectPlan& plan, Scalings scalings)
        : Base(a, plan, natural(a.size().rows), natural(a.size().rows), std::move(scalings.rows),
               std::move(scalings.columns)),
          values_(exec_),
          row_factors_(exec_),
          column_factors_(exec_)
    {
        const size_type n = a.size().rows;
        this->factor_size_ = dense_size<V, I>(exec_, n);
        this->naming_what_lacks([&] {
            values_ = Array<V>(exec_, n * stride_of<V>(n));
            norms_ = Array<R>(exec_, n);
            row_factors_ = Array<R>(exec_, std::vector<R>(this->row_scaling_.begin(), this->row_scaling_.end()));
            column_factors_ =
                Array<R>(exec_, std::vector<R>(this->column_scaling_.begin(), this->column_scaling_.end()));
            this->new_rows_ = Array<I>(exec_, n);
            workspace_ = Array<std::byte>(exec_, dense_lu_workspace_bytes<V>(n, num_threads_of(exec_)));
            solve_ = this->make_solve();
            solve_->set_dense({n, stride_of<V>(n), values_.data()});
        });
        factorize(a);
    }

    void update_values(LinOpPtr<V> matrix) override
    {
        matrix = new_values_here(*this, std::move(matrix));
        factorize(csr_of<V, I>(plan_.name, *matrix));
    }

    /// A copy in the form that says what it is.
    LinOpPtr<V> factors() const override
    {
        const size_type n = this->size().rows;
        CsrData<V, I> f{this->size(), {0}, {}, {}};
        for (size_type i = 0; i < n; ++i) {
            for (size_type j = 0; j < n; ++j) {
                f.col_idxs.push_back(static_cast<I>(j));
                f.values.push_back(entry(i, j));
            }
            f.row_ptrs.push_back(static_cast<I>(f.values.size()));
        }
        return share(Csr<V, I>(exec_, f));
    }

    std::unique_ptr<LinOp<V>> adjoint() const override
    {
        constexpr auto transposed = MatrixOperation::conjugate_transpose;
        const auto copy = factors();
        const auto& csr = csr_of<V, I>(plan_.name, *copy);
        auto m = this->make_adjoint_solve();
        m->set_triangles(make_triangular_solve<V, I>(csr, {Side::upper, false, transposed}, {}, nullptr),
                         make_triangular_solve<V, I>(csr, {Side::lower, true, transposed}, {}, nullptr));
        return m;
    }

    bool may_hide_singularity() const override { return false; }

private:
    static std::vector<I> natural(size_type n)
    {
        std::vector<I> order(static_cast<std::size_t>(n));
        std::iota(order.begin(), order.end(), I{0});
        return order;
    }

    V entry(size_type i, size_type j) const { return values_.data()[i + j * stride_of<V>(this->size().rows)]; }

    /// Those of fixed pivots: smaller ones are rounding errors of a singular matrix.
    PivotLimits<R> limits() const
    {
        constexpr auto fixed = Pivoting::fixed;
        return {.norms = norms_.data(),
                .least = rounding_of_pivots<R>(fixed, this->size().rows),
                .stand_in = pivot_stand_in<R>(fixed),
                .keeps_sign = true};
    }

    /// Allocates nothing.
    void factorize(const Csr<V, I>& a)
    {
        const size_type n = a.size().rows;
        const DenseLu<V> f{n, stride_of<V>(n), values_.data()};
        dense_lu_load<V, I>(exec_, a.view(), row_factors_.data(), column_factors_.data(), f, norms_.data());
        I* const rows = this->new_rows_.data();
        dense_lu_factorize<V, I>(exec_, f, limits(), rows, this->report_.data(),
                                 WorkspaceView{workspace_.data(), workspace_.size()});
        std::copy_n(rows, n, rows_.begin());
        solve_->set_order_in(rows, row_factors_.data());
    }

    std::vector<V> pivots() const override
    {
        std::vector<V> result;
        for (size_type i = 0; i < this->size().rows; ++i) {
            result.push_back(entry(i, i));
        }
        return result;
    }
    std::vector<std::pair<V, V>> couplings_of_pairs() const override { return {}; }

    Array<V> values_;
    Array<R> row_factors_, column_factors_;  ///< the scalings
};

}  // namespace

template <class I>
bool takes_dense_factors(const Executor& exec, const DirectPlan& plan, PatternView<I> a)
{
    return exec.is_host() && !plan.is_symmetric && plan.pivoting != Pivoting::fixed &&
           plan.ordering == FillOrdering::automatic && plan.matching == PivotMatching::maximum &&
           static_cast<double>(a.num_nonzeros) >=
               dense_share * static_cast<double>(a.rows) * static_cast<double>(a.rows);
}

template <class V, class I>
FactorSize dense_size(const Executor& exec, size_type n)
{
    using R = real_t<V>;
    FactorSize size;
    size.entries = n * n;
    for (size_type below = 0; below < n; ++below) {
        size.operations += static_cast<double>(below) * static_cast<double>(2 * below + 1);
    }
    size.bytes = (n * stride_of<V>(n) + n + 4) * static_cast<size_type>(sizeof(V)) +
                 n * static_cast<size_type>(3 * sizeof(I) + 5 * sizeof(R)) +
                 dense_lu_workspace_bytes<V>(n, num_threads_of(exec)) + static_cast<size_type>(sizeof(PivotReport)) +
                 bytes_of_trial<V>(n);
    return size;
}

template <class V, class I>
std::unique_ptr<DirectFactors<V>> make_dense_factors(const Csr<V, I>& a, const LinOp<V>& matrix, DirectPlan plan,
                                                     double accepted)
{
    const bool is_tried = plan.pivoting == Pivoting::automatic;
    plan.pivoting = Pivoting::partial;
    auto result = std::make_unique<DenseFactors<V, I>>(a, plan, equilibration(a.view()));
    const bool is_good = result->report().num_bad == 0 && (!is_tried || reaches(*result, matrix, accepted));
    return is_good ? std::move(result) : nullptr;
}

}  // namespace linden::detail
