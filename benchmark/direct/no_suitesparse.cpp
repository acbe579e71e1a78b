#include "benchmark/direct/others.hpp"

namespace linden::bench {

std::vector<OtherSolver> suitesparse_solvers() { return {}; }

}  // namespace linden::bench
