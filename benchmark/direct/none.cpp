#include "benchmark/direct/others.hpp"

namespace linden::bench {

std::vector<OtherSolver> other_solvers() { return {}; }

}  // namespace linden::bench
