#!/usr/bin/env bash
# Includes go one way: user -> include -> core -> core/kernels -> one backend. See ARCHITECTURE.md.
# usage: include_direction.sh SOURCE-DIR
set -euo pipefail
cd "$1"

violations=0
checked=0

# allow FOLDER PATTERN: files under FOLDER may include, of this project and of vendors, only what PATTERN matches.
# Headers of the standard library and of the system (no slash, no vendor's name) are always allowed.
allow() {
    local folder=$1 pattern=$2 line file header
    [[ -d $folder ]] || return 0
    while IFS= read -r line; do
        file=${line%%:*}
        header=$(sed -E 's/^[^:]*:[0-9]+:[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]([^>"]+)[>"].*/\1/' <<<"$line")
        checked=$((checked + 1))
        if [[ $header =~ $vendor || $header == */* ]] && ! [[ $header =~ ^($pattern) ]]; then
            echo "$file includes $header, which $folder/ may not" && violations=$((violations + 1))
        fi
    done < <(grep -rnE '^[[:space:]]*#[[:space:]]*include' "$folder" --include='*.hpp' --include='*.cpp' \
        --include='*.cuh' --include='*.cu' --include='*.h' | exclude_deeper "$folder")
}

# Rules for core/base, core/kernels and core/portable are narrower than the one for core.
exclude_deeper() {
    if [[ $1 == core ]]; then
        grep -vE '^core/(base|kernels|portable)/'
    else
        cat
    fi
}

vendor='^(omp\.h|cuda|cu[a-z]+\.h|nccl|hip|roc|mpi\.h|ptscotch\.h|thrust|cub)'
std='sys/|bits/'

allow include/linden "linden/|$std"
allow core/base "linden/|core/base/|$std"
allow core/kernels "linden/|core/base/|core/kernels/|$std"
allow core/portable "linden/|core/base/|core/kernels/|core/portable/|$std"
# Operators reach the bodies of core/portable through the kernel table only, as they do everything that backends define.
rooms=$(find core -mindepth 1 -maxdepth 1 -type d ! -name portable -printf '%f\n' | paste -sd '|')
allow core "linden/|core/($rooms)/|nlohmann/|$std"
allow reference "linden/|core/(base|kernels|portable)/|reference/|$std"
allow omp "linden/|core/(base|kernels|portable)/|omp/|omp\.h|sanitizer/|$std"
allow gpu "linden/|core/(base|kernels|portable)/|gpu/|cuda|cusparse\.h|hip/|hipsparse/|$std"
allow cuda "linden/|core/(base|kernels|portable)/|gpu/|cuda|cu[a-z]+\.h|cub/|thrust/|nccl|$std"
# hip/platform stands in for a vendor's headers, so it has its own paths.
allow hip "linden/|core/(base|kernels|portable)/|gpu/|hip|roc|cuda_runtime\.h|cusparse\.h|sanitizer/|\.\./runtime\.hpp|$std"
# The only folder that includes mpi.h, and what needs it.
allow mpi "linden/|core/(base|distributed)/|mpi/|mpi\.h|ptscotch\.h|$std"
# Examples show what a user writes.
allow examples "linden/|$std"

echo "$checked includes, $violations in the wrong direction"
((checked > 0 && violations == 0))
