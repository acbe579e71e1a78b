#pragma once

#include <linden/deflation.hpp>
#include <linden/distributed/matrix.hpp>

#include <vector>

#include "core/deflation/galerkin.hpp"

namespace linden::distributed {

/// Domains over all ranks. A part of a domain is those of its rows that one rank has; a domain inside a rank has one
/// part. Parts are numbered rank by rank.
template <class I>
struct RankDomains {
    size_type num_domains = 0;
    std::vector<I> of_column;       ///< the domains of what this rank sees: ghosts below, own rows, ghosts above
    std::vector<I> part_of_row;     ///< the parts of the own rows, numbered from this rank's first one on
    std::vector<I> domain_of_part;  ///< of all ranks
    Partition parts{{0, 0}};        ///< which are whose
};

/// Collective. The domains that the options name: stripes and boxes are those of the whole matrix, whatever the ranks
/// are; by METIS each rank's rows are cut into a share of the domains; the user gives numbers to the own rows.
/// @throws InvalidParameter as detail::make_domains, or if ranks ask for different ones; NotSupported if there are
/// vectors instead, or sums are to be reproducible and a domain has rows of several ranks
template <class V, class I>
RankDomains<I> find_rank_domains(const Deflation<V>& options, const Matrix<V, I>& matrix,
                                 linden::detail::Symmetry symmetry);

}  // namespace linden::distributed
