#pragma once

#include <linden/array.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/parameters.hpp>

#include <vector>

/// Colourings of the rows of a matrix. Rows of one colour are not coupled, so a sweep can update all rows of a colour
/// in parallel. [HeuvelineEtAl10, 2], [JonesPlassmann93]
namespace linden {

/// | algorithm | rows are visited | colours |
/// |---|---|---|
/// | `greedy` | in natural order | few on grids |
/// | `jones_plassmann` | in an order with short chains, then again by colours to save some | about as many |
///
/// In both, a row takes the smallest colour that none of its already visited neighbours has. Rows are coloured in
/// parallel: a row waits for these neighbours only. In natural order the chains of waiting rows may be as long as the
/// width of a grid, or the length of a path. Every executor returns the colouring of the sequential algorithm.
enum class ColouringAlgorithm { greedy, jones_plassmann };

struct LINDEN_EXPORT ColouringOptions {
    ColouringAlgorithm algorithm = ColouringAlgorithm::greedy;
    bool balance = false;      ///< moves rows from large colours to small ones
    size_type block_rows = 1;  ///< consecutive rows per block, which share a colour; the last block may have fewer
    void describe(ParameterVisitor& v);
};

/// A colour for each row, or for each block of rows; neighbours have different colours.
template <class I>
struct Colouring {
    Array<I> colours;  ///< the colour of each block, 0 to num_colours - 1
    size_type num_rows = 0;
    size_type block_rows = 1;
    size_type num_colours = 0;
    std::vector<size_type> sizes;  ///< number of blocks of each colour
};

/// Colours the rows so that i and j have different colours if a_ij or a_ji is an entry. Runs on the matrix's executor
/// and waits for it. Columns of a row are sorted and unique. At most 1 + the maximum number of neighbours colours.
/// @throws DimensionMismatch if the matrix is not square, InvalidParameter unless block_rows >= 1
template <class V, class I>
LINDEN_EXPORT Colouring<I> find_colouring(const Csr<V, I>& matrix, const ColouringOptions& options = {});

/// Number of entries that couple different rows (or blocks) of the same colour, plus the number of colours out of
/// range.
/// @throws DimensionMismatch if the number of rows differs, InvalidParameter if the executors differ
template <class V, class I>
LINDEN_EXPORT size_type num_conflicts(const Colouring<I>& colouring, const Csr<V, I>& matrix);
template <class V, class I>
LINDEN_EXPORT bool is_valid(const Colouring<I>& colouring, const Csr<V, I>& matrix);

/// A maximal set of rows of which no two are connected by a path of at most `distance` edges in the graph of A + A^T:
/// 1 for members, 0 for others. Rows are visited in a hashed order; every executor returns the same set.
/// @throws DimensionMismatch if the matrix is not square, InvalidParameter unless distance is 1 or 2, or if I cannot
/// hold the number of pairs of rows at distance 2
template <class V, class I>
LINDEN_EXPORT Array<I> maximal_independent_set(const Csr<V, I>& matrix, int distance = 1, size_type seed = 1);

}  // namespace linden
