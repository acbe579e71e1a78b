#include "benchmark/direct/others.hpp"

namespace linden::bench {

std::vector<OtherSolver> superlu_solvers() { return {}; }

}  // namespace linden::bench
