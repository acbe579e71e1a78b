#pragma once

#include <linden/distributed/own_block.hpp>

#include "core/matrix/visit_csr.hpp"

namespace linden {

/// `visit_csr` for what takes no more of a matrix than its diagonal: of one that is spread over ranks, f gets the block
/// of the own rows and columns. @throws NotSupported
template <class V, class F>
void visit_own_block(std::string_view who, const LinOp<V>& op, F&& f)
{
    if (const auto* const spread = dynamic_cast<const distributed::OwnBlock<V>*>(&op); spread != nullptr) {
        visit_csr(who, *spread->own_block(), f);
    } else {
        visit_csr(who, op, f);
    }
}

}  // namespace linden
