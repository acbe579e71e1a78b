#include <linden/error.hpp>

#include "core/deflation/metis/partition.hpp"

namespace linden::detail {

std::vector<size_type> parts_by_metis(const Graph&, size_type)
{
    throw NotSupported("kind=metis",
                       "this build has no METIS: install libmetis-dev and configure with LINDEN_METIS=ON");
}

}  // namespace linden::detail
