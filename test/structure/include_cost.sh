#!/usr/bin/env bash
# Prints what including a public header costs the compiler, beside the standard headers that any of them needs. The budget
# for linden/lin_op.hpp is 0.3 s. A figure to watch: machines differ, so it decides nothing but that headers compile.
# usage: include_cost.sh SOURCE-DIR BINARY-DIR COMPILER
set -euo pipefail
source_dir=$1
binary_dir=$2
compiler=$3
TIMEFORMAT=%U

# cost HEADER...: the least user CPU seconds of three compilations
cost() {
    for _ in 1 2 3; do
        { time printf '#include <%s>\n' "$@" |
            "$compiler" -std=c++20 -fsyntax-only -I"$source_dir/include" -I"$binary_dir/include" -x c++ -; } 2>&1
    done | sort -g | head -n 1
}

echo "<memory>, <string> and <vector> alone: $(cost memory string vector) s"
for header in linden/types.hpp linden/lin_op.hpp linden/matrix/csr.hpp linden/solver/cg.hpp; do
    seconds=$(cost "$header")
    [[ $seconds =~ ^[0-9.]+$ ]] || { echo "$header: $seconds" && exit 1; }
    echo "#include <$header>: $seconds s"
done
