# Sets up CUDA: include from the top-level list file when LINDEN_BUILD_CUDA is on (or LINDEN_HIP_PLATFORM is nvidia).
# Defines linden_nvcc (how device code is compiled), linden_gpu_cuda (what sources of the CUDA backend see), and
# LINDEN_HAS_CUSPARSE.
# LINDEN_WARNINGS_AS_ERRORS adds -Werror=all-warnings.
include_guard(GLOBAL)
include(CheckLanguage)
include("${CMAKE_CURRENT_LIST_DIR}/LindenGpuSources.cmake")

check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
    message(FATAL_ERROR
        "The CUDA backend needs nvcc of CUDA 12.4 or later, which was not found. "
        "Install NVIDIA's package cuda-toolkit, and put nvcc into PATH or set CUDACXX or -DCMAKE_CUDA_COMPILER to it; "
        "or configure with -DLINDEN_BUILD_CUDA=OFF.")
endif()
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 90 CACHE STRING "Compute capabilities to build for, without the dot")
endif()
enable_language(CUDA)
if(CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA" AND CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.4)
    message(FATAL_ERROR "The CUDA backend needs conditional graph nodes, so nvcc 12.4 or later; "
        "${CMAKE_CUDA_COMPILER} is ${CMAKE_CUDA_COMPILER_VERSION}.")
endif()
# CMake 3.25 does not know yet that nvcc speaks C++20.
if(NOT "cuda_std_20" IN_LIST CMAKE_CUDA_COMPILE_FEATURES)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_COMPILE_FEATURES cuda_std_20)
    list(APPEND CMAKE_CUDA_COMPILE_FEATURES cuda_std_20)
endif()
# One copy of the runtime in a process: CMake's default would add the static one beside the shared one.
if(NOT DEFINED CMAKE_CUDA_RUNTIME_LIBRARY)
    set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
endif()
find_package(CUDAToolkit REQUIRED)

set(LINDEN_CUSPARSE AUTO CACHE STRING "Triangular solves by cuSPARSE: ON, OFF, or AUTO, which is ON where it is found")
set_property(CACHE LINDEN_CUSPARSE PROPERTY STRINGS AUTO ON OFF)
set(LINDEN_HAS_CUSPARSE OFF)
if(LINDEN_CUSPARSE AND TARGET CUDA::cusparse)
    set(LINDEN_HAS_CUSPARSE ON)
elseif(LINDEN_BUILD_CUDA AND LINDEN_CUSPARSE AND NOT LINDEN_CUSPARSE STREQUAL "AUTO")
    message(FATAL_ERROR "LINDEN_CUSPARSE=${LINDEN_CUSPARSE}: cuSPARSE was not found beside the CUDA runtime. "
        "Install NVIDIA's package libcusparse-dev, or configure with -DLINDEN_CUSPARSE=OFF.")
endif()

add_library(linden_nvcc INTERFACE)
target_compile_features(linden_nvcc INTERFACE cuda_std_20 cxx_std_20)
target_compile_options(linden_nvcc INTERFACE
    # 445, 554: true of templated lambdas and of DenseView's conversion, and harmless.
    "$<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr;-diag-suppress=445,554;-Xcompiler=-Wall,-Wextra>"
    # CMake has CMAKE_VISIBILITY_INLINES_HIDDEN for C++ alone.
    "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-fvisibility-inlines-hidden>"
    # A kernel that spills registers is a warning, too: no test needs to look for them.
    "$<$<COMPILE_LANGUAGE:CUDA>:-Xptxas=-warn-spills>"
    "$<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${LINDEN_WARNINGS_AS_ERRORS}>>:-Werror=all-warnings;-Xptxas=-Werror>")
target_include_directories(linden_nvcc INTERFACE "${CMAKE_CURRENT_LIST_DIR}/.." "${CMAKE_CURRENT_LIST_DIR}/../include")
target_link_libraries(linden_nvcc INTERFACE
    $<IF:$<STREQUAL:${CMAKE_CUDA_RUNTIME_LIBRARY},Static>,CUDA::cudart_static,CUDA::cudart>)

add_library(linden_gpu_cuda INTERFACE)
set_property(TARGET linden_gpu_cuda PROPERTY LINDEN_LANGUAGE CUDA)
target_compile_definitions(linden_gpu_cuda INTERFACE LINDEN_GPU_NAMESPACE=cuda)
target_link_libraries(linden_gpu_cuda INTERFACE linden_nvcc)
