#pragma once

#include <linden/matrix/dense.hpp>

#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/pool.hpp"
#include "core/kernels/dense.hpp"
#include "core/kernels/reduction.hpp"
#include "core/matrix/block_cache.hpp"

namespace linden::detail {

/// Orthonormal vectors N that a Hermitian A takes to 0, and the projection I - N N^H to its range.
template <class V>
class NullSpace {
public:
    /// vectors: n x k; those that depend on others before them are left out. Waits.
    explicit NullSpace(const Dense<V>& vectors) : exec_(vectors.executor()), size_(vectors.size().rows), between_(exec_)
    {
        const double smallest = 1e3 * static_cast<double>(std::numeric_limits<real_t<V>>::epsilon());
        for (size_type j = 0; j < vectors.size().cols; ++j) {
            Dense<V> v(exec_, {size_, 1});
            dense_copy<V>(exec_, {size_, 1, vectors.stride(), vectors.data() + j}, v.view());
            const auto length = static_cast<double>(v.norm2().front());
            for (int pass = 0; pass < 2; ++pass) {
                for (const auto& [q, minus_q] : vectors_) {
                    v.add_scaled(q.dot(v).front(), minus_q);
                }
            }
            const auto rest = static_cast<double>(v.norm2().front());
            if (rest > smallest * length) {
                v.scale(1 / rest);
                auto minus = v.copy();
                minus.scale(-1);
                vectors_.emplace_back(std::move(v), std::move(minus));
            }
        }
    }

    /// x := (I - N N^H) x. Neither waits nor, after the first time, allocates.
    void project(Dense<V>& x) const
    {
        auto work = pool_.take([](const std::unique_ptr<Work>&) { return true; },
                               [&] { return std::make_unique<Work>(exec_); });
        Scalar<V> factor;
        factor.data = (*work)->sum.data();
        for (size_type col = 0; col < x.size().cols; ++col) {
            const DenseView<V> column{size_, 1, x.stride(), x.data() + col};
            for (const auto& [q, minus_q] : vectors_) {
                dense_dot<V>(exec_, q.view(), column, (*work)->sum.data(), (*work)->reduction.view());
                dense_axpby<V>(exec_, factor, minus_q.view(), V{1}, column);
            }
        }
    }

    /// The norms of what the projection takes from each column of b. Waits.
    std::vector<real_t<V>> parts_of(const Dense<V>& b) const
    {
        std::vector<real_t<V>> parts;
        with_projected(b, [&](const Dense<V>& projected) {
            auto rest = b.copy();
            rest.add_scaled(-1, projected);
            parts = rest.norm2();
        });
        return parts;
    }

    /// Calls apply(c) with a projected copy c of b.
    template <class Apply>
    void with_projected(const Dense<V>& b, const Apply& apply) const
    {
        typename BlockCache<V>::Lease lease(between_, b.size().rows * b.size().cols);
        auto copy = lease.block(b.size());
        dense_copy<V>(exec_, b.view(), copy.view());
        project(copy);
        apply(std::as_const(copy));
    }

private:
    struct Work {
        explicit Work(const Executor& exec) : sum(exec, 1), reduction(ReductionWorkspace::for_values<V>(exec, 1)) {}
        Array<V> sum;
        ReductionWorkspace reduction;
    };

    Executor exec_;
    size_type size_;
    std::vector<std::pair<Dense<V>, Dense<V>>> vectors_;  ///< each and its negative
    mutable Pool<std::unique_ptr<Work>> pool_;
    mutable BlockCache<V> between_;
};

}  // namespace linden::detail
