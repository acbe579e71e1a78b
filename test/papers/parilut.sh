#!/usr/bin/env bash
# The experiments with ParILUT on systems small enough to know what comes out, and on bad input.
# usage: parilut.sh PROGRAM
set -euo pipefail

program=$1
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

matrix diagonal.mtx symmetric '4 4' '1 1 1' '2 2 2' '3 3 4' '4 4 2'
matrix wide.mtx general '1 2' '1 1 1'

# Factors of a diagonal matrix are exact: one iteration. Every executor has the same factors.
"$program" --executors=reference,omp --only=steps --steps=3 --svg=steps.svg diagonal.mtx aniso2d:30:0.01 >out 2>log
expect_row out '^\| reference \| fill 1, exact, sweeps: 1 \|( 1 \|){4} 1\.000 \|$'
expect_row out '^\| omp \| fill 2, approximate, sweeps: 1 \|( 1 \|){4} 1\.000 \|$'
sed -n '/^### aniso2d/,$p' out >grid
for fill in 1 2; do
    for how in exact approximate; do
        row="fill $fill, $how, sweeps: 1"
        read -r zero _ _ three < <(sed -nE "s/^\| reference \| $row \| ([^a-z]*) \| [0-9.]+ \|$/\1/p" grid | tr -d '|')
        ((three < zero)) || fail "$row: $zero iterations without steps, $three after 3: $(cat grid)"
        [[ $(grep -F "| $row |" grid | sed 's/^| [a-z]* |//' | sort -u | wc -l) == 1 ]] || fail "executors differ: $(cat grid)"
    done
done
expect_row grid '^\| reference \| ILU\(0\) \| [0-9]+ \|'
grep -qF 'fill 2, approximate, sweeps: 1' steps.svg || fail 'the chart of steps lacks lines'
grep -q '^</svg>$' steps.svg || fail 'the chart of steps has no end'

"$program" --executors=reference --only=parts,solve --repeat=1 --parts=parts.svg convdiff3d:8:20 >out 2>log
expect_row out '^\| candidates and values \|( [0-9.e-]+ \| [1-9][0-9.]* \|){2}$'
expect_row out '^\| together \|( [0-9.e-]+ \| 100 \|){2}$'
(($(grep -cE '^\| ParILUT?, .*(exact solves|3 Jacobi sweeps|ISAI, power [12]) \| ([12]\.[0-9]+) \| [1-9][0-9]* \|' out) == 8)) ||
    fail "rows: $(cat out)"
expect_row out '^\| ParILUT, fill 2, values by elimination \| 2\.[0-9]+ \| [1-9][0-9]* \|'
expect_row out '^\| ILUT\(10, 1e-5\) \| [1-9][0-9.]* \| [1-9][0-9]* \|'
grep -qF 'reference, approximate' parts.svg || fail 'the chart of parts lacks bars'

"$program" --executors=reference --only=best --repeat=1 aniso2d:20:0.01 diagonal.mtx >out 2>log
row='^\| (aniso2d:20:0\.01|diagonal) \|( [1-9][0-9]*: [0-9.e-]+ \+ [0-9.e-]+ \|){7} [a-zA-Z0-9, ]+, steps [1-5], fill [124](, (in place|eliminated))? \| [0-9.]+ \|$'
(($(grep -cE "$row" out) == 2)) || fail "rows: $(cat out)"
! grep -q '^### aniso2d' out || fail 'only=best prints other tables'

"$program" --executors=reference --only=selection --repeat=1 --largest=16 --selection=rates.svg >out 2>log
expect_row out '^\| 2\^16 \|( [0-9.e-]+ \|){4}$'
grep -qF 'std::nth_element' rates.svg || fail 'the chart of selection lacks lines'

expect_refusal 'give a matrix'
expect_refusal 'give a matrix' --only=selection,steps
expect_refusal 'nowhere.mtx' diagonal.mtx nowhere.mtx
expect_refusal 'wide.mtx is 1 x 2' wide.mtx
expect_refusal "executor = 'gpu'" --executors=gpu diagonal.mtx
expect_refusal 'did you mean' --only=steps,part diagonal.mtx
expect_refusal '--steps=0: expected' --steps=0 diagonal.mtx
expect_refusal '--sweeps=1,x: expected' --sweeps=1,x diagonal.mtx
expect_refusal '--seconds=0: expected' --seconds=0 diagonal.mtx
expect_refusal '--fills=0: expected' --fills=0 diagonal.mtx
expect_refusal '--parts=: expected the name of a file' --parts= diagonal.mtx
expect_refusal '--fast is no option' --fast diagonal.mtx
expect_refusal 'would overwrite' --executors=reference --svg=diagonal.mtx diagonal.mtx
