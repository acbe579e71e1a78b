#pragma once

namespace linden::tool {

/// From now on Ctrl-C (SIGINT) and SIGTERM end the program with exit code 130 and one line on standard error.
void catch_signals();

/// From now on the first of these signals is only noted, for the solve to end with what it has; the second ends the
/// program at once. If the solve goes on for a second, a line on standard error says so.
void finish_on_signals();

/// From now on these signals do nothing: the outcome is known, and the program ends anyway. A launcher sends SIGTERM to
/// all ranks as soon as one of them has ended with an exit code other than 0.
void ignore_signals();

/// Whether a signal was noted.
bool is_interrupted();

}  // namespace linden::tool
