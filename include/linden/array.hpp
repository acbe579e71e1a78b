#pragma once

#include <linden/executor.hpp>

#include <type_traits>
#include <utility>
#include <vector>

namespace linden {

namespace detail {
/// size * value_bytes, or PTRDIFF_MAX if that overflows; no executor has that much memory.
/// @throws InvalidParameter if the size is negative
LINDEN_EXPORT std::size_t bytes_of(size_type size, std::size_t value_bytes);
}  // namespace detail

/// An array of `size()` values on an executor: owned memory, or a view of memory owned elsewhere.
///
/// A movable value; a moved-from array is empty. Values are uninitialised after construction by size.
template <class T>
class Array {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    explicit Array(Executor exec) : exec_(std::move(exec)) {}

    /// @throws OutOfMemory, InvalidParameter if the size is negative
    Array(Executor exec, size_type size) : exec_(std::move(exec)), size_(size), owned_(true)
    {
        data_ = static_cast<T*>(exec_.allocate(detail::bytes_of(size, sizeof(T))));
    }

    /// A copy of host values. @throws OutOfMemory
    Array(Executor exec, const std::vector<T>& host) : Array(std::move(exec), static_cast<size_type>(host.size()))
    {
        copy_from_host(host.data());
    }

    /// A view of `size` values at `data`, which must be in `exec`'s memory and outlive the array.
    static Array view(Executor exec, size_type size, T* data)
    {
        Array a(std::move(exec));
        a.data_ = data;
        a.size_ = size;
        return a;
    }

    Array(Array&& other) noexcept
        : exec_(other.exec_),
          data_(std::exchange(other.data_, nullptr)),
          size_(std::exchange(other.size_, 0)),
          owned_(std::exchange(other.owned_, false))
    {
    }
    Array& operator=(Array&& other) noexcept
    {
        if (this != &other) {
            release();
            exec_ = other.exec_;
            data_ = std::exchange(other.data_, nullptr);
            size_ = std::exchange(other.size_, 0);
            owned_ = std::exchange(other.owned_, false);
        }
        return *this;
    }
    ~Array() { release(); }

    /// An owning copy on `exec`. @throws OutOfMemory
    Array clone(const Executor& exec) const
    {
        Array copy(exec, size_);
        copy_bytes(exec_, data_, exec, copy.data_, bytes());
        return copy;
    }
    Array clone() const { return clone(exec_); }

    const Executor& executor() const { return exec_; }
    size_type size() const { return size_; }
    std::size_t bytes() const { return static_cast<std::size_t>(size_) * sizeof(T); }
    bool is_view() const { return !owned_ && data_ != nullptr; }
    T* data() { return data_; }
    const T* data() const { return data_; }

    /// Resizes to `size` values; the old values are lost unless the size is unchanged. @throws OutOfMemory
    void resize(size_type size)
    {
        if (size != size_ || !(owned_ || size == 0)) {
            *this = Array(exec_, size);
        }
    }

    void copy_from_host(const T* host);
    void copy_to_host(T* host) const;
    std::vector<T> to_host() const
    {
        std::vector<T> host(static_cast<std::size_t>(size_));
        copy_to_host(host.data());
        return host;
    }

private:
    void release() noexcept
    {
        if (owned_) {
            exec_.deallocate(data_, bytes());
        }
    }

    Executor exec_;
    T* data_ = nullptr;
    size_type size_ = 0;
    bool owned_ = false;
};

namespace detail {
/// The reference executor that represents host memory in copies.
LINDEN_EXPORT const Executor& host();
}  // namespace detail

template <class T>
void Array<T>::copy_from_host(const T* host)
{
    copy_bytes(detail::host(), host, exec_, data_, bytes());
}

template <class T>
void Array<T>::copy_to_host(T* host) const
{
    copy_bytes(exec_, data_, detail::host(), host, bytes());
}

}  // namespace linden
