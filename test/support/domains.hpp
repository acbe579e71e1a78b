#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/kernels/deflation.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {

/// Domains of rows in an executor's memory, in pieces.
template <class I>
class TestDomains {
public:
    TestDomains(const Executor& exec, const std::vector<I>& of_row, size_type num_domains,
                size_type most = deflation_piece_rows)
        : domains_(exec, of_row),
          order_(exec),
          piece_ptrs_(exec),
          domain_pieces_(exec)
    {
        std::vector<I> order(of_row.size());
        std::iota(order.begin(), order.end(), I{0});
        std::stable_sort(order.begin(), order.end(), [&](I a, I b) {
            return of_row[static_cast<std::size_t>(a)] < of_row[static_cast<std::size_t>(b)];
        });
        std::vector<I> piece_ptrs{0};
        std::vector<I> domain_pieces{0};
        for (size_type domain = 0; domain < num_domains; ++domain) {
            const size_type end = piece_ptrs.back() + std::count(of_row.begin(), of_row.end(), domain);
            while (piece_ptrs.back() < end) {
                piece_ptrs.push_back(static_cast<I>(std::min<size_type>(piece_ptrs.back() + most, end)));
            }
            domain_pieces.push_back(static_cast<I>(piece_ptrs.size() - 1));
        }
        if (!std::is_sorted(of_row.begin(), of_row.end())) {
            order_ = Array<I>(exec, order);
        }
        piece_ptrs_ = Array<I>(exec, piece_ptrs);
        domain_pieces_ = Array<I>(exec, domain_pieces);
    }

    DomainsView<I> view() const
    {
        return {domains_.size(),
                domain_pieces_.size() - 1,
                piece_ptrs_.size() - 1,
                domains_.data(),
                order_.size() == 0 ? nullptr : order_.data(),
                piece_ptrs_.data(),
                domain_pieces_.data()};
    }

private:
    Array<I> domains_, order_, piece_ptrs_, domain_pieces_;
};

/// Calls f(domains of the rows, number of domains): stripes, scattered rows, some domains without rows, one for all.
template <class I, class F>
void for_each_partition(Random& random, size_type rows, F&& f)
{
    std::vector<I> of_row(static_cast<std::size_t>(rows));
    f(of_row, size_type{1});
    for (size_type row = 0; row < rows; ++row) {
        of_row[static_cast<std::size_t>(row)] = static_cast<I>(row * 7 / rows);
    }
    f(of_row, size_type{7});
    for (auto& domain : of_row) {
        domain = static_cast<I>(2 * random.integer(0, 40));
    }
    f(of_row, size_type{80});
}

}  // namespace linden::test
