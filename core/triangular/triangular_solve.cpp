#include "core/triangular/triangular_solve.hpp"

#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/preconditioner/block_jacobi.hpp>
#include <linden/preconditioner/jacobi.hpp>

#include <functional>

#include "core/kernels/array.hpp"
#include "core/kernels/ilu.hpp"
#include "core/kernels/isai.hpp"
#include "core/kernels/jacobi.hpp"
#include "core/matrix/block_cache.hpp"
#include "core/matrix/pattern_operations.hpp"
#include "core/matrix/visit_csr.hpp"
#include "core/triangular/isai_solve.hpp"
#include "core/triangular/level_pattern.hpp"
#include "core/triangular/solve_states.hpp"
#include "core/triangular/sweeps.hpp"
#include "core/triangular/vendor_solve.hpp"

// instantiate: std::unique_ptr<detail::TriangularSolve<V>> detail::make_triangular_solve<V, I>(const Csr<V, I>&, const TriangleChoice&, const TriangularOptions&, const RowLevels<I>*)

namespace linden::detail {
namespace {

/// Calls `f.operator()<S>()` with the type that values of V are stored in.
template <class V, class F>
void with_storage_type(StoragePrecision storage, F&& f)
{
    if (storage == StoragePrecision::same) {
        f.template operator()<V>();
    } else if (storage == StoragePrecision::single) {
        f.template operator()<single_precision_t<V>>();
    } else if constexpr (!is_complex<V>) {
        f.template operator()<half>();
    } else {
        throw InvalidParameter("storage", "half", "same or single for complex values");
    }
}

/// Maximum number of values of a segment on a device.
template <class V>
size_type max_slots_on(const Executor& exec)
{
    constexpr size_type bytes_on_cuda = 200 * 1024, bytes_elsewhere = 60 * 1024;
    const size_type bytes = exec.backend() == Backend::cuda ? bytes_on_cuda : bytes_elsewhere;
    return bytes / static_cast<size_type>(sizeof(V)) - 1;
}

/// By forward or backward substitution; StoredSolve has the values off the diagonal and the solve.
template <class V, class I>
class ExactSolve : public TriangularSolve<V> {
public:
    bool is_capturable() const override { return true; }
    TriangularAlgorithm algorithm() const override { return algorithm_; }
    size_type num_levels() const override { return pattern_.num_levels; }
    size_type num_zero_diagonals() const override { return num_zeros_.to_host().front(); }

protected:
    ExactSolve(const Csr<V, I>& matrix, const TriangleChoice& choice, const TriangularOptions& options,
               const RowLevels<I>* known)
        : exec_(matrix.executor()),
          choice_(choice),
          matrix_nonzeros_(matrix.num_nonzeros()),
          algorithm_(options.algorithm),
          pattern_(make_level_pattern<I>(exec_, matrix.view(), choice.side, choice.operation != MatrixOperation::none,
                                         max_slots_on<V>(exec_), algorithm_, known)),
          diagonal_(exec_, choice.unit_diagonal ? 0 : pattern_.rows()),
          inverse_diagonal_(exec_, diagonal_.size()),
          num_zeros_(exec_, 1),
          states_(exec_),
          blocks_(exec_)
    {
        if (choice.unit_diagonal) {
            exec_.state().fill_zero(num_zeros_.data(), num_zeros_.bytes());
        } else {
            pattern_find_diagonal<I>(exec_, matrix.view(), diagonal_.data());
        }
    }

    bool is_conjugated() const { return choice_.operation == MatrixOperation::conjugate_transpose; }

    void invert_diagonal(const V* values)
    {
        if (!choice_.unit_diagonal) {
            triangular_invert_diagonal<V, I>(exec_, pattern_.rows(), pattern_.order.data(), diagonal_.data(), values,
                                             is_conjugated(), inverse_diagonal_.data(), num_zeros_.data());
        }
    }

