#pragma once

#include <linden/array.hpp>
#include <linden/matrix/dense.hpp>

#include "core/base/pool.hpp"

namespace linden::detail {

/// Memory for blocks of vectors between the operators of a product. Thread-safe.
template <class V>
class BlockCache {
public:
    explicit BlockCache(Executor exec) : exec_(std::move(exec)) {}

    /// Room for a block of up to `values` values, for as long as the lease lives.
    class Lease {
    public:
        Lease(BlockCache& cache, size_type values)
            : memory_(cache.pool_.take([values](const Array<V>& idle) { return idle.size() >= values; },
                                       [&] { return Array<V>(cache.exec_, values); }))
        {
        }
        Dense<V> block(Dim size) { return Dense<V>::adopt(memory_->executor(), size, size.cols, memory_->data()); }

    private:
        typename Pool<Array<V>>::Lease memory_;
    };

private:
    Executor exec_;
    Pool<Array<V>> pool_;
};

}  // namespace linden::detail
