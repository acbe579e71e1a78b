#include "core/matrix/pattern_checks/pattern_checks.hpp"

bool linden::detail::checks_patterns() { return false; }
