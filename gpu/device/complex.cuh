#pragma once

#include <linden/views.hpp>

#include <cmath>
#include <complex>

#include "core/base/math.hpp"
#include "gpu/device/device.cuh"

/// Complex numbers for device code, and the real functions that generic kernels need beside them.
namespace linden::LINDEN_GPU_NAMESPACE {

/// Laid out as std::complex<R>, but aligned to its size, so that one is one load: arrays adopted from std::complex
/// must have that alignment (all allocators of device memory give it).
template <class R>
struct alignas(2 * sizeof(R)) Complex {
    R re, im;

    Complex() = default;
    __host__ __device__ constexpr Complex(R real, R imag = R{}) : re(real), im(imag) {}
    template <class S>
    __host__ __device__ explicit constexpr Complex(Complex<S> other)
        : re(static_cast<R>(other.re)),
          im(static_cast<R>(other.im))
    {
    }

    __host__ __device__ constexpr Complex& operator+=(Complex b) { return *this = *this + b; }
    __host__ __device__ constexpr Complex& operator-=(Complex b) { return *this = *this - b; }
    __host__ __device__ constexpr Complex& operator*=(Complex b) { return *this = *this * b; }
    __host__ __device__ constexpr Complex& operator/=(Complex b) { return *this = *this / b; }

    friend __host__ __device__ constexpr Complex operator+(Complex a) { return a; }
    friend __host__ __device__ constexpr Complex operator-(Complex a) { return {-a.re, -a.im}; }
    friend __host__ __device__ constexpr Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
    friend __host__ __device__ constexpr Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
    friend __host__ __device__ constexpr Complex operator*(Complex a, Complex b)
    {
        return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    }
    friend __host__ __device__ constexpr Complex operator*(R a, Complex b) { return {a * b.re, a * b.im}; }
    friend __host__ __device__ constexpr Complex operator*(Complex a, R b) { return {a.re * b, a.im * b}; }
    friend __host__ __device__ constexpr Complex operator/(Complex a, R b) { return {a.re / b, a.im / b}; }
    /// Smith's algorithm (CACM 5, 1962, algorithm 116): no overflow in |b|^2.
    friend __host__ __device__ constexpr Complex operator/(Complex a, Complex b)
    {
        const bool re_is_larger = (b.re < R{} ? -b.re : b.re) >= (b.im < R{} ? -b.im : b.im);
        if (re_is_larger) {
            const R ratio = b.im / b.re, denominator = b.re + b.im * ratio;
            return {(a.re + a.im * ratio) / denominator, (a.im - a.re * ratio) / denominator};
        }
        const R ratio = b.re / b.im, denominator = b.re * ratio + b.im;
        return {(a.re * ratio + a.im) / denominator, (a.im * ratio - a.re) / denominator};
    }
    friend __host__ __device__ constexpr bool operator==(Complex a, Complex b) { return a.re == b.re && a.im == b.im; }
};

static_assert(sizeof(Complex<double>) == sizeof(std::complex<double>) && std::is_trivially_copyable_v<Complex<double>>);
static_assert(sizeof(Complex<float>) == sizeof(std::complex<float>) && std::is_trivially_copyable_v<Complex<float>>);

template <class V>
struct device_type_of {
    using type = V;
    using real = V;
};
template <class V>
struct device_type_of<const V> {
    using type = const typename device_type_of<V>::type;
    using real = typename device_type_of<V>::real;
};
template <class R>
struct device_type_of<std::complex<R>> {
    using type = Complex<R>;
    using real = R;
};
template <class R>
struct device_type_of<Complex<R>> {
    using type = Complex<R>;
    using real = R;
};
/// Complex<R> for std::complex<R>, V for every other V; keeps const.
template <class V>
using device_type = typename device_type_of<V>::type;
/// R for R and for Complex<R>.
template <class V>
using device_real = typename device_type_of<V>::real;

/// The same memory, or the same value, as kernels see it.
template <class V>
device_type<V>* as_device(V* p)
{
    return reinterpret_cast<device_type<V>*>(p);
}
template <class V>
requires(is_complex<V> || std::is_arithmetic_v<V>) device_type<V> as_device(V value)
{
    if constexpr (is_complex<V>) {
        return {value.real(), value.imag()};
    } else {
        return value;
    }
}

// Of real numbers, so that kernels are written once.
using linden::abs2, linden::conj, linden::is_finite, linden::real;
template <class R>
requires std::is_floating_point_v<R> __host__ __device__ constexpr R imag(R) { return R{}; }
template <class R>
requires std::is_floating_point_v<R> __host__ __device__ constexpr R abs(R x)
{
    return x < R{} ? -x : x == R{} ? R{} : x;  // +0 for -0
}
/// In R on hosts too, where an unqualified sqrt would be C's of double.
template <class R>
requires std::is_floating_point_v<R> __host__ __device__ inline R sqrt(R x) { return std::sqrt(x); }
template <class R>
requires std::is_floating_point_v<R> __host__ __device__ constexpr bool is_nan(R x) { return x != x; }

template <class R>
__host__ __device__ constexpr R real(Complex<R> z)
{
    return z.re;
}
template <class R>
__host__ __device__ constexpr R imag(Complex<R> z)
{
    return z.im;
}
template <class R>
__host__ __device__ constexpr Complex<R> conj(Complex<R> z)
{
    return {z.re, -z.im};
}
template <class R>
__host__ __device__ constexpr R abs2(Complex<R> z)
{
    return z.re * z.re + z.im * z.im;
}
/// |z| without overflow of its square.
template <class R>
__host__ __device__ inline R abs(Complex<R> z)
{
    using std::hypot;
    return hypot(z.re, z.im);
}
template <class R>
__host__ __device__ constexpr bool is_nan(Complex<R> z)
{
    return is_nan(z.re) || is_nan(z.im);
}

/// Part by part: clang joins copies of whole complex numbers into one copy from a chosen address, and to have an
/// address the kernel's arguments must lie in scratch memory (clang 19 for AMD).
template <class R>
constexpr Complex<R> value_of_column(const Scalar<Complex<R>>& s, size_type col)
{
    const Complex<R>* const at = s.data + col * s.stride;
    return s.data == nullptr ? Complex<R>(s.value.re, s.value.im) : Complex<R>(at->re, at->im);
}

}  // namespace linden::LINDEN_GPU_NAMESPACE

namespace linden {

template <>
constexpr auto Scalar<LINDEN_GPU_NAMESPACE::Complex<float>>::operator[](size_type col) const
    -> LINDEN_GPU_NAMESPACE::Complex<float>
{
    return LINDEN_GPU_NAMESPACE::value_of_column(*this, col);
}
template <>
constexpr auto Scalar<LINDEN_GPU_NAMESPACE::Complex<double>>::operator[](size_type col) const
    -> LINDEN_GPU_NAMESPACE::Complex<double>
{
    return LINDEN_GPU_NAMESPACE::value_of_column(*this, col);
}

}  // namespace linden
