# linden_add_gpu_sources(<target> <cuda|hip> <source>...)
#
# Adds sources that hold device code (gpu/*.cuh and its users) to <target> and compiles them as CUDA, HIP or C++,
# whichever the backend is built with: LindenCuda.cmake and LindenHip.cmake define linden_gpu_cuda and linden_gpu_hip
# and say the language. One folder may compile one source for both backends: the second gets a file that includes it.
include_guard(GLOBAL)

function(linden_add_gpu_sources target backend)
    if(NOT TARGET linden_gpu_${backend})
        message(FATAL_ERROR "linden_add_gpu_sources(${target} ${backend}): backend ${backend} is not set up")
    endif()
    get_target_property(language linden_gpu_${backend} LINDEN_LANGUAGE)
    foreach(source IN LISTS ARGN)
        get_filename_component(source "${source}" ABSOLUTE)
        get_property(other SOURCE "${source}" PROPERTY LINDEN_GPU_BACKEND)
        if(other AND NOT other STREQUAL backend)
            get_filename_component(name "${source}" NAME)
            set(included "${source}")
            set(source "${CMAKE_CURRENT_BINARY_DIR}/${backend}/${name}")
            file(CONFIGURE OUTPUT "${source}" CONTENT "#include \"${included}\"\n" @ONLY)
        endif()
        set_property(SOURCE "${source}" PROPERTY LANGUAGE ${language})
        set_property(SOURCE "${source}" PROPERTY LINDEN_GPU_BACKEND ${backend})
        # As in reference/ and omp/, which have the same bits: each step is rounded.
        if(source MATCHES "/((par)?ilut|spgemm)\\.cu$")
            set(unfused $<IF:$<STREQUAL:${language},CUDA>,--fmad=false,-ffp-contract=off>)
            set_property(SOURCE "${source}" PROPERTY COMPILE_OPTIONS "${unfused}")
        endif()
        target_sources(${target} PRIVATE "${source}")
    endforeach()
    target_link_libraries(${target} PRIVATE linden_gpu_${backend})
endfunction()
