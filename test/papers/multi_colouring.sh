#!/usr/bin/env bash
# The experiment with multi-coloured preconditioners on systems small enough to know what comes out, and on bad input.
# usage: multi_colouring.sh PROGRAM
set -euo pipefail

program=$1
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Of diagonal matrices Gauss-Seidel is the inverse: one iteration in place of one for each of three eigenvalues.
matrix diagonal.mtx symmetric '4 4' '1 1 1' '2 2 2' '3 3 4' '4 4 2'
# A ring of 5 rows needs 3 colours.
matrix ring.mtx symmetric '5 5' '1 1 3' '2 2 3' '3 3 3' '4 4 3' '5 5 3' '2 1 -1' '3 2 -1' '4 3 -1' '5 4 -1' '5 1 -1'
# b^T A b = 0, so that CG breaks down at once.
matrix indefinite.mtx symmetric '2 2' '1 1 1' '2 1 -2' '2 2 3'
matrix skew.mtx general '2 2' '1 1 1' '1 2 1' '2 1 -1' '2 2 1'
matrix wide.mtx general '1 2' '1 1 1'

"$program" --executors=reference,reference --repeat=1 --blocks=2,4 --block-rows=2 --svg=ratios.svg --times=times.svg \
    diagonal.mtx ring.mtx lap2d:20 >out 2>log
(($(grep -c '^### ' out) == 3)) || fail 'there are not three tables'
(($(grep -cE '^\| (none|SGS|BJ, 2 blocks|BJ, 4 blocks|BJ, 2 rows) \|' out) == 15)) || fail "rows: $(cat out)"
expect_row out '^n = 4, nnz = 4, colours: 1\.$'
expect_row out '^n = 5, nnz = 15, colours: 3\.$'
expect_row out '^n = 400, nnz = 1920, colours: 2\.$'
expect_row out '^\| none \|( 3 \| 1\.00 \| [^|]+\| [^|]+\| 1\.00 \|){2}$'
expect_row out '^\| SGS \|( 1 \| 3\.00 \| [^|]+\| [^|]+\| [^|]+\|){2}$'
expect_row out '^\| BJ, 2 rows \|( 1 \| 3\.00 \| [^|]+\| [^|]+\| [^|]+\|){2}$'
(($(grep -cE '^\| (MCSGS|MCSGS, Eisenstat|MC-ILU\(0\)) \|' out) == 9)) || fail "rows: $(cat out)"
expect_row out '^\| MCSGS \|( 1 \| 3\.00 \| [^|]+\| [^|]+\| [^|]+\|){2}$'
expect_row out '^\| MCSGS, Eisenstat \|( 1 \| 3\.00 \| [^|]+\| [^|]+\| [^|]+\|){2}$'
expect_row out '^\| MC-ILU\(0\) \|( 1 \| 3\.00 \| [^|]+\| [^|]+\| [^|]+\|){2}$'
grep -q '^</svg>$' ratios.svg || fail 'the chart of iterations has no end'
grep -qF 'BJ, 4 blocks, reference' times.svg || fail 'the chart of times lacks bars'

# More blocks than rows, and a preconditioner of the user's.
"$program" --executors=reference --repeat=1 --preconditioner=jacobi --preconditioner=ssor:blocks=9,omega=1.2 \
    diagonal.mtx >out 2>log
expect_row out '^\| jacobi \| 1 \| 3\.00 \|'
expect_row out '^\| ssor:blocks=9,omega=1\.2 \| .*1 to the number of rows.* \|  \|  \|  \|  \|$'
(($(grep -cE '^\| (SGS|BJ)' out) == 0)) || fail 'SGS was not asked for'

"$program" --executors=reference --repeat=1 indefinite.mtx >out 2>log
expect_row out '^\| none \| breakdown \|  \|  \|  \|  \|$'

expect_refusal 'give a matrix'
expect_refusal 'nowhere.mtx' diagonal.mtx nowhere.mtx
expect_refusal 'wide.mtx is 1 x 2' wide.mtx
expect_refusal 'skew is not symmetric' skew.mtx
expect_refusal "executor = 'gpu'" --executors=gpu diagonal.mtx
expect_refusal '--blocks=8,0: expected' --blocks=8,0 diagonal.mtx
expect_refusal '--block-rows=x: expected' --block-rows=x diagonal.mtx
expect_refusal "did you mean" --preconditioner=sor diagonal.mtx
expect_refusal "omgea" --preconditioner=ssor:omgea=1 diagonal.mtx
expect_refusal '--times=: expected the name of a file' --times= diagonal.mtx
expect_refusal '--fast is no option' --fast diagonal.mtx
expect_refusal 'would overwrite' --executors=reference --times=diagonal.mtx diagonal.mtx
