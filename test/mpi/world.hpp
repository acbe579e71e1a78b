#pragma once

#include <linden/distributed/communicator.hpp>

namespace linden::test {

/// The processes that mpirun started.
const Communicator& world();

}  // namespace linden::test
