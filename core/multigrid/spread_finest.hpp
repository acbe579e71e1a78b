#pragma once

#include <linden/distributed/matrix.hpp>

#include <cmath>
#include <numeric>

#include "core/base/math.hpp"
#include "core/distributed/ghost_rows.hpp"
#include "core/kernels/dense.hpp"
#include "core/kernels/reduction.hpp"
#include "core/matrix/same_nonzeros.hpp"
#include "core/multigrid/finest_matrix.hpp"

namespace linden::detail {

/// FinestMatrix for a matrix whose rows are spread over ranks.
template <class V, class W, class I>
class SpreadFinest {
public:
    using Source = distributed::Matrix<V, I>;
    using HostRows = CsrData<V, std::int64_t>;

    /// Collective.
    explicit SpreadFinest(const Source& a) : ranks_(a.communicator()), partition_(a.partition())
    {
        rows_.emplace(ranks_.agree_after([&] {
            return distributed::SpreadRows<V, I>{
                a.with_ghosts(), distributed::Extent(partition_.first(ranks_.rank()), a.size().rows, a.ghosts())};
        }));
        num_entries_ = rows_->own.num_nonzeros();
        const auto answers = inspect(*rows_);
        is_hermitian_ = answers[1] == 0;
        factor_ = (2 * answers[2] > partition_.num_rows() ? -1 : 1) * inverse_size(rows_->own);
        if (answers[0] > 0) {
            auto rows = ranks_.agree_after([&] { return a.rows(); });
            complete(rows);
            rows_.emplace(rows_of(a.executor(), rows));
        }
    }

    bool is_hermitian() const { return is_hermitian_; }
    double factor() const { return factor_; }

    /// The rows that the constructor was given, in the working precision, times the factor. Once.
    distributed::SpreadRows<W, I> first()
    {
        const auto& exec = rows_->own.executor();
        const auto n = rows_->own.num_nonzeros();
        auto values = scaled(exec, n, rows_->own.values());
        auto view = [&](const I* data, size_type size) {
            return Array<I>::view(exec, size, const_cast<I*>(data)).clone();
        };
        distributed::SpreadRows<W, I> result{
            Csr<W, I>(exec, rows_->own.size(), view(rows_->own.row_ptrs(), rows_->own.size().rows + 1),
                      view(rows_->own.col_idxs(), n), std::move(values)),
            rows_->columns};
        rows_.reset();
        return result;
    }
    /// The values of the same rows for a matrix with the same pattern. @throws DimensionMismatch
    Array<W> take(const Source& a) const
    {
        require_same_nonzeros("Amg", num_entries_, a.num_nonzeros());
        const auto& exec = a.executor();
        if (source_.empty()) {
            const auto rows = a.with_ghosts();
            return scaled(exec, num_entries_, rows.values());
        }
        const Array<V> values(exec, gathered(a.rows().values));
        return scaled(exec, values.size(), values.data());
    }

private:
    distributed::SpreadRows<V, I> rows_of(const Executor& exec, const HostRows& rows) const
    {
        auto columns = distributed::Extent::around(partition_, ranks_.rank(), rows.col_idxs);
        require_fits<I>(rows.num_nonzeros(), "the rows of a rank");
        std::vector<I> row_ptrs(rows.row_ptrs.begin(), rows.row_ptrs.end()), col_idxs;
        col_idxs.reserve(rows.col_idxs.size());
        for (const auto number : rows.col_idxs) {
            col_idxs.push_back(static_cast<I>(columns.position(number)));
        }
        return {Csr<V, I>(exec, {rows.size.rows, columns.size()}, Array<I>(exec, row_ptrs), Array<I>(exec, col_idxs),
                          Array<V>(exec, rows.values)),
                columns};
    }

    /// How many rows of all ranks answer each of RowQuestions.
    std::array<std::int64_t, 3> inspect(const distributed::SpreadRows<V, I>& own) const
    {
        const auto& exec = own.own.executor();
        const auto map = make_ghost_map(ranks_, partition_, own.columns.ghosts());
        const auto square = distributed::StackedRows<V, I>::square(ranks_, map, own);
        const auto n = own.columns.size();
        Array<I> marks(exec, 3 * n);
        multigrid_inspect<V, I>(exec, square.matrix().view(), {marks.data(), marks.data() + n, marks.data() + 2 * n});
        std::array<std::int64_t, 3> mine{}, sums{};
        for (std::size_t i = 0; i < 3; ++i) {
            I* const first = marks.data() + static_cast<size_type>(i) * n + own.columns.num_lower();
            mine[i] = count_marks(Array<I>::view(exec, own.columns.num_own(), first)).front();
        }
        for (const auto& theirs : ranks_.all_gather(mine)) {
            std::transform(sums.begin(), sums.end(), theirs.begin(), sums.begin(), std::plus<>());
        }
        return sums;
    }

