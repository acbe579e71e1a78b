#!/usr/bin/env bash
# The condition numbers of preconditioned matrices, of systems small enough to know them, and bad input.
# usage: deflation_spectra.sh PROGRAM
set -euo pipefail

program=$1
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Eigenvalues 1, 2 and 4; of the scaled matrix 1 alone.
matrix diagonal.mtx symmetric '4 4' '1 1 1' '2 2 2' '3 3 4' '4 4 2'
matrix skew.mtx general '2 2' '1 1 1' '1 2 1' '2 1 -1' '2 2 1'

# That of the Laplacian is tan(80 degrees)^2, and blocks of all rows are IC(0).
"$program" diagonal.mtx lap2d:8 >out 2>log
(($(grep -c '^### ' out) == 2)) || fail 'there are not two tables'
expect_row out '^\| scaling \| 1 \| 1 \| 1\.000e\+00 \| 1\.000 \| 1\.000 \| [1-4] \|$'
expect_row out '^\| none \| 1 \| 4 \| 4\.000e\+00 \| 4\.000 \|  \| [34] \|$'
expect_row out '^\| scaling \| 0\.06031 \| 1\.94 \| 3\.216e\+01 \| 1\.000 \| 1\.000 \| [0-9]+ \|$'
expect_row out '^\| none \| 0\.2412 \| 7\.759 \| 3\.216e\+01 \| 1\.000 \|  \| [0-9]+ \|$'
whole=$(sed -n 's/^| IC(0) |/|/p' out | tail -1)
blocks=$(sed -n 's/^| Block-IC(8n) |/|/p' out | tail -1)
[[ $(cut -d'|' -f2-5 <<<"$whole") == $(cut -d'|' -f2-5 <<<"$blocks") ]] || fail "IC(0) is $whole, in one block $blocks"
for name in 'IP' 'IP, scaled' 'Neu1' 'Neu2'; do
    grep -qE "^\| $name \|" out || grep -qE "^$name is left out" out || fail "$name: $(cat out)"
done

"$program" --preconditioner=ic0 --steps=2 lap2d:8 >out 2>log
expect_row out '^\| ic0 \| .* 2, not settled \|$'
(($(grep -c '^| ' out) == 3)) || fail 'other preconditioners than ic0 and scaling were not asked for'

# Numbered the other way, rows of the anisotropic problem have their strong couplings across blocks; the matrix as a
# whole remains similar.
for turned in '' --turned; do
    "$program" $turned --preconditioner=ic0:block_rows=8 aniso2d:8:0.01 >"out$turned" 2>log
done
scaled() { sed -n 's/^| scaling | \([^|]*|[^|]*|\).*/\1/p' "$1"; }
[[ $(scaled out) == $(scaled out--turned) ]] || fail "turned: $(cat out out--turned)"
for file in out out--turned; do
    sed -n 's/^| ic0:block_rows=8 |[^|]*|[^|]*| \([^ ]*\) .*/\1/p' "$file"
done >conditions
awk 'NR == 1 { first = $1 } NR == 2 { exit !($1 > 2 * first) }' conditions || fail "conditions: $(cat conditions)"

expect_refusal 'give a matrix'
expect_refusal 'no square grid' --turned lap3d:2
expect_refusal 'expected one executor' --executors=reference,reference lap2d:8
expect_refusal '--steps=0' --steps=0 lap2d:8
expect_refusal 'is no option' --colours lap2d:8
expect_refusal 'not symmetric' skew.mtx
expect_refusal 'no-such' --preconditioner=no-such lap2d:8
"$program" --help >out
grep -qF 'MATRIX' out || fail 'no help'
