#!/usr/bin/env bash
# README.md names every solver and preconditioner that configurations and the linden program know.
# usage: readme.sh SOURCE-DIR
set -euo pipefail
cd "$1"

mapfile -t types < <(grep -ohE '\bentry<[A-Z][A-Za-z0-9]*<V>>\(Kind::' core/config/registry.cpp |
    sed -E 's/entry<([A-Za-z0-9]+)<.*/\1/')
missing=0
for type in "${types[@]}"; do
    if ! grep -qF "\`$type\`" README.md; then
        echo "README.md does not name $type, which core/config/registry.cpp registers"
        missing=$((missing + 1))
    fi
done

echo "${#types[@]} registered types, $missing missing in README.md"
((${#types[@]} > 0 && missing == 0))
