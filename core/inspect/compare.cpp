#include "core/inspect/compare.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "core/base/mix.hpp"

namespace linden::inspect {
namespace {

template <class T>
T read(const std::byte* from)
{
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

/// A number as a complex one of double precision.
std::complex<double> number(ElementKind kind, const std::byte* at)
{
    switch (kind) {
    case ElementKind::half:
        return static_cast<double>(static_cast<float>(read<half>(at)));
    case ElementKind::float32:
        return static_cast<double>(read<float>(at));
    case ElementKind::float64:
        return read<double>(at);
    case ElementKind::complex64:
        return {static_cast<double>(read<std::complex<float>>(at).real()),
                static_cast<double>(read<std::complex<float>>(at).imag())};
    case ElementKind::complex128:
        return read<std::complex<double>>(at);
    default:
        return {};
    }
}

bool is_nan(std::complex<double> x) { return std::isnan(x.real()) || std::isnan(x.imag()); }

bool is_infinite(std::complex<double> x) { return std::isinf(x.real()) || std::isinf(x.imag()); }

double distance(std::complex<double> a, std::complex<double> b)
{
    if (is_nan(a) && is_nan(b)) {
        return 0;
    }
    if (is_nan(a) || is_nan(b) || is_infinite(a) || is_infinite(b)) {
        return a == b ? 0 : std::numeric_limits<double>::infinity();
    }
    return std::abs(a - b);
}

/// 1 or -1, by a hash of `i`.
int sign(std::uint64_t i, std::uint64_t seed)
{
    return (mixed((i + 1) * mix_step ^ (seed + 1) * 0xD1B54A32D192ED03u) >> 40 & 1) != 0 ? 1 : -1;
}

template <class R>
void perturb_real(std::byte* at, int direction)
{
    const auto value = read<R>(at);
    if (value == R{} || !std::isfinite(value)) {
        return;
    }
    const R changed = std::nextafter(value, static_cast<R>(direction) * std::numeric_limits<R>::infinity());
    std::memcpy(at, &changed, sizeof changed);
}

}  // namespace

double unit_roundoff_of(ElementKind kind)
{
    switch (kind) {
    case ElementKind::half:
        return 0x1p-11;
    case ElementKind::float32:
    case ElementKind::complex64:
        return 0x1p-24;
    case ElementKind::float64:
    case ElementKind::complex128:
        return 0x1p-53;
    default:
        return 0;
    }
}

Difference compare(ElementType element, const std::byte* a, const std::byte* b, const std::byte* before,
                   std::size_t count)
{
    Difference all;
    const double eps = unit_roundoff_of(element.kind);
    for (std::size_t i = 0; i < count; ++i) {
        const auto at = i * element.bytes;
        const bool is_same = std::memcmp(a + at, b + at, element.bytes) == 0;
        if (is_same && std::memcmp(b + at, before + at, element.bytes) == 0) {
            continue;
        }
        ++all.num_changed;
        const auto expected = number(element.kind, b + at);
        if (eps != 0 && std::isfinite(std::abs(expected))) {
            all.scale = std::max(all.scale, std::abs(expected));
        }
        if (is_same) {
            continue;
        }
        const double error =
            eps == 0 ? std::numeric_limits<double>::infinity() : distance(number(element.kind, a + at), expected);
        if (error == 0) {
            continue;  // 0 and -0, or two NaN
        }
        all.first = all.num_different == 0 ? i : all.first;
        ++all.num_different;
        all.error = std::max(all.error, error);
        all.ulps =
            std::max(all.ulps, expected == std::complex<double>() ? error / eps : error / eps / std::abs(expected));
    }
    return all;
}

void perturb(ElementType element, std::byte* values, std::size_t count, std::uint64_t seed)
{
    const bool is_complex = element.kind == ElementKind::complex64 || element.kind == ElementKind::complex128;
    const bool is_double = element.kind == ElementKind::float64 || element.kind == ElementKind::complex128;
    if (element.kind == ElementKind::half || !is_floating(element.kind)) {
        return;
    }
    const std::size_t bytes = is_double ? sizeof(double) : sizeof(float);
    for (std::size_t i = 0; i < count * (is_complex ? 2 : 1); ++i) {
        if (is_double) {
            perturb_real<double>(values + i * bytes, sign(i, seed));
        } else {
            perturb_real<float>(values + i * bytes, sign(i, seed));
        }
    }
}

namespace {

/// The highest bit of the mantissa, or the lowest of an integer: it changes a number by a quarter or more.
void flip_bit(ElementType element, std::byte* at)
{
    int bit = 0;
    if (element.kind == ElementKind::half) {
        bit = 9;
    } else if (element.kind == ElementKind::float32 || element.kind == ElementKind::complex64) {
        bit = 22;
    } else if (is_floating(element.kind)) {
        bit = 51;
    }
    at[bit / 8] ^= std::byte{1} << bit % 8;
}

bool is_nan_at(ElementType element, const std::byte* at)
{
    return is_floating(element.kind) && is_nan(number(element.kind, at));
}

/// How much an element shows of a fault: its magnitude, or how far it was changed.
double weight(Fault fault, ElementType element, const std::byte* before, const std::byte* after)
{
    if (fault == Fault::stray_write) {
        return is_nan_at(element, after) ? 0 : 1;  // one NaN is as good as another
    }
    if (!is_floating(element.kind)) {
        return fault == Fault::lost_nan || fault == Fault::other_order ? 0 : 1;
    }
    if (fault == Fault::lost_nan) {
        return is_nan_at(element, after) ? 1 : 0;
    }
    const auto value = number(element.kind, after);
    const bool is_of_value = fault == Fault::flipped_bit || fault == Fault::other_order;
    const double size = std::abs(is_of_value ? value : value - number(element.kind, before));
    return std::isfinite(size) ? size : 0;
}

}  // namespace

bool plant_fault(Fault fault, ElementType element, const std::byte* before, std::byte* after, std::size_t count,
                 double roundoff)
{
    std::size_t best = count;
    double most = 0, scale = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto at = i * element.bytes;
        const bool is_written = std::memcmp(before + at, after + at, element.bytes) != 0;
        if (is_written == (fault == Fault::stray_write)) {
            continue;
        }
        const double w = weight(fault, element, before + at, after + at);
        scale = std::max(scale, weight(Fault::flipped_bit, element, before + at, after + at));
        if (w > most) {
            most = w;
            best = i;
        }
    }
    const bool is_alike =
        fault == Fault::skipped_item && is_floating(element.kind) && most < std::sqrt(roundoff) * scale;
    if (best == count || is_alike) {
        return false;
    }
    std::byte* const at = after + best * element.bytes;
    if (fault == Fault::skipped_item || fault == Fault::late_write) {
        std::memcpy(at, before + best * element.bytes, element.bytes);
    } else if (fault == Fault::lost_nan) {
        std::memset(at, 0, element.bytes);
    } else if (fault == Fault::other_order) {
        *at ^= std::byte{1};  // the last place, of the real part
    } else {
        flip_bit(element, at);
    }
    return true;
}

}  // namespace linden::inspect
