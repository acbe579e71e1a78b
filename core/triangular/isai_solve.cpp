#include "core/triangular/isai_solve.hpp"

#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>

#include <optional>
#include <string>

#include "core/kernels/array.hpp"
#include "core/kernels/dia.hpp"
#include "core/kernels/ilu.hpp"
#include "core/kernels/isai.hpp"
#include "core/kernels/triangular.hpp"
#include "core/matrix/format_table.hpp"
#include "core/matrix/pattern_arithmetic.hpp"
#include "core/matrix/visit_csr.hpp"
#include "core/triangular/sweeps.hpp"

// instantiate: std::unique_ptr<detail::TriangularSolve<V>> detail::make_isai_solve(const Csr<V, I>&, const TriangleChoice&, const TriangularOptions&)

namespace linden::detail {
namespace {

/// A Dia that takes new values without allocations.
template <class V, class I>
class Diagonals {
public:
    explicit Diagonals(const Csr<V, I>& a) : Diagonals(a, Dia<V, I>::from_csr(a)) {}

    void update(const V* values)
    {
        array_gather<V, V, size_type>(map_.executor(), map_.size(), map_.data(), values, values_.data(), Conjugate::no);
    }
    const LinOp<V>& matrix() const { return matrix_; }

private:
    Diagonals(const Csr<V, I>& a, const Dia<V, I>& like)
        : map_(a.executor(), like.num_diagonals() * like.view().layout.stride),
          values_(a.executor(), map_.size()),
          matrix_(a.executor(), a.size(), like.view().layout.stride, offsets_of(like),
                  Array<V>::view(a.executor(), values_.size(), values_.data()))
    {
        dia_fill<I>(a.executor(), a.view(), like.view().layout, map_.data());
    }
    static Array<I> offsets_of(const Dia<V, I>& like)
    {
        Array<I> offsets(like.executor(), like.num_diagonals());
        copy_bytes(like.executor(), like.view().layout.offsets, like.executor(), offsets.data(), offsets.bytes());
        return offsets;
    }

    Array<size_type> map_;
    Array<V> values_;
    Dia<V, I> matrix_;
};

/// A matrix, its transpose or its adjoint, for products: in diagonals where `automatic_format` takes those, else as
/// Csr.
template <class V, class I>
class AppliedMatrix {
public:
    /// The values of `a`, which lives longer, change in place; update() takes them.
    AppliedMatrix(const Csr<V, I>& a, MatrixOperation operation)
        : a_(a),
          source_(a.executor()),
          conjugated_(operation == MatrixOperation::conjugate_transpose ? Conjugate::yes : Conjugate::no)
    {
        if (operation != MatrixOperation::none) {
            auto pattern = transposed_pattern<I>(a.executor(), a.view());
            source_ = std::move(pattern.source);
            transposed_.emplace(csr_on<V>(std::move(pattern)));
        }
        if (a.num_nonzeros() > 0 && has_few_full_diagonals(csr())) {
            diagonals_.emplace(csr());
        }
    }

    void update()
    {
        if (transposed_) {
            array_gather<V, V, I>(source_.executor(), source_.size(), source_.data(), a_.values(),
                                  transposed_->values(), conjugated_);
        }
        if (diagonals_) {
            diagonals_->update(csr().values());
        }
    }
    const LinOp<V>& matrix() const { return diagonals_ ? diagonals_->matrix() : csr(); }

private:
    const Csr<V, I>& csr() const { return transposed_ ? *transposed_ : a_; }

    const Csr<V, I>& a_;
    Array<I> source_;
    Conjugate conjugated_;
    std::optional<Csr<V, I>> transposed_;
    std::optional<Diagonals<V, I>> diagonals_;
};

/// Solves by an incomplete sparse approximate inverse. The one of a transposed triangle is the transpose of that of the
/// triangle, so that solves with L and L^H together stay Hermitian. [AnztEtAl18]
///
/// An application with one sweep reads M once: nnz(M) (V + I) + n I with a Csr, nnz(M) V with diagonals, and 2 n k V.
template <class V, class I>
class IsaiSolve final : public TriangularSolve<V> {
public:
    IsaiSolve(const Csr<V, I>& matrix, const TriangleChoice& choice, const TriangularOptions& options)
        : IsaiSolve(triangle_with_diagonal<I>(matrix.executor(), matrix.view(), choice.side, false), matrix, choice,
                    options)
    {
    }

