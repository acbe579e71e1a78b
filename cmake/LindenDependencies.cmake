# Finds what the project uses: the system's packages first, else sources under LINDEN_DEPS_DIR.
# The libraries only, when they are built from LINDEN_DEPS_DIR.
set(CMAKE_POLICY_DEFAULT_CMP0077 NEW)
set(BUILD_GMOCK OFF)
set(INSTALL_GTEST OFF)
set(BENCHMARK_ENABLE_TESTING OFF)
set(BENCHMARK_ENABLE_INSTALL OFF)
set(BENCHMARK_ENABLE_WERROR OFF)

# linden_find_dependency(NAME TARGET PACKAGE): NAME is the folder under LINDEN_DEPS_DIR, TARGET proves that it was found.
macro(linden_find_dependency NAME TARGET PACKAGE)
    find_package(${NAME} QUIET)
    if(NOT TARGET ${TARGET} AND LINDEN_DEPS_DIR AND EXISTS "${LINDEN_DEPS_DIR}/${NAME}/CMakeLists.txt")
        add_subdirectory("${LINDEN_DEPS_DIR}/${NAME}" "${PROJECT_BINARY_DIR}/deps/${NAME}" EXCLUDE_FROM_ALL SYSTEM)
    endif()
    if(NOT TARGET ${TARGET})
        message(FATAL_ERROR "Linden: ${NAME} is missing. Install ${PACKAGE}, or run scripts/gather-deps DIR on a machine "
            "with a network and configure with -DLINDEN_DEPS_DIR=DIR.")
    endif()
endmacro()

linden_find_dependency(nlohmann_json nlohmann_json::nlohmann_json nlohmann-json3-dev)

# zlib from LINDEN_DEPS_DIR becomes part of the library, under names and a visibility that no other zlib of a program meets.
# Its own CMakeLists.txt would write into its folder, and install it.
set(LINDEN_HAS_ZLIB OFF)
set(LINDEN_ZLIB_SOURCES "")
if(LINDEN_ZLIB)
    find_package(ZLIB QUIET)
    if(NOT TARGET ZLIB::ZLIB AND LINDEN_DEPS_DIR AND EXISTS "${LINDEN_DEPS_DIR}/ZLIB/zlib.h")
        enable_language(C)
        set(LINDEN_ZLIB_SOURCES "${LINDEN_DEPS_DIR}/ZLIB")
        file(GLOB _sources "${LINDEN_ZLIB_SOURCES}/*.c")
        add_library(linden_zlib STATIC EXCLUDE_FROM_ALL ${_sources})
        add_library(ZLIB::ZLIB ALIAS linden_zlib)
        target_include_directories(linden_zlib SYSTEM PUBLIC "${LINDEN_ZLIB_SOURCES}")
        target_compile_definitions(linden_zlib PUBLIC Z_PREFIX PRIVATE HAVE_UNISTD_H _LARGEFILE64_SOURCE=1)
        set_target_properties(linden_zlib PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
    endif()
    if(TARGET ZLIB::ZLIB)
        set(LINDEN_HAS_ZLIB ON)
    elseif(NOT LINDEN_ZLIB STREQUAL "AUTO")
        message(FATAL_ERROR "Linden: zlib is missing. Install zlib1g-dev, or run scripts/gather-deps DIR on a machine with "
            "a network and configure with -DLINDEN_DEPS_DIR=DIR, or configure with -DLINDEN_ZLIB=OFF.")
    endif()
endif()

# METIS has neither a CMake package nor a pkg-config file.
set(LINDEN_HAS_METIS OFF)
if(LINDEN_METIS)
    find_path(LINDEN_METIS_INCLUDE_DIR metis.h)
    find_library(LINDEN_METIS_LIBRARY metis)
    mark_as_advanced(LINDEN_METIS_INCLUDE_DIR LINDEN_METIS_LIBRARY)
    if(LINDEN_METIS_INCLUDE_DIR AND LINDEN_METIS_LIBRARY)
        set(LINDEN_HAS_METIS ON)
    elseif(NOT LINDEN_METIS STREQUAL "AUTO")
        message(FATAL_ERROR "Linden: METIS is missing. Install libmetis-dev, or configure with -DLINDEN_METIS=OFF.")
    endif()
endif()

# PT-Scotch works on processes of MPI, of the library that it was built with. Debian's has no CMake package either.
set(LINDEN_HAS_PTSCOTCH OFF)
if(LINDEN_BUILD_MPI AND LINDEN_PTSCOTCH)
    find_path(LINDEN_PTSCOTCH_INCLUDE_DIR ptscotch.h PATH_SUFFIXES scotch)
    find_library(LINDEN_PTSCOTCH_LIBRARY ptscotch)
    find_library(LINDEN_SCOTCH_LIBRARY scotch)
    find_library(LINDEN_SCOTCHERR_LIBRARY scotcherr)
    mark_as_advanced(LINDEN_PTSCOTCH_INCLUDE_DIR LINDEN_PTSCOTCH_LIBRARY LINDEN_SCOTCH_LIBRARY LINDEN_SCOTCHERR_LIBRARY)
    # From version 7 on parts do not depend on the order in which messages arrive.
    set(_contexts "")
    if(LINDEN_PTSCOTCH_INCLUDE_DIR)
        file(STRINGS "${LINDEN_PTSCOTCH_INCLUDE_DIR}/ptscotch.h" _contexts REGEX SCOTCH_contextBindDgraph)
    endif()
    if(_contexts AND LINDEN_PTSCOTCH_LIBRARY AND LINDEN_SCOTCH_LIBRARY AND LINDEN_SCOTCHERR_LIBRARY)
        set(LINDEN_HAS_PTSCOTCH ON)
        set(LINDEN_PTSCOTCH_LIBRARIES
            "${LINDEN_PTSCOTCH_LIBRARY}" "${LINDEN_SCOTCH_LIBRARY}" "${LINDEN_SCOTCHERR_LIBRARY}")
    elseif(NOT LINDEN_PTSCOTCH STREQUAL "AUTO")
        message(FATAL_ERROR
            "Linden: PT-Scotch of version 7 or newer is missing. Install libptscotch-dev, or configure with -DLINDEN_PTSCOTCH=OFF.")
    endif()
endif()

if(LINDEN_BUILD_TOOLS)
    linden_find_dependency(CLI11 CLI11::CLI11 libcli11-dev)
endif()
if(LINDEN_BUILD_TESTS)
    linden_find_dependency(GTest GTest::gtest_main libgtest-dev)
endif()
if(LINDEN_BUILD_BENCHMARKS)
    linden_find_dependency(benchmark benchmark::benchmark libbenchmark-dev)
endif()
