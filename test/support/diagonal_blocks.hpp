#pragma once

#include <linden/array.hpp>

#include <vector>

#include "core/kernels/jacobi.hpp"
#include "test/support/random.hpp"

namespace linden::test {

/// Diagonal blocks on the host.
template <class S>
struct HostBlocks {
    std::vector<size_type> block_ptrs{0};
    std::vector<size_type> value_ptrs{0};
    std::vector<S> values;
    size_type max_size = 0;

    size_type num_blocks() const { return static_cast<size_type>(block_ptrs.size()) - 1; }
    size_type rows() const { return block_ptrs.back(); }
    /// Appends a block of `size` rows.
    void add(size_type size)
    {
        block_ptrs.push_back(block_ptrs.back() + size);
        value_ptrs.push_back(value_ptrs.back() + size * size);
        max_size = std::max(max_size, size);
    }
};

/// Blocks of 1 to `max_size` rows, `rows` in all, with random values.
template <class S>
HostBlocks<S> random_diagonal_blocks(Random& random, size_type rows, size_type max_size)
{
    HostBlocks<S> blocks;
    while (blocks.rows() < rows) {
        blocks.add(std::min(rows - blocks.rows(), random.integer(1, max_size + 1)));
    }
    for (size_type i = 0; i < blocks.value_ptrs.back(); ++i) {
        blocks.values.push_back(random.value<S>());
    }
    return blocks;
}

/// The same blocks on an executor; what lies behind the last one is NaN.
template <class S>
class DiagonalBlocks {
public:
    DiagonalBlocks(const Executor& exec, const HostBlocks<S>& host)
        : num_blocks_(host.num_blocks()),
          max_size_(host.max_size),
          block_ptrs_(exec, host.block_ptrs),
          value_ptrs_(exec, host.value_ptrs),
          values_(exec)
    {
        auto padded = host.values;
        padded.resize(static_cast<std::size_t>(host.value_ptrs.back() + jacobi_block_padding),
                      S{std::numeric_limits<real_t<S>>::quiet_NaN()});
        values_ = Array<S>(exec, padded);
    }

    DiagonalBlocksView<S> view()
    {
        return {num_blocks_, max_size_, block_ptrs_.data(), value_ptrs_.data(), values_.data()};
    }
    /// The values, without the padding.
    std::vector<S> to_host() const
    {
        auto values = values_.to_host();
        values.resize(values.size() - jacobi_block_padding);
        return values;
    }

private:
    size_type num_blocks_;
    size_type max_size_;
    Array<size_type> block_ptrs_;
    Array<size_type> value_ptrs_;
    Array<S> values_;
};

}  // namespace linden::test
