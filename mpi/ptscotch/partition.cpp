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

/// What the library does whatever the order in which messages arrive, from one seed.
class FixedContext {
public:
    FixedContext()
    {
        check("SCOTCH_contextInit", SCOTCH_contextInit(&context_));
        check("SCOTCH_contextOptionSetNum", SCOTCH_contextOptionSetNum(&context_, SCOTCH_OPTIONNUMDETERMINISTIC, 1));
        check("SCOTCH_contextRandomClone", SCOTCH_contextRandomClone(&context_));
        SCOTCH_contextRandomSeed(&context_, 1);
        SCOTCH_contextRandomReset(&context_);
    }
    FixedContext(const FixedContext&) = delete;
    FixedContext& operator=(const FixedContext&) = delete;
    ~FixedContext() { SCOTCH_contextExit(&context_); }
    SCOTCH_Context* get() { return &context_; }

private:
    SCOTCH_Context context_{};
};

class Graph {
public:
    explicit Graph(const OwnComm& comm) { check("SCOTCH_dgraphInit", SCOTCH_dgraphInit(&graph_, comm.get())); }
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;
    ~Graph() { SCOTCH_dgraphExit(&graph_); }
    SCOTCH_Dgraph* get() { return &graph_; }

private:
    SCOTCH_Dgraph graph_{};
};

/// Keeps the arrays that the library refers to.
class DistributedGraph {
public:
    DistributedGraph(const OwnComm& comm, const SpreadGraph& graph)
        : ptrs_(graph.ptrs.begin(), graph.ptrs.end()),
          neighbours_(graph.neighbours.begin(), graph.neighbours.end()),
          parts_(std::max<std::size_t>(ptrs_.size() - 1, 1)),
          graph_(comm),
          bound_(comm)
    {
    }

    SCOTCH_Num num_own() const { return static_cast<SCOTCH_Num>(ptrs_.size()) - 1; }
    /// Collective.
    void build()
    {
        const auto num_edges = static_cast<SCOTCH_Num>(neighbours_.size());
        check("SCOTCH_dgraphBuild",
              SCOTCH_dgraphBuild(graph_.get(), 0, num_own(), num_own(), ptrs_.data(), nullptr, nullptr, nullptr,
                                 num_edges, num_edges, neighbours_.data(), nullptr, nullptr));
        check("SCOTCH_contextBindDgraph", SCOTCH_contextBindDgraph(context_.get(), graph_.get(), bound_.get()));
    }
    /// Collective.
    const std::vector<SCOTCH_Num>& cut(SCOTCH_Num num_parts, Strategy& strategy)
    {
        check("SCOTCH_dgraphPart", SCOTCH_dgraphPart(bound_.get(), num_parts, strategy.get(), parts_.data()));
        return parts_;
    }

private:
    std::vector<SCOTCH_Num> ptrs_, neighbours_, parts_;
    FixedContext context_;
    Graph graph_, bound_;  // the second one is the first in that context
};

}  // namespace

std::vector<std::int32_t> parts_by_ptscotch(MPI_Comm comm, const SpreadGraph& graph, int num_parts,
                                            const Communicator& ranks)
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
    ranks.agree_after([&] { spread->build(); });
    return ranks.agree_after([&] {
        const auto& parts = spread->cut(num_parts, *strategy);
        return std::vector<std::int32_t>(parts.begin(), parts.begin() + spread->num_own());
    });
}

}  // namespace linden::distributed
