#!/usr/bin/env bash
# What including a public header costs the compiler, beside the standard headers that any of them needs. The lines that
# linden/lin_op.hpp adds to those are limited (doc/decisions/0006-cost-of-a-header.md); seconds are printed to be watched, and
# decide nothing, since machines differ.
# usage: include_cost.sh SOURCE-DIR BINARY-DIR COMPILER
set -euo pipefail
source_dir=$1
binary_dir=$2
compiler=$3
max_percent=5
TIMEFORMAT=%U

compile() {
    local options=$1
    shift
    # shellcheck disable=SC2086
    printf '#include <%s>\n' "$@" |
        "$compiler" -std=c++20 $options -I"$source_dir/include" -I"$binary_dir/include" -x c++ -
}
lines() { compile '-E -P' "$@" | wc -l; }
# The least user CPU seconds of three compilations.
seconds() {
    for _ in 1 2 3; do
        { time compile -fsyntax-only "$@"; } 2>&1
    done | sort -g | head -n 1
}

standard=(memory string vector)
echo "<memory>, <string> and <vector> alone: $(lines "${standard[@]}") lines, $(seconds "${standard[@]}") s"
for header in linden/types.hpp linden/lin_op.hpp linden/matrix/csr.hpp linden/solver/cg.hpp linden/linden.hpp; do
    cost=$(seconds "$header")
    [[ $cost =~ ^[0-9.]+$ ]] || { echo "$header: $cost" && exit 1; }
    echo "#include <$header>: $(lines "$header") lines, $cost s"
done

standard_lines=$(lines "${standard[@]}")
own_lines=$(($(lines linden/lin_op.hpp "${standard[@]}") - standard_lines))
echo "linden/lin_op.hpp adds $own_lines lines, at most $max_percent % are allowed"
((100 * own_lines <= max_percent * standard_lines))
