#pragma once

#include <linden/matrix/csr.hpp>

namespace linden {

/// The format with the fastest products for a Csr matrix, without changing values:
/// - `Dia` if it takes at least 10 % fewer bytes than Csr, as for stencils and bands;
/// - else the matrix itself. Other formats that keep values take more bytes, or more time to unpack than they save
///   (benchmark/results).
/// Preconditioners need the Csr matrix; see `Formatted`. Takes a few passes over the pattern and waits for the
/// executor.
/// @throws NotSupported if `matrix` is not a Csr, InvalidParameter if it is null
template <class V>
LINDEN_EXPORT LinOpPtr<V> automatic_format(LinOpPtr<V> matrix);

template <class V, class I>
LinOpPtr<V> automatic_format(std::shared_ptr<const Csr<V, I>> matrix)
{
    return automatic_format<V>(LinOpPtr<V>(std::move(matrix)));
}

}  // namespace linden
