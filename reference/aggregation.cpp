#include "core/portable/aggregation.hpp"

#include <algorithm>

namespace linden::reference {
namespace {

template <class Body>
void do_rows(const Body& body)
{
    for (size_type row = 0; row < body.size(); ++row) {
        if (body.length(row) >= 0) {
            body(OneLane(), row);
        }
    }
}

template <class I>
void search(const Executor&, PatternView<I> graph, const I* roots, int rounds, std::uint64_t* least,
            std::uint64_t* states, WorkspaceView)
{
    const auto is_decided = [](std::uint64_t state) {
        return state == IndependentState::member || state == IndependentState::excluded;
    };
    for (int round = 0; round < rounds && !std::all_of(states, states + graph.rows, is_decided); ++round) {
        do_rows(SpreadKeys<I>{graph, roots, round == 0, states, least});
        do_rows(DecideRows<I>{graph, 0, roots, round + 1, least, states});
    }
}

}  // namespace

void register_aggregation()
{
    for_each_index([]<class I>() { aggregation_search<I>.bind(Backend::reference, search<I>); });
}

}  // namespace linden::reference
