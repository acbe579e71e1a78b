#include "core/multi_elimination/factors.hpp"

#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/preconditioner/ilu.hpp>
#include <linden/solver/direct.hpp>

#include <algorithm>
#include <optional>
#include <string>

#include "core/base/of_member.hpp"
#include "core/colouring/stored_triangle.hpp"
#include "core/factorization/dense_inverse.hpp"
#include "core/kernels/array.hpp"
#include "core/kernels/deflation_setup.hpp"
#include "core/kernels/level_chain.hpp"
#include "core/kernels/permutation.hpp"
#include "core/kernels/sweep.hpp"
#include "core/matrix/block_cache.hpp"
#include "core/matrix/pattern_operations.hpp"
#include "core/matrix/visit_csr.hpp"
#include "core/multi_elimination/level.hpp"
#include "core/multi_elimination/pivots.hpp"

// instantiate: std::shared_ptr<detail::MultiEliminationFactors<V>> detail::make_multi_elimination(const LinOp<V>&, const EliminationPlan&, const FactoryPtr<V>&)

namespace linden::detail {
namespace {

constexpr size_type most_levels = 200;
/// Levels of so few rows have many threads for each.
constexpr size_type most_shared_rows = 32768;
/// Successive levels of so few rows are swept in one launch.
constexpr size_type most_chain_rows = 32768;
/// Fewer levels are not.
constexpr size_type least_chain_levels = 3;
/// Rows of a level have their columns all over the levels before or behind it. That neighbours in the first matrix stay
/// neighbours saves more than the padding of their slices costs.
constexpr double tolerated_padding = 0.5;
/// A level with a smaller share of pivots is not worth its kernels.
constexpr double least_share = 0.01;
/// The same where the bottom is small, and not much larger than it may be.
constexpr size_type few_rows = 4096;
constexpr double least_share_at_bottom = 0.045;

template <class I>
Array<I> iota(const Executor& exec, size_type n)
{
    Array<I> numbers(exec, n);
    array_iota<I>(exec, n, numbers.data());
    return numbers;
}

/// Names, in the first matrix, of the rows and columns of a level; one array for both where they are the same.
template <class I>
struct LevelNames {
    Array<I> rows, columns;

    EliminationNames<I> view() const { return {rows.data(), columns.data()}; }
};

/// The factors of all levels in one order of rows: level after level, then the bottom,
///     M^-1 = (I + U)^-1 B (I + L)^-1 S,
/// where S has D^-1, B the inverse of the bottom, both with ones elsewhere, and L and U are strict triangles whose rows
/// of one level are not coupled.
template <class V, class I>
class FactorsOf final : public MultiEliminationFactors<V> {
public:
    FactorsOf(const Csr<V, I>& a, const EliminationPlan& plan, const FactoryPtr<V>& bottom)
        : exec_(a.executor()),
          plan_(plan),
          size_(a.size().rows),
          matrix_nonzeros_(a.num_nonzeros()),
          memory_(exec_),
          pivot_names_(exec_),
          inverses_(exec_, size_),
          record_levels_(exec_, size_),
          record_columns_(exec_, size_),
          record_rows_(exec_, size_),
          order_(exec_),
          position_(exec_),
          scale_by_name_(exec_, size_),
          scale_(exec_, size_),
          factor_ptrs_(exec_),
          cursors_(exec_),
          between_(exec_)
    {
        eliminate(a);
        memory_.release_symbolic();
        assemble(a);
        make_bottom(a, bottom);
    }

    void apply(const Dense<V>& b, Dense<V>& x) const override
    {
        const size_type cols = b.size().cols;
        const size_type first_copy = aligned_count(size_ * cols);
        const size_type first_of_chain = first_copy + aligned_count(bottom_size() * cols);
        const size_type size = first_of_chain + chain_values_;
        typename BlockCache<V>::Lease lease(between_, size);
        auto memory = lease.block({size, 1});
        const DenseView<V> w{size_, cols, cols, memory.data()};
        const DenseView<V> copy{bottom_size(), cols, cols, memory.data() + first_copy};
        V* const chain = memory.data() + first_of_chain;
        const bool has_chain = chain_values_ > 0 && cols == 1 && b.view().is_contiguous() && x.view().is_contiguous();
        const size_type end = has_chain ? first_of_chain_ : lower_->num_parts();
        for (size_type part = 0; part < end; ++part) {
            lower_->with_part(part, [&]<class S, class J>(const ColourView<S, J>& rows) {
                sweep_forward<V, S, J>(exec_, rows, scale_.data(), b.view(), order_.data(), w, {}, nullptr);
            });
        }
        if (has_chain) {
            sweep_chain_forward(b, w, copy, chain);
        }
        solve_bottom(memory.data() + first_bottom() * cols, copy, has_chain);
        if (has_chain) {
            sweep_chain_backward(w, x, chain);
        }
        for (size_type part = end; part-- > 0;) {
            upper_->with_part(part, [&]<class S, class J>(const ColourView<S, J>& rows) {
                sweep_backward<V, S, J>(exec_, rows, w, x.view(), targets());
            });
        }
    }

