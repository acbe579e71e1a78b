#pragma once

#include <linden/matrix/csr.hpp>

namespace linden {

/// The format with faster products for a Csr matrix by measurement, without changing values: the stencils of its rows
/// if these are few, as on grids with constant coefficients; diagonals if they take at least 10 % fewer bytes than Csr,
/// as for bands; else the matrix itself. The reasons for each format are in `config::format_help`. Preconditioners need
/// the Csr matrix; see `Formatted`. Takes a few passes over the pattern and waits for the executor.
/// @throws NotSupported if `matrix` is not a Csr, InvalidParameter if it is null
template <class V>
LINDEN_EXPORT LinOpPtr<V> automatic_format(LinOpPtr<V> matrix);

template <class V, class I>
LinOpPtr<V> automatic_format(std::shared_ptr<const Csr<V, I>> matrix)
{
    return automatic_format<V>(LinOpPtr<V>(std::move(matrix)));
}

}  // namespace linden
