# The CUDA language, and what device code of this project compiles with (target linden_cuda_options).
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 90 CACHE STRING "CUDA architectures to build for")
endif()
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
    message(FATAL_ERROR "Linden: LINDEN_BUILD_CUDA is on, but there is no nvcc. Install the CUDA toolkit (12.4 or newer) "
        "and put nvcc on the PATH, or set CMAKE_CUDA_COMPILER.")
endif()
enable_language(CUDA)
if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.4)
    message(FATAL_ERROR "Linden: CUDA ${CMAKE_CUDA_COMPILER_VERSION} has no conditional graph nodes; 12.4 is the first.")
endif()
find_package(CUDAToolkit REQUIRED)

if(NOT TARGET linden_cuda_options)
    add_library(linden_cuda_options INTERFACE)
    # CMake 3.25 does not know the features of CUDA 13, so the standard is a plain option.
    # 445, 554: true of templated lambdas and of DenseView's conversion, and harmless.
    target_compile_options(linden_cuda_options INTERFACE
        $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 --expt-relaxed-constexpr -diag-suppress=445,554 -Xcompiler=-Wall,-Wextra>
        $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${LINDEN_WARNINGS_AS_ERRORS}>>:-Werror=all-warnings>)
endif()
