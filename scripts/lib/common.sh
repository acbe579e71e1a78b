# shellcheck shell=bash
# What the scripts share: finding and installing what a build needs, configuring, building. To be sourced.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

say() { printf '\n== %s\n' "$*"; }

# Exit code 2: the machine or the command line is to blame, not the code.
fail() {
    printf 'error: %s\n' "$*" >&2
    exit 2
}

# The first line of the calling script's comment up to the first empty line, without the #.
usage() { sed -n '2,/^$/{/^$/q;s/^# \{0,1\}//p}' "$0"; }

have_program() { command -v "$1" >/dev/null 2>&1; }

have_rocm() { [[ -e /opt/rocm/llvm/bin/clang++ ]]; }

# have_header HEADER: whether the C++ compiler finds it.
have_header() { printf '#include <%s>\n' "$1" | "${CXX:-c++}" -E -x c++ -std=c++20 - >/dev/null 2>&1; }

amd_packages=(clang-19 clang-tools-19 lld-19 llvm-19 libamdhip64-dev rocm-device-libs)

# package_for_missing WHAT: the Debian package of WHAT if it is missing, else nothing.
package_for_missing() {
    case $1 in
        compiler) have_program "${CXX:-c++}" || echo g++ ;;
        cmake) have_program cmake || echo cmake ;;
        ninja) have_program ninja || echo ninja-build ;;
        pkg-config) have_program pkg-config || echo pkg-config ;;
        git) have_program git || echo git ;;
        zlib) have_header zlib.h || echo zlib1g-dev ;;
        json) have_header nlohmann/json.hpp || echo nlohmann-json3-dev ;;
        metis) have_header metis.h || echo libmetis-dev ;;
        ptscotch) have_header scotch/ptscotch.h || packages_not_installed libptscotch-dev ;;
        mpi) have_program mpirun && have_program mpicxx || printf '%s\n' libopenmpi-dev openmpi-bin ;;
        cli11) have_header CLI/CLI.hpp || echo libcli11-dev ;;
        gtest) have_header gtest/gtest.h || echo libgtest-dev ;;
        benchmark) have_header benchmark/benchmark.h || echo libbenchmark-dev ;;
        # What compiles for AMD's devices: ROCm, or Debian's packages, all of them.
        amd) have_rocm || packages_not_installed "${amd_packages[@]}" ;;
        *) fail "package_for_missing: $1 is unknown" ;;
    esac
}

# packages_not_installed PACKAGE...: those that are not, one a line.
packages_not_installed() {
    local package
    for package in "$@"; do
        [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || echo "$package"
    done
}

# packages_not_offered PACKAGE...: those that are neither installed nor to be had from apt, one a line. Asks apt's servers
# where its lists here do not know a package, and where this user may.
packages_not_offered() {
    local absent
    absent=$(packages_not_listed "$@")
    if [[ -n $absent ]] && [[ $(id -u) -eq 0 ]] && have_program apt-get; then
        apt-get -o DPkg::Lock::Timeout=300 update -qq >/dev/null 2>&1 || true
        absent=$(packages_not_listed "$@")
    fi
    [[ -z $absent ]] || echo "$absent"
}
packages_not_listed() {
    local package
    packages_not_installed "$@" | while read -r package; do
        [[ -n $(apt-cache search --names-only "^${package//+/\\+}\$" 2>/dev/null) ]] || echo "$package"
    done
}

# install_packages PACKAGE...: by apt where this user may; else says what to install and exits with 2.
install_packages() {
    local as_root=()
    if [[ $(id -u) -ne 0 ]]; then
        as_root=(sudo -n)
    fi
    if ! have_program apt-get || { ((${#as_root[@]})) && ! sudo -n true 2>/dev/null; }; then
        printf 'These packages are missing. On Debian or Ubuntu:\n\n    sudo apt-get install %s\n\n' "$*" >&2
        exit 2
    fi
    say "Installing $*"
    "${as_root[@]}" apt-get -o DPkg::Lock::Timeout=300 update -qq
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends "$@" >/dev/null
}

# require WHAT...: makes sure that all of it is there; see package_for_missing for the names.
# Libraries that LINDEN_DEPS_DIR holds the sources of are not asked for.
require() {
    local what missing=()
    for what in "$@"; do
        if [[ -n ${LINDEN_DEPS_DIR:-} && $what =~ ^(zlib|json|cli11|gtest|benchmark)$ ]]; then
            continue
        fi
        mapfile -t -O "${#missing[@]}" missing < <(package_for_missing "$what")
    done
    if ((${#missing[@]})); then
        install_packages "${missing[@]}"
    fi
    require_cmake
}

# The presets need CMake 3.25 (Debian 12 and Ubuntu 24.04 have it).
require_cmake() {
    local version
    version=$(cmake --version | sed -n '1s/cmake version //p')
    if [[ $(printf '3.25\n%s\n' "$version" | sort -V | sed -n 1p) != 3.25 ]]; then
        fail "CMake 3.25 or newer is needed, this is $version. Newer ones: https://cmake.org/download or pip install cmake"
    fi
}

# One compiler per core, and 1.5 GB for each.
num_jobs() {
    local cores memory
    cores=$(nproc)
    memory=$(awk '/^MemAvailable:/ {print int($2 / 1500000)}' /proc/meminfo)
    ((memory >= 1)) || memory=1
    echo $((cores < memory ? cores : memory))
}

# configure_and_build PRESET [CMAKE-OPTION...] [-- TARGET...] : into build-PRESET, with a compiler cache where there is
# one; everything unless targets are named.
configure_and_build() {
    local preset=$1
    shift
    local options=()
    while (($#)) && [[ $1 != -- ]]; do
        options+=("$1")
        shift
    done
    local targets=("${@:2}")
    if have_program ccache; then
        export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
        options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    fi
    if [[ -n ${LINDEN_DEPS_DIR:-} ]]; then
        options+=("-DLINDEN_DEPS_DIR=$LINDEN_DEPS_DIR")
    fi
    local start=$SECONDS
    say "Configuring build-$preset"
    (cd "$root" && cmake --preset "$preset" "${options[@]}")
    say "Building build-$preset with $(num_jobs) jobs"
    cmake --build "$root/build-$preset" --parallel "$(num_jobs)" ${targets[@]+--target "${targets[@]}"}
    echo "build-$preset: $((SECONDS - start)) s"
    build_costs "$root/build-$preset"
}

# build_costs DIR: what the budgets of a build are about, for people to watch.
build_costs() {
    echo "The slowest files, in seconds (a file from the compiler cache costs nothing):"
    awk 'NR > 1 && $4 ~ /\.o$/ {cost[$4] = ($2 - $1) / 1000} END {for (file in cost) print cost[file], file}' \
        "$1/.ninja_log" | sort -rg | sed -n 1,5p
    find "$1" -maxdepth 1 -name 'liblinden.*' -exec du -h {} +
}
