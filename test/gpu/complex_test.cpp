#include "gpu/device/complex.cuh"

#include <cmath>
#include <limits>

#include "test/gpu/gpu_support.cuh"

namespace linden::LINDEN_GPU_NAMESPACE::test {
namespace {

using DeviceComplex = GpuTest;
constexpr int num_results = 12;

template <class R>
__global__ void all_operations(int n, const Complex<R>* a, const Complex<R>* b, Complex<R>* out)
{
    const int i = global_id<int>();
    if (i >= n) {
        return;
    }
    const Complex<R> x = a[i], y = b[i];
    Complex<R>* r = out + i * num_results;
    r[0] = x + y;
    r[1] = x - y;
    r[2] = x * y;
    r[3] = x / y;
    r[4] = conj(x);
    r[5] = abs2(x);
    r[6] = abs(x);
    r[7] = R(2) * x - x * R(3) + x / R(4);
    r[8] = -x + Complex<R>(R(1), R(2));
    r[9] = x;
    r[9] += y;
    r[9] *= y;
    r[9] -= x;
    r[9] /= y;
    r[10] = {real(x) + real(real(y)), imag(x) + imag(real(y))};
    r[11] = {R(x == x) + R(2) * R(x == y), R(is_finite(x)) + R(is_nan(y))};
}

template <class R>
void expect_like_std()
{
    using Z = std::complex<R>;
    constexpr int n = 200;
    std::vector<Z> a(n), b(n);
    Random random(11);
    for (int i = 0; i < n; ++i) {
        a[i] = Z(R(random()), R(random()));
        b[i] = Z(R(random()), R(random())) * R(i % 3 ? 1 : 1000);
    }
    DeviceArray<Z> da(a), db(b), out(n * num_results);
    expect_ok(launch(all_operations<R>, 2, 128, 0, nullptr, n, as_device(da.data()), as_device(db.data()),
                     as_device(out.data())));
    const auto got = out.host();
    for (int i = 0; i < n; ++i) {
        const Z x = a[i], y = b[i];
        const Z expected[num_results] = {x + y,
                                         x - y,
                                         x * y,
                                         x / y,
                                         std::conj(x),
                                         std::norm(x),
                                         std::abs(x),
                                         R(2) * x - x * R(3) + x / R(4),
                                         -x + Z(1, 2),
                                         ((x + y) * y - x) / y,
                                         Z(x.real() + y.real(), x.imag()),
                                         Z(1, 1)};
        for (int k = 0; k < num_results; ++k) {
            // Each result takes at most 4 operations on numbers of size at most |x| + |y| (results 9: their quotient).
            const R scale = std::max(std::abs(expected[k]), std::abs(x) + std::abs(y));
            const R tolerance = 8 * std::numeric_limits<R>::epsilon() * std::max(scale, std::abs(x) / std::abs(y));
            ASSERT_NEAR(got[i * num_results + k].real(), expected[k].real(), tolerance) << "operation " << k;
            ASSERT_NEAR(got[i * num_results + k].imag(), expected[k].imag(), tolerance) << "operation " << k;
        }
    }
}

TEST_F(DeviceComplex, AgreesWithStdComplex)
{
    expect_like_std<float>();
    expect_like_std<double>();
}

template <class R>
void expect_safe_range()
{
    // Squares of these overflow, quotients do not.
    const R big = std::numeric_limits<R>::max() / 4;
    DeviceArray<std::complex<R>> a(1, {big, big}), b(1, {big, -big}), out(num_results);
    expect_ok(launch(all_operations<R>, 1, 1, 0, nullptr, 1, as_device(a.data()), as_device(b.data()),
                     as_device(out.data())));
    const auto got = out.host();
    constexpr R eps = std::numeric_limits<R>::epsilon();
    EXPECT_NEAR(got[3].real(), R(0), 4 * eps);
    EXPECT_NEAR(got[3].imag(), R(1), 4 * eps);
    EXPECT_NEAR(got[6].real() / big, std::sqrt(R(2)), 4 * eps);
}

TEST_F(DeviceComplex, DivisionAndModulusDoNotOverflow)
{
    expect_safe_range<float>();
    expect_safe_range<double>();
}

TEST(Complex, IsStdComplexInMemoryAndAnArgument)
{
    static_assert(std::is_same_v<device_type<std::complex<float>>, Complex<float>>);
    static_assert(std::is_same_v<device_type<const std::complex<double>>, const Complex<double>>);
    static_assert(std::is_same_v<device_type<const double>, const double>);
    static_assert(std::is_same_v<device_real<Complex<float>>, float> && std::is_same_v<device_real<double>, double>);
    static_assert(std::is_trivially_default_constructible_v<Complex<double>>);
    static_assert(alignof(Complex<float>) == 8 && alignof(Complex<double>) == 16);
    alignas(16) const std::complex<double> z(1, 2);
    EXPECT_EQ(as_device(&z)->re, 1);
    EXPECT_EQ(as_device(&z)->im, 2);
    EXPECT_EQ(as_device(z), Complex<double>(1, 2));
    EXPECT_EQ(as_device(2.5f), 2.5f);
    EXPECT_EQ(Complex<double>(Complex<float>(1.5f, 2)), Complex<double>(1.5, 2));
}

TEST(Complex, FiniteAndNan)
{
    constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(is_finite(1.0) && is_finite(-std::numeric_limits<double>::max()) && is_finite(Complex<double>(1, -2)));
    EXPECT_FALSE(is_finite(inf) || is_finite(-inf) || is_finite(nan) || is_finite(Complex<double>(1, inf)));
    EXPECT_TRUE(is_nan(nan) && is_nan(Complex<double>(1, nan)));
    EXPECT_FALSE(is_nan(inf) || is_nan(Complex<double>(1, inf)));
    EXPECT_EQ(std::signbit(abs(-0.0)), false);
    EXPECT_EQ(abs(-3.5f), 3.5f);
}

}  // namespace
}  // namespace linden::LINDEN_GPU_NAMESPACE::test
