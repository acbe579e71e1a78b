#pragma once

#include <linden/distributed/communicator.hpp>
#include <linden/error.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/matrix/formatted.hpp>

#include <string>
#include <string_view>

#include "core/base/type_lists.hpp"
#include "core/matrix/same_nonzeros.hpp"

namespace linden {

/// Calls `f(matrix)` with `op` as a Csr<V, I>, for any index type; false if it is not a Csr.
template <class V, class F>
bool visit_if_csr(const LinOp<V>& op, F&& f)
{
    bool found = false;
    for_each_index([&]<class I>() {
        if (const auto* csr = found ? nullptr : dynamic_cast<const Csr<V, I>*>(&op); csr != nullptr) {
            found = true;
            f(*csr);
        }
    });
    return found;
}

/// What to do about an operator that is spread over processes.
template <class V>
std::string csr_hint(const LinOp<V>& op)
{
    return op.communicator().is_single() ? ""
                                         : "; on several ranks, Schwarz makes it from the rows of each rank, and "
                                           "Gathered from all rows on one of them";
}

/// Calls `f(matrix)` for operators that must be, or contain, a Csr. @throws NotSupported{op: who} naming the operator
/// otherwise
template <class V, class F>
void visit_csr(std::string_view who, const LinOp<V>& op, F&& f)
{
    const auto* const formatted = dynamic_cast<const Formatted<V>*>(&op);
    if (!visit_if_csr(formatted == nullptr ? op : *formatted->source(), f)) {
        throw NotSupported(who, "it needs a Csr matrix, the operator is a " + op.name() + csr_hint(op));
    }
}

/// `op` as the Csr<V, I> that it is, or is made of. @throws NotSupported if it is none
template <class V, class I>
const Csr<V, I>& csr_of(std::string_view who, const LinOp<V>& op)
{
    const Csr<V, I>* found = nullptr;
    visit_csr(who, op, [&]<class J>(const Csr<V, J>& csr) {
        if constexpr (std::is_same_v<I, J>) {
            found = &csr;
        }
    });
    if (found == nullptr) {
        throw NotSupported(who, "the new values come with indices of another type");
    }
    return *found;
}

/// The same. @throws DimensionMismatch if it has not `nnz` nonzeros
template <class V, class I>
const Csr<V, I>& csr_of(std::string_view who, const LinOp<V>& op, size_type nnz)
{
    const auto& found = csr_of<V, I>(who, op);
    detail::require_same_nonzeros(who, nnz, found.num_nonzeros());
    return found;
}

}  // namespace linden
