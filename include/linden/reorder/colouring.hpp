#pragma once

#include <linden/array.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/parameters.hpp>

#include <vector>

/// Colourings of the rows of a matrix: rows of one colour do not need each other, so that a sweep takes a colour at a
/// time, all its rows at once. [HeuvelineEtAl10, 2], [JonesPlassmann93]
namespace linden {

/// | algorithm | rows are visited | colours |
/// |---|---|---|
/// | `greedy` | in their order | few on grids |
/// | `jones_plassmann` | in an order of short chains, then again by colours to save some | about as many |
///
/// In both, a row takes the least colour that its neighbours have not which are visited earlier. It waits for those
/// alone, so that rows are coloured in parallel; in the order of rows there are chains of rows that wait for each other
/// as long as a grid is wide, or as long as a path. Both give the same colours on every executor.
enum class ColouringAlgorithm { greedy, jones_plassmann };

struct LINDEN_EXPORT ColouringOptions {
    ColouringAlgorithm algorithm = ColouringAlgorithm::greedy;
    bool balance = false;      ///< moves rows from colours that have many to such as have few
    size_type block_rows = 1;  ///< so many successive rows have a colour together; the last may have fewer
    void describe(ParameterVisitor& v);
};

/// A colour for each row, or for each block of rows; neighbours have different ones.
template <class I>
struct Colouring {
    Array<I> colours;  ///< 0, ..., num_colours - 1, of the blocks
    size_type num_rows = 0;
    size_type block_rows = 1;
    size_type num_colours = 0;
    std::vector<size_type> sizes;  ///< number of blocks of each colour
};

/// Colours the rows so that i and j have different colours where a_ij or a_ji is an entry, on the matrix's executor,
/// and waits for it. Columns of a row are sorted and unique. No more colours than 1 + the most neighbours of a row.
/// @throws DimensionMismatch if the matrix is not square, InvalidParameter unless block_rows >= 1
template <class V, class I>
LINDEN_EXPORT Colouring<I> find_colouring(const Csr<V, I>& matrix, const ColouringOptions& options = {});

/// Number of entries between different rows, or blocks, of the same colour, and of colours that are none.
/// @throws DimensionMismatch if the colouring is of another number of rows, InvalidParameter if on another executor
template <class V, class I>
LINDEN_EXPORT size_type num_conflicts(const Colouring<I>& colouring, const Csr<V, I>& matrix);
template <class V, class I>
LINDEN_EXPORT bool is_valid(const Colouring<I>& colouring, const Csr<V, I>& matrix);

/// 1 for members, 0 for others: no member can be reached from another by `distance` steps from i to j with an entry
/// a_ij or a_ji, and no row can be added. Rows are visited in a hashed order; the same on every executor.
/// @throws DimensionMismatch if the matrix is not square, InvalidParameter unless distance is 1 or 2, or if I cannot
/// hold the number of pairs of distance 2
template <class V, class I>
LINDEN_EXPORT Array<I> maximal_independent_set(const Csr<V, I>& matrix, int distance = 1, size_type seed = 1);

}  // namespace linden
