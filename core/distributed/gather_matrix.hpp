#pragma once

#include <linden/distributed/matrix.hpp>
#include <linden/matrix/csr.hpp>

#include <memory>
#include <utility>
#include <vector>

#include "core/distributed/transport.hpp"
#include "core/matrix/row_pointers.hpp"

namespace linden::distributed {

/// Collective. The lists of all ranks one after the other on rank 0, nothing on other ranks.
template <class T>
std::vector<T> gather_on_first(const Communicator& ranks, std::vector<T> mine)
{
    std::vector<std::vector<T>> sent(static_cast<std::size_t>(ranks.size()));
    sent.front() = std::move(mine);
    const auto received = detail::exchange_lists(ranks, sent);
    return ranks.agree_after([&] {
        std::vector<T> all;
        for (const auto& list : received) {
            all.insert(all.end(), list.begin(), list.end());
        }
        return all;
    });
}

/// Collective. The whole matrix on rank 0, null on other ranks.
template <class V, class I>
std::shared_ptr<const Csr<V, I>> gather_matrix(const Matrix<V, I>& matrix)
{
    const auto ranks = matrix.communicator();
    std::vector<std::int64_t> lengths;
    auto rows = ranks.agree_after([&] {
        auto own = matrix.rows();
        for (std::size_t row = 1; row < own.row_ptrs.size(); ++row) {
            lengths.push_back(own.row_ptrs[row] - own.row_ptrs[row - 1]);
        }
        return own;
    });
    const auto all_lengths = gather_on_first(ranks, std::move(lengths));
    const auto cols = gather_on_first(ranks, std::move(rows.col_idxs));
    auto values = gather_on_first(ranks, std::move(rows.values));
    return ranks.agree_after([&] {
        if (ranks.rank() != 0) {
            return std::shared_ptr<const Csr<V, I>>();
        }
        linden::detail::require_fits<I>(static_cast<std::int64_t>(cols.size()), "the matrix of all ranks");
        const auto num_rows = matrix.partition().num_rows();
        CsrData<V, I> whole{{num_rows, num_rows}, {0}, {cols.begin(), cols.end()}, std::move(values)};
        for (const auto length : all_lengths) {
            whole.row_ptrs.push_back(whole.row_ptrs.back() + static_cast<I>(length));
        }
        return std::make_shared<const Csr<V, I>>(matrix.executor(), whole);
    });
}

}  // namespace linden::distributed
