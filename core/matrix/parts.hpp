#pragma once

#include <linden/array.hpp>
#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>

#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

/// Helpers of operators that consist of operators.
namespace linden::detail {

/// `op`, copied if it is on another executor. @throws InvalidParameter if it is null
template <class V>
LinOpPtr<V> part_on(const Executor& exec, LinOpPtr<V> op)
{
    if (op == nullptr) {
        throw InvalidParameter("operators", "null", "operators");
    }
    return op->executor() == exec ? std::move(op) : LinOpPtr<V>(op->clone(exec));
}

/// The executor of the first operator. @throws InvalidParameter if there is none
template <class V>
const Executor& executor_of_first(const std::vector<LinOpPtr<V>>& operators)
{
    if (operators.empty() || operators.front() == nullptr) {
        throw InvalidParameter("operators", operators.empty() ? "none" : "null", "at least one operator");
    }
    return operators.front()->executor();
}

/// Memory for temporary vectors, kept as long as the operator lives, since recorded loops hold its addresses.
template <class V>
class BlockCache {
    struct Slot {
        Array<V> values;
        bool idle;
    };

public:
    explicit BlockCache(Executor exec) : exec_(std::move(exec)) {}

    /// Memory for a block of up to `values` values, as long as the lease lives. Thread-safe.
    class Lease {
    public:
        Lease(BlockCache& cache, size_type values) : cache_(cache), slot_(cache.take(values)) {}
        ~Lease()
        {
            const std::lock_guard lock(cache_.mutex_);
            slot_.idle = true;
        }
        Lease(const Lease&) = delete;
        Lease& operator=(const Lease&) = delete;

        Dense<V> block(Dim size) { return Dense<V>::adopt(cache_.exec_, size, size.cols, slot_.values.data()); }

    private:
        BlockCache& cache_;
        Slot& slot_;
    };

private:
    Slot& take(size_type values)
    {
        const std::lock_guard lock(mutex_);
        for (auto& slot : slots_) {
            if (slot->idle && slot->values.size() >= values) {
                slot->idle = false;
                return *slot;
            }
        }
        return *slots_.emplace_back(std::make_unique<Slot>(Slot{Array<V>(exec_, values), false}));
    }

    Executor exec_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Slot>> slots_;
};

}  // namespace linden::detail
