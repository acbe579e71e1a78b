#pragma once

#include <linden/factory.hpp>

#include <string>
#include <string_view>
#include <vector>

/// Factories from text, and text from factories.
///
/// In JSON a factory is an object whose `type` names it and whose other members are its parameters. The name alone
/// stands for a factory with default parameters, and `null` for none. Comments are allowed.
///
///     {"type": "Cg", "stop": {"max_iterations": 500}, "preconditioner": {"type": "Jacobi"}}
///     {"type": "Cg", "preconditioner": "Jacobi"}
///
/// The short form, for command lines, is `name:key=value,key=value`. A key is a parameter or a path such as
/// `stop.max_iterations` or `preconditioner.type`; members of the group `stop` need no prefix.
///
///     cg:max_iterations=500,preconditioner=jacobi
///
/// Type names ignore letter case, `-` and `_`. Parameters that are not given keep their defaults. Unknown keys are
/// errors.
namespace linden::config {

enum class Kind { solver, preconditioner };

/// The factory that `json_text` describes, null for `null`. Errors refer to the text as `origin`.
/// @throws FileError with the line if the text is not valid JSON
/// @throws InvalidParameter with the path inside the document as its name, as in `preconditioner.stop.max_iterations`
template <class V>
LINDEN_EXPORT FactoryPtr<V> parse_factory(std::string_view json_text, std::string_view origin);

/// The factory that the file describes. @throws as `parse_factory`
template <class V>
LINDEN_EXPORT FactoryPtr<V> read_factory(std::string_view path);

/// The factory with the short form `text`. Its parameter `preconditioner` is set to the factory with the short form
/// `preconditioner` unless that is empty; `none` removes it.
/// @throws InvalidParameter with the key as its name
template <class V>
LINDEN_EXPORT FactoryPtr<V> parse_short(std::string_view text, std::string_view preconditioner = {});

/// A copy of `factory` with parameters changed by `assignments`, as in `max_iterations=500,relative_residual=1e-8`.
/// @throws InvalidParameter with the key as its name
template <class V>
LINDEN_EXPORT FactoryPtr<V> with_parameters(const LinOpFactory<V>& factory, std::string_view assignments);

/// All parameters as indented JSON, from which `parse_factory` makes an equal factory. User-defined stopping criteria
/// and the executor of the factory are left out, since text cannot represent them.
template <class V>
LINDEN_EXPORT std::string to_json(const FactoryPtr<V>& factory);

/// The arguments of `parse_short` that make a factory.
struct ShortForm {
    std::string text;            ///< the type and the parameters that differ from the defaults, without preconditioner
    std::string preconditioner;  ///< the short form of the preconditioner; `none` if there is none
};
template <class V>
LINDEN_EXPORT ShortForm to_short(const LinOpFactory<V>& factory);

/// The registered types of a kind.
template <class V>
LINDEN_EXPORT std::vector<std::string> registered_types(Kind kind);

/// The kind of a registered type. @throws InvalidParameter with the nearest name
template <class V>
LINDEN_EXPORT Kind kind_of(std::string_view type);

/// A table of the parameters of a type: name, type, default, meaning. @throws InvalidParameter with the nearest name
template <class V>
LINDEN_EXPORT std::string help(std::string_view type);

/// The tables of all types.
LINDEN_EXPORT std::string help_text();

}  // namespace linden::config
