#!/usr/bin/env bash
# Sizes that keep the project readable: headers of 300 lines, sources of 600, functions of 60, ten macros.
# usage: budgets.sh SOURCE-DIR
set -euo pipefail
cd "$1"

max_header=300
max_source=600
max_function=60
max_macros=10

folders=()
for folder in include core reference omp gpu cuda hip tools examples benchmark test; do
    if [[ -d $folder ]]; then folders+=("$folder"); fi
done
mapfile -t headers < <(find "${folders[@]}" -name '*.hpp' -o -name '*.cuh' -o -name '*.h' | sort)
mapfile -t sources < <(find "${folders[@]}" -name '*.cpp' -o -name '*.cu' | sort)
over=0

# check_lengths LIMIT FILE...
check_lengths() {
    local limit=$1 file lines longest=0 longest_file=''
    shift
    for file in "$@"; do
        lines=$(wc -l <"$file")
        if ((lines > longest)); then longest=$lines longest_file=$file; fi
        if ((lines > limit)); then
            echo "$file has $lines lines, more than $limit"
            over=$((over + 1))
        fi
    done
    echo "$# files, the longest is $longest_file with $longest of at most $limit lines"
}

check_lengths "$max_header" "${headers[@]}"
check_lengths "$max_source" "${sources[@]}"

# clang-format puts the braces of a function's body alone on a line, with one indentation.
long_functions=$(awk -v limit=$max_function '
    FNR == 1 { delete start }
    /^ *\{$/ { start[index($0, "{")] = FNR }
    /^ *\}$/ { at = index($0, "}"); if (start[at] && FNR - start[at] - 1 > limit)
                   print FILENAME ":" start[at] " has a function of " FNR - start[at] - 1 " lines, more than " limit
               start[at] = 0 }' "${headers[@]}" "${sources[@]}")
if [[ -n $long_functions ]]; then
    echo "$long_functions"
    over=$((over + $(wc -l <<<"$long_functions")))
fi

# Macros of the library; a vendor's names that hip/platform stands in for are that vendor's.
mapfile -t macros < <(grep -rhoE '^[[:space:]]*#[[:space:]]*define +[A-Za-z_0-9]+' --exclude-dir=platform \
    "${folders[@]}" cmake/config.hpp.in | awk '{print $NF}' | sort -u)
echo "${#macros[@]} macros of at most $max_macros: ${macros[*]}"
if ((${#macros[@]} > max_macros)); then over=$((over + 1)); fi
for macro in "${macros[@]}"; do
    if [[ $macro != LINDEN_* ]]; then
        echo "the macro $macro does not begin with LINDEN_"
        over=$((over + 1))
    fi
done

echo "$over over budget"
((over == 0))
