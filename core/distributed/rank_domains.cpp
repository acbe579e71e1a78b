#include "core/distributed/rank_domains.hpp"

#include <linden/error.hpp>

#include <algorithm>
#include <array>
#include <string>

#include "core/deflation/domains.hpp"
#include "core/distributed/extent.hpp"
#include "core/distributed/ghost_values.hpp"
#include "core/distributed/matrix_parts.hpp"
#include "core/matrix/row_pointers.hpp"

// instantiate: distributed::RankDomains<I> distributed::find_rank_domains<V, I>(const Deflation<V>&, const distributed::Matrix<V, I>&, detail::Symmetry)

namespace linden::distributed {
namespace {

/// What ranks must ask for alike.
struct Asked {
    bool operator==(const Asked&) const = default;

    std::int32_t kind = 0, coarse = 0, has_array = 0;
    std::array<std::int64_t, 7> counts{};
};

template <class V>
bool has_array(const Deflation<V>& options)
{
    return std::visit([](const auto& array) { return array != nullptr; }, options.domain_array);
}

/// Whether the user gives domains to rows; ranks without rows have no numbers to give. Collective.
template <class V>
bool are_given(const Communicator& ranks, const Deflation<V>& options)
{
    const Asked mine{
        static_cast<std::int32_t>(options.kind),
        static_cast<std::int32_t>(options.coarse),
        has_array(options),
        {options.vectors, options.nx, options.ny, options.nz, options.boxes_x, options.boxes_y, options.boxes_z}};
    const auto asked = ranks.all_gather(mine);
    const auto other = std::find_if(asked.begin(), asked.end(), [&](const Asked& a) { return a != asked.front(); });
    ranks.agree_after([&] {
        if (other != asked.end()) {
            throw InvalidParameter("deflation", "other options on rank " + std::to_string(other - asked.begin()),
                                   "those of rank 0");
        }
        if (options.basis != nullptr || options.sparse_basis != nullptr) {
            throw NotSupported("deflation", "on several ranks deflation vectors are those of domains, not a basis");
        }
    });
    const auto lists = ranks.all_gather(static_cast<std::int32_t>(!options.domains.empty()));
    return mine.has_array != 0 || std::find(lists.begin(), lists.end(), 1) != lists.end();
}

/// Of k domains those that this rank's rows are cut into: one for each rank with rows, the others by their numbers of
/// rows.
struct Share {
    size_type first, count;
};

Share share_of(size_type k, const Partition& rows, int rank)
{
    size_type num_ranks = 0, num_before = 0;
    for (int r = 0; r < rows.num_ranks(); ++r) {
        num_before += r < rank && rows.num_rows(r) > 0;
        num_ranks += rows.num_rows(r) > 0;
    }
    if (k < num_ranks || k > std::max<size_type>(rows.num_rows(), 1)) {
        throw InvalidParameter("vectors", std::to_string(k),
                               "1 for each of the " + std::to_string(num_ranks) + " ranks with rows, to " +
                                   std::to_string(rows.num_rows()));
    }
    if (rows.num_rows(rank) == 0) {
        return {num_before, 0};
    }
    const auto others_before = [&](size_type row) { return (k - num_ranks) * row / rows.num_rows(); };
    const auto before = others_before(rows.first(rank));
    return {num_before + before, 1 + others_before(rows.first(rank + 1)) - before};
}

/// The own rows.
template <class I>
struct OwnDomains {
    size_type num_domains;
    std::vector<I> of_row;
};

template <class V, class I>
OwnDomains<I> own_domains(const Deflation<V>& options, const Matrix<V, I>& matrix, bool given,
                          linden::detail::Symmetry symmetry)
{
    const auto& partition = matrix.partition();
    const auto rank = matrix.communicator().rank();
    const auto n = matrix.size().rows;
    OwnDomains<I> own{options.vectors, {}};
    if (given) {
        const auto& exec = matrix.executor();
        if (const auto domains = linden::detail::given_domains<V, I>(options, exec, n, partition.num_rows())) {
            return {domains->num_domains, domains->of_row.to_host()};
        }
        if (n > 0) {
            throw InvalidParameter("domains", "0 values", std::to_string(n));
        }
        own.num_domains = 0;
    } else if (const auto grid = linden::detail::domain_grid(options, partition.num_rows())) {
        own.num_domains = grid->boxes[0] * grid->boxes[1] * grid->boxes[2];
        linden::detail::require_fits<I>(own.num_domains, "domains");
        for (size_type row = 0; row < n; ++row) {
            own.of_row.push_back(static_cast<I>(box_of(*grid, partition.first(rank) + row)));
        }
    } else {
        const auto share = share_of(options.vectors, partition, rank);
        if (n > 0) {
            const Deflation<V> here{.kind = options.kind, .vectors = std::min(share.count, n)};
            own.of_row = linden::detail::make_domains<V, I>(here, matrix.local(), symmetry).of_row.to_host();
        }
        for (auto& domain : own.of_row) {
            domain += static_cast<I>(share.first);
        }
    }
    return own;
}

/// Collective. Which parts of domains all ranks have.
template <class I>
void find_parts(const Communicator& ranks, const std::vector<I>& of_row, RankDomains<I>& result)
{
    auto mine = ranks.agree_after([&] {
        auto list = of_row;
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
        for (const auto domain : of_row) {
            result.part_of_row.push_back(
                static_cast<I>(std::lower_bound(list.begin(), list.end(), domain) - list.begin()));
        }
        return list;
    });
    const auto lists = linden::detail::gather_lists(ranks, mine);
    ranks.agree_after([&] {
        std::vector<std::int64_t> firsts{0};
        for (const auto& list : lists) {
            result.domain_of_part.insert(result.domain_of_part.end(), list.begin(), list.end());
            firsts.push_back(static_cast<std::int64_t>(result.domain_of_part.size()));
        }
        result.parts = Partition(firsts);
        linden::detail::require_fits<I>(result.parts.num_rows(), "parts of domains");
        auto sorted = result.domain_of_part;
        std::sort(sorted.begin(), sorted.end());
        const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
        if (ranks.is_reproducible() && twice != sorted.end()) {
            throw NotSupported("deflation",
                               "for reproducible sums each domain must have rows of one rank only, domain " +
                                   std::to_string(*twice) + " has rows of several");
        }
    });
}

}  // namespace

template <class V, class I>
RankDomains<I> find_rank_domains(const Deflation<V>& options, const Matrix<V, I>& matrix,
                                 linden::detail::Symmetry symmetry)
{
    const auto ranks = matrix.communicator();
    const bool given = are_given(ranks, options);
    const auto own = ranks.agree_after([&] { return own_domains(options, matrix, given, symmetry); });
    RankDomains<I> result;
    for (const auto most : ranks.all_gather(own.num_domains)) {
        result.num_domains = std::max(result.num_domains, most);
    }
    find_parts(ranks, own.of_row, result);
    const auto& map = linden::detail::SpreadParts<V, I>::of(matrix).halo.map();
    const Extent extent(map.first_own, matrix.size().rows, map.ghosts);
    ranks.agree_after([&] {
        result.of_column.resize(static_cast<std::size_t>(extent.size()));
        std::copy(own.of_row.begin(), own.of_row.end(), result.of_column.begin() + extent.num_lower());
    });
    fill_ghosts(ranks, map, extent, result.of_column.data());
    return result;
}

}  // namespace linden::distributed