    void update(const LinOp<V>& matrix) override { compute(csr_of<V, I>("Triangular", matrix, matrix_nonzeros_)); }

    void solve(const Dense<V>& b, Dense<V>& x) const override
    {
        solve_by_sweeps(applied_triangle_ ? &applied_triangle_->matrix() : nullptr, applied_inverse_.matrix(),
                        num_sweeps_, blocks_, b, x);
    }

    bool is_capturable() const override { return true; }
    TriangularAlgorithm algorithm() const override { return TriangularAlgorithm::isai; }
    size_type num_levels() const override { return 0; }
    size_type num_zero_diagonals() const override { return num_zeros_.to_host().front(); }

private:
    IsaiSolve(Pattern<I> pattern, const Csr<V, I>& matrix, const TriangleChoice& choice,
              const TriangularOptions& options)
        : exec_(matrix.executor()),
          choice_(choice),
          num_sweeps_(std::max<size_type>(options.sweeps, 1)),
          matrix_nonzeros_(matrix.num_nonzeros()),
          source_(std::move(pattern.source)),
          triangle_(csr_on<V>(std::move(pattern))),
          inverse_(csr_on<V>(pattern_of_power<I>(exec_, triangle_.view(), options.power))),
          diagonal_(exec_, triangle_.size().rows),
          inverse_diagonal_(exec_, choice.unit_diagonal ? 0 : diagonal_.size()),
          num_zeros_(exec_, 1),
          applied_inverse_(inverse_, choice.operation),
          blocks_(exec_)
    {
        if (num_sweeps_ > 1) {
            applied_triangle_.emplace(triangle_, choice.operation);
        }
        pattern_find_diagonal<I>(exec_, triangle_.view(), diagonal_.data());
        exec_.state().fill_zero(num_zeros_.data(), num_zeros_.bytes());
        compute(matrix);
    }

    /// M from the values of the matrix.
    void compute(const Csr<V, I>& matrix)
    {
        const size_type n = diagonal_.size();
        array_gather<V, V, I>(exec_, source_.size(), source_.data(), matrix.values(), triangle_.values(),
                              Conjugate::no);
        if (!choice_.unit_diagonal) {
            triangular_invert_diagonal<V, I>(exec_, n, nullptr, diagonal_.data(), triangle_.values(), false,
                                             inverse_diagonal_.data(), num_zeros_.data());
        }
        isai_complete_diagonal<V, I>(exec_, n, diagonal_.data(), choice_.unit_diagonal, triangle_.values());
        isai_invert_triangle<V, I>(exec_, triangle_.view(), choice_.side,
                                   choice_.unit_diagonal ? nullptr : inverse_diagonal_.data(), inverse_.view(),
                                   inverse_.values());
        applied_inverse_.update();
        if (applied_triangle_) {
            applied_triangle_->update();
        }
    }

    Executor exec_;
    TriangleChoice choice_;
    size_type num_sweeps_, matrix_nonzeros_;
    Array<I> source_;     ///< the entry of the matrix for each entry of the triangle
    Csr<V, I> triangle_;  ///< not transposed, as is its inverse
    Csr<V, I> inverse_;   ///< M
    Array<I> diagonal_;
    Array<V> inverse_diagonal_;
    Array<size_type> num_zeros_;
    AppliedMatrix<V, I> applied_inverse_;
    std::optional<AppliedMatrix<V, I>> applied_triangle_;  ///< where there are several sweeps
    mutable BlockCache<V> blocks_;
};

}  // namespace

template <class V, class I>
std::unique_ptr<TriangularSolve<V>> make_isai_solve(const Csr<V, I>& matrix, const TriangleChoice& choice,
                                                    const TriangularOptions& options)
{
    if (options.storage != StoragePrecision::same) {
        throw InvalidParameter("storage", std::string(storage_names[static_cast<int>(options.storage)]),
                               "same with trisolve=isai");
    }
    if (options.power < 1) {
        throw InvalidParameter("power", std::to_string(options.power), "at least 1");
    }
    return std::make_unique<IsaiSolve<V, I>>(matrix, choice, options);
}

}  // namespace linden::detail
