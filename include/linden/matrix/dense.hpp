#pragma once

#include <linden/array.hpp>
#include <linden/lin_op.hpp>
#include <linden/matrix_data.hpp>

#include <initializer_list>
#include <span>
#include <vector>

namespace linden {

/// A dense matrix; as an operand, a block of k vectors (a multivector). Row-major, so that the k values of a row are
/// contiguous.
///
/// A movable value. Reductions are deterministic.
template <class V>
class LINDEN_EXPORT Dense : public LinOp<V> {
public:
    /// An empty (0 x 0) block.
    explicit Dense(Executor exec) : Dense(std::move(exec), Dim{}) {}
    /// Uninitialised. @throws OutOfMemory, InvalidParameter if a size is negative or the stride is less than the
    /// number of columns
    Dense(Executor exec, Dim size) : Dense(std::move(exec), size, size.cols) {}
    Dense(Executor exec, Dim size, size_type stride);

    /// Every value `value`. @throws OutOfMemory
    static Dense filled(Executor exec, Dim size, V value);
    /// A column from host values. @throws OutOfMemory
    static Dense vector(Executor exec, const std::vector<V>& values);
    /// A block from host values, as read_dense returns them. @throws OutOfMemory, InvalidParameter if there are not
    /// rows times columns of them
    static Dense from_host(Executor exec, const DenseData<V>& block);
    /// From rows of host values, for small matrices. @throws InvalidParameter if rows differ in length
    static Dense from_rows(Executor exec, std::initializer_list<std::initializer_list<V>> rows);
    /// A view of the caller's memory, without a copy; it must outlive the result.
    static Dense adopt(Executor exec, Dim size, size_type stride, V* values);
    /// A view of the caller's column, such as a std::vector on a host executor.
    static Dense adopt(Executor exec, std::span<V> column)
    {
        return adopt(std::move(exec), {static_cast<size_type>(column.size()), 1}, 1, column.data());
    }

    std::string name() const override { return "Dense"; }
    bool is_capturable() const override { return true; }
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;
    /// A copy as a value, with stride = columns.
    Dense copy(const Executor& exec) const;
    Dense copy() const { return copy(this->executor()); }

    size_type stride() const { return stride_; }
    V* data() { return values_.data(); }
    const V* data() const { return values_.data(); }
    DenseView<V> view() { return {this->size().rows, this->size().cols, stride_, values_.data()}; }
    DenseView<const V> view() const { return {this->size().rows, this->size().cols, stride_, values_.data()}; }
    /// Columns [first, first + count), sharing memory.
    Dense columns(size_type first, size_type count);
    /// Element access; only where `executor().is_host()`.
    V& at(size_type row, size_type col) { return values_.data()[row * stride_ + col]; }
    const V& at(size_type row, size_type col) const { return values_.data()[row * stride_ + col]; }
    /// The values, row by row, on the host.
    std::vector<V> to_host() const;

    /// this := value
    void fill(V value);
    /// this := other, which may be on any executor. @throws DimensionMismatch
    void copy_from(const Dense& other);
    /// this := alpha this
    void scale(Scalar<V> alpha);
    /// this := this + alpha b; b may be on any executor. @throws DimensionMismatch
    void add_scaled(Scalar<V> alpha, const Dense& b);

    /// this^H b for each column; b may be on any executor. @throws DimensionMismatch
    std::vector<V> dot(const Dense& b) const;
    std::vector<real_t<V>> norm1() const;
    std::vector<real_t<V>> norm2() const;
    std::vector<real_t<V>> norm_inf() const;

protected:
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;
    void apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const override;

private:
    Dense(Executor exec, Dim size, size_type stride, Array<V> values);

    size_type stride_;
    Array<V> values_;
};

}  // namespace linden