    Executor exec_;
    TriangleChoice choice_;
    size_type matrix_nonzeros_;
    TriangularAlgorithm algorithm_;
    LevelPattern<I> pattern_;
    Array<I> diagonal_;
    Array<V> inverse_diagonal_;
    Array<size_type> num_zeros_;
    mutable SolveStates<V> states_;
    mutable BlockCache<V> blocks_;
};

/// Values off the diagonal are stored in S.
template <class V, class S, class I>
class StoredSolve final : public ExactSolve<V, I> {
    using Base = ExactSolve<V, I>;
    using Base::exec_, Base::pattern_;

public:
    StoredSolve(const Csr<V, I>& matrix, const TriangleChoice& choice, const TriangularOptions& options,
                const RowLevels<I>* known)
        : Base(matrix, choice, options, known),
          values_(exec_, pattern_.num_nonzeros())
    {
        StoredSolve::update(matrix);
    }

    void update(const LinOp<V>& matrix) override
    {
        const V* const values = csr_of<V, I>("Triangular", matrix, this->matrix_nonzeros_).values();
        array_gather<V, S, I>(exec_, pattern_.num_nonzeros(), pattern_.source.data(), values, values_.data(),
                              this->is_conjugated() ? Conjugate::yes : Conjugate::no);
        this->invert_diagonal(values);
    }

    void solve(const Dense<V>& b, Dense<V>& x) const override
    {
        const size_type count = x.size().rows * x.size().cols;
        if (this->algorithm_ == TriangularAlgorithm::levels) {
            typename BlockCache<V>::Lease lease(this->blocks_, count);
            auto w = lease.block({count, 1});
            for (const auto& range : pattern_.ranges) {
                triangular_solve_levels<V, S, I>(exec_, factor(), range, b.view(), x.view(), w.data());
            }
            return;
        }
        typename SolveStates<V>::Lease lease(this->states_, 2 * count);
        if (this->algorithm_ == TriangularAlgorithm::segments) {
            const SegmentsView<I> segments{pattern_.segment_rows, pattern_.max_slots, pattern_.halo_ptrs.data(),
                                           pattern_.halo.data()};
            triangular_solve_segments<V, S, I>(exec_, factor(), segments, b.view(), x.view(), lease.state());
        } else {
            triangular_solve_syncfree<V, S, I>(exec_, factor(), b.view(), x.view(), lease.state());
        }
    }

private:
    LevelFactorView<V, S, I> factor() const
    {
        const auto& p = pattern_;
        return {p.rows(),          p.num_nonzeros(),
                p.row_ptrs.data(), p.cols.data(),
                values_.data(),    this->choice_.unit_diagonal ? nullptr : this->inverse_diagonal_.data(),
                p.order.data(),    p.order.data(),
                p.num_levels,      p.level_ptrs.data()};
    }

    Array<S> values_;
};

/// Jacobi sweeps: x := M^-1 b, then x := x + M^-1 (b - T x), `sweeps` in all. [ChowPatel15, 3.2]
template <class V, class I>
class JacobiSolve final : public TriangularSolve<V> {
public:
    JacobiSolve(const Csr<V, I>& matrix, const TriangleChoice& choice, const TriangularOptions& options)
        : JacobiSolve(pattern_of(matrix, choice), matrix, choice, options)
    {
    }

    void update(const LinOp<V>& matrix) override
    {
        take_values(csr_of<V, I>("Triangular", matrix, matrix_nonzeros_));
        inverse_->update_values(triangle_);
    }

    void solve(const Dense<V>& b, Dense<V>& x) const override
    {
        solve_by_sweeps(triangle_.get(), *inverse_, num_sweeps_, blocks_, b, x);
    }

