#!/usr/bin/env bash
# A project has the library's sources in its own tree. Here it asks for a shared library of one value and one index type,
# so this is also the test of those.
# usage: add_subdirectory.sh SOURCE-DIR BINARY-DIR COMPILER VERSION
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Without optimisation, and kept from run to run, since it builds the library once more.
build=$binary_dir/test/install/consumer-build
configure_consumer -DCMAKE_BUILD_TYPE=Debug "-DLINDEN_SOURCE_DIR=$source_dir" \
    -DBUILD_SHARED_LIBS=ON -DLINDEN_VALUE_TYPES=double -DLINDEN_INDEX_TYPES=int32
build_and_run_consumer
# Before 1.0 a minor version may change the interface, so that the library's name has it.
soname=$(readelf -d "$build/linden/liblinden.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
[[ $soname == "liblinden.so.${version%.*}" ]] || { echo "the SONAME is $soname" && exit 1; }
