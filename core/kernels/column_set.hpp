#pragma once

#include <linden/types.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace linden {

/// A set of columns less than n from which the least is taken again and again. A tree of words: each bit says whether
/// a column, or any of a word of the level below, is in the set; so both operations touch one word as a rule, and one
/// of each of log64(n) levels at most. [vanEmdeBoas77]
class ColumnSet {
public:
    static constexpr size_type none = std::numeric_limits<size_type>::max();

    static constexpr size_type bytes(size_type n)
    {
        size_type words = 0;
        for (size_type level = words_for(n); level > 1; level = words_for(level)) {
            words += level;
        }
        return (words + 1) * word_bytes;
    }

    /// Empty, in memory of bytes(n).
    ColumnSet(std::byte* memory, size_type n)
    {
        auto* word = reinterpret_cast<std::uint64_t*>(memory);
        std::fill_n(word, bytes(n) / word_bytes, std::uint64_t{0});
        do {
            n = words_for(n);
            levels_[num_levels_++] = word;
            word += n;
        } while (n > 1);
    }

    void insert(size_type col)
    {
        auto& word = levels_[0][col / 64];
        const bool was_empty = word == 0;
        word |= bit(col);
        if (was_empty) {
            insert_above(col / 64);
        }
    }

    /// The least column, which leaves the set; none is less than `bound`. `none` if the set is empty.
    size_type take_least(size_type bound)
    {
        size_type at = bound / 64;
        if (levels_[0][at] == 0) {
            at = next_word(at);
            if (at == none) {
                return none;
            }
        }
        auto& word = levels_[0][at];
        const size_type least = 64 * at + std::countr_zero(word);
        word &= word - 1;
        if (word == 0) {
            remove_above(at);
        }
        return least;
    }

private:
    static constexpr size_type word_bytes = sizeof(std::uint64_t);
    static constexpr size_type words_for(size_type n) { return std::max<size_type>((n + 63) / 64, 1); }
    static constexpr std::uint64_t bit(size_type i) { return std::uint64_t{1} << (i % 64); }

    /// Word `at` is no longer empty.
    void insert_above(size_type at)
    {
        for (int level = 1; level < num_levels_; ++level) {
            auto& word = levels_[level][at / 64];
            const bool was_empty = word == 0;
            word |= bit(at);
            if (!was_empty) {
                return;
            }
            at /= 64;
        }
    }
    /// Word `at` is empty now.
    void remove_above(size_type at)
    {
        for (int level = 1; level < num_levels_; ++level) {
            auto& word = levels_[level][at / 64];
            word &= ~bit(at);
            if (word != 0) {
                return;
            }
            at /= 64;
        }
    }
    /// The first word that is not empty, when those up to `at` are.
    size_type next_word(size_type at) const
    {
        int level = 0;
        do {
            if (++level == num_levels_) {
                return none;
            }
            at /= 64;
        } while (levels_[level][at] == 0);
        while (level > 0) {
            at = 64 * at + std::countr_zero(levels_[level--][at]);
        }
        return at;
    }

    std::array<std::uint64_t*, 11> levels_{};  ///< the columns first
    int num_levels_ = 0;
};

}  // namespace linden