    double inverse_size(const Csr<V, I>& a) const
    {
        const auto& exec = a.executor();
        Array<real_t<V>> norm(exec, 1);
        auto workspace = ReductionWorkspace::for_values<V>(exec, 1);
        dense_norm_inf<V>(exec, {a.num_nonzeros(), 1, 1, a.values()}, norm.data(), workspace.view());
        const auto largest = static_cast<double>(norm.to_host().front());
        double all = 0;
        for (const auto theirs : ranks_.all_gather(largest)) {
            all = theirs > all || std::isnan(theirs) ? theirs : all;
        }
        return scale_to_one(all);
    }

    /// Adds the diagonal and mirror images that are not there, as zeros.
    void complete(HostRows& rows)
    {
        const auto first = partition_.first(ranks_.rank());
        const auto num_rows = static_cast<std::size_t>(rows.size.rows);
        std::vector<std::vector<std::int64_t>> mirrored(static_cast<std::size_t>(ranks_.size()));
        for (std::size_t row = 0; row < num_rows; ++row) {
            for (auto k = rows.row_ptrs[row]; k < rows.row_ptrs[row + 1]; ++k) {
                const auto col = rows.col_idxs[static_cast<std::size_t>(k)];
                auto& list = mirrored[static_cast<std::size_t>(partition_.owner(col))];
                list.push_back(col);
                list.push_back(first + static_cast<std::int64_t>(row));
            }
        }
        std::vector<std::vector<std::int64_t>> added(num_rows);
        for (const auto& list : exchange_lists(ranks_, mirrored)) {
            for (std::size_t k = 0; k < list.size(); k += 2) {
                added[static_cast<std::size_t>(list[k] - first)].push_back(list[k + 1]);
            }
        }
        HostRows whole{rows.size, {0}, {}, {}};
        for (std::size_t row = 0; row < num_rows; ++row) {
            auto& cols = added[row];
            const auto begin = rows.col_idxs.begin() + rows.row_ptrs[row];
            const auto end = rows.col_idxs.begin() + rows.row_ptrs[row + 1];
            cols.push_back(first + static_cast<std::int64_t>(row));
            cols.insert(cols.end(), begin, end);
            std::sort(cols.begin(), cols.end());
            cols.erase(std::unique(cols.begin(), cols.end()), cols.end());
            for (const auto col : cols) {
                const auto at = std::lower_bound(begin, end, col);
                source_.push_back(at != end && *at == col ? at - rows.col_idxs.begin() : -1);
            }
            whole.col_idxs.insert(whole.col_idxs.end(), cols.begin(), cols.end());
            whole.row_ptrs.push_back(static_cast<std::int64_t>(whole.col_idxs.size()));
        }
        whole.values = gathered(rows.values);
        rows = std::move(whole);
    }

    std::vector<V> gathered(const std::vector<V>& values) const
    {
        if (source_.empty()) {
            return values;
        }
        std::vector<V> result;
        result.reserve(source_.size());
        for (const auto k : source_) {
            result.push_back(k < 0 ? V{} : values[static_cast<std::size_t>(k)]);
        }
        return result;
    }
    Array<W> scaled(const Executor& exec, size_type n, const V* values) const
    {
        Array<W> result(exec, n);
        multigrid_convert<V, W>(exec, nullptr, factor_, {n, 1, 1, values}, {n, 1, 1, result.data()});
        return result;
    }

    Communicator ranks_;
    distributed::Partition partition_;
    size_type num_entries_ = 0;  ///< of the matrix
    bool is_hermitian_ = false;
    double factor_ = 1;
    std::vector<std::int64_t> source_;  ///< of each entry of a completed pattern, -1 for an added one; else empty
    std::optional<distributed::SpreadRows<V, I>> rows_;  ///< until `first`
};

}  // namespace linden::detail
