#pragma once

#include "core/portable/atomics.hpp"
#include "core/portable/body.hpp"
#include "core/portable/grid_window.hpp"

/// Which rows of a product on a grid are copies, see core/kernels/grid_product.hpp.
namespace linden {

struct SignBlocks {
    ProductWindow window;
    int axis;
    const std::int64_t* is_valid;
    const std::uint16_t* numbers;
    const std::uint64_t* before;
    const std::uint64_t* seed;
    std::uint64_t* after;

    /// The box before this axis, or behind it, has blocks along so many axes.
    LINDEN_HOST_DEVICE GridPoint lengths(int num_coarse) const
    {
        GridPoint result;
        for (int d = 0; d < num_axes; ++d) {
            result[d] = d < num_coarse ? window.blocks.coarse.points[d] : window.blocks.fine.points[d];
        }
        return result;
    }
    /// p[axis], of a place in registers.
    LINDEN_HOST_DEVICE size_type along_axis(const GridPoint& p) const
    {
        return axis == 0 ? p[0] : axis == 1 ? p[1] : p[2];
    }
    LINDEN_HOST_DEVICE size_type size() const
    {
        const auto all = lengths(axis + 1);
        return all[0] * all[1] * all[2];
    }
    LINDEN_HOST_DEVICE void operator()(size_type item) const
    {
        if (*is_valid == 0) {
            after[item] = 0;
            return;
        }
        auto point = point_of<std::int64_t>(lengths(axis + 1), item);
        const auto source = lengths(axis);
        const size_type block = along_axis(point), points = along_axis(source);
        const size_type width = along_axis(window.blocks.widths);
        const size_type begin = block * width;
        const size_type end = block + 1 == along_axis(window.blocks.coarse.points) ? points : begin + width;
        const size_type margin = 3 * along_axis(window.reach);
        const size_type first = begin < margin ? 0 : begin - margin;
        const size_type last = end + margin > points ? points : end + margin;
        for (int d = 0; d < num_axes; ++d) {
            point[d] = d == axis ? first : point[d];
        }
        size_type at = number_of(source, point);
        const size_type stride = axis == 0 ? 1 : axis == 1 ? source[0] : source[0] * source[1];
        auto hash = static_cast<std::uint64_t>((end - begin) * 256 + (begin - first) * 16 + (last - end)) +
                    (seed != nullptr ? seed[item] : 0);
        for (size_type p = first; p < last; ++p, at += stride) {
            hash = mixed(hash * mix_step + (numbers != nullptr ? std::uint64_t{numbers[at]} : before[at]));
        }
        after[item] = hash;
    }
};

/// Rows by their signatures.
struct SignedRows {
    size_type n;
    size_type slots;
    const std::uint64_t* signatures;

    LINDEN_HOST_DEVICE size_type slot(size_type row, int t) const
    {
        const auto in_table =
            mixed(signatures[row] + static_cast<std::uint64_t>(t) * mix_step) & static_cast<std::uint64_t>(slots - 1);
        return t * slots + static_cast<size_type>(in_table);
    }
    /// The row that leads; a row that has lost its slots leads itself.
    LINDEN_HOST_DEVICE size_type leader_of(size_type row, const std::uint64_t* leaders) const
    {
        for (int t = 0; t < num_signature_tables; ++t) {
            const size_type leader = n - static_cast<size_type>(leaders[slot(row, t)]);
            if (leader < n && signatures[leader] == signatures[row]) {
                return leader;
            }
        }
        return row;
    }
};

struct EnterSignatures {
    size_type n;
    size_type slots;
    const std::uint64_t* signatures;
    std::uint64_t* leaders;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        constexpr size_type chunk_rows = 32;  // within which rows like the one before are not entered again
        if (row % chunk_rows != 0 && signatures[row] == signatures[row - 1]) {
            return;
        }
        const SignedRows rows{n, slots, signatures};
        for (int t = 0; t < num_signature_tables; ++t) {
            atomic_raise(leaders + rows.slot(row, t), static_cast<std::uint64_t>(n - row));
        }
    }
};

template <class I>
struct MarkSignatures {
    size_type n;
    size_type slots;
    const std::uint64_t* signatures;
    const std::uint64_t* leaders;
    const std::int64_t* is_valid;
    I* leads;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        leads[row] = *is_valid != 0 && SignedRows{n, slots, signatures}.leader_of(row, leaders) == row ? 1 : 0;
    }
};

template <class I>
struct NumberCopies {
    size_type n;
    size_type slots;
    const std::uint64_t* signatures;
    const std::uint64_t* leaders;
    CopiedNumbers<I> copied;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        const size_type leader = SignedRows{n, slots, signatures}.leader_of(row, leaders);
        const size_type number = copied.before[leader];
        copied.numbers[row] = static_cast<std::uint16_t>(number < copied.most ? number : 0);
        if (copied.before[row + 1] > copied.before[row] && number < copied.most) {
            copied.rows[number] = static_cast<I>(row);
        }
    }
};

}  // namespace linden
