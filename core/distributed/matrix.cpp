#include <linden/distributed/matrix.hpp>
#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>

#include "core/distributed/matrix_parts.hpp"
#include "core/distributed/split.hpp"
#include "core/distributed/spread_rows.hpp"
#include "core/kernels/csr.hpp"
#include "core/kernels/pattern.hpp"
#include "core/matrix/new_values.hpp"

// instantiate: class distributed::Matrix<V, I>

namespace linden::distributed {

namespace {

/// The communicator of a matrix with this partition.
Communicator with_own_rows(const Communicator& ranks, const Partition& partition)
{
    RowRange rows{partition.first(ranks.rank()), 0};
    for (int rank = 0; rank < ranks.size(); ++rank) {
        rows.most = std::max(rows.most, partition.num_rows(rank));
        if (ranks.is_reproducible() && partition.first(rank) % sum_block_rows != 0 &&
            partition.first(rank) != partition.num_rows()) {
            throw InvalidParameter("partition", "a part that begins with row " + std::to_string(partition.first(rank)),
                                   "for reproducible sums, parts that begin with a multiple of " +
                                       std::to_string(sum_block_rows) + " rows");
        }
    }
    return ranks.with_rows(rows);
}

/// What the partition says that this rank has; none if it is for other numbers of ranks.
Dim own_size(const Communicator& communicator, const Partition& partition)
{
    const bool has_part = communicator.rank() < partition.num_ranks();
    return {has_part ? partition.num_rows(communicator.rank()) : 0, partition.num_rows()};
}

void check_ranks(const Communicator& communicator, const Partition& partition)
{
    if (partition.num_ranks() != communicator.size()) {
        throw InvalidParameter("partition", "for " + std::to_string(partition.num_ranks()) + " ranks",
                               "for as many as the communicator has, " + std::to_string(communicator.size()));
    }
}

/// Parts of `rows`, which are to be what the partition says. Collective; `rows` is to outlive the source.
template <class V>
RowSource<V> source_of(const Communicator& communicator, const Partition& partition,
                       const CsrData<V, std::int64_t>& rows)
{
    communicator.agree_after([&] {
        check_ranks(communicator, partition);
        if (const auto expected = own_size(communicator, partition); rows.size != expected) {
            throw DimensionMismatch("distributed::Matrix", "the rows of rank " + std::to_string(communicator.rank()),
                                    rows.size, "what the partition says", expected);
        }
        require_lengths(rows);
    });
    return [&rows](size_type begin, size_type end) {
        const auto first = rows.row_ptrs.begin() + begin;
        const auto last = rows.row_ptrs.begin() + end;
        CsrData<V, std::int64_t> part{{end - begin, rows.size.cols},
                                      {first, last + 1},
                                      {rows.col_idxs.begin() + *first, rows.col_idxs.begin() + *last},
                                      {rows.values.begin() + *first, rows.values.begin() + *last}};
        std::for_each(part.row_ptrs.begin(), part.row_ptrs.end(), [from = *first](auto& ptr) { ptr -= from; });
        return part;
    };
}

}  // namespace

template <class V, class I>
Matrix<V, I>::Matrix(Executor exec, Communicator communicator, Partition partition,
                     const CsrData<V, std::int64_t>& rows)
    : Matrix(std::move(exec), communicator, partition, source_of(communicator, partition, rows))
{
}

template <class V, class I>
Matrix<V, I>::Matrix(Executor exec, Communicator communicator, Partition partition, const RowSource<V>& rows)
    : LinOp<V>(exec, {own_size(communicator, partition).rows, own_size(communicator, partition).rows})
{
    auto split = communicator.agree_after([&] {
        check_ranks(communicator, partition);
        communicator = with_own_rows(communicator, partition);
        const auto first = partition.first(communicator.rank());
        return RowSplit<V, I>(exec, rows, own_size(communicator, partition), first).make();
    });
    auto map = communicator.guard([&] { return make_ghost_map(communicator, partition, split.ghosts); });
    const bool is_on_device = communicator.from_first([&] { return exec.is_host() ? 0 : 1; }) != 0;
    communicator.agree_after([&] {
        if (is_on_device == exec.is_host()) {
            throw InvalidParameter("executor", exec.name(), "a host on all ranks, or a device on all");
        }
    });
    if (is_on_device && !communicator.is_single()) {
        RankLink::connect(communicator, exec);
    }
    communicator.agree_after([&] {
        parts_ = std::make_unique<Parts>(exec, communicator, std::move(partition), std::move(split), std::move(map));
    });
    if (parts_->is_on_device()) {
        communicator.guard([&] { parts_->make_device_room(1); });
    }
}

template <class V, class I>
Matrix<V, I>::Matrix(Executor exec, Dim size, std::unique_ptr<Parts> parts)
    : LinOp<V>(std::move(exec), size),
      parts_(std::move(parts))
{
}

template <class V, class I>
Matrix<V, I>::~Matrix() = default;

template <class V, class I>
Matrix<V, I>::Matrix(Matrix&&) noexcept = default;

template <class V, class I>
void Matrix<V, I>::check_whole(const Partition& partition, int num_ranks, Dim size, const Lengths& lengths)
{
    if (partition.num_ranks() != num_ranks) {
        throw InvalidParameter("partition", "for " + std::to_string(partition.num_ranks()) + " ranks",
                               "for as many as the communicator has, " + std::to_string(num_ranks));
    }
    const Dim expected{partition.num_rows(), partition.num_rows()};
    if (size != expected) {
        throw DimensionMismatch("distributed::Matrix", "the matrix", size, "what the partition says", expected);
    }
    if (lengths.row_ptrs != static_cast<std::size_t>(size.rows) + 1 || lengths.col_idxs != lengths.entries ||
        lengths.values != lengths.entries) {
        throw InvalidParameter("the matrix",
                               std::to_string(lengths.row_ptrs) + " row pointers, " + std::to_string(lengths.col_idxs) +
                                   " columns and " + std::to_string(lengths.values) + " values",
                               std::to_string(size.rows + 1) + " row pointers and as many columns and values, " +
                                   std::to_string(lengths.entries) + ", as the last of them says");
    }
}

template <class V, class I>
Communicator Matrix<V, I>::communicator() const
{
    return parts_->communicator;
}

template <class V, class I>
const Partition& Matrix<V, I>::partition() const
{
    return parts_->partition;
}

template <class V, class I>
std::unique_ptr<LinOp<V>> Matrix<V, I>::clone(const Executor& exec) const
{
    return std::unique_ptr<Matrix>(new Matrix(exec, this->size(), std::make_unique<Parts>(exec, *parts_)));
}

template <class V, class I>
bool Matrix<V, I>::is_capturable() const
{
    return parts_->communicator.is_single() || (parts_->is_on_device() && parts_->device_halo->is_peer());
}

namespace {

/// A part of the matrix where the host can read it: in its place, or a copy.
template <class V, class I>
struct PartOnHost {
    explicit PartOnHost(const Csr<V, I>& a)
        : row_ptrs(row_ptrs_on_host(a)),
          col_idxs(a.executor(), a.col_idxs(), a.num_nonzeros()),
          values(a.executor(), a.values(), a.num_nonzeros())
    {
    }
    OnHost<I> row_ptrs, col_idxs;
    OnHost<V> values;
};

}  // namespace

template <class V, class I>
CsrData<V, std::int64_t> Matrix<V, I>::rows() const
{
    const auto& p = *parts_;
    const PartOnHost<V, I> inner(p.inner), rim(p.rim);
    const auto rim_rows = p.rim_rows.to_host();
    const auto& ghosts = p.halo.map().ghosts;
    const auto first = p.first_row();
    std::vector<std::int64_t> columns(ghosts.begin(), ghosts.begin() + p.num_lower_ghosts);
    for (const auto own : p.rim_own.to_host()) {
        columns.push_back(own + first);
    }
    columns.insert(columns.end(), ghosts.begin() + p.num_lower_ghosts, ghosts.end());

    CsrData<V, std::int64_t> result;
    result.size = {this->size().rows, p.partition.num_rows()};
    const auto num_entries = inner.values.size() + rim.values.size();
    result.row_ptrs.reserve(static_cast<std::size_t>(this->size().rows) + 1);
    result.col_idxs.resize(num_entries);
    result.values.resize(num_entries);
    result.row_ptrs.push_back(0);
    std::size_t at = 0;
    const auto append = [&](const PartOnHost<V, I>& part, std::size_t row, const auto& column_of) {
        const auto end = static_cast<std::size_t>(part.row_ptrs[row + 1]);
        for (auto k = static_cast<std::size_t>(part.row_ptrs[row]); k < end; ++k, ++at) {
            result.col_idxs[at] = column_of(part.col_idxs[k]);
            result.values[at] = part.values[k];
        }
    };
    std::size_t next_rim = 0;
    for (size_type row = 0; row < this->size().rows; ++row) {
        if (next_rim < rim_rows.size() && rim_rows[next_rim] == row) {
            append(rim, next_rim++, [&](I col) { return columns[static_cast<std::size_t>(col)]; });
        } else {
            append(inner, static_cast<std::size_t>(row), [&](I col) { return first + col; });
        }
        result.row_ptrs.push_back(static_cast<std::int64_t>(at));
    }
    return result;
}

template <class V, class I>
Csr<V, I> Matrix<V, I>::with_ghosts() const
{
    const auto& p = *parts_;
    const auto& exec = this->executor();
    const auto n = this->size().rows;
    auto rim = p.rim.view();
    Array<I> codes(exec);
    if (p.is_on_device()) {
        rim.col_idxs = p.rim_codes.data();
    } else {
        const auto cols = Array<I>::view(exec, rim.num_nonzeros, const_cast<I*>(rim.col_idxs)).to_host();
        codes = Array<I>(exec, Parts::codes(cols, p.num_lower_ghosts, p.rim_own.to_host()));
        rim.col_idxs = codes.data();
    }
    const auto num_entries = num_nonzeros();
    linden::detail::require_fits<I>(num_entries, "the rows of a rank");
    Array<I> row_ptrs(exec, n + 1), col_idxs(exec, num_entries);
    Array<V> values(exec, num_entries);
    exchange_join_pointers<V, I>(exec, p.inner.view(), rim, p.rim_rows.data(), row_ptrs.data());
    exchange_join_rows<V, I>(exec, p.inner.view(), rim, p.rim_rows.data(), p.num_lower_ghosts, row_ptrs.data(),
                             col_idxs.data(), values.data());
    return Csr<V, I>(exec, {n, n + num_ghosts()}, std::move(row_ptrs), std::move(col_idxs), std::move(values));
}

template <class V, class I>
const std::vector<std::int64_t>& Matrix<V, I>::ghosts() const
{
    return parts_->halo.map().ghosts;
}

template <class V, class I>
Csr<V, I> Matrix<V, I>::local() const
{
    const auto all = with_ghosts();
    const auto& exec = this->executor();
    const auto n = this->size().rows;
    const auto first = parts_->num_lower_ghosts;
    const PatternSelection own{0, n, first, first + n};
    const PatternView<I> pattern(all.view());
    Array<I> row_ptrs(exec, n + 1);
    pattern_select_count<I>(exec, pattern, own, row_ptrs.data());
    const auto num_entries = linden::detail::make_row_ptrs(row_ptrs, "the own block of a rank");
    Array<I> col_idxs(exec, num_entries), sources(exec, num_entries);
    Array<V> values(exec, num_entries);
    pattern_select_fill<I>(exec, pattern, own, row_ptrs.data(), col_idxs.data(), sources.data());
    array_gather<V, V, I>(exec, num_entries, sources.data(), all.values(), values.data(), Conjugate::no);
    return Csr<V, I>(exec, {n, n}, std::move(row_ptrs), std::move(col_idxs), std::move(values));
}

template <class V, class I>
void Matrix<V, I>::update_values(LinOpPtr<V> matrix)
{
    check_new_values(*this, matrix);
    const auto* const other = dynamic_cast<const Matrix*>(matrix.get());
    if (other == nullptr) {
        throw NotSupported("distributed::Matrix::update_values", "the new values come in a " + matrix->name());
    }
    if (other->partition() != partition()) {
        throw NotSupported("distributed::Matrix::update_values", "the new matrix has another partition");
    }
    const auto shared = [](const Csr<V, I>& part) { return LinOpPtr<V>(LinOpPtr<V>(), &part); };
    parts_->inner.update_values(shared(other->parts_->inner));
    parts_->rim.update_values(shared(other->parts_->rim));
}

template <class V, class I>
size_type Matrix<V, I>::num_nonzeros() const
{
    return parts_->inner.num_nonzeros() + parts_->rim.num_nonzeros();
}

template <class V, class I>
size_type Matrix<V, I>::num_ghosts() const
{
    return parts_->halo.num_ghosts();
}

template <class V, class I>
size_type Matrix<V, I>::num_neighbours() const
{
    return static_cast<size_type>(parts_->halo.map().receives.size());
}

template <class V, class I>
size_type Matrix<V, I>::halo_bytes() const
{
    return static_cast<size_type>(parts_->halo.map().send_rows.size() * sizeof(V));
}

template <class V, class I>
void Matrix<V, I>::apply_impl(const Dense<V>& b, Dense<V>& x) const
{
    apply_impl(V{1}, b, V{}, x);
}

template <class V, class I>
void Matrix<V, I>::apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const
{
    auto& p = *parts_;
    const auto& exec = this->executor();
    if (p.is_on_device()) {
        p.make_device_room(b.size().cols);
        p.device_halo->start(b.view());
        p.multiply_inner(alpha, b.view(), beta, x.view());
        exchange_rim_spmv<V, I>(exec, p.rim_view(), p.device_halo->finish(b.size().cols), alpha, b.view(), x.view());
        return;
    }
    p.halo.start(b.view());
    if (!p.has_rim()) {
        p.multiply_inner(alpha, b.view(), beta, x.view());
        p.halo.finish();
        return;
    }
    p.make_room(b.view());
    dense_gather_rows<V, I>(exec, p.rim_rows.data(), std::as_const(x).view(), p.rim_x.view());  // for beta x
    p.multiply_inner(alpha, b.view(), beta, x.view());
    p.multiply_rim(alpha, b.view(), beta, x.view());
}

/// The inner rows, whose products are 0 at the rim, and the rim form their sums apart; all are added up in one message.
template <class V, class I>
void Matrix<V, I>::apply_dot_impl(const Dense<V>& b, Dense<V>& x, const DotRequest<V>& dots) const
{
    auto& p = *parts_;
    const auto& exec = this->executor();
    if (p.communicator.is_reproducible()) {  // the rows of a block are on both sides of the split
        const auto w = dots.w.view();
        if (w.cols == 1 && w.is_contiguous() && b.view().is_contiguous() && x.view().is_contiguous()) {
            p.multiply_parts(b.view(), x.view(), w);
            exchange_sum_parts<V>(exec, w.rows, p.sum_parts.data(), dots.wx, dots.xx, dots.workspace);
            return;
        }
        LinOp<V>::apply_dot_impl(b, x, dots);
        return;
    }
    if (p.communicator.is_single()) {
        csr_spmv_dot<V, I>(exec, p.inner.view(), b.view(), x.view(), dots.w.view(), dots.wx, dots.xx, dots.workspace);
        return;
    }
    const auto cols = b.size().cols;
    if (p.is_on_device()) {
        p.multiply_dot(b.view(), x.view(), dots);
        return;
    }
    p.halo.start(b.view());
    p.make_room(b.view());
    if (!p.own_sums.has_value() || static_cast<size_type>(p.sums.size()) != 4 * cols) {
        p.own_sums = ReductionWorkspace::for_values<V>(exec, 2 * cols);
        p.sums.resize(static_cast<std::size_t>(4 * cols));
    }
    const auto own = p.own_sums->view();
    V* const sums = p.sums.data();
    std::fill(p.sums.begin(), p.sums.end(), V{});
    csr_spmv_dot<V, I>(exec, p.inner.view(), b.view(), x.view(), dots.w.view(), sums, sums + cols, own);
    p.gather_columns(b.view());
    if (p.has_rim()) {
        dense_gather_rows<V, I>(exec, p.rim_rows.data(), dots.w.view(), p.rim_w.view());
        csr_spmv_dot<V, I>(exec, p.rim.view(), std::as_const(p.columns).view(), p.rim_x.view(),
                           std::as_const(p.rim_w).view(), sums + 2 * cols, sums + 3 * cols, own);
        dense_scatter_rows<V, I>(exec, p.rim_rows.data(), std::as_const(p.rim_x).view(), x.view());
    }
    const auto num_sums = dots.xx == nullptr ? cols : 2 * cols;
    for (size_type i = 0; i < num_sums; ++i) {
        sums[i] += sums[2 * cols + i];
    }
    finish_sums(dots.workspace, sums, num_sums, Later{[cols, wx = dots.wx, xx = dots.xx](const V* totals) {
                    std::copy_n(totals, cols, wx);
                    if (xx != nullptr) {
                        std::copy_n(totals + cols, cols, xx);
                    }
                }});
}

}  // namespace linden::distributed
