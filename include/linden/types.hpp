#pragma once

#include <linden/export.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

/// Basic types of the library: sizes, backends, value and index types.
namespace linden {

/// Counts and sizes; signed, so that differences and OpenMP loops are safe.
using size_type = std::int64_t;

/// Rows and columns of an operator or of a dense block of vectors.
struct Dim {
    size_type rows = 0;
    size_type cols = 0;

    friend constexpr bool operator==(Dim, Dim) = default;
};

constexpr Dim transpose(Dim d) { return {d.cols, d.rows}; }

/// Where kernels run. `reference` defines what every kernel means.
enum class Backend : std::uint8_t { reference, omp, cuda, hip };
inline constexpr int num_backends = 4;

constexpr std::string_view name(Backend b)
{
    constexpr std::string_view names[] = {"reference", "omp", "cuda", "hip"};
    return names[static_cast<int>(b)];
}

/// The value types of operators.
enum class ValueType : std::uint8_t { float32, float64, complex64, complex128 };

constexpr std::string_view name(ValueType t)
{
    constexpr std::string_view names[] = {"float", "double", "complex64", "complex128"};
    return names[static_cast<int>(t)];
}

enum class IndexType : std::uint8_t { int32, int64 };

constexpr std::string_view name(IndexType t) { return t == IndexType::int32 ? "int32" : "int64"; }

template <class V>
struct real_type {
    using type = V;
};
/// std::complex<R>, or a device's own complex type; <complex> itself would double the time to include this.
template <template <class> class Complex, class R>
struct real_type<Complex<R>> {
    using type = R;
};
/// float for float and std::complex<float>, double for double and std::complex<double>.
template <class V>
using real_t = typename real_type<std::remove_cv_t<V>>::type;

template <class V>
inline constexpr bool is_complex = !std::is_same_v<std::remove_cv_t<V>, real_t<V>>;

/// Whether operators may have values V: float, double, and complex numbers of them.
template <class V>
inline constexpr bool is_value_type = std::is_same_v<real_t<V>, float> || std::is_same_v<real_t<V>, double>;

/// Whether matrices may have indices I. On Linux std::int64_t is long, and long long is a type of its own.
template <class I>
inline constexpr bool is_index_type = std::is_same_v<I, std::int32_t> || std::is_same_v<I, std::int64_t>;

template <class V>
inline constexpr ValueType value_type_of = is_complex<V>
                                               ? (sizeof(V) == 8 ? ValueType::complex64 : ValueType::complex128)
                                               : (sizeof(V) == 4 ? ValueType::float32 : ValueType::float64);

template <class I>
inline constexpr IndexType index_type_of = sizeof(I) == 4 ? IndexType::int32 : IndexType::int64;

}  // namespace linden
