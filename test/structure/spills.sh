#!/usr/bin/env bash
# No kernel keeps values in scratch memory, but those that spills.txt names. AMD's scalar registers spill into lanes of vector
# registers: that is printed and decides nothing.
# usage: spills.sh SOURCE-DIR TOOL OBJECT...
#   TOOL is clang's folder (with clang-offload-bundler, llvm-objcopy and llvm-readelf) for objects that hold AMD code,
#   or cuobjdump for objects that hold NVIDIA code.
set -euo pipefail
source_dir=$1
tool=$2
shift 2
known=$source_dir/test/structure/spills.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Each prints lines `ARCHITECTURE BYTES KERNEL`: of scratch memory per thread.
amd_kernels() {
    local object=$1 target architecture
    "$tool/llvm-objcopy" --dump-section ".hip_fatbin=$work/fat" "$object" /dev/null 2>/dev/null || return 0
    while IFS= read -r target; do
        architecture=${target##*-}
        "$tool/clang-offload-bundler" --unbundle --type=o --input="$work/fat" --targets="$target" --output="$work/code"
        "$tool/llvm-readelf" --notes "$work/code" | awk -v architecture="$architecture" '
            /\.private_segment_fixed_size:/ { bytes = $2 }
            /\.sgpr_spill_count:/ { scalars = $2 }
            /\.symbol:/ { name = $2; sub(/\.kd$/, "", name) }
            /\.vgpr_spill_count:/ { print architecture, (4 * $2 > bytes ? 4 * $2 : bytes), name
                if (scalars > 0) print scalars " scalar registers into lanes: " name >"/dev/stderr" }' \
            2>>"$work/scalars"
    done < <("$tool/clang-offload-bundler" --list --type=o --input="$work/fat" | grep amdgcn)
}
nvidia_kernels() {
    "$tool" --dump-resource-usage "$1" 2>/dev/null | awk '
        /^arch = / { architecture = $3 }
        / Function / { name = $2; sub(/:$/, "", name) }
        /REG:/ { match($0, /STACK:[0-9]+/); stack = substr($0, RSTART + 6, RLENGTH - 6)
            match($0, /LOCAL:[0-9]+/); print architecture, stack + substr($0, RSTART + 6, RLENGTH - 6), name }'
}

touch "$work/scalars"
if [[ -d $tool ]]; then kernels=amd_kernels; else kernels=nvidia_kernels; fi
for object in "$@"; do
    "$kernels" "$object"
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
