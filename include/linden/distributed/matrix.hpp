#pragma once

#include <linden/distributed/own_block.hpp>
#include <linden/distributed/partition.hpp>
#include <linden/matrix/csr.hpp>

#include <functional>

namespace linden::detail {
template <class V, class I>
struct SpreadParts;
}  // namespace linden::detail

namespace linden::distributed {

/// The own rows [begin, end) of a rank, counted from its first one, in CSR with column numbers of the whole matrix:
/// (end - begin) x n. Columns need not be sorted.
template <class V>
using RowSource = std::function<CsrData<V, std::int64_t>(size_type begin, size_type end)>;

/// A square sparse matrix whose rows are spread over the ranks of a communicator. Each rank sees an operator of the
/// size of its own rows; operands hold the values of these rows. Products, and solvers made from the matrix, are
/// collective.
///
/// The own rows are of two kinds. Inner rows have entries in own columns only; rows at the rim also need values of
/// other ranks, the ghosts. A product sends what neighbours need, computes the inner rows meanwhile, and then the rim.
/// A row is summed in the order of its columns on any number of ranks, so products have the same bits for all of them.
/// Inner products of solvers do, too, if the communicator is `reproducible`.
///
/// Local indices have the type I, those of all rows together 64 bits. Every rank has an executor of its own: a host, or
/// a device, whose products and sums go by the communicator's DeviceTransport.
template <class V, class I>
class LINDEN_EXPORT Matrix : public LinOp<V>, public OwnBlock<V> {
public:
    using index_type = I;

    /// Collective. `rows` are the rows that this rank owns by `partition`, in CSR with column numbers of the whole
    /// matrix: n_local x n. Columns need not be sorted.
    /// @throws InvalidParameter if `rows` is not well formed or does not match the partition, I is too small, or sums
    /// are to be reproducible and a part does not begin with a multiple of `sum_block_rows`;
    /// NotSupported on devices, if the transport is not to be had; RemoteError if
    /// another rank fails
    Matrix(Executor exec, Communicator communicator, Partition partition, const CsrData<V, std::int64_t>& rows);
    /// Collective. For rows that a host has no room for, or only once: they are made or read block by block and go to
    /// the executor at once. `rows` is called twice for each block, by several threads at a time, and must give the
    /// same rows each time; it is not collective. @throws as above, and what `rows` throws
    Matrix(Executor exec, Communicator communicator, Partition partition, const RowSource<V>& rows);
    /// Collective. For a matrix that every rank holds wholly: each keeps its rows. @throws as above
    template <class J>
    static Matrix from_whole(Executor exec, Communicator communicator, Partition partition, const CsrData<V, J>& whole)
    {
        return Matrix(std::move(exec), communicator, partition, cut(communicator, partition, whole));
    }
    ~Matrix() override;
    Matrix(Matrix&&) noexcept;

    std::string name() const override { return "distributed::Matrix"; }
    Communicator communicator() const override;
    /// On a device whose kernels reach those of the other ranks, or where there is one rank.
    bool is_capturable() const override;
    const Partition& partition() const;
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;

    /// The square block of the own rows and columns, from which preconditioners of this rank are made. O(nonzeros)
    Csr<V, I> local() const;
    LinOpPtr<V> own_block() const override { return share(local()); }
    /// The own rows with column numbers of the whole matrix, on the host. O(nonzeros)
    CsrData<V, std::int64_t> rows() const;
    /// Takes the values of a distributed::Matrix of the same pattern and partition. No communication.
    /// @throws NotSupported, DimensionMismatch
    void update_values(LinOpPtr<V> matrix) override;

    /// Entries in the own rows.
    size_type num_nonzeros() const;
    /// Values of other ranks that a product needs for each right-hand side.
    size_type num_ghosts() const;
    /// The own rows on the executor, n x (n + g): columns are positions in ghosts of lower ranks, own rows, ghosts of
    /// higher ranks, each in ascending order.
    Csr<V, I> with_ghosts() const;
    /// The rows of other ranks that the own ones have columns of, in ascending order: g numbers in the whole matrix.
    const std::vector<std::int64_t>& ghosts() const;
    /// The ranks that own ghosts.
    size_type num_neighbours() const;
    /// What a product sends for each right-hand side.
    size_type halo_bytes() const;

protected:
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;
    void apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const override;
    void apply_dot_impl(const Dense<V>& b, Dense<V>& x, const DotRequest<V>& dots) const override;

private:
    friend struct linden::detail::SpreadParts<V, I>;
    struct Parts;
    Matrix(Executor exec, Dim size, std::unique_ptr<Parts> parts);

    template <class J>
    static CsrData<V, std::int64_t> cut(const Communicator& communicator, const Partition& partition,
                                        const CsrData<V, J>& whole)
    {
        CsrData<V, std::int64_t> rows;
        communicator.agree_after([&] {
            check_whole(partition, communicator.size(), whole.size,
                        {whole.row_ptrs.size(), whole.col_idxs.size(), whole.values.size(),
                         whole.row_ptrs.empty() ? 0 : static_cast<std::size_t>(whole.row_ptrs.back())});
            const auto first = partition.first(communicator.rank());
            const auto last = partition.first(communicator.rank() + 1);
            const auto begin = whole.row_ptrs[static_cast<std::size_t>(first)];
            const auto end = whole.row_ptrs[static_cast<std::size_t>(last)];
            rows.size = {last - first, whole.size.cols};
            for (auto row = first; row <= last; ++row) {
                rows.row_ptrs.push_back(whole.row_ptrs[static_cast<std::size_t>(row)] - begin);
            }
            rows.col_idxs.assign(whole.col_idxs.begin() + begin, whole.col_idxs.begin() + end);
            rows.values.assign(whole.values.begin() + begin, whole.values.begin() + end);
        });
        return rows;
    }
    struct Lengths {
        std::size_t row_ptrs, col_idxs, values, entries;
    };
    static void check_whole(const Partition& partition, int num_ranks, Dim size, const Lengths& lengths);

    std::unique_ptr<Parts> parts_;
};

}  // namespace linden::distributed
