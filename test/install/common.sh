# shellcheck shell=bash
# What the tests of this folder share. To be sourced with their arguments.

source_dir=$1
binary_dir=$2
# shellcheck disable=SC2034  # read by the scripts that source this
compiler=$3 version=$4 skipped=77

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/moved
build=$work/build

# Installs to one prefix and moves all of it to another.
install_and_move() {
    cmake --install "$binary_dir" --prefix "$work/installed" >"$work/install.log"
    mv "$work/installed" "$prefix"
}

# With the generator of the build that is tested: a machine may have no other build tool.
configure_consumer() {
    local generator launcher=()
    generator=$(sed -n 's/^CMAKE_GENERATOR:INTERNAL=//p' "$binary_dir/CMakeCache.txt")
    if command -v ccache >/dev/null; then
        launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    fi
    grep -qsF "CMAKE_GENERATOR:INTERNAL=$generator" "$build/CMakeCache.txt" || rm -rf "$build"
    cmake -S "$source_dir/test/install/consumer" -B "$build" -G "$generator" \
        "-DCMAKE_CXX_COMPILER=$compiler" "${launcher[@]}" "$@"
}

build_and_run_consumer() {
    cmake --build "$build" --parallel "$(nproc)"
    "$build/consumer"
}
