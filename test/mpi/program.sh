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
partitions="stripes metis parts.txt"
if "$mpirun" -np "$ranks" "$linden" solve a.mtx --solver cg --partition ptscotch --threads 1 --quiet 2>err.txt; then
    partitions+=" ptscotch shares.txt"
    # More parts than processes, in a file; what they cost is what one process says of the same file.
    "$mpirun" -np "$ranks" "$linden" partition a.mtx shares.txt --by ptscotch --parts "$((ranks + 3))" >report.txt
    same "parts" "$(sort -un shares.txt | wc -l)" "$((ranks + 3))"
    same "rows of all parts" "$(awk 'NF == 5 && $1 ~ /^[0-9]/ { sum += $2 } END { print sum }' report.txt)" 1600
    "$mpirun" -np "$ranks" "$linden" partition a.mtx shares.txt --parts "$ranks" >report.txt
    same "rows of parts.txt" "$(wc -l <shares.txt)" 1600
    same "nonzeros of all parts" "$(awk 'NF == 5 && $1 ~ /^[0-9]/ { sum += $3 } END { print sum }' report.txt)" 7840
else
    grep -q 'this build has no PT-Scotch' err.txt || fail "no partition by PT-Scotch: $(cat err.txt)"
fi
for partition in $partitions; do
    "$mpirun" -np "$ranks" "$linden" solve a.mtx --solver cg --rtol 1e-10 --json many.json --solution many.mtx --quiet \
        --partition "$partition" --threads 1
    same "status" "$(field many.json status)" converged
    same "ranks" "$(field many.json ranks)" "$ranks"
    same "transport" "$(field many.json transport)" mpi
    same "partition" "$(field many.json partition)" "$partition"
    same "rows" "$(field many.json rows)" 1600
    same "nnz" "$(field many.json nnz)" "$(field one.json nnz)"
    same "reductions" "$(field many.json reductions_per_iteration)" 2.0
    for key in all_reduce_seconds halo_seconds read_seconds; do
        awk -v s="$(field many.json $key)" 'BEGIN { exit !(s > 0) }' || fail "$key are not measured"
    done
    if [[ $partition == stripes || $partition == parts.txt ]]; then # others number rows anew, and sums differ in last bits
        same "iterations" "$(field many.json iterations)" "$(field one.json iterations)"
    fi
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

# Deflation by domains of all rows takes as many iterations as on one process, with no more sums than CG.
deflated="--solver deflated_cg:kind=boxes,nx=40,ny=40,boxes_x=5,boxes_y=5 --preconditioner neumann:order=2 --rtol 1e-8 --threads 1"
"$linden" solve a.mtx $deflated --quiet --json one.json
"$mpirun" -np "$ranks" "$linden" solve a.mtx $deflated --quiet --json many.json
same "status" "$(field many.json status)" converged
same "iterations with domains" "$(field many.json iterations)" "$(field one.json iterations)"
same "reductions with domains" "$(field many.json reductions_per_iteration)" 2.0

# Without a solver one is chosen for the whole matrix. The report says which, and how to have it again.
"$mpirun" -np "$ranks" "$linden" solve a.mtx --threads 1 --json many.json --solution many.mtx --quiet
same "status" "$(field many.json status)" converged
same "solver" "$(field many.json solver)" automatic
same "ranks" "$(field many.json ranks)" "$ranks"
grep -q "1600 rows, 7840 nonzeros, Hermitian, diagonally dominant (laplacian) over $ranks ranks" many.json ||
    fail "the JSON does not say what was seen of the matrix"
grep -q '"attempts": \[' many.json || fail "the JSON does not say what was tried"
last() { # last KEY: the value of the last attempt
    sed -nE -e "s/^ {8}\"$1\": \"([^\"]*)\",?\$/\1/p" -e "s/^ {8}\"$1\": ([0-9]+),?\$/\1/p" many.json | tail -1
}
"$mpirun" -np "$ranks" "$linden" solve a.mtx --threads 1 --solver "$(last solver)" \
    --preconditioner "$(last preconditioner)" --json again.json --quiet
