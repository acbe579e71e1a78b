#pragma once

#include <linden/lin_op.hpp>

namespace linden::distributed {

/// The base of operators that are spread over ranks by rows and know their own block.
template <class V>
struct LINDEN_EXPORT OwnBlock {
    virtual ~OwnBlock() = default;
    /// The square block of the own rows and columns, a Csr: what the diagonal is taken from, and what preconditioners
    /// of this rank are made of. O(nonzeros)
    virtual LinOpPtr<V> own_block() const = 0;

protected:
    OwnBlock() = default;
    OwnBlock(const OwnBlock&) = default;
    OwnBlock& operator=(const OwnBlock&) = default;
};

}  // namespace linden::distributed
