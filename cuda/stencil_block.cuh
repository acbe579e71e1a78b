#pragma once

#include "cuda/block_rows.cuh"
#include "gpu/matrix/stencil_rows.cuh"

namespace linden::cuda {

/// The rows of a block of a matrix of a few stencils; their numbers are in shared memory, behind the vectors. Stencils
/// have at most N entries, without N any number.
template <int N, class V, class I>
class StencilBlock : public BlockRows<V> {
public:
    __device__ StencilBlock(const StencilView<V, I>& a, PersistentPartition part, int num_vectors, std::byte*)
        : BlockRows<V>(a.rows, part),
          a_(a),
          stencils_(reinterpret_cast<std::uint16_t*>(this->vector(num_vectors)))
    {
        this->for_rows([&](int i) { stencils_[i] = a.stencils[this->first_row() + i]; });  // each its own rows
    }

    /// Calls consume(i, (A b)(i), prefetch(i)) for the block's rows i.
    template <class Prefetch, class Consume>
    __device__ void multiply(const V* b, Prefetch prefetch, Consume consume) const
    {
        const Product body{a_, a_.values, b};
        HeldStencil<N, V, I> held;
        this->for_rows([&](int i) {
            const auto early = prefetch(i);
            consume(i, held.product(body, this->first_row() + i, stencils_[i]), early);
        });
    }

private:
    /// See gpu/matrix/stencil_rows.cuh.
    struct Product {
        using Stored = V;
        using Index = I;

        const StencilView<V, I>& a;
        const V* values;
        const V* b;

        __device__ V gather(I col) const { return b[col]; }
    };

    const StencilView<V, I>& a_;  // a parameter of the kernel
    std::uint16_t* stencils_;
};

}  // namespace linden::cuda
