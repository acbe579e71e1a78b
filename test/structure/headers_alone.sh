#!/usr/bin/env bash
# Every public header compiles by itself, twice in a row, without a warning, and linden/linden.hpp includes it.
# usage: headers_alone.sh SOURCE-DIR BINARY-DIR COMPILER
set -euo pipefail
source_dir=$1
binary_dir=$2
compiler=$3

mapfile -t headers < <(cd "$source_dir/include" && find linden -name '*.hpp' | sort)
((${#headers[@]} > 0))

missing=$(comm -23 <(printf '%s\n' "${headers[@]}" linden/config.hpp | grep -vx linden/linden.hpp | sort) \
    <(sed -n 's/^#include <\(.*\)>$/\1/p' "$source_dir/include/linden/linden.hpp" | sort))
if [[ -n $missing ]]; then
    echo "linden/linden.hpp does not include $missing" && exit 1
fi

check() {
    printf '#include <%s>\n#include <%s>\n' "$1" "$1" |
        "$compiler" -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Werror \
            -I"$source_dir/include" -I"$binary_dir/include" -x c++ - || {
        echo "$1 does not compile alone"
        return 1
    }
}
export -f check
export source_dir binary_dir compiler
# shellcheck disable=SC2016  # $1 is the inner shell's
printf '%s\n' "${headers[@]}" | xargs -P "$(nproc)" -I{} bash -c 'check "$1"' _ {}
echo "${#headers[@]} headers compile alone"
