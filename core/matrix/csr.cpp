#include <linden/error.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>

#include "core/kernels/csr.hpp"
#include "core/matrix/check_array.hpp"
#include "core/matrix/csr_schedule.hpp"
#include "core/matrix/pattern_checks/pattern_checks.hpp"
#include "core/matrix/same_nonzeros.hpp"

// instantiate: class Csr<V, I>

namespace linden {
namespace {

Dim checked(Dim size)
{
    if (size.rows < 0 || size.cols < 0) {
        throw InvalidParameter("size", std::to_string(size.rows) + " x " + std::to_string(size.cols),
                               "rows and columns are at least 0");
    }
    return size;
}

/// Host data that would have kernels read elsewhere are refused by every build: 3 ms where the copy takes 4 (lap3d:100,
/// one core), or 130 into memory that is new.
template <class V, class I>
const CsrData<V, I>& checked(const CsrData<V, I>& data)
{
    require_well_formed(data);
    if (detail::checks_patterns()) {
        detail::require_sorted_rows(detail::pattern_of(data));
    }
    return data;
}

}  // namespace

template <class V, class I>
Csr<V, I>::Csr(Executor exec, Dim size)
    : LinOp<V>(exec, checked(size)),
      row_ptrs_(exec, size.rows + 1),
      col_idxs_(exec),
      values_(exec),
      schedule_(std::make_shared<CsrSchedule<V, I>>())
{
    exec.state().fill_zero(row_ptrs_.data(), row_ptrs_.bytes());
}

template <class V, class I>
Csr<V, I>::Csr(Executor exec, Dim size, Array<I> row_ptrs, Array<I> col_idxs, Array<V> values)
    : LinOp<V>(exec, checked(size)),
      row_ptrs_(std::move(row_ptrs)),
      col_idxs_(std::move(col_idxs)),
      values_(std::move(values)),
      schedule_(std::make_shared<CsrSchedule<V, I>>())
{
    detail::check_array("row_ptrs", row_ptrs_, exec, size.rows + 1);
    detail::check_array("col_idxs", col_idxs_, exec, col_idxs_.size());
    detail::check_array("values", values_, exec, col_idxs_.size());
}

template <class V, class I>
Csr<V, I>::Csr(Executor exec, const CsrData<V, I>& data)
    : Csr(exec, checked(data).size, Array<I>(exec, data.row_ptrs), Array<I>(exec, data.col_idxs),
          Array<V>(exec, data.values))
{
}

template <class V, class I>
std::unique_ptr<LinOp<V>> Csr<V, I>::clone(const Executor& exec) const
{
    return std::make_unique<Csr>(copy(exec));
}

template <class V, class I>
Csr<V, I> Csr<V, I>::copy(const Executor& exec) const
{
    if (row_ptrs_.size() == 0) {  // moved from
        return Csr(exec, this->size());
    }
    return Csr(exec, this->size(), row_ptrs_.clone(exec), col_idxs_.clone(exec), values_.clone(exec));
}

template <class V, class I>
CsrView<V, I> Csr<V, I>::view() const
{
    static constexpr I none = 0;
    const bool is_moved_from = row_ptrs_.size() == 0 && this->executor().is_host();
    return {this->size().rows, this->size().cols, num_nonzeros(), is_moved_from ? &none : row_ptrs(),
            col_idxs(),        values()};
}

template <class V, class I>
CsrData<V, I> Csr<V, I>::to_host() const
{
    auto row_ptrs = row_ptrs_.to_host();
    row_ptrs.resize(static_cast<std::size_t>(this->size().rows + 1));  // has none if it is moved from
    return {this->size(), std::move(row_ptrs), col_idxs_.to_host(), values_.to_host()};
}

template <class V, class I>
void Csr<V, I>::update_values(LinOpPtr<V> matrix)
{
    if (matrix == nullptr) {
        throw InvalidParameter("matrix", "null", "an operator");
    }
    const auto* other = dynamic_cast<const Csr*>(matrix.get());
    if (other == nullptr) {
        throw NotSupported("Csr::update_values", "the new values come in a " + matrix->name());
    }
    if (other->size() != this->size()) {
        throw DimensionMismatch("Csr::update_values", "the matrix", this->size(), "the new one", other->size());
    }
    detail::require_same_nonzeros("Csr::update_values", num_nonzeros(), other->num_nonzeros());
    if (detail::checks_patterns()) {
        detail::require_same_pattern<V>("Csr::update_values", *this, *other);
    }
    copy_bytes(other->executor(), other->values(), this->executor(), values_.data(), values_.bytes());
}

template <class V, class I>
void Csr<V, I>::apply_impl(const Dense<V>& b, Dense<V>& x) const
{
    apply_impl(V{1}, b, V{}, x);
}

template <class V, class I>
void Csr<V, I>::apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const
{
    const auto& exec = this->executor();
    if (schedule_ != nullptr && schedule_->is_uneven(exec, view())) {
        schedule_->multiply(exec, view(), alpha, b.view(), beta, x.view());
    } else {
        csr_spmv<V, I>(exec, view(), alpha, b.view(), beta, x.view());
    }
}

template <class V, class I>
void Csr<V, I>::apply_dot_impl(const Dense<V>& b, Dense<V>& x, const DotRequest<V>& dots) const
{
    const auto& exec = this->executor();
    if (schedule_ != nullptr && schedule_->is_uneven(exec, view())) {
        LinOp<V>::apply_dot_impl(b, x, dots);  // a second pass over x
    } else {
        csr_spmv_dot<V, I>(exec, view(), b.view(), x.view(), dots.w.view(), dots.wx, dots.xx, dots.workspace);
    }
}

}  // namespace linden
