#pragma once

#include <linden/distributed/communicator.hpp>
#include <linden/error.hpp>
#include <linden/lin_op.hpp>

#include <vector>

/// The operators of which another operator is made.
namespace linden::detail {

/// `op`, copied if it is on another executor. @throws InvalidParameter if it is null
template <class V>
LinOpPtr<V> operator_on(const Executor& exec, LinOpPtr<V> op)
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

/// That of the first operator that is spread over several ranks; self if none is.
template <class V>
Communicator communicator_of(const std::vector<LinOpPtr<V>>& operators)
{
    for (const auto& op : operators) {
        if (const auto communicator = op->communicator(); !communicator.is_single()) {
            return communicator;
        }
    }
    return Communicator::self();
}

}  // namespace linden::detail
