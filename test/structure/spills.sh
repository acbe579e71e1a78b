#!/usr/bin/env bash
# No AMD kernel keeps values in scratch memory, but those that spills.txt names. Scalar registers spill into lanes of vector
# registers: that is printed and decides nothing.
# usage: spills.sh SOURCE-DIR LLVM-DIR OBJECT...
#   LLVM-DIR has clang-offload-bundler, llvm-objcopy and llvm-readelf.
set -euo pipefail
source_dir=$1
llvm=$2
shift 2
known=$source_dir/test/structure/spills.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints lines `ARCHITECTURE BYTES KERNEL`: of scratch memory per thread.
amd_kernels() {
    local object=$1 target architecture
    "$llvm/llvm-objcopy" --dump-section ".hip_fatbin=$work/fat" "$object" /dev/null 2>/dev/null || return 0
    while IFS= read -r target; do
        architecture=${target##*-}
        "$llvm/clang-offload-bundler" --unbundle --type=o --input="$work/fat" --targets="$target" --output="$work/code"
        "$llvm/llvm-readelf" --notes "$work/code" | awk -v architecture="$architecture" '
            /\.private_segment_fixed_size:/ { bytes = $2 }
            /\.sgpr_spill_count:/ { scalars = $2 }
            /\.symbol:/ { name = $2; sub(/\.kd$/, "", name) }
            /\.vgpr_spill_count:/ { print architecture, (4 * $2 > bytes ? 4 * $2 : bytes), name
                if (scalars > 0) print scalars " scalar registers into lanes: " name >"/dev/stderr" }' \
            2>>"$work/scalars"
    done < <("$llvm/clang-offload-bundler" --list --type=o --input="$work/fat" | grep amdgcn)
}
touch "$work/scalars"
for object in "$@"; do
    amd_kernels "$object"
done | c++filt >"$work/kernels"

grep -vE '^(#|$)' "$known" | sed 's/  *#.*//' >"$work/known" || true
awk '$2 > 0' "$work/kernels" | sed 's/linden::\(hip\|cuda\):://g; s/(anonymous namespace):://g' >"$work/spilling"
grep -vEf "$work/known" "$work/spilling" >"$work/new" || true
echo "$(wc -l <"$work/kernels") kernels, $(wc -l <"$work/spilling") with scratch memory, $(wc -l <"$work/new") of them not known"
if [[ -s $work/scalars ]]; then
    echo "$(wc -l <"$work/scalars") spill scalar registers into lanes, at most $(sort -rn "$work/scalars" | head -n 1 | cut -d ' ' -f 1)"
fi
cut -c 1-400 "$work/new"
[[ -s $work/kernels && ! -s $work/new ]]
