#include <linden/error.hpp>

#include "core/matrix/metis/dissection.hpp"

namespace linden::detail {

const bool has_metis = false;

namespace {

[[noreturn]] void throw_absent()
{
    throw NotSupported("ordering=nested_dissection",
                       "this build has no METIS: install libmetis-dev and configure with LINDEN_METIS=ON");
}

}  // namespace

std::vector<std::int32_t> dissection_order(const std::vector<std::int32_t>&, const std::vector<std::int32_t>&)
{
    throw_absent();
}

std::vector<std::int64_t> dissection_order(const std::vector<std::int64_t>&, const std::vector<std::int64_t>&)
{
    throw_absent();
}

}  // namespace linden::detail
