#include <linden/matrix/dense.hpp>
#include <linden/matrix/dia.hpp>

#include "core/kernels/dia.hpp"
#include "core/matrix/formats.hpp"

// instantiate: class Dia<V, I>

namespace linden {
namespace {

/// For each possible diagonal the number of nonempty diagonals before it, and their total number at the end.
template <class I>
struct Diagonals {
    Array<I> numbers;
    size_type count = 0;
};

template <class I>
Diagonals<I> find_diagonals(const Executor& exec, PatternView<I> a)
{
    Diagonals<I> found{Array<I>(exec, std::max<size_type>(a.rows + a.cols, 1))};
    exec.state().fill_zero(found.numbers.data(), found.numbers.bytes());
    dia_mark_diagonals<I>(exec, a, found.numbers.data());
    found.count = detail::make_row_ptrs(found.numbers, "the diagonals");
    return found;
}

}  // namespace

template <class V, class I>
Dia<V, I>::Dia(Executor exec, Dim size, size_type stride, Array<I> offsets, Array<V> values)
    : detail::SparseMatrix<V, I>(exec, size),
      num_nonzeros_(0),
      stride_(stride),
      offsets_(std::move(offsets)),
      values_(std::move(values))
{
    detail::check_stride(size, stride);
    detail::check_array("offsets", offsets_, exec, offsets_.size());
    detail::check_array("values", values_, exec, offsets_.size() * stride);
    num_nonzeros_ = offsets_.size() * size.rows;
}

template <class V, class I>
void Dia<V, I>::Parameters::describe(ParameterVisitor& v)
{
    detail::describe_max_fill(v, max_fill);
}

template <class V, class I>
Dia<V, I> Dia<V, I>::from_csr(const Csr<V, I>& matrix, Parameters parameters)
{
    const auto& exec = matrix.executor();
    const auto [rows, cols] = matrix.size();
    const auto found = find_diagonals<I>(exec, matrix.view());
    detail::check_fill("Dia", found.count * rows, matrix.num_nonzeros(), rows, parameters.max_fill);
    const auto stride = detail::aligned_stride(rows);
    Array<I> offsets(exec, found.count);
    dia_collect_diagonals<I>(exec, rows, std::max<size_type>(rows + cols - 1, 0), found.numbers.data(), offsets.data());
    Dia result(exec, matrix.size(), stride, std::move(offsets), Array<V>(exec, found.count * stride));
    result.num_nonzeros_ = matrix.num_nonzeros();
    result.fill(matrix);
    return result;
}

template <class V, class I>
size_type Dia<V, I>::count_diagonals(const Csr<V, I>& matrix)
{
    return find_diagonals<I>(matrix.executor(), matrix.view()).count;
}

template <class V, class I>
void Dia<V, I>::fill(const Csr<V, I>& matrix)
{
    Array<size_type> map(this->executor(), values_.size());
    dia_fill<I>(this->executor(), matrix.view(), layout(), map.data());
    detail::gather_values<V, V>(map, matrix.values(), values_.data());
}

template <class V, class I>
Csr<V, I> Dia<V, I>::to_csr() const
{
    const auto& exec = this->executor();
    const auto marks = detail::nonzero_marks(values_);
    Array<I> counts(exec, this->size().rows + 1);
    dia_count_rows<I>(exec, layout(), marks.data(), counts.data());
    return detail::assemble_csr<V, I>(this->size(), std::move(counts), values_.data(),
                                      [&](const I* row_ptrs, I* col_idxs, size_type* map) {
                                          dia_extract<I>(exec, layout(), marks.data(), row_ptrs, col_idxs, map);
                                      });
}

template <class V, class I>
Dia<V, I> Dia<V, I>::copy(const Executor& exec) const
{
    Dia result(exec, this->size(), stride_, offsets_.clone(exec), values_.clone(exec));
    result.num_nonzeros_ = num_nonzeros_;
    return result;
}

template <class V, class I>
void Dia<V, I>::apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const
{
    dia_spmv<V, I>(this->executor(), view(), alpha, b.view(), beta, x.view());
}

template <class V, class I>
void Dia<V, I>::apply_dot_impl(const Dense<V>& b, Dense<V>& x, const DotRequest<V>& dots) const
{
    dia_spmv_dot<V, I>(this->executor(), view(), b.view(), x.view(), dots.w.view(), dots.wx, dots.xx, dots.workspace);
}

}  // namespace linden
