#pragma once

#include <linden/matrix_data.hpp>

#include "core/io/problem_spec.hpp"

/// Poisson's equation with two coefficients, as the pressure in a flow of two phases obeys it.
namespace linden::detail {

template <class V, class I>
CsrData<V, I> two_phase_problem(const ProblemSpec& spec);

/// `bubbles` and `bubbles3d`
template <class V, class I>
CsrData<V, I> bubbles_problem(const ProblemSpec& spec);

}  // namespace linden::detail
