#pragma once

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

/// Tells the thread sanitizer what it cannot see, since GCC's OpenMP runtime is not compiled with it: that a team
/// starts after what came before its region, and that what follows comes after the team. Nothing without the sanitizer.
namespace linden::omp {

/// What this thread has done so far comes before what others do after `observe(where)`.
inline void announce([[maybe_unused]] void* where)
{
#if defined(__SANITIZE_THREAD__)
    __tsan_release(where);
#endif
}

inline void observe([[maybe_unused]] void* where)
{
#if defined(__SANITIZE_THREAD__)
    __tsan_acquire(where);
#endif
}

}  // namespace linden::omp
