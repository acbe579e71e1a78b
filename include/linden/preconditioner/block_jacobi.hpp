#pragma once

#include <linden/array.hpp>
#include <linden/factory.hpp>
#include <linden/storage_precision.hpp>

#include <vector>

namespace linden {

/// Block Jacobi: x := B^-1 b with the block diagonal B of a Csr matrix. [Saad03, 4.1; AnztEtAl19]
///
/// A block that is singular, or whose inverse is not finite, is replaced by its diagonal, treated as in `Jacobi`;
/// `num_singular_blocks()` counts these blocks. A movable value.
template <class V>
class LINDEN_EXPORT BlockJacobi : public LinOp<V> {
public:
    static constexpr std::string_view type_name = "BlockJacobi";
    static constexpr size_type max_block_size = 32;

    struct Parameters {
        /// Maximum rows of a block, 1 to max_block_size. Blocks are found as runs of rows with equal pattern, as in
        /// systems with several unknowns per node; short runs are merged.
        size_type block_size = 8;
        /// Precision of the stored inverses: `same` or `single`.
        StoragePrecision storage = StoragePrecision::same;
        /// User-defined blocks instead: the first row of each block, then the number of rows.
        std::vector<size_type> block_ptrs = {};

        void describe(ParameterVisitor& v);
    };

    static Factory<BlockJacobi> factory(Parameters parameters = {})
    {
        return Factory<BlockJacobi>(std::move(parameters));
    }

    /// Waits for the executor, to learn the number of blocks.
    /// @throws NotSupported if the matrix is not a Csr, DimensionMismatch if it is not square, InvalidParameter
    BlockJacobi(Executor exec, Parameters parameters, LinOpPtr<V> matrix);

    std::string name() const override { return "BlockJacobi"; }
    bool is_capturable() const override { return true; }
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;
    /// Inverts the same blocks of `matrix`. @throws NotSupported, DimensionMismatch
    void update_values(LinOpPtr<V> matrix) override;

    size_type num_blocks() const { return block_ptrs_.size() - 1; }
    /// The first row of each block, then the number of rows.
    std::vector<size_type> block_ptrs() const { return block_ptrs_.to_host(); }
    /// Number of blocks replaced by their diagonal. Waits for the executor.
    size_type num_singular_blocks() const { return num_singular_.to_host().front(); }

protected:
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;
    void apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const override;
    void apply_dot_impl(const Dense<V>& b, Dense<V>& x, const DotRequest<V>& dots) const override;

private:
    BlockJacobi(Executor exec, Dim size);
    void find_blocks(const LinOp<V>& matrix, size_type max_size);
    void take_blocks(const std::vector<size_type>& block_ptrs);
    void allocate_values(size_type num_values);
    void invert_blocks_of(const LinOp<V>& matrix);
    template <class Byte, class F>
    void with_blocks(Byte* values, F&& f) const;

    StoragePrecision storage_ = StoragePrecision::same;
    size_type max_size_ = 0;
    Array<size_type> block_ptrs_;
    Array<size_type> value_ptrs_;
    Array<std::byte> values_;  // of the storage type
    Array<size_type> num_singular_;
};

}  // namespace linden
