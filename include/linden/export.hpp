#pragma once

/// Marks what programs may use of a shared liblinden; everything else stays inside. Of a class with it the type
/// information, the table of virtual functions and the members are exported. A class whose functions are all in its
/// header needs it only where it has virtual ones.
#if defined(_WIN32)
#define LINDEN_EXPORT
#else
#define LINDEN_EXPORT __attribute__((visibility("default")))
#endif
