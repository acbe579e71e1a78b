# Sets up HIP: include from the top-level list file when LINDEN_BUILD_HIP is on.
# Defines linden_gpu_hip, what sources of the HIP backend see, and LINDEN_HAS_HIPSPARSE. LINDEN_HIP_PLATFORM chooses how
# they are compiled:
#   amd     clang as CMake's HIP language, for ROCm or for Debian's packages
#   nvidia  nvcc, with hip/platform/nvidia: HIP's names over the CUDA runtime
#   host    the C++ compiler, with hip/platform/host: work-items run on the CPU
include_guard(GLOBAL)
include("${CMAKE_CURRENT_LIST_DIR}/LindenGpuSources.cmake")

set(LINDEN_HIP_PLATFORM amd CACHE STRING "What HIP code is compiled for: amd, nvidia or host")
set_property(CACHE LINDEN_HIP_PLATFORM PROPERTY STRINGS amd nvidia host)
set(LINDEN_HIPSPARSE AUTO CACHE STRING "Triangular solves by hipSPARSE: ON, OFF, or AUTO, which is ON where it is found")
set_property(CACHE LINDEN_HIPSPARSE PROPERTY STRINGS AUTO ON OFF)

add_library(linden_gpu_hip INTERFACE)
target_compile_definitions(linden_gpu_hip INTERFACE LINDEN_GPU_NAMESPACE=hip)
target_include_directories(linden_gpu_hip INTERFACE "${CMAKE_CURRENT_LIST_DIR}/.."
    "${CMAKE_CURRENT_LIST_DIR}/../include")

# Debian keeps ROCm in the system prefix, where CMake's HIP language does not find it. These presets and cmake/hip-root
# (a stand-in for ROCm's hip-lang package) tell it. Debian's device libraries have no constants for architectures newer
# than themselves, so these are made here.
macro(linden_preset_debian_hip bitcode)
    file(GLOB linden_bitcode_files "${bitcode}/*.bc")
    set(linden_device_libs "${CMAKE_BINARY_DIR}/hip-device-libs")
    file(MAKE_DIRECTORY "${linden_device_libs}")
    foreach(file IN LISTS linden_bitcode_files)
        get_filename_component(name "${file}" NAME)
        if(NOT EXISTS "${linden_device_libs}/${name}")
            file(CREATE_LINK "${file}" "${linden_device_libs}/${name}" SYMBOLIC)
        endif()
    endforeach()
    foreach(pair 942:9402 1100:11000 1101:11001 1102:11002 1103:11003 1200:12000 1201:12001)
        string(REGEX MATCH "^([0-9]+):([0-9]+)$" pair "${pair}")
        set(isa "${linden_device_libs}/oclc_isa_version_${CMAKE_MATCH_1}")
        if(NOT EXISTS "${isa}.bc")
            file(WRITE "${isa}.ll" "target triple = \"amdgcn-amd-amdhsa\"\n"
                "@__oclc_ISA_version = linkonce_odr protected local_unnamed_addr addrspace(4) "
                "constant i32 ${CMAKE_MATCH_2}, align 4\n")
            execute_process(COMMAND "${CMAKE_HIP_COMPILER}" --target=amdgcn-amd-amdhsa -nogpulib -Wno-override-module
                -x ir -emit-llvm -c "${isa}.ll" -o "${isa}.bc" COMMAND_ERROR_IS_FATAL ANY)
        endif()
    endforeach()
    find_file(LINDEN_HIP_VERSION_HEADER hip/hip_version.h PATHS /usr/include)
    if(NOT LINDEN_HIP_VERSION_HEADER)
        linden_missing_hip("HIP's headers" "libamdhip64-dev")
    endif()
    file(READ "${LINDEN_HIP_VERSION_HEADER}" linden_hip_version)
    string(REGEX REPLACE ".*HIP_VERSION_MAJOR ([0-9]+).*HIP_VERSION_MINOR ([0-9]+).*HIP_VERSION_PATCH ([0-9]+).*"
        "\\1.\\2.\\3" linden_hip_version "${linden_hip_version}")
    string(APPEND CMAKE_HIP_FLAGS
        " --rocm-path=/usr --hip-version=${linden_hip_version} --rocm-device-lib-path=${linden_device_libs}")
    get_filename_component(CMAKE_HIP_COMPILER_ROCM_ROOT "${CMAKE_CURRENT_LIST_DIR}/hip-root" ABSOLUTE)
