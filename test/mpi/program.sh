#!/usr/bin/env bash
# The program under mpirun: the same iterations and solution as without, the fields of its JSON, one line for an error.
# usage: program.sh LINDEN MPIRUN RANKS
set -euo pipefail
linden=$1 mpirun=$2 ranks=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
    echo "$1"
    exit 1
}
field() { # field FILE KEY: the value in the JSON
    sed -nE "s/^  \"$2\": \"?([^\",]*)\"?,?\$/\1/p" "$1"
}
same() { # same WHAT A B
    [[ $2 == "$3" ]] || fail "$1: $2, expected $3"
}

"$linden" generate --problem lap2d:40 a.mtx
"$linden" solve a.mtx --solver cg --rtol 1e-10 --json one.json --solution one.mtx --quiet
"$linden" partition a.mtx parts.txt --parts "$ranks" --by stripes >report.txt
grep -q '^edge cut' report.txt || fail "no edge cut in the report"
for partition in stripes metis parts.txt; do
    "$mpirun" -np "$ranks" "$linden" solve a.mtx --solver cg --rtol 1e-10 --json many.json --solution many.mtx --quiet \
        --partition "$partition" --threads 1
    same "status" "$(field many.json status)" converged
    same "ranks" "$(field many.json ranks)" "$ranks"
    same "transport" "$(field many.json transport)" mpi
    same "rows" "$(field many.json rows)" 1600
    same "nnz" "$(field many.json nnz)" "$(field one.json nnz)"
    same "reductions" "$(field many.json reductions_per_iteration)" 2.0
    for key in all_reduce_seconds halo_seconds; do
        awk -v s="$(field many.json $key)" 'BEGIN { exit !(s > 0) }' || fail "$key are not measured"
    done
    [[ $partition == metis ]] || same "iterations" "$(field many.json iterations)" "$(field one.json iterations)"
    # The solutions, in the order of the file: equal to 6 digits.
    paste <(grep -v '^%' one.mtx) <(grep -v '^%' many.mtx) |
        awk -v partition="$partition" 'NR > 1 && ($1 - $2) ^ 2 > 1e-12 * $1 ^ 2 { print partition, NR, $1, $2; bad = 1 }
                                       END { exit bad || NR != 1601 }' || fail "another solution by $partition"
done

# Multigrid over the ranks takes as many iterations as on one, but for what half precision rounds.
amg="--solver cg --preconditioner amg:additive_rows=200,gathered_rows=200 --rtol 1e-8 --threads 1 --quiet"
"$linden" solve a.mtx $amg --json one.json
"$mpirun" -np "$ranks" "$linden" solve a.mtx $amg --json many.json
same "status" "$(field many.json status)" converged
awk -v many="$(field many.json iterations)" -v one="$(field one.json iterations)" \
    'BEGIN { exit !(many > 0 && many <= one + 1) }' || fail "more iterations with amg than on one process"
grep -q '"spread_levels": [1-9]' many.json || fail "no spread level of amg in the JSON"

status=0
"$mpirun" -np "$ranks" "$linden" solve missing.mtx >out.txt 2>err.txt || status=$?
same "exit code" "$status" 2
same "lines of the program" "$(grep -c '^linden: ' err.txt)" 1
grep -q 'missing.mtx' err.txt || fail "the error does not name the file"
# The launcher interrupts ranks that are about to end, as soon as the first has.
! grep -q 'interrupted' err.txt || fail "a rank that had failed says that it was interrupted"

"$mpirun" -np "$ranks" "$linden" info --mpi --json info.json >info.txt
same "processes" "$(field info.json ranks)" "$ranks"
same "transport" "$(field info.json transport)" mpi
grep -q '^transport  *mpi' info.txt || fail "info --mpi does not name the transport"

# The same bits on one process and on several.
reproduce="solve a.mtx --solver cg --preconditioner chebyshev --rtol 1e-10 --reproducible --threads 1 --quiet"
"$linden" $reproduce --solution one.mtx
"$mpirun" -np "$ranks" "$linden" $reproduce --solution many.mtx
cmp one.mtx many.mtx || fail "other bits on $ranks processes"

# On devices, if there is one: the processes of this host share it, or take one each.
if "$linden" solve --problem lap2d:12 --solver cg --executor hip --quiet 2>/dev/null; then
    "$linden" solve --problem lap2d:12 --solver cg --rtol 1e-8 --executor hip --json one.json --quiet
    for transport in auto staged; do
        "$mpirun" -np "$ranks" "$linden" solve --problem lap2d:12 --solver cg --rtol 1e-8 --executor hip \
            --transport $transport --json many.json --quiet
        same "iterations on devices" "$(field many.json iterations)" "$(field one.json iterations)"
        same "reductions on devices" "$(field many.json reductions_per_iteration)" 2.0
    done
    same "transport between devices" "$(field many.json transport)" staged
    "$mpirun" -np "$ranks" "$linden" info --mpi --executor hip --transport staged --json info.json >info.txt
    same "transport" "$(field info.json transport)" staged
    grep -q '^why  *it was asked for' info.txt || fail "info --mpi does not say why"
fi
