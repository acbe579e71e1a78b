#include "benchmark/direct/others.hpp"

namespace linden::bench {

std::vector<OtherSolver> eigen_solvers() { return {}; }

}  // namespace linden::bench
