#pragma once

#include <linden/matrix/sparse_matrix.hpp>
#include <linden/views_formats.hpp>

#include <algorithm>

namespace linden {

/// A sparse matrix whose rows are copies of a few stencils, entries of the same values in columns equally far from the
/// row: a regular grid with constant coefficients, or voxels of a few materials. It takes two bytes of a row, and
/// products read little beside their vectors. Values are those of the matrix to the bit.
///
/// A movable value.
template <class V, class I>
class LINDEN_EXPORT Stencil : public detail::SparseMatrix<V, I> {
public:
    struct Parameters {
        /// At most so many different rows, 1 to 65536. Those with more than 128 entries are none, and all stencils
        /// together have at most 16 times as many entries.
        size_type max_stencils = 1024;

        void describe(ParameterVisitor& v);
    };

    /// @throws InvalidParameter if there are more stencils than that, OutOfMemory
    static Stencil from_csr(const Csr<V, I>& matrix, Parameters parameters = {});
    /// The bytes that all stencils together would take; -1 where `from_csr` throws. Waits for the executor.
    static size_type bytes_of_stencils(const Csr<V, I>& matrix, Parameters parameters = {});
    /// Takes ownership of arrays on `exec`: the stencil of each row, where each stencil's entries begin and the last
    /// one's end, and of each entry how far its column is behind the row and its value. Waits for the executor.
    /// @throws InvalidParameter if a length does not match or an array is on another executor
    Stencil(Executor exec, Dim size, Array<std::uint16_t> stencils, Array<I> ptrs, Array<I> offsets, Array<V> values);

    std::string name() const override { return "Stencil"; }
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override
    {
        return std::make_unique<Stencil>(copy(exec));
    }
    Stencil copy(const Executor& exec) const;
    Stencil copy() const { return copy(this->executor()); }
    Csr<V, I> to_csr() const override;

    size_type num_nonzeros() const override { return facts_.num_nonzeros; }
    size_type num_stencils() const { return std::max<size_type>(ptrs_.size() - 1, 0); }
    StencilView<V, I> view() const
    {
        return {this->size().rows, this->size().cols, facts_.num_nonzeros, num_stencils(), facts_.longest,
                stencils_.data(),  ptrs_.data(),      offsets_.data(),     values_.data()};
    }

protected:
    void apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const override;
    void apply_dot_impl(const Dense<V>& b, Dense<V>& x, const DotRequest<V>& dots) const override;

private:
    /// What is known of the arrays.
    struct Facts {
        size_type max_stencils = 1;
        size_type num_nonzeros = 0;
        size_type longest = 0;
    };
    Stencil(Executor exec, Dim size, Facts facts, Array<std::uint16_t> stencils, Array<I> ptrs, Array<I> offsets,
            Array<V> values);

    Array<I> row_counts() const;
    /// The stencils of `matrix` are found anew. @throws InvalidParameter as from_csr
    void fill(const Csr<V, I>& matrix) override { *this = from_csr(matrix, {facts_.max_stencils}); }

    Facts facts_;
    Array<std::uint16_t> stencils_;
    Array<I> ptrs_, offsets_;
    Array<V> values_;
};

}  // namespace linden
