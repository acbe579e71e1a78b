#pragma once

#include <linden/distributed/partition.hpp>

#include <string>

namespace linden::distributed {

/// The rows of a matrix that a rank owns, with column numbers of the whole matrix: what distributed::Matrix is made of.
template <class V>
struct OwnRows {
    Partition partition;
    CsrData<V, std::int64_t> rows;
};

/// Collective. Reads a square matrix from a Matrix Market file (see linden/io/matrix_market.hpp) in stripes of rows.
/// Ranks parse pieces of a coordinate file in turn and send entries to the owners of their rows, twice: first rows are
/// counted, so that a rank's memory is that of its rows and some tens of MB. Duplicates are summed in the order of the
/// file, so that the matrix has the same bits on any number of ranks. Every rank unpacks all of a compressed file.
/// @throws FileError naming the line, on other ranks RemoteError; InvalidParameter if the matrix is not square;
/// NotSupported for array files
template <class V>
LINDEN_EXPORT OwnRows<V> read_rows(const Communicator& communicator, const std::string& path);

/// Collective. The model problem that `spec` names (see linden/io/problems.hpp) in stripes of rows. Of problems with
/// one stencil for all points each rank makes its own rows only; of the others it makes the whole matrix first.
/// @throws InvalidParameter, OutOfMemory
template <class V>
LINDEN_EXPORT OwnRows<V> generate_rows(const Communicator& communicator, const std::string& spec);

}  // namespace linden::distributed
