#pragma once

#include <linden/factory.hpp>

#include <string>
#include <string_view>
#include <vector>

/// Factories from text, and text from factories.
///
/// A factory as JSON is an object whose `type` names it and whose other members are its parameters; a factory without
/// parameters of its own may be its name alone, and `null` is none. Comments are allowed.
///
///     {"type": "Cg", "stop": {"max_iterations": 500}, "preconditioner": {"type": "Jacobi"}}
///     {"type": "Cg", "preconditioner": "Jacobi"}
///
/// Its short form, for command lines, is `name:key=value,key=value`. A key is a parameter or a path such as
/// `stop.max_iterations` or `preconditioner.type`; the members of the group `stop` need no prefix.
///
///     cg:max_iterations=500,preconditioner=jacobi
///
/// In names of types letter case, `-` and `_` do not matter. What is not given keeps its default. Unknown keys are
/// errors.
namespace linden::config {

enum class Kind { solver, preconditioner };

/// The factory that `json_text` describes, null for `null`. `origin` stands for the text in errors.
/// @throws FileError with the line where the text is no JSON
/// @throws InvalidParameter whose name is the path inside the document, as in `preconditioner.stop.max_iterations`
template <class V>
LINDEN_EXPORT FactoryPtr<V> parse_factory(std::string_view json_text, std::string_view origin);

/// The factory that the file describes. @throws as `parse_factory`
template <class V>
LINDEN_EXPORT FactoryPtr<V> read_factory(std::string_view path);

/// The factory with the short form `text`. Its parameter `preconditioner` becomes the factory with the short form
/// `preconditioner`, unless that is empty; `none` means that there is none.
/// @throws InvalidParameter whose name is the key
template <class V>
LINDEN_EXPORT FactoryPtr<V> parse_short(std::string_view text, std::string_view preconditioner = {});

/// A copy of `factory` in which `assignments`, as in `max_iterations=500,relative_residual=1e-8`, hold.
/// @throws InvalidParameter whose name is the key
template <class V>
LINDEN_EXPORT FactoryPtr<V> with_parameters(const LinOpFactory<V>& factory, std::string_view assignments);

/// All parameters as indented JSON: `parse_factory` makes the same factory of it. Stopping criteria of yours and the
/// executor of the factory are left out, since text cannot hold them.
template <class V>
LINDEN_EXPORT std::string to_json(const FactoryPtr<V>& factory);

/// What `parse_short` takes to make a factory.
struct ShortForm {
    std::string text;            ///< the type and what differs from the defaults, apart from the preconditioner
    std::string preconditioner;  ///< likewise; `none` if there is none
};
template <class V>
LINDEN_EXPORT ShortForm to_short(const LinOpFactory<V>& factory);

/// The types that text can name.
template <class V>
LINDEN_EXPORT std::vector<std::string> registered_types(Kind kind);

/// What kind the type is of. @throws InvalidParameter with the nearest name
template <class V>
LINDEN_EXPORT Kind kind_of(std::string_view type);

/// A table of the parameters of a type: name, type, default, meaning. @throws InvalidParameter with the nearest name
template <class V>
LINDEN_EXPORT std::string help(std::string_view type);

/// The tables of all types.
LINDEN_EXPORT std::string help_text();

}  // namespace linden::config
