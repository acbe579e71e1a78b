# Stands in for ROCm's hip-lang package where ROCm lives in the system prefix (Debian). CMake's HIP language loads it
# from CMAKE_HIP_COMPILER_ROCM_ROOT. ROCm's own would add -isystem /usr/include, which hides the C headers from
# libstdc++'s #include_next.
if(NOT TARGET hip-lang::device)
    find_library(LINDEN_AMDHIP64 amdhip64 HINTS /usr/lib/x86_64-linux-gnu /usr/lib64 /usr/lib)
    add_library(hip-lang::amdhip64 SHARED IMPORTED)
    set_target_properties(hip-lang::amdhip64 PROPERTIES
        IMPORTED_LOCATION "${LINDEN_AMDHIP64}"
        INTERFACE_COMPILE_DEFINITIONS "__HIP_ROCclr__=1;__HIP_PLATFORM_AMD__=1")
    add_library(hip-lang::host INTERFACE IMPORTED)
    target_link_libraries(hip-lang::host INTERFACE hip-lang::amdhip64)
    add_library(hip-lang::device INTERFACE IMPORTED)
    target_link_libraries(hip-lang::device INTERFACE hip-lang::host)
    set_property(TARGET hip-lang::device APPEND PROPERTY INTERFACE_COMPILE_OPTIONS
        "$<$<COMPILE_LANGUAGE:HIP>:SHELL:-mllvm -amdgpu-early-inline-all=true -mllvm -amdgpu-function-calls=false>")
    set_property(TARGET hip-lang::device APPEND PROPERTY INTERFACE_LINK_OPTIONS "$<$<LINK_LANGUAGE:HIP>:--hip-link>")
endif()
set(_CMAKE_HIP_DEVICE_RUNTIME_TARGET "hip-lang::device")
