#!/usr/bin/env bash
# The same stem stands everywhere: what core/kernels/<stem>.hpp declares is bound in files called <stem> alone, those of
# backends (reference/<stem>.cpp, omp/<stem>.cpp, gpu/<room>/<stem>.cu, cuda/<stem>.cu) or core/portable/<stem>.hpp.
# usage: kernel_stems.sh SOURCE-DIR
set -euo pipefail
cd "$1"

# A line `kernel file` for each file that binds a kernel; files are read as one line each, since declarations break.
bindings=$(find core reference omp gpu cuda -name '*.[ch]pp' -o -name '*.cu' -o -name '*.cuh' | sort |
    while read -r file; do
        sed 's,//.*,,' "$file" | tr -s '\n ' ' ' |
            { grep -oE '[a-z_0-9]+(<[A-Za-z_, ]*>)? ?\.bind\(|\<f\([a-z_0-9]+(<[A-Za-z_, ]*>)?, ?BodyOf<' || true; } |
            sed -E "s/^f\(//; s,^([a-z_0-9]+).*,\1 $file,"
    done)

off=0
num_kernels=0
num_bindings=0
for contract in core/kernels/*.hpp; do
    stem=$(basename "$contract" .hpp)
    for kernel in $(sed 's,//.*,,' "$contract" | tr -s '\n ' ' ' |
        { grep -oE 'kernel<void\([^{]*> ?[a-z_0-9]+ ?\{ ?"' || true; } | sed -E 's/.*> ?([a-z_0-9]+) ?\{ ?"$/\1/'); do
        num_kernels=$((num_kernels + 1))
        for file in $(awk -v kernel="$kernel" '$1 == kernel { print $2 }' <<<"$bindings" | sort -u); do
            num_bindings=$((num_bindings + 1))
            name=${file##*/}
            if [[ ${name%%.*} != "$stem" ]]; then
                echo "$contract declares $kernel, which $file binds"
                off=$((off + 1))
            fi
        done
    done
done

echo "$num_kernels kernels, bound in $num_bindings places, $off off their stem"
((num_kernels > 0 && num_bindings > num_kernels && off == 0))
