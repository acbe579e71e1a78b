#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "gpu/runtime/launch.hpp"

/// What tests of device code share: arrays in device memory and a fixture that skips where no device is.
namespace linden::LINDEN_GPU_NAMESPACE::test {

#if defined(LINDEN_GPU_HIP)
inline ErrorCode device_malloc(void** p, std::size_t bytes) { return hipMalloc(p, bytes); }
inline ErrorCode device_free(void* p) { return hipFree(p); }
inline ErrorCode copy_in(void* to, const void* from, std::size_t bytes)
{
    return hipMemcpy(to, from, bytes, hipMemcpyHostToDevice);
}
inline ErrorCode copy_out(void* to, const void* from, std::size_t bytes)
{
    return hipMemcpy(to, from, bytes, hipMemcpyDeviceToHost);
}
inline ErrorCode synchronize() { return hipDeviceSynchronize(); }
inline ErrorCode take_last_error() { return hipGetLastError(); }
inline int num_devices()
{
    int n = 0;
    return hipGetDeviceCount(&n) == success ? n : 0;
}
#else
inline ErrorCode device_malloc(void** p, std::size_t bytes) { return cudaMalloc(p, bytes); }
inline ErrorCode device_free(void* p) { return cudaFree(p); }
inline ErrorCode copy_in(void* to, const void* from, std::size_t bytes)
{
    return cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice);
}
inline ErrorCode copy_out(void* to, const void* from, std::size_t bytes)
{
    return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost);
}
inline ErrorCode synchronize() { return cudaDeviceSynchronize(); }
inline ErrorCode take_last_error() { return cudaGetLastError(); }
inline int num_devices()
{
    int n = 0;
    return cudaGetDeviceCount(&n) == success ? n : 0;
}
#endif

class GpuTest : public ::testing::Test {
protected:
    void SetUp() override
    {
        if (num_devices() == 0) {
            GTEST_SKIP() << "no device";
        }
    }
};

inline void expect_ok(ErrorCode e) { EXPECT_EQ(e, success) << error_name(e) << ": " << error_text(e); }

template <class T>
class DeviceArray {
public:
    explicit DeviceArray(std::size_t n, T fill = T{}) : DeviceArray(std::vector<T>(n, fill)) {}
    explicit DeviceArray(const std::vector<T>& values) : size_(values.size())
    {
        void* p = nullptr;
        expect_ok(device_malloc(&p, size_ * sizeof(T)));
        data_ = static_cast<T*>(p);
        expect_ok(copy_in(data_, values.data(), size_ * sizeof(T)));
    }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;
    ~DeviceArray() { static_cast<void>(device_free(data_)); }

    T* data() const { return data_; }
    std::vector<T> host() const
    {
        std::vector<T> values(size_);
        expect_ok(synchronize());
        expect_ok(copy_out(values.data(), data_, size_ * sizeof(T)));
        return values;
    }

private:
    std::size_t size_;
    T* data_ = nullptr;
};

/// Numbers in [-1, 1), the same on every machine.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    double operator()()
    {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;  // Knuth's MMIX generator
        return static_cast<double>(state_ >> 11) * 0x1p-52 - 1.0;
    }

private:
    std::uint64_t state_;
};

}  // namespace linden::LINDEN_GPU_NAMESPACE::test