    void update(const LinOp<V>& matrix) override
    {
        const auto& a = csr_of<V, I>("MultiElimination", matrix, matrix_nonzeros_);
        copy_bytes(exec_, factor_ptrs_.data(), exec_, cursors_.data(), cursors_.bytes());
        for (std::size_t l = 0; l < steps_.size(); ++l) {
            const FactorValues<V, I> factors{names_[l].rows.data(), cursors_.data(), factor_values_->data()};
            steps_[l].update(matrix_at(a, l), factors, complements_[l], memory_);
        }
        permute();
        fill_triangles();
        if (dense_ != nullptr) {
            spread_bottom(a);
            dense_->update(dense_values_.data());
        } else if (bottom_ != nullptr) {
            bottom_->update_values(bottom_matrix(a));
        }
    }

    bool is_capturable() const override { return bottom_ == nullptr || bottom_->is_capturable(); }
    size_type num_nonzeros() const override { return lower_->num_nonzeros() + upper_->num_nonzeros(); }
    size_type storage_bytes() const override
    {
        return lower_->bytes() + upper_->bytes() + static_cast<size_type>(scale_.bytes() + order_.bytes()) +
               (dense_ == nullptr ? 0 : dense_->bytes());
    }
    size_type num_bad_pivots() const override
    {
        size_type sum = dense_ == nullptr ? 0 : dense_->num_singular();
        if (const auto* const factors = dynamic_cast<const DirectSolver<V>*>(bottom_.get())) {
            sum += factors->num_replaced_pivots();
        }
        for (const auto& step : steps_) {
            const auto values = step.values().to_host();
            sum += std::count(values.begin(), values.end(), V{});
        }
        return sum;
    }

private:
    size_type first_bottom() const { return size_ - bottom_size(); }
    size_type bottom_size() const { return complements_.empty() ? size_ : complements_.back().size().rows; }
    const I* targets() const { return is_diagonal() ? order_.data() : targets_->data(); }
    bool is_diagonal() const { return plan_.pivots != EliminationPivots::off_diagonal; }
    CsrView<V, I> matrix_at(const Csr<V, I>& a, std::size_t level) const
    {
        return level == 0 ? a.view() : complements_[level - 1].view();
    }

    /// The levels, from the first to the last matrix.
    void eliminate(const Csr<V, I>& a)
    {
        this->levels.push_back({size_, a.num_nonzeros()});
        double beta = plan_.beta;
        names_.push_back(is_diagonal() ? same_names(iota<I>(exec_, size_))
                                       : LevelNames<I>{iota<I>(exec_, size_), iota<I>(exec_, size_)});
        factor_ptrs_ = Array<I>(exec_, size_ + 1);
        exec_.state().fill_zero(factor_ptrs_.data(), factor_ptrs_.bytes());
        const bool is_symmetric = plan_.pivots == EliminationPivots::degree && is_hermitian<V, I>(exec_, a.view());
        while (goes_on()) {
            const auto current = matrix_at(a, steps_.size());
            EliminationLevel<V, I> step(exec_, current.rows,
                                        choose_pivots<V, I>(exec_, current, plan_, is_symmetric, memory_),
                                        is_diagonal(), inverses_.data() + size_ - current.rows, memory_);
            const bool is_small = current.rows <= std::min(4 * plan_.bottom_rows, few_rows);
            const double share =
                std::max(steps_.empty() ? least_share : plan_.least_share, is_small ? least_share_at_bottom : 0);
            if (static_cast<double>(step.num_pivots()) <= share * static_cast<double>(current.rows)) {
                break;
            }
            const bool ends_block = this->levels.size() % static_cast<std::size_t>(plan_.block_levels) == 0;
            const DropRule rule{plan_.threshold, ends_block && !is_last(step.num_kept()), beta, plan_.omega};
            const auto& names = names_.back();
            auto next = step.eliminate(current, names.rows.data(), factor_ptrs_.data(), rule, memory_);
            const auto level = step.view();
            auto rows = named(level.kept_rows, level.num_kept, names.rows);
            names_.push_back(is_diagonal() ? same_names(std::move(rows))
                                           : LevelNames<I>{std::move(rows),
                                                           named(level.kept_columns, level.num_kept, names.columns)});
            this->levels.push_back({next.size().rows, next.num_nonzeros()});
            steps_.push_back(std::move(step));
            complements_.push_back(std::move(next));
            beta *= plan_.decay;
        }
    }

