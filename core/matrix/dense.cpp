#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>

#include <algorithm>
#include <functional>
#include <limits>

#include "core/kernels/dense.hpp"
#include "core/kernels/reduction.hpp"
#include "core/matrix/range.hpp"

// instantiate: class Dense<V>

namespace linden {
namespace {

Dim checked(Dim size, size_type stride)
{
    if (size.rows < 0 || size.cols < 0) {
        throw InvalidParameter("size", std::to_string(size.rows) + " x " + std::to_string(size.cols),
                               "rows and columns are at least 0");
    }
    if (stride < size.cols) {
        throw InvalidParameter("stride", std::to_string(stride),
                               "at least the number of columns, " + std::to_string(size.cols));
    }
    if (stride > 0 && size.rows > std::numeric_limits<size_type>::max() / stride) {
        throw InvalidParameter("size", std::to_string(size.rows) + " rows, " + std::to_string(stride) + " apart",
                               "no more values than 64 bits can count");
    }
    return size;
}

template <class V>
void check_same_size(std::string_view op, const Dense<V>& a, const Dense<V>& b)
{
    if (a.size() != b.size()) {
        throw DimensionMismatch(op, "this block", a.size(), "the other one", b.size());
    }
}

/// Calls `f(b)` with a copy of b on `exec` where b is elsewhere.
template <class V, class F>
void with_operand_on(const Executor& exec, const Dense<V>& b, F&& f)
{
    if (b.executor() == exec) {
        f(b.view());
    } else {
        f(b.copy(exec).view());
    }
}

/// Runs a reduction over columns and brings its k results to the host.
template <class T, class V, class F>
std::vector<T> reduce_columns(const Executor& exec, size_type cols, F&& kernel_call)
{
    Array<T> result(exec, cols);
    auto workspace = ReductionWorkspace::for_values<V>(exec, cols);
    kernel_call(result.data(), workspace.view());
    return result.to_host();
}

}  // namespace

template <class V>
Dense<V>::Dense(Executor exec, Dim size, size_type stride)
    : LinOp<V>(exec, checked(size, stride)),
      stride_(stride),
      values_(exec, size.rows * stride)
{
}

template <class V>
Dense<V>::Dense(Executor exec, Dim size, size_type stride, Array<V> values)
    : LinOp<V>(std::move(exec), checked(size, stride)),
      stride_(stride),
      values_(std::move(values))
{
}

template <class V>
Dense<V> Dense<V>::filled(Executor exec, Dim size, V value)
{
    Dense result(std::move(exec), size);
    result.fill(value);
    return result;
}

template <class V>
Dense<V> Dense<V>::vector(Executor exec, const std::vector<V>& values)
{
    const Dim size{static_cast<size_type>(values.size()), 1};
    Array<V> array(exec, values);
    return Dense(std::move(exec), size, 1, std::move(array));
}

template <class V>
Dense<V> Dense<V>::from_host(Executor exec, const DenseData<V>& block)
{
    const auto [rows, cols] = checked(block.size, block.size.cols);
    if (static_cast<size_type>(block.values.size()) != rows * cols) {
        throw InvalidParameter("block", std::to_string(block.values.size()) + " values",
                               std::to_string(rows) + " x " + std::to_string(cols) + " of them, as its size says");
    }
    Array<V> array(exec, block.values);
    return Dense(std::move(exec), block.size, cols, std::move(array));
}

template <class V>
Dense<V> Dense<V>::from_rows(Executor exec, std::initializer_list<std::initializer_list<V>> rows)
{
    const size_type cols = rows.size() == 0 ? 0 : static_cast<size_type>(rows.begin()->size());
    std::vector<V> values;
    for (const auto& row : rows) {
        if (static_cast<size_type>(row.size()) != cols) {
            throw InvalidParameter("rows", std::to_string(row.size()) + " values",
                                   "as many as the first row, " + std::to_string(cols));
        }
        values.insert(values.end(), row);
    }
    Array<V> array(exec, values);
    return Dense(std::move(exec), {static_cast<size_type>(rows.size()), cols}, cols, std::move(array));
}

template <class V>
Dense<V> Dense<V>::adopt(Executor exec, Dim size, size_type stride, V* values)
{
    auto array = Array<V>::view(exec, checked(size, stride).rows * stride, values);
    return Dense(std::move(exec), size, stride, std::move(array));
}

template <class V>
std::unique_ptr<LinOp<V>> Dense<V>::clone(const Executor& exec) const
{
    return std::make_unique<Dense>(copy(exec));
}

template <class V>
Dense<V> Dense<V>::copy(const Executor& exec) const
{
    Dense result(exec, this->size());
    result.copy_from(*this);
    return result;
}

template <class V>
Dense<V> Dense<V>::columns(size_type first, size_type count)
{
    if (first < 0 || count < 0 || count > this->size().cols - first) {
        throw InvalidParameter("columns", std::to_string(count) + " from " + std::to_string(first),
                               "within 0 to " + std::to_string(this->size().cols));
    }
    return adopt(this->executor(), {this->size().rows, count}, stride_, values_.data() + first);
}

template <class V>
std::vector<V> Dense<V>::to_host() const
{
    if (view().is_contiguous()) {
        std::vector<V> values(static_cast<std::size_t>(this->size().rows * this->size().cols));
        copy_bytes(this->executor(), data(), detail::host(), values.data(), values.size() * sizeof(V));
        return values;
    }
    return copy().to_host();
}

template <class V>
void Dense<V>::fill(V value)
{
    dense_fill<V>(this->executor(), value, view());
}

template <class V>
void Dense<V>::copy_from(const Dense& other)
{
    check_same_size("Dense::copy_from", *this, other);
    if (other.executor() == this->executor()) {
        dense_copy<V>(this->executor(), other.view(), view());
    } else if (view().is_contiguous() && other.view().is_contiguous()) {
        const auto count = static_cast<std::size_t>(this->size().rows * this->size().cols);
        copy_bytes(other.executor(), other.data(), this->executor(), data(), count * sizeof(V));
    } else if (other.view().is_contiguous()) {
        Dense contiguous(this->executor(), this->size());
        contiguous.copy_from(other);
        copy_from(contiguous);
    } else {
        copy_from(other.copy());
    }
}

template <class V>
void Dense<V>::scale(Scalar<V> alpha)
{
    dense_scale<V>(this->executor(), alpha, view());
}

template <class V>
void Dense<V>::add_scaled(Scalar<V> alpha, const Dense& b)
{
    check_same_size("Dense::add_scaled", *this, b);
    with_operand_on(this->executor(), b,
                    [&](DenseView<const V> b_here) { dense_axpby<V>(this->executor(), alpha, b_here, V{1}, view()); });
}

template <class V>
std::vector<V> Dense<V>::dot(const Dense& b) const
{
    check_same_size("Dense::dot", *this, b);
    return reduce_columns<V, V>(this->executor(), this->size().cols, [&](V* result, WorkspaceView workspace) {
        with_operand_on(this->executor(), b, [&](DenseView<const V> b_here) {
            dense_dot<V>(this->executor(), view(), b_here, result, workspace);
        });
    });
}

template <class V>
std::vector<real_t<V>> Dense<V>::norm1() const
{
    return reduce_columns<real_t<V>, V>(this->executor(), this->size().cols, [&](auto* result, WorkspaceView w) {
        dense_norm1<V>(this->executor(), view(), result, w);
    });
}

template <class V>
std::vector<real_t<V>> Dense<V>::norm2() const
{
    using R = real_t<V>;
    const auto norms_of = [](const Dense& x) {
        return reduce_columns<R, V>(x.executor(), x.size().cols, [&](R* result, WorkspaceView w) {
            dense_norm2<V>(x.executor(), x.view(), result, w);
        });
    };
    auto norms = norms_of(*this);
    if (std::all_of(norms.begin(), norms.end(), detail::is_in_range<R>)) {
        return norms;
    }
    auto scales = norm_inf();
    std::transform(scales.begin(), scales.end(), scales.begin(), detail::scale_to_one<R>);
    auto scaled = copy();
    detail::scale_columns(scaled, scales, 1);
    norms = norms_of(scaled);
    std::transform(norms.begin(), norms.end(), scales.begin(), norms.begin(), std::divides<>());
    return norms;
}

template <class V>
std::vector<real_t<V>> Dense<V>::norm_inf() const
{
    return reduce_columns<real_t<V>, V>(this->executor(), this->size().cols, [&](auto* result, WorkspaceView w) {
        dense_norm_inf<V>(this->executor(), view(), result, w);
    });
}

template <class V>
void Dense<V>::apply_impl(const Dense& b, Dense& x) const
{
    apply_impl(V{1}, b, V{}, x);
}

template <class V>
void Dense<V>::apply_impl(Scalar<V> alpha, const Dense& b, Scalar<V> beta, Dense& x) const
{
    dense_multiply<V>(this->executor(), view(), alpha, b.view(), beta, x.view());
}

}  // namespace linden
