#include <bit>

#include "core/deflation/domains.hpp"
#include "core/kernels/deflation_setup.hpp"
#include "core/kernels/pattern.hpp"
#include "core/kernels/pattern_maps.hpp"
#include "core/matrix/row_pointers.hpp"

// instantiate: class detail::DomainPieces<I>

namespace linden::detail {

template <class I>
DomainPieces<I>::DomainPieces(Domains<I> domains)
    : num_domains_(domains.num_domains),
      of_row_(std::move(domains.of_row)),
      order_(of_row_.executor()),
      piece_ptrs_(of_row_.executor()),
      domain_pieces_(of_row_.executor())
{
    if (!is_in_order()) {
        sort_rows();
    }
    cut_into_pieces();
}

template <class I>
DomainsView<I> DomainPieces<I>::view() const
{
    return {of_row_.size(),
            num_domains_,
            num_pieces(),
            of_row_.data(),
            order_.size() == 0 ? nullptr : order_.data(),
            piece_ptrs_.data(),
            domain_pieces_.data()};
}

template <class I>
bool DomainPieces<I>::is_in_order() const
{
    const auto n = of_row_.size();
    if (n < 2) {
        return true;
    }
    Array<I> marks(of_row_.executor(), n);
    deflation_mark_descents<I>(of_row_.executor(), n - 1, of_row_.data(), marks.data());
    return make_row_ptrs(marks, "descents") == 0;
}

/// By radix, one bit after the other, which takes as long for few large domains as for many small ones.
template <class I>
void DomainPieces<I>::sort_rows()
{
    const auto& exec = of_row_.executor();
    const auto n = of_row_.size();
    order_ = Array<I>(exec, n);
    deflation_count_up<I>(exec, n, order_.data());
    Array<I> sorted(exec, n), sums(exec, n + 1);
    Array<std::byte> workspace(exec, prefix_sum_workspace_bytes);
    Array<std::int64_t> total(exec, 1);
    const int num_bits = std::bit_width(static_cast<std::uint64_t>(num_domains_ - 1));
    for (int bit = 0; bit < num_bits; ++bit) {
        deflation_mark_zero_bits<I>(exec, n, of_row_.data(), order_.data(), bit, sums.data());
        prefix_sum<I>(exec, n, sums.data(), total.data(), {workspace.data(), workspace.size()});
        deflation_split<I>(exec, n, order_.data(), sums.data(), sorted.data());
        std::swap(order_, sorted);
    }
}

template <class I>
void DomainPieces<I>::cut_into_pieces()
{
    const auto& exec = of_row_.executor();
    const auto n = of_row_.size();
    Array<I> sorted(exec, order_.size());
    if (order_.size() != 0) {
        pattern_compose<I>(exec, n, order_.data(), of_row_.data(), sorted.data());
    }
    Array<I> ptrs(exec, num_domains_ + 1);
    pattern_compress_rows<I>(exec, num_domains_, n, order_.size() == 0 ? of_row_.data() : sorted.data(), ptrs.data());
    domain_pieces_ = Array<I>(exec, num_domains_ + 1);
    deflation_count_pieces<I>(exec, num_domains_, ptrs.data(), domain_pieces_.data());
    const auto num_pieces = make_row_ptrs(domain_pieces_, "pieces of domains");
    piece_ptrs_ = Array<I>(exec, num_pieces + 1);
    deflation_fill_pieces<I>(exec, num_pieces, num_domains_, ptrs.data(), domain_pieces_.data(), piece_ptrs_.data());
}

}  // namespace linden::detail
