#pragma once

#include <linden/array.hpp>
#include <linden/factory.hpp>
#include <linden/storage_precision.hpp>

#include <vector>

namespace linden {

/// x := B^-1 b with the block diagonal B of a Csr matrix. [Saad03, 4.1; AnztEtAl19]
///
/// Blocks that are singular, or so nearly that their inverse is not finite, are replaced by their diagonal, as in
/// `Jacobi`; `num_singular_blocks()` counts them. A movable value.
template <class V>
class LINDEN_EXPORT BlockJacobi : public LinOp<V> {
public:
    static constexpr std::string_view type_name = "BlockJacobi";
    static constexpr size_type max_block_size = 32;

    struct Parameters {
        /// The most rows of a block, from 1 to max_block_size. Blocks follow runs of rows with the same pattern, as
        /// systems with several unknowns per node have them; short runs share a block.
        size_type block_size = 8;
        /// `same` or `single`.
        StoragePrecision storage = StoragePrecision::same;
        /// Blocks of your own, in place of those found: the first row of each, and last the number of rows.
        std::vector<size_type> block_ptrs = {};

        void describe(ParameterVisitor& v);
    };

    static Factory<BlockJacobi> factory(Parameters parameters = {})
    {
        return Factory<BlockJacobi>(std::move(parameters));
    }

    /// Waits for the executor, to know how many blocks there are.
    /// @throws NotSupported if the matrix is no Csr, DimensionMismatch if it is not square, InvalidParameter
    BlockJacobi(Executor exec, Parameters parameters, LinOpPtr<V> matrix);

    std::string name() const override { return "BlockJacobi"; }
    bool is_capturable() const override { return true; }
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;
    /// Inverts the same blocks of `matrix`. @throws NotSupported, DimensionMismatch
    void update_values(LinOpPtr<V> matrix) override;

    size_type num_blocks() const { return block_ptrs_.size() - 1; }
    /// The first row of each block, and last the number of rows.
    std::vector<size_type> block_ptrs() const { return block_ptrs_.to_host(); }
    /// Blocks that were replaced by their diagonal; waits for the executor.
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
