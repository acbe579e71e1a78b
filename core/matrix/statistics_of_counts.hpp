#pragma once

#include <linden/matrix/statistics.hpp>

#include "core/kernels/statistics.hpp"

namespace linden::detail {

/// What the kernels count.
struct MatrixCounts {
    PatternCounts pattern;
    ValueCounts values;
};

MatrixStatistics statistics_of(Dim size, size_type num_nonzeros, const MatrixCounts& counts);

}  // namespace linden::detail
