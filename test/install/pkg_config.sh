#!/usr/bin/env bash
# A program is compiled against the installed library with the flags of pkg-config alone.
# usage: pkg_config.sh SOURCE-DIR BINARY-DIR COMPILER VERSION
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

command -v pkg-config >/dev/null || { echo "pkg-config is not installed" && exit "$skipped"; }
install_and_move
libdir=$(dirname "$(find "$prefix" -name pkgconfig -type d)")
export PKG_CONFIG_PATH=$libdir/pkgconfig
[[ $(pkg-config --modversion linden) == "$version" ]]
read -ra flags < <(pkg-config --cflags --libs linden)
"$compiler" -std=c++20 "$source_dir/test/install/consumer/main.cpp" -o "$work/consumer" "${flags[@]}" \
    "-Wl,-rpath,$libdir"
"$work/consumer"
