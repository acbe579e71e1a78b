#pragma once

#include <linden/matrix/csr.hpp>

namespace linden {

/// The format in which products with a Csr matrix are fastest, values kept as they are:
/// - `Dia` where its diagonals take at least 10 % fewer bytes than Csr: stencils and bands;
/// - else the matrix itself: other formats that keep values hold more bytes, or take longer to unpack than these save
///   (benchmark/results).
/// Preconditioners need the Csr matrix: see `Formatted`. Takes some passes over the pattern, and waits for the
/// executor.
/// @throws NotSupported if `matrix` is no Csr, InvalidParameter if it is null
template <class V>
LINDEN_EXPORT LinOpPtr<V> automatic_format(LinOpPtr<V> matrix);

template <class V, class I>
LinOpPtr<V> automatic_format(std::shared_ptr<const Csr<V, I>> matrix)
{
    return automatic_format<V>(LinOpPtr<V>(std::move(matrix)));
}

}  // namespace linden
