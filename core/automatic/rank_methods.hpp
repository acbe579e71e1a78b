#pragma once

#include "core/automatic/methods.hpp"

namespace linden::detail {

/// What of the ranks a choice depends on.
struct RanksFacts {
    int num_ranks = 1;
    bool is_device = false;
    bool is_reproducible = false;  ///< results are to have the same bits on any number of ranks
};

/// The methods for a matrix that is spread over ranks, the most promising first, the last resort last: those of
/// `methods_for`, each by what does the same over ranks (doc/decisions/0031-automatic-over-ranks.md).
std::vector<Method> methods_for_ranks(const MatrixStatistics& matrix, const RanksFacts& ranks);

/// All methods that it may name.
std::span<const Method> all_rank_methods();

}  // namespace linden::detail
