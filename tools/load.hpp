#pragma once

#include <linden/error.hpp>
#include <linden/io/matrix_market.hpp>
#include <linden/io/problems.hpp>

#include <string>

#include "core/base/type_lists.hpp"

namespace linden::tool {

namespace detail {

template <class... I>
constexpr bool contains_int32(TypeList<I...>)
{
    return (... || (sizeof(I) == 4));
}

template <class... I>
constexpr bool contains_int64(TypeList<I...>)
{
    return (... || (sizeof(I) == 8));
}

}  // namespace detail

/// Calls `f.operator()<I>()` with 32-bit indices, and where that fails with 64-bit ones: the reader and the generator
/// refuse what does not fit. An input that is wrong fails again, with its real reason.
template <class F>
void with_fitting_index(F&& f)
{
    constexpr bool narrow = detail::contains_int32(IndexTypes{});
    constexpr bool wide = detail::contains_int64(IndexTypes{});
    if constexpr (narrow && wide) {
        try {
            f.template operator()<std::int32_t>();
            return;
        } catch (const FileError&) {
        } catch (const InvalidParameter&) {
        }
    }
    if constexpr (wide) {
        f.template operator()<std::int64_t>();
    } else {
        f.template operator()<std::int32_t>();
    }
}

/// The matrix in `file`, or if that is empty the problem `problem`.
template <class V, class I>
CsrData<V, I> load_matrix(const std::string& file, const std::string& problem)
{
    return file.empty() ? generate_problem<V, I>(problem) : read_matrix<V, I>(file);
}

}  // namespace linden::tool
