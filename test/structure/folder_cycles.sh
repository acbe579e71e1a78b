#!/usr/bin/env bash
# The folders of core and of gpu form ladders: none includes, by whatever way, one that includes it.
# usage: folder_cycles.sh SOURCE-DIR
set -euo pipefail
cd "$1"

cycles=0
loops=$(mktemp)
trap 'rm -f "$loops"' EXIT

# includes_between_folders TOP: a line `from to file` for each include from one folder of TOP into another.
includes_between_folders() {
    grep -rnoE "^[[:space:]]*#[[:space:]]*include[[:space:]]*\"$1/[^\"]+\"" "$1" |
        sed -E 's/^([^:]+):[0-9]+:[^"]*"([^"]+)"/\1 \2/' |
        awk '{ from = $1; to = $2; sub("/[^/]*$", "", from); sub("/[^/]*$", "", to)
               if (from != to) print from, to, $1 }'
}

for top in core gpu; do
    includes=$(includes_between_folders "$top")
    num=$(wc -l <<<"$includes")
    if ((num < 50)); then
        echo "$top: only $num includes between folders were found; is this the source folder?"
        cycles=$((cycles + 1))
    fi
    # tsort names the members of each cycle on standard error, and fails.
    if ! order=$(awk '{print $1, $2}' <<<"$includes" | sort -u | tsort 2>"$loops" | paste -sd ' '); then
        cycles=$((cycles + 1))
        members=$(sed -nE 's/^tsort: ([^ :]+)$/\1/p' "$loops" | sort -u)
        echo "$top: a cycle of folders:" $members
        awk -v members="$members" '
            BEGIN { n = split(members, list, "\n"); for (i = 1; i <= n; ++i) is[list[i]] = 1 }
            is[$1] && is[$2] { print "  " $1 " -> " $2 " by " $3 }' <<<"$includes" | sort -u
    else
        echo "$top: $num includes between folders, no cycle: $order"
    fi
done
((cycles == 0))