endmacro()

function(linden_missing_hip what packages)
    message(FATAL_ERROR "LINDEN_HIP_PLATFORM=amd: ${what} not found.\n"
        "On Debian: apt-get install ${packages}\n"
        "(all of it: clang-19 clang-tools-19 lld-19 llvm-19 libamdhip64-dev rocm-device-libs), or install ROCm, "
        "or configure with -DLINDEN_HIP_PLATFORM=host to run HIP code on the CPU.")
endfunction()

# A macro, not a function: what CMake's HIP language reads must be set in the scope of enable_language.
macro(linden_enable_amd_hip)
    if(NOT CMAKE_HIP_COMPILER AND "$ENV{HIPCXX}" STREQUAL "")
        # The llvm folders, not /usr/bin: a clang takes the linker beside it.
        find_program(LINDEN_HIP_CLANG NAMES amdclang++ clang++ NO_DEFAULT_PATH PATHS $ENV{ROCM_PATH}/llvm/bin
            /opt/rocm/llvm/bin /opt/rocm/bin /usr/lib/llvm-19/bin /usr/lib/llvm-16/bin /usr/lib/llvm-15/bin)
        if(NOT LINDEN_HIP_CLANG)
            linden_missing_hip("a clang that compiles HIP" "clang-19 clang-tools-19 lld-19 llvm-19")
        endif()
        set(CMAKE_HIP_COMPILER "${LINDEN_HIP_CLANG}" CACHE FILEPATH "The compiler of HIP code")
    elseif(NOT CMAKE_HIP_COMPILER)
        set(CMAKE_HIP_COMPILER "$ENV{HIPCXX}" CACHE FILEPATH "The compiler of HIP code")
    endif()
    set(CMAKE_HIP_ARCHITECTURES "gfx90a;gfx942" CACHE STRING "AMD architectures to build for")
    if(NOT DEFINED CMAKE_HIP_COMPILER_ROCM_ROOT AND NOT EXISTS /opt/rocm AND "$ENV{ROCM_PATH}" STREQUAL "")
        set(linden_bitcode "/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/amdgcn/bitcode")
        if(NOT EXISTS "${linden_bitcode}/ockl.bc")
            linden_missing_hip("${linden_bitcode}/ockl.bc" "rocm-device-libs")
        endif()
        find_library(LINDEN_AMDHIP64 amdhip64)
        if(NOT LINDEN_AMDHIP64)
            linden_missing_hip("libamdhip64" "libamdhip64-dev")
        endif()
        get_filename_component(linden_llvm_bin "${CMAKE_HIP_COMPILER}" DIRECTORY)
        foreach(pair lld:lld-19 clang-offload-bundler:clang-tools-19 llvm-objcopy:llvm-19)
            string(REGEX MATCH "^(.*):(.*)$" pair "${pair}")
            if(NOT EXISTS "${linden_llvm_bin}/${CMAKE_MATCH_1}")
                linden_missing_hip("${linden_llvm_bin}/${CMAKE_MATCH_1}" "${CMAKE_MATCH_2}")
            endif()
        endforeach()
        linden_preset_debian_hip("${linden_bitcode}")
    endif()
    enable_language(HIP)
    if(NOT CMAKE_HIP_COMPILER_ID)
        message(FATAL_ERROR
            "${CMAKE_HIP_COMPILER} does not compile HIP: see ${CMAKE_BINARY_DIR}/CMakeFiles/CMakeError.log")
    endif()
endmacro()

if(LINDEN_HIP_PLATFORM STREQUAL "amd")
    linden_enable_amd_hip()
    set_property(TARGET linden_gpu_hip PROPERTY LINDEN_LANGUAGE HIP)
    target_compile_definitions(linden_gpu_hip INTERFACE LINDEN_HIP_PLATFORM_AMD=1)
    target_compile_features(linden_gpu_hip INTERFACE hip_std_20)
    # A static link passes --offload-arch to steps that do not use it.
    target_compile_options(linden_gpu_hip INTERFACE
        "$<$<COMPILE_LANGUAGE:HIP>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wno-unused-command-line-argument>"
        # CMake has CMAKE_VISIBILITY_INLINES_HIDDEN for C++ alone.
        "$<$<COMPILE_LANGUAGE:HIP>:-fvisibility-inlines-hidden>"
        "$<$<AND:$<COMPILE_LANGUAGE:HIP>,$<BOOL:${LINDEN_WARNINGS_AS_ERRORS}>>:-Werror>")
