#pragma once

#include <linden/types.hpp>

#include <string>
#include <vector>

namespace linden::tool {

/// A pattern reduced to a grid of at most `max_cells` x `max_cells` squares, each with the number of its entries.
class DensityGrid {
public:
    static constexpr size_type max_cells = 280;

    explicit DensityGrid(Dim size);

    void count(size_type row, size_type col) { ++counts_[index(row / span_, col / span_)]; }

    Dim size() const { return size_; }
    /// Rows, and columns, of the matrix that one square stands for.
    size_type span() const { return span_; }
    Dim cells() const { return cells_; }
    size_type at(size_type row, size_type col) const { return counts_[index(row, col)]; }

private:
    std::size_t index(size_type row, size_type col) const { return static_cast<std::size_t>(row * cells_.cols + col); }

    Dim size_;
    size_type span_;
    Dim cells_;
    std::vector<size_type> counts_;
};

/// An SVG picture of a pattern: row 0 at the top, a square black where it holds one entry for each that fits its span,
/// lighter where there are fewer.
std::string pattern_picture(const DensityGrid& grid, const std::string& title, const std::string& subtitle);

}  // namespace linden::tool
