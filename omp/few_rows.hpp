#pragma once

#include "omp/parallel.hpp"

namespace linden::omp {

/// So many rows with so much work in all. Boundaries of parts are at every row, as rows are few and long.
struct FewRows {
    size_type rows;
    size_type total_work;

    size_type work() const { return total_work; }
    size_type first(int part, int parts) const { return rows * part / parts; }
};

}  // namespace linden::omp
