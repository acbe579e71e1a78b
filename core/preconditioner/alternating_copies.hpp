#pragma once

#include <linden/lin_op.hpp>

#include <array>
#include <memory>
#include <utility>

namespace linden::detail {

/// Memory for the transformed matrices of successive values, two that take turns: an operator keeps the one of its last
/// values until it has taken the new ones, so that the third transformation allocates nothing. A matrix that someone
/// else still holds is left to them.
template <class V>
class AlternatingCopies {
public:
    /// A matrix of the type that `make` returns, from it or as it was two turns ago.
    template <class Make>
    auto next(const Make& make) -> std::shared_ptr<decltype(make())>
    {
        using Matrix = decltype(make());
        std::swap(held_[0], held_[1]);
        auto matrix = std::static_pointer_cast<Matrix>(held_[0]);
        if (matrix == nullptr || matrix.use_count() > 2) {
            matrix = std::make_shared<Matrix>(make());
            held_[0] = matrix;
        }
        return matrix;
    }

private:
    std::array<std::shared_ptr<LinOp<V>>, 2> held_;
};

}  // namespace linden::detail
