#pragma once

#include <linden/array.hpp>
#include <linden/matrix/dense.hpp>

#include <cstddef>
#include <vector>

namespace linden::detail {

/// Memory for a sequence of arrays that is asked for again and again, with lengths that depend on values: it is
/// allocated where there is none, or where an array is longer than ever before.
class KeptMemory {
public:
    explicit KeptMemory(Executor exec) : exec_(std::move(exec)) {}

    /// The next array is the first one again. All before are void.
    void restart() { next_ = 0; }

    /// A view that is valid until its place in the sequence is asked for again. Uninitialised. @throws OutOfMemory
    template <class T>
    Array<T> array(size_type size)
    {
        const auto bytes = size * static_cast<size_type>(sizeof(T));
        if (next_ == blocks_.size()) {
            blocks_.emplace_back(exec_);
        }
        auto& block = blocks_[next_];
        if (block.size() < bytes) {
            block.resize(bytes);
        }
        ++next_;
        return Array<T>::view(exec_, size, reinterpret_cast<T*>(block.data()));
    }
    /// The same as a dense block without padding.
    template <class V>
    Dense<V> dense(Dim size)
    {
        return Dense<V>::adopt(exec_, size, size.cols, array<V>(size.rows * size.cols).data());
    }

    const Executor& executor() const { return exec_; }

private:
    Executor exec_;
    std::vector<Array<std::byte>> blocks_;
    std::size_t next_ = 0;
};

}  // namespace linden::detail
