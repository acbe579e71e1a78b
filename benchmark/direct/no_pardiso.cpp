#include "benchmark/direct/others.hpp"

namespace linden::bench {

std::vector<OtherSolver> pardiso_solvers() { return {}; }

}  // namespace linden::bench
