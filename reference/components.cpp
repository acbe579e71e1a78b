#include "core/portable/components.hpp"

namespace linden::reference {
namespace {

template <class I>
void find(const Executor&, PatternView<I> a, I* labels)
{
    find_components(a, labels);
}

}  // namespace

void register_components()
{
    for_each_index([]<class I>() { components_find<I>.bind(Backend::reference, find<I>); });
}

}  // namespace linden::reference
