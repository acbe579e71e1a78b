#!/usr/bin/env bash
# A project finds the installed library by find_package, from a prefix that was moved after the installation.
# usage: find_package.sh SOURCE-DIR BINARY-DIR COMPILER VERSION
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

install_and_move
configure_consumer "-DCMAKE_PREFIX_PATH=$prefix" "-DLINDEN_VERSION=$version"
build_and_run_consumer

if configure_consumer "-DCMAKE_PREFIX_PATH=$prefix" -DLINDEN_VERSION=99.0 >/dev/null 2>&1; then
    echo "version 99.0 was found, which is not there" && exit 1
fi
if [[ -e $binary_dir/tools/linden ]]; then
    "$prefix/bin/linden" --version
fi
