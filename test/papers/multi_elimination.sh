#!/usr/bin/env bash
# The experiment with multi-elimination on systems small enough to know what comes out, and on bad input.
# usage: multi_elimination.sh PROGRAM NOS4
set -euo pipefail

program=$1
nos4=$2
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

matrix diagonal.mtx symmetric '4 4' '1 1 1' '2 2 2' '3 3 4' '4 4 2'
matrix skew.mtx general '2 2' '1 1 1' '1 2 1' '2 1 -1' '2 2 1'
matrix swap.mtx general '2 2' '1 2 1' '2 1 3'
matrix wide.mtx general '1 2' '1 1 1'

"$program" --executors=reference,reference --repeat=1 --betas=0,0.1 --bottom-rows=20 --iterative-bottom \
    "--sequence=$nos4" --svg=betas.svg --levels=levels.svg diagonal.mtx lap2d:20 >out 2>log
# The paper's Table II.
expect_row out '^\| 4 \| 900 \| 7744 \| 100 \| 594 \|$'
expect_row out '^\| 3 \| 675 \| 9809 \| 61 \| 599 \|$'
expect_row out '^\| 2 \| 555 \| 10989 \| 46 \| 676 \|$'
expect_row out '^\| 1 \| 495 \| 14585 \| 39 \| 709 \|$'
# A bottom of 4 rows is inverted: one iteration. Without dropping so are 400.
expect_row out '^\| reference \| 0\.1 \| 0 \| 4 \| 4 \|( 1 \| [^|]+ \| [^|]+ \|){3}$'
expect_row out '^\| reference \| 0 \| [0-9]+ \| [1-9][0-9] \| [0-9]+ \| 1 \| '
(($(grep -cE '^\| (none|MC-SGS|ILU\(0\)|MC-ILU\(0\)|multi-elimination, .*) \|' out) == 14)) || fail "rows: $(cat out)"
expect_row out '^\| none \|( 3 \| [^|]+ \| [^|]+ \| [^|]+ \|){2}$'
expect_row out '^\| 1 \| 400 \| 1920 \| '
(($(grep -cE '^\| bottom \| ' out) == 4)) || fail 'there are not four tables of levels'
grep -qF 'beta = 0.1, GMRES' betas.svg || fail 'the chart of thresholds lacks bars'
grep -q '^</svg>$' betas.svg || fail 'the chart of thresholds has no end'
grep -qF 'lap2d:20, modified: rows' levels.svg || fail 'the chart of levels lacks bars'

# Zeros on the diagonal are no obstacle to the rule exact.
"$program" --exact --executors=reference --repeat=1 swap.mtx skew.mtx lap2d:50 >out 2>log
expect_row out '^\| swap \| 2 \| 2 \| 0 \| 2 \| 1\.00 \| 2\.00 \| 0 \| [0-9.]+e[-+][0-9]+ \|'
expect_row out '^\| lap2d:50 \| 2500 \| 12300 \| [1-9][0-9]* \| [0-9]+ \| [0-9.]+ \| [0-9.]+ \| 0 \| [0-9.]+e-1[0-9] \|'
(($(grep -cE '^\| (swap|skew|lap2d:50) \|' out) == 3)) || fail "rows: $(cat out)"

expect_refusal 'give a matrix'
expect_refusal 'nowhere.mtx' diagonal.mtx nowhere.mtx
expect_refusal 'nowhere.mtx' --sequence=nowhere.mtx diagonal.mtx
expect_refusal 'wide.mtx is 1 x 2' wide.mtx
expect_refusal 'skew is not symmetric' skew.mtx
expect_refusal "executor = 'gpu'" --executors=gpu diagonal.mtx
expect_refusal '--betas=0.1,-1: expected' --betas=0.1,-1 diagonal.mtx
expect_refusal '--bottom-rows=0: expected' --bottom-rows=0 diagonal.mtx
expect_refusal '--levels=: expected the name of a file' --levels= diagonal.mtx
expect_refusal '--exact draws nothing' --exact --svg=out.svg diagonal.mtx
expect_refusal '--fast is no option' --fast diagonal.mtx
expect_refusal 'would overwrite' --executors=reference --levels=diagonal.mtx diagonal.mtx