same "iterations of the same method" "$(field again.json iterations)" "$(last iterations)"
"$mpirun" -np "$ranks" "$linden" solve a.mtx --threads 1 >table.txt
grep -q '^in use: ' table.txt || fail "the table does not say which method is in use"

# What may help is what one process says, in methods that several have.
weak="solve --problem convdiff3d:8:50 --solver cg --max-iterations 20 --threads 1"
"$linden" $weak >one.txt || true
status=0
"$mpirun" -np "$ranks" "$linden" $weak >many.txt 2>/dev/null || status=$?
same "exit code" "$status" 1
grep -q '^advice  *A is not symmetric .* --preconditioner ilu0$' one.txt || fail "other advice: $(grep advice one.txt)"
same "advice" "$(grep '^advice' many.txt)" "$(grep '^advice' one.txt | sed 's/ilu0$/schwarz:local=ilu0/')"

# The solver as it was built shows what the first process has, beside what there is in all.
"$mpirun" -np "$ranks" "$linden" solve a.mtx --solver cg --preconditioner schwarz:local=ic0 --threads 1 --view >view.txt
same "lines of the view" "$(grep -c '^what rank 0 of ' view.txt)" 1
own=$(((1600 + ranks - 1) / ranks))
for line in "cg, $own of 1600 rows" "  matrix: distributed matrix, $own of 1600 rows, .* 40 ghosts of 1 rank" \
    "  preconditioner: schwarz, $own of 1600 rows" "    local: ic0, $own x $own, "; do
    grep -q "^$line" view.txt || fail "the view lacks '$line': $(cat view.txt)"
done
"$mpirun" -np "$ranks" "$linden" solve a.mtx --solver cg --preconditioner amg:additive_rows=200,gathered_rows=200 --threads 1 --view >view.txt
grep -q '^    level 0: 1600 rows, .*, of all ranks$' view.txt || fail "no spread level of amg in the view: $(cat view.txt)"
grep -q '^    level [1-9]: .*, on each rank$' view.txt || fail "no level of each rank in the view: $(cat view.txt)"

# A permutation, whose rows are shared: no iteration without factors solves it.
{
    echo "%%MatrixMarket matrix coordinate real general"
    echo "300 300 300"
    awk 'BEGIN { for (i = 0; i < 300; ++i) print i + 1, (i + 7) % 300 + 1, 2 ^ (i % 30) }'
} >cycle.mtx
"$mpirun" -np "$ranks" "$linden" solve cycle.mtx --threads 1 --max-seconds 60 --json many.json --quiet
same "status" "$(field many.json status)" converged
same "preconditioner of the last attempt" "$(last preconditioner)" gathered:inner=lu

# A matrix that is not square has no method, which is said once.
printf '%%%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 1\n2 3 1\n' >wide.mtx
status=0
"$mpirun" -np "$ranks" "$linden" solve wide.mtx >out.txt 2>err.txt || status=$?
same "exit code" "$status" 2
same "lines of the program" "$(grep -c '^linden: ' err.txt)" 1
grep -q "matrix in wide.mtx = '2 x 3' is not allowed: a square one" err.txt || fail "the error does not name the file"

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
# The first process writes what is no file to which all have access, and what is compressed.
"$mpirun" -np "$ranks" "$linden" $reproduce --solution - >many.mtx
cmp one.mtx many.mtx || fail "another solution on standard output"
"$mpirun" -np "$ranks" "$linden" $reproduce --solution many.mtx.gz
gunzip -c many.mtx.gz | cmp one.mtx - || fail "another solution in a compressed file"

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
    # The host executor has no library of messages, and says which it looked for.
    if "$mpirun" -np "$ranks" "$linden" info --mpi --executor hip --transport nccl >info.txt 2>&1; then
        grep -q '^transport  *nccl' info.txt || fail "info --mpi: another transport than nccl"
    else
        grep -qE 'the transport nccl on hip:[0-9]+ is not supported: .*(librccl|shares its device)' info.txt || fail "why no nccl? $(cat info.txt)"
    fi
fi