    Array<I> named(const I* numbers, size_type count, const Array<I>& names) const
    {
        Array<I> result(exec_, count);
        pattern_compose<I>(exec_, count, numbers, names.data(), result.data());
        return result;
    }

    static LevelNames<I> same_names(Array<I> rows)
    {
        auto columns = Array<I>::view(rows.executor(), rows.size(), rows.data());
        return {std::move(rows), std::move(columns)};
    }

    bool goes_on() const
    {
        const auto num_levels = static_cast<size_type>(steps_.size());
        if (plan_.depth > 0) {
            return num_levels < plan_.depth && bottom_size() > 0;
        }
        return num_levels < most_levels && !is_last(bottom_size()) && !is_dense(this->levels.back());
    }
    bool is_dense(const typename MultiElimination<V>::Level& matrix) const
    {
        const auto rows = static_cast<double>(matrix.rows);
        return static_cast<double>(matrix.nonzeros) >= plan_.bottom_density * rows * rows;
    }
    bool is_last(size_type rows) const { return plan_.depth == 0 && rows < std::max<size_type>(plan_.bottom_rows, 1); }

    /// E and F of all levels as the two triangles of one matrix, and its rows in the order of levels.
    void assemble(const Csr<V, I>& a)
    {
        record_pivots();
        const size_type nnz = make_row_ptrs(factor_ptrs_, "the factors");
        factors_.emplace(Pattern<I>{{size_, size_}, factor_ptrs_.clone(), Array<I>(exec_, nnz)});
        factor_values_.emplace(exec_, nnz);
        cursors_ = factor_ptrs_.clone();
        for (std::size_t l = 0; l < steps_.size(); ++l) {
            take_factors(a, l);
        }
        order_rows();
        name_pivots();
        fill_triangles();
    }

    /// Enters all pivots; from then on columns have the names of their pivots' rows.
    void record_pivots()
    {
        const EliminationRecord<I> record{record_levels_.data(), record_columns_.data(), record_rows_.data()};
        if (steps_.empty()) {
            array_iota<I>(exec_, size_, record.columns);
            array_iota<I>(exec_, size_, record.rows);
            exec_.state().fill_zero(record.levels, record_levels_.bytes());
        }
        for (std::size_t l = 0; l < steps_.size(); ++l) {
            const bool is_last_level = l + 1 == steps_.size();
            multi_elimination_record<I>(exec_, steps_[l].view(), names_[l].view(), static_cast<I>(l), is_last_level,
                                        record);
        }
        if (!is_diagonal()) {
            for (auto& names : names_) {
                I* const columns = names.columns.data();
                pattern_compose<I>(exec_, names.columns.size(), columns, record_rows_.data(), columns);
            }
        }
    }

    void take_factors(const Csr<V, I>& a, std::size_t l)
    {
        const auto level = steps_[l].view();
        multi_elimination_take_factors<V, I>(exec_, matrix_at(a, l), level, names_[l].view(), cursors_.data(),
                                             factors_->col_idxs.data(), factor_values_->data());
    }

    void order_rows()
    {
        Colouring<I> by_levels{record_levels_.clone(), size_, 1, static_cast<size_type>(steps_.size()) + 1, {}};
        for (const auto& step : steps_) {
            by_levels.sizes.push_back(step.num_pivots());
        }
        by_levels.sizes.push_back(bottom_size());
        ColourOrder<I> order(exec_, by_levels);
        sort_rows<I>(exec_, factors_->view(), order, tolerated_padding);
        // The bottom keeps its order, and many threads share its rows.
        const auto& names = names_.back().rows;
        copy_bytes(exec_, names.data(), exec_, order.order.data() + first_bottom(), names.bytes());
        Array<size_type> num_invalid(exec_, 1);
        permutation_invert<I>(exec_, size_, order.order.data(), order.position.data(), num_invalid.data());
        for (std::size_t l = 0; l < order.num_long.size(); ++l) {
            if (by_levels.sizes[l] <= most_shared_rows) {
                order.num_long[l] = by_levels.sizes[l];
            }
        }
        const auto nnz = factor_values_->size();
        permuted_.emplace(Pattern<I>{{size_, size_}, Array<I>(exec_, size_ + 1), Array<I>(exec_, nnz)});
        pattern_permute_count<I>(exec_, factors_->view(), order.order.data(), permuted_->row_ptrs.data());
        make_row_ptrs(permuted_->row_ptrs, "the factors");
        permuted_values_.emplace(exec_, nnz);
        position_ = std::move(order.position);
        order_ = std::move(order.order);
        if (!is_diagonal()) {
            targets_.emplace(exec_, size_);
            pattern_compose<I>(exec_, size_, order_.data(), record_columns_.data(), targets_->data());
        }
        permute();
        for (const Side side : {Side::lower, Side::upper}) {
            auto& triangle = side == Side::lower ? lower_ : upper_;
            triangle = std::make_unique<StoredTriangle<V, I>>(exec_, permuted_->view(), side, true, order.parts(), 1,
                                                              plan_.storage, ColumnStorage::wide);
        }
        find_chain();
    }

