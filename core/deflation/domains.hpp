#pragma once

#include <linden/deflation.hpp>
#include <linden/matrix/csr.hpp>

#include <optional>

#include "core/deflation/galerkin.hpp"
#include "core/kernels/deflation.hpp"
#include "core/kernels/deflation_setup.hpp"

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

/// The grid whose boxes are the domains of `rows` rows, for stripes and boxes; nothing for other kinds.
/// @throws InvalidParameter as make_domains
template <class V>
std::optional<BoxGrid> domain_grid(const Deflation<V>& options, size_type rows);

/// The domains that the user gives `rows` rows, some of `all_rows`; nothing if there are none, and the options' kind
/// says which. @throws InvalidParameter if there are not as many numbers as rows, or one is out of range
template <class V, class I>
std::optional<Domains<I>> given_domains(const Deflation<V>& options, const Executor& exec, size_type rows,
                                        size_type all_rows);

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