    bool is_capturable() const override { return triangle_->is_capturable() && inverse_->is_capturable(); }
    TriangularAlgorithm algorithm() const override { return TriangularAlgorithm::jacobi; }
    size_type num_levels() const override { return 0; }
    size_type num_zero_diagonals() const override { return num_zeros_(); }

private:
    JacobiSolve(Pattern<I> pattern, const Csr<V, I>& matrix, const TriangleChoice& choice,
                const TriangularOptions& options)
        : choice_(choice),
          num_sweeps_(options.sweeps == 0 ? 3 : options.sweeps),
          matrix_nonzeros_(matrix.num_nonzeros()),
          source_(std::move(pattern.source)),
          triangle_(std::make_shared<Csr<V, I>>(csr_on<V>(std::move(pattern)))),
          diagonal_(matrix.executor(), choice.unit_diagonal ? triangle_->size().rows : 0),
          blocks_(matrix.executor())
    {
        if (choice.unit_diagonal) {
            pattern_find_diagonal<I>(matrix.executor(), triangle_->view(), diagonal_.data());
        }
        take_values(matrix);
        if (options.block_size == 1) {
            auto inverse = Jacobi<V>::factory().generate(triangle_);
            num_zeros_ = [m = inverse.get()] { return m->num_zero_diagonals(); };
            inverse_ = std::move(inverse);
        } else {
            auto inverse = BlockJacobi<V>::factory({.block_size = options.block_size}).generate(triangle_);
            num_zeros_ = [m = inverse.get()] { return m->num_singular_blocks(); };
            inverse_ = std::move(inverse);
        }
    }

    /// Of T, with its full diagonal where that is one of ones.
    static Pattern<I> pattern_of(const Csr<V, I>& matrix, const TriangleChoice& choice)
    {
        const bool is_transposed = choice.operation != MatrixOperation::none;
        return choice.unit_diagonal
                   ? triangle_with_diagonal<I>(matrix.executor(), matrix.view(), choice.side, is_transposed)
                   : triangle_pattern<I>(matrix.executor(), matrix.view(), choice.side, true, is_transposed);
    }

    void take_values(const Csr<V, I>& matrix)
    {
        const bool is_conjugated = choice_.operation == MatrixOperation::conjugate_transpose;
        array_gather<V, V, I>(matrix.executor(), source_.size(), source_.data(), matrix.values(), triangle_->values(),
                              is_conjugated ? Conjugate::yes : Conjugate::no);
        if (choice_.unit_diagonal) {
            isai_complete_diagonal<V, I>(matrix.executor(), diagonal_.size(), diagonal_.data(), true,
                                         triangle_->values());
        }
    }

    TriangleChoice choice_;
    size_type num_sweeps_, matrix_nonzeros_;
    Array<I> source_;  ///< the entry of the matrix for each entry of T
    std::shared_ptr<Csr<V, I>> triangle_;
    Array<I> diagonal_;  ///< its entries; only where they are ones
    std::unique_ptr<LinOp<V>> inverse_;
    std::function<size_type()> num_zeros_;
    mutable BlockCache<V> blocks_;
};

}  // namespace

template <class V, class I>
std::unique_ptr<TriangularSolve<V>> make_triangular_solve(const Csr<V, I>& matrix, const TriangleChoice& choice,
                                                          const TriangularOptions& options, const RowLevels<I>* known)
{
    if (options.sweeps < 0) {
        throw InvalidParameter("sweeps", std::to_string(options.sweeps), "at least 0");
    }
    if (options.algorithm == TriangularAlgorithm::jacobi) {
        return std::make_unique<JacobiSolve<V, I>>(matrix, choice, options);
    }
    if (options.algorithm == TriangularAlgorithm::isai) {
        return make_isai_solve<V, I>(matrix, choice, options);
    }
    if (options.algorithm == TriangularAlgorithm::vendor) {
        return make_vendor_solve<V, I>(matrix, choice, options);
    }
    std::unique_ptr<TriangularSolve<V>> solve;
    with_storage_type<V>(options.storage, [&]<class S>() {
        solve = std::make_unique<StoredSolve<V, S, I>>(matrix, choice, options, known);
    });
    return solve;
}

}  // namespace linden::detail
