#!/usr/bin/env bash
# Every name of HIP's host interface that device code uses, LINDEN_GPU(Name), is one that
# LINDEN_HIP_PLATFORM=nvidia knows: nothing else compiles that platform where no GPU is.
# usage: hip_names.sh SOURCE_DIR
set -euo pipefail
cd "$1"

header=hip/platform/nvidia/hip/hip_runtime.h
missing=$(grep -rhoE 'LINDEN_GPU\([A-Z][A-Za-z0-9_]*\)' gpu hip --exclude-dir=platform | sed -E 's/LINDEN_GPU\((.*)\)/hip\1/' | sort -u |
    while read -r name; do
        grep -qw "$name" "$header" || echo "$name"
    done)
if [[ -n $missing ]]; then
    printf 'error: %s lacks what device code uses:\n%s\n' "$header" "$missing" >&2
    exit 1
fi
