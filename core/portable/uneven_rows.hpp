#pragma once

namespace linden {

/// Of the lengths of two sorted rows: whether it takes less to look the entries of the other one up in this one than to
/// walk along both.
template <class I>
constexpr bool is_far_longer(I length, I other)
{
    constexpr int far = 16;
    return length / far > other;
}

}  // namespace linden