    void permute()
    {
        const auto f = factors_->view();
        multi_elimination_permute<V, I>(
            exec_, {f.rows, f.cols, f.num_nonzeros, f.row_ptrs, f.col_idxs, factor_values_->data()}, order_.data(),
            position_.data(), {permuted_->row_ptrs.data(), permuted_->col_idxs.data(), permuted_values_->data()});
    }

    /// With the rows of E and F as they were when their level eliminated them:  L = S E,  U = S F.
    void fill_triangles()
    {
        dense_fill<V>(exec_, V{1}, {size_, 1, 1, scale_by_name_.data()});
        multi_elimination_scatter<V, I>(exec_, first_bottom(), pivot_names_.data(), inverses_.data(),
                                        scale_by_name_.data());
        array_gather<V, V, I>(exec_, size_, order_.data(), scale_by_name_.data(), scale_.data(), Conjugate::no);
        const auto p = permuted_->view();
        const CsrView<V, I> both{p.rows, p.cols, p.num_nonzeros, p.row_ptrs, p.col_idxs, permuted_values_->data()};
        lower_->fill({both, scale_.data(), nullptr});
        upper_->fill({both, scale_.data(), nullptr});
    }

    /// Of all levels, one after the other.
    void name_pivots()
    {
        pivot_names_ = Array<I>(exec_, first_bottom());
        I* names = pivot_names_.data();
        for (std::size_t l = 0; l < steps_.size(); ++l) {
            const auto level = steps_[l].view();
            pattern_compose<I>(exec_, level.num_pivots(), level.pivot_rows, names_[l].rows.data(), names);
            names += level.num_pivots();
        }
    }

    void make_bottom(const Csr<V, I>& a, const FactoryPtr<V>& factory)
    {
        const size_type n = bottom_size();
        if (n == 0) {
            return;
        }
        if (factory == nullptr && n <= plan_.most_inverted) {
            dense_ = std::make_unique<DenseInverse<V>>(exec_, n, plan_.bottom_storage,
                                                       is_diagonal() ? DensePivots::diagonal : DensePivots::columns);
            dense_values_ = Array<V>(exec_, n * n);
            spread_bottom(a);
            dense_->factorize(dense_values_.data());
            return;
        }
        const auto matrix = bottom_matrix(a);
        bottom_ =
            of_member("bottom", [&] { return (factory == nullptr ? factors_of_bottom() : factory)->make(matrix); });
        if (bottom_->size() != matrix->size()) {
            throw DimensionMismatch("MultiElimination", "the matrix at the bottom", matrix->size(), "its solver",
                                    bottom_->size());
        }
    }

    /// What a bottom has that is too large for its inverse. Where pivots are not those of the diagonal it has zeros.
    FactoryPtr<V> factors_of_bottom() const
    {
        if (is_diagonal()) {
            return Ilu0<V>::factory();
        }
        return Lu<V>::factory();
    }

    /// A view of the last matrix.
    LinOpPtr<V> bottom_matrix(const Csr<V, I>& a) const
    {
        const auto last = matrix_at(a, steps_.size());
        return std::make_shared<Csr<V, I>>(csr_view_unchecked<V, I>(exec_, last.rows, last.cols, last.num_nonzeros,
                                                                    last.row_ptrs, last.col_idxs, last.values));
    }

    void spread_bottom(const Csr<V, I>& a)
    {
        const auto last = matrix_at(a, steps_.size());
        exec_.state().fill_zero(dense_values_.data(), dense_values_.bytes());
        deflation_spread<V, I>(exec_, last, last.values, dense_values_.data());
    }

