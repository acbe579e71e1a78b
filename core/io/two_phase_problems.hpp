#pragma once

#include <linden/matrix_data.hpp>

#include "core/io/problem_spec.hpp"

/// The Poisson equation with two coefficients, as for the pressure in two-phase flow.
namespace linden::detail {

template <class V, class I>
CsrData<V, I> two_phase_problem(const ProblemSpec& spec);

/// `bubbles` and `bubbles3d`
template <class V, class I>
CsrData<V, I> bubbles_problem(const ProblemSpec& spec);

}  // namespace linden::detail
