#pragma once

#include <linden/half.hpp>
#include <linden/views.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

/// What the arguments of a kernel are made of: the pointers in its views, and numbers. Views are aggregates, which
/// structured bindings take apart, so that no view and no kernel says anything about itself.
/// (doc/decisions/0023-the-table-checks-itself.md)
namespace linden {

enum class ElementKind : std::uint8_t { bytes, integer, half, float32, float64, complex64, complex128 };

/// What a pointer points to.
struct ElementType {
    ElementKind kind = ElementKind::bytes;
    std::uint32_t bytes = 1;
};

constexpr bool is_floating(ElementKind kind) { return kind >= ElementKind::half; }

template <class T>
constexpr ElementType element_type()
{
    constexpr auto bytes = static_cast<std::uint32_t>(sizeof(T));
    if constexpr (std::is_same_v<T, double>) {
        return {ElementKind::float64, bytes};
    } else if constexpr (std::is_same_v<T, float>) {
        return {ElementKind::float32, bytes};
    } else if constexpr (std::is_same_v<T, std::complex<double>>) {
        return {ElementKind::complex128, bytes};
    } else if constexpr (std::is_same_v<T, std::complex<float>>) {
        return {ElementKind::complex64, bytes};
    } else if constexpr (std::is_same_v<T, half>) {
        return {ElementKind::half, bytes};
    } else if constexpr (std::is_integral_v<T> || (std::is_enum_v<T> && !std::is_same_v<T, std::byte>)) {
        return {ElementKind::integer, bytes};
    } else {
        return {ElementKind::bytes, bytes};
    }
}

/// Sees what arguments are made of, and may change it.
class ArgumentVisitor {
public:
    virtual ~ArgumentVisitor() = default;
    /// A pointer that stands at `where`.
    virtual void pointer(void** where, ElementType element, bool is_const) = 0;
    /// Memory for temporary values.
    virtual void workspace(std::byte** where, size_type bytes) = 0;
    virtual void value(const void* where, ElementType type) = 0;
    /// Something that is not memory, such as an object behind a pointer.
    virtual void opaque() = 0;
};

/// Whether T is a number for kernels, a struct with arrays for example, whatever its members are.
template <class T>
inline constexpr bool holds_no_pointers = false;

namespace detail {

struct AnyField {
    template <class T>
    operator T() const;
};
/// A Scalar, which takes more than one way from what converts to everything.
struct ScalarField {
    template <class V>
    operator Scalar<V>() const;
};

template <class T, class... Fields>
constexpr int count_fields()
{
    if constexpr (requires { T{Fields{}..., AnyField{}}; }) {
        return count_fields<T, Fields..., AnyField>();
    } else if constexpr (requires { T{Fields{}..., ScalarField{}}; }) {
        return count_fields<T, Fields..., ScalarField>();
    } else {
        return sizeof...(Fields);
    }
}

template <class T>
void visit_argument(T& x, ArgumentVisitor& visitor);

template <class... T>
void visit_all(ArgumentVisitor& visitor, T&... x)
{
    (visit_argument(x, visitor), ...);
}

/// The fields of an aggregate, in their order.
template <class T>
void visit_fields(T& x, ArgumentVisitor& to)
{
    constexpr int n = count_fields<T>();
    static_assert(1 <= n && n <= 12, "a view with more fields needs a line here");
    if constexpr (n == 1) {
        auto& [a] = x;
        visit_all(to, a);
    } else if constexpr (n == 2) {
        auto& [a, b] = x;
        visit_all(to, a, b);
    } else if constexpr (n == 3) {
        auto& [a, b, c] = x;
        visit_all(to, a, b, c);
    } else if constexpr (n == 4) {
        auto& [a, b, c, d] = x;
        visit_all(to, a, b, c, d);
    } else if constexpr (n == 5) {
        auto& [a, b, c, d, e] = x;
        visit_all(to, a, b, c, d, e);
    } else if constexpr (n == 6) {
        auto& [a, b, c, d, e, f] = x;
        visit_all(to, a, b, c, d, e, f);
    } else if constexpr (n == 7) {
        auto& [a, b, c, d, e, f, g] = x;
        visit_all(to, a, b, c, d, e, f, g);
    } else if constexpr (n == 8) {
        auto& [a, b, c, d, e, f, g, h] = x;
        visit_all(to, a, b, c, d, e, f, g, h);
    } else if constexpr (n == 9) {
        auto& [a, b, c, d, e, f, g, h, i] = x;
        visit_all(to, a, b, c, d, e, f, g, h, i);
    } else if constexpr (n == 10) {
        auto& [a, b, c, d, e, f, g, h, i, j] = x;
        visit_all(to, a, b, c, d, e, f, g, h, i, j);
    } else if constexpr (n == 11) {
        auto& [a, b, c, d, e, f, g, h, i, j, k] = x;
        visit_all(to, a, b, c, d, e, f, g, h, i, j, k);
    } else {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l] = x;
        visit_all(to, a, b, c, d, e, f, g, h, i, j, k, l);
    }
}

template <class T>
inline constexpr bool is_pattern = false;
template <class I>
inline constexpr bool is_pattern<PatternView<I>> = true;
template <class T>
inline constexpr bool is_scalar = false;
template <class V>
inline constexpr bool is_scalar<Scalar<V>> = true;

template <class T>
void visit_argument(T& x, ArgumentVisitor& visitor)
{
    if constexpr (std::is_pointer_v<T>) {
        using Element = std::remove_pointer_t<T>;
        if constexpr (std::is_trivially_copyable_v<Element>) {
            visitor.pointer(reinterpret_cast<void**>(const_cast<std::remove_const_t<Element>**>(&x)),
                            element_type<std::remove_const_t<Element>>(), std::is_const_v<Element>);
        } else {
            visitor.opaque();
        }
    } else if constexpr (std::is_same_v<T, WorkspaceView>) {
        visitor.workspace(&x.data, x.bytes);
    } else if constexpr (is_scalar<T>) {
        visit_all(visitor, x.value, x.data, x.stride);
    } else if constexpr (is_pattern<T>) {
        visit_all(visitor, x.rows, x.cols, x.num_nonzeros, x.row_ptrs, x.col_idxs);
    } else if constexpr (element_type<T>().kind != ElementKind::bytes || holds_no_pointers<T>) {
        visitor.value(&x, element_type<T>());
    } else {
        visit_fields(x, visitor);
    }
}

}  // namespace detail

/// An argument without its type.
struct ArgumentType {
    std::size_t bytes = 0;
    void (*visit)(void* argument, ArgumentVisitor& visitor) = nullptr;
};

template <class T>
inline constexpr ArgumentType argument_type{sizeof(T), [](void* argument, ArgumentVisitor& visitor) {
                                                static_assert(std::is_trivially_copyable_v<T>);
                                                detail::visit_argument(*static_cast<T*>(argument), visitor);
                                            }};

}  // namespace linden
