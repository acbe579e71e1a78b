#!/usr/bin/env bash
# Citations and the bibliography agree: every key that is cited stands in doc/bibliography.md once, and every key there
# is cited.
# usage: citations.sh SOURCE-DIR
set -euo pipefail
cd "$1"

bibliography=doc/bibliography.md
# A key is the authors' names in CamelCase, two digits of the year, and at most one letter: Saad03, vanDerVorst92. It
# stands first in a bracket or after a semicolon: [HestenesStiefel52; Saad03, algorithm 9.1]. A bracket right after an
# identifier or another bracket is a subscript.
key='[a-z]*[A-Z][A-Za-z]+[0-9][0-9][a-z]?'

paths=()
for path in include core reference omp gpu cuda hip tools examples benchmark test doc ./*.md; do
    if [[ -e $path ]]; then paths+=("$path"); fi
done

# Lines FILE:KEY.
citations=$(grep -rIoE "(^|[^]A-Za-z0-9_)])\[$key(\]|[,;][^]]*|\$)" --exclude=bibliography.md --exclude=citations.sh \
    "${paths[@]}" | awk -v key="^$key\$" '{
        file = substr($0, 1, index($0, ":") - 1)
        text = substr($0, length(file) + 2)
        sub(/^[^[]*\[/, "", text)
        n = split(text, parts, /; */)
        for (i = 1; i <= n; ++i) {
            sub(/[],].*/, "", parts[i])
            sub(/ .*/, "", parts[i])
            if (parts[i] ~ key) print file ":" parts[i]
        }
    }' || true)
entries=$(sed -nE "s/^- \[($key)\] .*/\1/p" "$bibliography")
mapfile -t cited < <(cut -d: -f2 <<<"$citations" | LC_ALL=C sort -u)
mapfile -t listed < <(LC_ALL=C sort -u <<<"$entries")
wrong=0

for missing in $(LC_ALL=C comm -23 <(printf '%s\n' "${cited[@]}") <(printf '%s\n' "${listed[@]}")); do
    echo "[$missing] is not in $bibliography, cited by" \
        "$(grep -E ":$missing\$" <<<"$citations" | cut -d: -f1 | sort -u | paste -sd ' ')"
    wrong=$((wrong + 1))
done
for unused in $(LC_ALL=C comm -13 <(printf '%s\n' "${cited[@]}") <(printf '%s\n' "${listed[@]}")); do
    echo "[$unused] is in $bibliography, but nothing cites it"
    wrong=$((wrong + 1))
done
for twice in $(sort <<<"$entries" | uniq -d); do
    echo "[$twice] is in $bibliography twice"
    wrong=$((wrong + 1))
done

echo "$(grep -c . <<<"$citations" || true) citations of ${#cited[@]} keys, ${#listed[@]} entries, $wrong wrong"
[[ -n ${cited[0]} && -n ${listed[0]} ]] && ((wrong == 0))