    /// Late levels, and the rows of the bottom, are swept in one launch each way where the executor can.
    void find_chain()
    {
        const size_type first =
            std::max(lower_->first_of_chain(most_chain_rows), upper_->first_of_chain(most_chain_rows));
        const bool is_known = level_chain_forward<V, V, I>.available(exec_.state().backend());
        if (is_known && first + least_chain_levels <= lower_->num_parts()) {
            first_of_chain_ = first;
            chain_values_ = level_chain_workspace_bytes<V>(lower_->rows_from(first)) / sizeof(V) + 1;
        }
    }
    /// Numbers up to the next place where a workspace may begin.
    static constexpr size_type aligned_count(size_type count)
    {
        constexpr auto step = std::max<size_type>(workspace_alignment / sizeof(V), 1);
        return (count + step - 1) / step * step;
    }
    WorkspaceView chain_workspace(V* memory) const
    {
        return {reinterpret_cast<std::byte*>(memory), chain_values_ * static_cast<size_type>(sizeof(V))};
    }
    /// The bottom's rows go to `copy`, too.
    void sweep_chain_forward(const Dense<V>& b, DenseView<V> w, DenseView<V> copy, V* memory) const
    {
        lower_->with_parts_from(first_of_chain_, [&]<class S, class J>(const ColourView<S, J>& rows) {
            if constexpr (std::is_same_v<J, I>) {
                level_chain_forward<V, S, I>(exec_, rows, scale_.data(), b.view(), order_.data(), w, copy,
                                             chain_workspace(memory));
            }
        });
    }
    void sweep_chain_backward(DenseView<V> w, Dense<V>& x, V* memory) const
    {
        upper_->with_parts_from(first_of_chain_, [&]<class S, class J>(const ColourView<S, J>& rows) {
            if constexpr (std::is_same_v<J, I>) {
                level_chain_backward<V, S, I>(exec_, rows, w, x.view(), targets(), chain_workspace(memory));
            }
        });
    }

    /// w := B w for the bottom's rows, contiguous.  copy: as many, w already where `is_copied`.
    void solve_bottom(V* w, DenseView<V> copy, bool is_copied) const
    {
        const Dim size{copy.rows, copy.cols};
        if (size.rows == 0) {
            return;
        }
        const DenseView<V> rows{size.rows, size.cols, size.cols, w};
        if (!is_copied) {
            dense_copy<V>(exec_, rows, copy);
        }
        if (dense_ != nullptr) {
            dense_->apply(copy, rows);
            return;
        }
        const auto b = Dense<V>::adopt(exec_, size, size.cols, copy.values);
        auto x = Dense<V>::adopt(exec_, size, size.cols, w);
        bottom_->apply(b, x);
    }

    Executor exec_;
    EliminationPlan plan_;
    size_type size_;
    size_type matrix_nonzeros_;
    EliminationMemory<V, I> memory_;
    std::vector<EliminationLevel<V, I>> steps_;
    std::vector<Csr<V, I>> complements_;  ///< of each step
    std::vector<LevelNames<I>> names_;    ///< of the matrix of each step, and of the bottom
    Array<I> pivot_names_;
    Array<V> inverses_;  ///< of pivots, level after level
    Array<I> record_levels_, record_columns_, record_rows_;
    Array<I> order_, position_;  ///< the row at each position, and the inverse
    std::optional<Array<I>> targets_;
    Array<V> scale_by_name_, scale_;
    Array<I> factor_ptrs_, cursors_;
    std::optional<Pattern<I>> factors_, permuted_;
    std::optional<Array<V>> factor_values_, permuted_values_;
    std::unique_ptr<StoredTriangle<V, I>> lower_, upper_;
    size_type first_of_chain_ = 0, chain_values_ = 0;  ///< a part of both triangles; 0 values: there is no chain
    std::unique_ptr<DenseInverse<V>> dense_;
    Array<V> dense_values_ = Array<V>(exec_);
    std::unique_ptr<LinOp<V>> bottom_;
    mutable BlockCache<V> between_;
};

}  // namespace

template <class V>
std::shared_ptr<MultiEliminationFactors<V>> make_multi_elimination(const LinOp<V>& matrix, const EliminationPlan& plan,
                                                                   const FactoryPtr<V>& bottom)
{
    std::shared_ptr<MultiEliminationFactors<V>> factors;
    visit_csr("MultiElimination", matrix, [&]<class I>(const Csr<V, I>& a) {
        check_storage<V, I>(plan.storage);
        factors = std::make_shared<FactorsOf<V, I>>(a, plan, bottom);
    });
    return factors;
}

}  // namespace linden::detail
