#pragma once

#include <linden/matrix/csr.hpp>

#include <string>
#include <string_view>

/// Sparse formats from text: `csr`, the name of a format such as `bsr`, or `auto`, which is `automatic_format`.
/// Parameters follow a colon, as `bsr:block_size=3,max_fill=5`; the first may be a value alone, that of the first
/// parameter: `bsr:3`. The same as JSON is `{"type": "Bsr", "block_size": 3, "max_fill": 5}`.
namespace linden::config {

/// `matrix` in the format `text`: a `Formatted`, with which solvers multiply in this format, and from which
/// preconditioners are made as from the Csr matrix. `matrix` itself where the format is Csr.
/// @throws InvalidParameter if the text is no format, or the matrix does not suit it; FileError if it is no JSON
template <class V, class I>
LINDEN_EXPORT LinOpPtr<V> in_format(std::string_view text, std::shared_ptr<const Csr<V, I>> matrix);

/// @throws InvalidParameter if `text` is no format, FileError if it is no JSON
LINDEN_EXPORT void check_format(std::string_view text);

/// `csr | ell | ... | auto`
LINDEN_EXPORT std::string format_names();
/// What formats are for, their parameters, and when `auto` takes them.
LINDEN_EXPORT std::string format_help();

}  // namespace linden::config
