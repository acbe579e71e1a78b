#!/usr/bin/env bash
# The experiment with incomplete factorizations on systems small enough to know what comes out, and on bad input.
# usage: ilu_ic.sh PROGRAM
set -euo pipefail

program=$1
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Factors of tridiagonal matrices have no fill-in: one iteration of CG, half of one of BiCGStab.
matrix spd.mtx symmetric '3 3' '1 1 4' '2 1 -1' '2 2 4' '3 2 -1' '3 3 4'
matrix general.mtx general '3 3' '1 1 4' '1 2 -1' '2 1 -2' '2 2 4' '2 3 -1' '3 2 -2' '3 3 4'
# The first pivot is 0, and its row's norm 1 stands in for it; the second one is -1 then.
matrix swap.mtx general '2 2' '1 2 1' '2 1 1'
# b = A 1 overflows.
matrix huge.mtx general '2 2' '1 1 1e308' '1 2 1e308' '2 1 1e308' '2 2 1e308'
matrix wide.mtx general '1 2' '1 1 1'

"$program" --executors=reference,reference --repeat=1 --svg=chart.svg \
    spd.mtx general.mtx swap.mtx huge.mtx lap2d:8 >out 2>log
(($(grep -c '^### ' out) == 4)) || fail 'there are not four tables'
(($(grep -cE '^\| spd \| 3 \| 7 \| CG \|( [^|]+\| [^|]+\| [0-9.]+e-1[0-9] \| 1 \|){2}' out) == 4)) ||
    fail "CG: $(cat out)"
(($(grep -cE '^\| general \| 3 \| 7 \| BiCGStab \|( [^|]+\| [^|]+\| [0-9.]+e-1[0-9] \| 0\.5 \|){2}' out) == 4)) ||
    fail "BiCGStab: $(cat out)"
expect_row out '^\| swap .*BiCGStab.*, pivots replaced: 1 \|'
expect_row out '^\| huge \| 2 \| 4 \| CG \|.* not_a_number.*\|  \|$'
expect_row out '^\| lap2d:8 \| 64 \| 288 \| CG \|'
grep -q '^</svg>$' chart.svg || fail 'the chart has no end'

"$program" --executors=reference --repeat=1 --only=ilut lap2d:4 >out 2>log
(($(grep -c '^### ilut' out) == 3 && $(grep -c '^### ' out) == 3)) || fail "--only=ilut: $(cat out)"

expect_refusal 'give a matrix'
expect_refusal 'nowhere.mtx' spd.mtx nowhere.mtx
expect_refusal 'wide.mtx is 1 x 2' wide.mtx
expect_refusal "did you mean 'lap2d'" lap2:8
expect_refusal "executor = 'gpu'" --executors=gpu spd.mtx
expect_refusal '--repeat=0' --repeat=0 spd.mtx
expect_refusal 'expected one of ilu0, ilut' --only=ilu1 spd.mtx
expect_refusal '--fast is no option' --fast spd.mtx
expect_refusal 'would overwrite' --executors=reference --svg=spd.mtx spd.mtx
