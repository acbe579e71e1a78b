#!/usr/bin/env bash
# The experiment with two-level preconditioners on systems small enough to know what comes out, and on bad input.
# usage: deflation.sh PROGRAM
set -euo pipefail

program=$1
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

matrix diagonal.mtx symmetric '4 4' '1 1 1' '2 2 2' '3 3 4' '4 4 2'
matrix skew.mtx general '2 2' '1 1 1' '1 2 1' '2 1 -1' '2 2 1'

# column METHOD NUMBER: of the first row of a method in the table of iterations.
column() { grep -m1 -F "| $1 |" out | cut -d'|' -f"$(($2 + 1))" | tr -d ' '; }

# holds CONDITION: of numbers, by awk.
holds() { awk "BEGIN { exit !($1) }" || { cat out && fail "not so: $1"; }; }

# As many stripes as rows leave no iteration to do.
"$program" --executors=reference --repeat=1 --only=grids --grids=2 >out 2>log
(($(grep -cE '^\| [^|]+\| [^|]+\| [^|]+\| 0 \| [^|]+\|  \|$' out) == 10)) || fail "deflation by all rows: $(cat out)"

# The paper's: deflation saves iterations, more terms or larger blocks save some, deflated Neu2 is between Block-IC(4n)
# and (8n), and IP without scaling takes three times as many as diagonal scaling.
"$program" --executors=reference,reference --repeat=1 --only=grids --grids=32,16 --tolerance=1e-10 --svg=it.svg \
    --times=times.svg >out 2>log
(($(grep -c '^### twophase:.*:b$' out) == 2)) || fail 'there are not two grids'
for name in none diagonal 'Block-IC(2n)' 'Block-IC(4n)' 'Block-IC(8n)' IP 'IP, scaled' Neu1 Neu2 Chebyshev; do
    (($(grep -cF "| $name |" out) == 6)) || fail "$name: $(cat out)"
    holds "$(column "$name" 6) > 1.2"
    if [[ $name != none && $name != IP ]]; then
        holds "$(column "$name" 6) > 1.3 && $(column "$name" 3) < 1e-8 && $(column "$name" 5) < 1e-8"
    fi
done
for number in 2 4; do
    holds "$(column Neu2 $number) < $(column Neu1 $number) && $(column Neu1 $number) < $(column diagonal $number)"
    holds "$(column 'Block-IC(8n)' $number) < $(column 'Block-IC(4n)' $number)"
    holds "$(column 'Block-IC(4n)' $number) < $(column 'Block-IC(2n)' $number)"
    holds "$(column IP $number) > 3 * $(column diagonal $number)"
done
holds "$(column Neu2 4) >= $(column 'Block-IC(8n)' 4) && $(column Neu2 4) <= $(column 'Block-IC(4n)' 4) + 1"
expect_row out '^\| Neu1 \|( [0-9.e-]+ \|){10}$'
expect_row out '^\| Neu1 \|( [0-9.e-]+ \|){22}$'
(($(grep -c '^| deflated | reference: dissected' out) == 2)) || fail 'there are not two tables of coarse solvers'
# However Z^T A Z is inverted, iterations are the same, but for rounding.
for name in diagonal 'Block-IC(8n)' Neu2; do
    for field in 3 6 10; do
        other=$(grep -F "| $name |" out | sed -n 3p | cut -d'|' -f$field)
        holds "$other - $(column "$name" 4) <= 1 && $(column "$name" 4) - $other <= 1"
    done
done
grep -qF '>Neu2, deflated<' it.svg || fail 'the chart of iterations lacks bars'
grep -qF '>Neu2, reference<' times.svg || fail 'the chart of times lacks bars'

# Scaled, a diagonal matrix is I: one iteration, none with all rows deflated.
"$program" --executors=reference --repeat=1 --only=race diagonal.mtx bubbles3d:4:1:10:1 >out 2>log
expect_row out '^### Time to solution: the best of each paper, ..r.. <= 1e-10 ..b..$'
expect_row out '^\| none \| diagonal \| 1 \|'
(($(grep -cE '^\| paper [23] \| [^|]+\| 1 \|' out) == 6)) || fail "factors of a diagonal matrix: $(cat out)"
expect_row out '^\| paper 4 \| Neu2, deflated \| 0 \|'
expect_row out '^\| relatives of 4 \| Chebyshev, boxes \| 0 \|'
(($(grep -c '\*\*' out) == 10)) || fail "each group has a best method: $(cat out)"
# Which method is the best of its group is a matter of the clock.
for problem in diagonal bubbles3d:4:1:10:1; do
    expect_row out "^\\| $problem \\| reference \\|( [^|]+\\| [0-9]+ \\| [^|]+\\|){5}\$"
done

# Where lines cross the interface, Block-IC loses more.
"$program" --executors=reference --repeat=1 --only=grids --grids=16 >out 2>log
along=$(column 'Block-IC(8n)' 2)
"$program" --executors=reference --repeat=1 --only=grids --grids=16 --turned >out 2>log
expect_row out '^### twophase:16:1000:b, turned$'
holds "$(column 'Block-IC(8n)' 2) > $along"

# Residuals of the matrix that is not scaled hardly see the lighter fluid, so that fewer iterations do.
"$program" --executors=reference --repeat=1 --only=grids --grids=16 >out 2>log
scaled=$(column diagonal 2)
"$program" --executors=reference --repeat=1 --only=grids --grids=16 --given >out 2>log
holds "$(column diagonal 2) < $scaled && $(column diagonal 3) > 1e-5"
"$program" --executors=reference --repeat=1 --only=grids --grids=16 --tolerance=1e-10 >out 2>log
holds "$(column diagonal 2) > $scaled && $(column diagonal 3) < 1e-8"

expect_refusal 'nowhere.mtx' --only=race nowhere.mtx
expect_refusal 'skew is not symmetric' --only=race skew.mtx
expect_refusal "executor = 'gpu'" --executors=gpu
expect_refusal '--grids=0: expected' --grids=0
expect_refusal '--only=gird: ' --only=gird
expect_refusal 'which --only=race leaves out' --only=race --svg=it.svg
expect_refusal 'twophase:2:1000:x' --boundary=x
expect_refusal 'relative_residual' --tolerance=x
expect_refusal '--fast is no option' --fast
expect_refusal 'would overwrite' --executors=reference --times=diagonal.mtx diagonal.mtx
"$program" --help >out
grep -qF -- '--grids' out || fail 'no help'
