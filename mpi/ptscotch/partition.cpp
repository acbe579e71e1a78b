#include "mpi/ptscotch/partition.hpp"

#include <linden/error.hpp>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>

#include <ptscotch.h>

namespace linden::distributed {
namespace {

void check(std::string_view call, int status)
{
    if (status != 0) {
        throw NotSupported("ptscotch", std::string(call) + " failed with status " + std::to_string(status));
    }
}

class Strategy {
public:
    Strategy() { check("SCOTCH_stratInit", SCOTCH_stratInit(&strategy_)); }
    Strategy(const Strategy&) = delete;
    Strategy& operator=(const Strategy&) = delete;
    ~Strategy() { SCOTCH_stratExit(&strategy_); }
    SCOTCH_Strat* get() { return &strategy_; }

private:
    SCOTCH_Strat strategy_{};
};

/// A communicator of the library's own: its messages are not those of the transport.
class OwnComm {
public:
    explicit OwnComm(MPI_Comm comm) { check("MPI_Comm_dup", MPI_Comm_dup(comm, &comm_)); }
    OwnComm(const OwnComm&) = delete;
    OwnComm& operator=(const OwnComm&) = delete;
    ~OwnComm() { MPI_Comm_free(&comm_); }
    MPI_Comm get() const { return comm_; }

private:
    MPI_Comm comm_ = MPI_COMM_NULL;
};

/// Keeps the arrays that the library refers to.
class DistributedGraph {
public:
    DistributedGraph(const OwnComm& comm, const SpreadGraph& graph)
        : ptrs_(graph.ptrs.begin(), graph.ptrs.end()),
          neighbours_(graph.neighbours.begin(), graph.neighbours.end()),
          parts_(std::max<std::size_t>(ptrs_.size() - 1, 1))
    {
        check("SCOTCH_dgraphInit", SCOTCH_dgraphInit(&graph_, comm.get()));
    }
    DistributedGraph(const DistributedGraph&) = delete;
    DistributedGraph& operator=(const DistributedGraph&) = delete;
    ~DistributedGraph() { SCOTCH_dgraphExit(&graph_); }

    SCOTCH_Num num_own() const { return static_cast<SCOTCH_Num>(ptrs_.size()) - 1; }
    /// Collective.
    void build()
    {
        const auto num_edges = static_cast<SCOTCH_Num>(neighbours_.size());
        check("SCOTCH_dgraphBuild",
              SCOTCH_dgraphBuild(&graph_, 0, num_own(), num_own(), ptrs_.data(), nullptr, nullptr, nullptr, num_edges,
                                 num_edges, neighbours_.data(), nullptr, nullptr));
    }
    /// Collective.
    const std::vector<SCOTCH_Num>& cut(SCOTCH_Num num_parts, Strategy& strategy)
    {
        check("SCOTCH_dgraphPart", SCOTCH_dgraphPart(&graph_, num_parts, strategy.get(), parts_.data()));
        return parts_;
    }

private:
    SCOTCH_Dgraph graph_{};
    std::vector<SCOTCH_Num> ptrs_, neighbours_, parts_;
};

}  // namespace

std::vector<std::int32_t> parts_by_ptscotch(MPI_Comm comm, const SpreadGraph& graph, const Communicator& ranks)
{
    constexpr std::int64_t most = std::numeric_limits<SCOTCH_Num>::max();
    std::int64_t num_edges = 0;
    for (const auto count : ranks.all_gather(static_cast<std::int64_t>(graph.neighbours.size()))) {
        num_edges += count;
    }
    if (graph.num_vertices > most || num_edges > most) {  // the same on all ranks
        throw NotSupported("ptscotch", "the graph is too large for the integers of this PT-Scotch, of " +
                                           std::to_string(8 * sizeof(SCOTCH_Num)) + " bits");
    }
    if (graph.num_vertices == 0) {
        return {};
    }
    const OwnComm own_comm(comm);
    const auto strategy = ranks.agree_after([] { return std::make_unique<Strategy>(); });
    const auto spread = ranks.agree_after([&] { return std::make_unique<DistributedGraph>(own_comm, graph); });
    SCOTCH_randomSeed(1);
    SCOTCH_randomReset();
    ranks.agree_after([&] { spread->build(); });
    return ranks.agree_after([&] {
        const auto& parts = spread->cut(ranks.size(), *strategy);
        return std::vector<std::int32_t>(parts.begin(), parts.begin() + spread->num_own());
    });
}

}  // namespace linden::distributed
