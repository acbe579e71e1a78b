#pragma once

#include <linden/deflation.hpp>
#include <linden/matrix/csr.hpp>

#include "core/deflation/galerkin.hpp"
#include "core/kernels/deflation.hpp"

namespace linden::detail {

/// The domain of each row, on an executor.
template <class I>
struct Domains {
    size_type num_domains = 0;
    Array<I> of_row;
};

/// Assigns the rows of the matrix to domains, on its executor. The graph of a Hermitian matrix is undirected.
/// @throws InvalidParameter if the number of stripes is not in [1, rows], boxes do not match the grid, the grid does
/// not match the rows, or a row has no domain; NotSupported if METIS is requested and missing
template <class V, class I>
Domains<I> make_domains(const Deflation<V>& options, const Csr<V, I>& matrix, Symmetry symmetry);

/// Rows in the order of their domains, cut into pieces of one domain each. Construction waits for the executor.
template <class I>
class DomainPieces {
public:
    explicit DomainPieces(Domains<I> domains);

    size_type num_pieces() const { return piece_ptrs_.size() - 1; }
    DomainsView<I> view() const;

private:
    bool is_in_order() const;
    /// ptrs: where the rows of each domain begin in their order.
    void cut_into_pieces(const Array<I>& ptrs);

    size_type num_domains_;
    Array<I> of_row_;
    Array<I> order_;  ///< empty if it is 0, 1, ...
    Array<I> piece_ptrs_, domain_pieces_;
};

}  // namespace linden::detail
