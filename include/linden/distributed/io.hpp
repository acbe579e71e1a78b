#pragma once

#include <linden/distributed/matrix.hpp>
#include <linden/distributed/partition.hpp>
#include <linden/distributed/vector.hpp>

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

/// Collective. Reads the rows that a rank owns of a block of vectors, such as right-hand sides, from a Matrix Market
/// file, array or coordinate, as read_rows reads a matrix: a rank's memory is that of its rows and some tens of MB.
/// Values are those that read_dense gives one process.
/// @throws FileError naming the line, on other ranks RemoteError; DimensionMismatch if the file has another number of
/// rows than the partition; NotSupported for arrays of symmetric matrices
template <class V>
LINDEN_EXPORT DenseData<V> read_block(const Communicator& communicator, const Partition& partition,
                                      const std::string& path);

/// Collective. Writes the rows of all ranks, in their order, as one coordinate file with the same text as
/// linden/io/matrix_market.hpp writes on one process; compressed if `path` ends with `.gz`. Ranks that see the same
/// file write to it at the same time, each in its place; else, and compressed, rank 0 writes what others send it in
/// pieces of 1 MB. A rank's memory is that of a few pieces.
/// @throws InvalidParameter, DimensionMismatch if rows do not match the partition; FileError, also for NaN and
/// infinity, before the file is opened; on other ranks RemoteError, and all ranks can go on
template <class V>
LINDEN_EXPORT void write_rows(const Communicator& communicator, const std::string& path, const OwnRows<V>& own);

/// Collective. Writes x as one array file, as above, with a copy of the own rows on the host. All ranks have the same
/// number of columns.
template <class V>
LINDEN_EXPORT void write_vector(const std::string& path, const Vector<V>& x);

/// Collective. The model problem that `spec` names (see linden/io/problems.hpp) in stripes of rows. If the problem has
/// one stencil for all points, each rank makes its own rows only; otherwise it makes the whole matrix first.
/// @throws InvalidParameter, OutOfMemory
template <class V>
LINDEN_EXPORT OwnRows<V> generate_rows(const Communicator& communicator, const std::string& spec);

/// Collective. The matrix of the same rows. For problems with one stencil, rows are made block by block where they are
/// to be, so that a host need not hold what fits on its devices.
/// @throws InvalidParameter, OutOfMemory, and as distributed::Matrix
template <class V, class I>
LINDEN_EXPORT Matrix<V, I> generate_matrix(const Executor& exec, const Communicator& communicator,
                                           const std::string& spec);

}  // namespace linden::distributed
