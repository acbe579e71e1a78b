#include "core/deflation/domains.hpp"
#include "core/kernels/array.hpp"
#include "core/kernels/deflation_setup.hpp"
#include "core/kernels/pattern.hpp"
#include "core/matrix/key_order.hpp"
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
    const auto& exec = of_row_.executor();
    if (is_in_order()) {
        Array<I> ptrs(exec, num_domains_ + 1);
        pattern_compress_rows<I>(exec, num_domains_, of_row_.size(), of_row_.data(), ptrs.data());
        cut_into_pieces(ptrs);
    } else {
        KeyOrder<I> by_domains(exec, of_row_, num_domains_);
        order_ = std::move(by_domains.order);
        cut_into_pieces(by_domains.key_ptrs);
    }
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
    array_mark_descents<I>(of_row_.executor(), n - 1, of_row_.data(), marks.data());
    return make_row_ptrs(marks, "descents") == 0;
}

template <class I>
void DomainPieces<I>::cut_into_pieces(const Array<I>& ptrs)
{
    const auto& exec = of_row_.executor();
    domain_pieces_ = Array<I>(exec, num_domains_ + 1);
    deflation_count_pieces<I>(exec, num_domains_, ptrs.data(), domain_pieces_.data());
    const auto num_pieces = make_row_ptrs(domain_pieces_, "pieces of domains");
    piece_ptrs_ = Array<I>(exec, num_pieces + 1);
    deflation_fill_pieces<I>(exec, num_pieces, num_domains_, ptrs.data(), domain_pieces_.data(), piece_ptrs_.data());
}

}  // namespace linden::detail