elseif(LINDEN_HIP_PLATFORM STREQUAL "nvidia")
    include("${CMAKE_CURRENT_LIST_DIR}/LindenCuda.cmake")
    set_property(TARGET linden_gpu_hip PROPERTY LINDEN_LANGUAGE CUDA)
    target_compile_definitions(linden_gpu_hip INTERFACE LINDEN_HIP_PLATFORM_NVIDIA=1)
    target_include_directories(linden_gpu_hip INTERFACE "${CMAKE_CURRENT_LIST_DIR}/../hip/platform/nvidia")
    target_link_libraries(linden_gpu_hip INTERFACE linden_nvcc)
elseif(LINDEN_HIP_PLATFORM STREQUAL "host")
    set(LINDEN_HIP_HOST_WAVE 64 CACHE STRING "Work-items of a wave on the host: 32 or 64")
    set_property(CACHE LINDEN_HIP_HOST_WAVE PROPERTY STRINGS 32 64)
    add_subdirectory("${CMAKE_CURRENT_LIST_DIR}/../hip/platform/host" "${CMAKE_BINARY_DIR}/hip/platform/host")
    set_property(TARGET linden_gpu_hip PROPERTY LINDEN_LANGUAGE CXX)
    target_link_libraries(linden_gpu_hip INTERFACE linden_hip_host)
    # `#pragma unroll` is for compilers of device code. What tests run alone compiles in half of the time without the last
    # optimisations.
    target_compile_options(linden_gpu_hip INTERFACE -Wno-unknown-pragmas $<$<CONFIG:Release>:-O1>)
    target_compile_definitions(linden_gpu_hip INTERFACE LINDEN_HIP_HOST_WAVE=${LINDEN_HIP_HOST_WAVE})
else()
    message(FATAL_ERROR "LINDEN_HIP_PLATFORM is '${LINDEN_HIP_PLATFORM}', allowed are amd, nvidia and host")
endif()

# For AMD's devices hipSPARSE is taken by its path, so that an installed Linden asks for no package of ROCm's; for
# NVIDIA's hip/platform/nvidia stands in for it by cuSPARSE; for the host nothing does.
set(LINDEN_HAS_HIPSPARSE OFF)
if(LINDEN_HIPSPARSE)
    if(LINDEN_HIP_PLATFORM STREQUAL "amd")
        find_path(LINDEN_HIPSPARSE_INCLUDE_DIR hipsparse/hipsparse.h HINTS "${CMAKE_HIP_COMPILER_ROCM_ROOT}/include")
        find_library(LINDEN_HIPSPARSE_LIBRARY hipsparse HINTS "${CMAKE_HIP_COMPILER_ROCM_ROOT}/lib")
        mark_as_advanced(LINDEN_HIPSPARSE_INCLUDE_DIR LINDEN_HIPSPARSE_LIBRARY)
        if(LINDEN_HIPSPARSE_INCLUDE_DIR AND LINDEN_HIPSPARSE_LIBRARY)
            set(LINDEN_HAS_HIPSPARSE ON)
        endif()
    elseif(LINDEN_HIP_PLATFORM STREQUAL "nvidia" AND TARGET CUDA::cusparse)
        set(LINDEN_HIPSPARSE_LIBRARY CUDA::cusparse)
        set(LINDEN_HAS_HIPSPARSE ON)
    endif()
    if(NOT LINDEN_HAS_HIPSPARSE AND NOT LINDEN_HIPSPARSE STREQUAL "AUTO")
        message(FATAL_ERROR "LINDEN_HIPSPARSE=${LINDEN_HIPSPARSE}: hipSPARSE was not found for LINDEN_HIP_PLATFORM="
            "${LINDEN_HIP_PLATFORM}. For amd install ROCm's hipsparse-dev or Debian's libhipsparse-dev, for nvidia "
            "libcusparse-dev; host has none. Or configure with -DLINDEN_HIPSPARSE=OFF.")
    endif()
endif()
