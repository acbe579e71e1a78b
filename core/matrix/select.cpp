#include <linden/error.hpp>
#include <linden/select.hpp>

#include <string>

#include "core/kernels/selection.hpp"

// instantiate: real_t<V> select_threshold(const Array<V>&, size_type, Selection)

namespace linden {

template <class V>
real_t<V> select_threshold(const Array<V>& values, size_type rank, Selection how)
{
    using R = real_t<V>;
    const auto& exec = values.executor();
    const size_type n = values.size();
    if (rank < 0 || rank >= n) {
        throw InvalidParameter("rank", std::to_string(rank),
                               n == 0
                                   ? "nothing, since of 0 values none has a rank"
                                   : "from 0 to " + std::to_string(n - 1) + ", for " + std::to_string(n) + " values");
    }
    Array<R> magnitudes(exec, n);
    Array<R> result(exec, 1);
    Array<std::byte> workspace(exec, selection_workspace_bytes<R>(n));
    selection_magnitudes<V>(exec, n, values.data(), magnitudes.data());
    selection_select<R>(exec, n, magnitudes.data(), rank, how, result.data(), {workspace.data(), workspace.size()});
    return result.to_host().front();
}

}  // namespace linden
