#!/usr/bin/env bash
# The condition numbers of preconditioned matrices, of systems small enough to know them, and bad input.
# usage: deflation_spectra.sh PROGRAM
set -euo pipefail

program=$1
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Eigenvalues 1, 2 and 4; of the scaled matrix 1 alone.
matrix diagonal.mtx symmetric '4 4' '1 1 1' '2 2 2' '3 3 4' '4 4 2'
matrix two.mtx symmetric '2 2' '1 1 1' '2 1 -1' '2 2 4'
matrix wide.mtx symmetric '4 4' '1 1 1' '2 2 1e3' '3 3 1e7' '4 4 2'
matrix singular.mtx symmetric '2 2' '1 1 1' '2 1 -1' '2 2 1'
matrix skew.mtx general '2 2' '1 1 1' '1 2 1' '2 1 -1' '2 2 1'

# That of the Laplacian is tan(80 degrees)^2, and blocks of all rows are IC(0).
"$program" diagonal.mtx lap2d:8 >out 2>log
(($(grep -c '^### ' out) == 2)) || fail 'there are not two tables'
one='1\.000e\+00 \| 1\.000' four='4\.000e\+00 \| 4\.000' tangent='3\.216e\+01 \| 1\.000'
expect_row out "^\| scaling \| 1 \| 1 \| $one \| $one \| 1\.000 \| [2-8] \| [2-8] \|\$"
expect_row out "^\| none \| 1 \| 4 \| $four \| $four \|  \| [6-8] \| [6-8] \|\$"
expect_row out "^\| scaling \| 0\.06031 \| 1\.94 \| $tangent \| $tangent \| 1\.000 \| [0-9]+ \| [0-9]+ \|\$"
expect_row out "^\| none \| 0\.2412 \| 7\.759 \| $tangent \| $tangent \|  \| [0-9]+ \| [0-9]+ \|\$"
whole=$(sed -n 's/^| IC(0) |/|/p' out | tail -1)
blocks=$(sed -n 's/^| Block-IC(8n) |/|/p' out | tail -1)
[[ $(cut -d'|' -f2-7 <<<"$whole") == $(cut -d'|' -f2-7 <<<"$blocks") ]] || fail "IC(0) is $whole, in one block $blocks"
for name in 'IP' 'IP, scaled' 'Neu1' 'Neu2'; do
    grep -qE "^\| $name \|" out || grep -qE "^$name is left out" out || fail "$name: $(cat out)"
done

# Scaled, [1 -1; -1 4] has -1/2 beside its diagonal; then M^-1 A = [1 -1/8; 0 3/4] for Neu1, with eigenvalues 1 and 3/4,
# while the squares of its singular values have the sum 101/64 and the product 9/16. As given, the row of scaling's has
# [1 -1; -1/4 1], where these are 49/16 and 9/16.
"$program" --preconditioner=neumann:order=1 two.mtx >out 2>log
expect_row out '^\| scaling \| 0\.5 \| 1\.5 \| 3\.000e\+00 \| 1\.000 \| 3\.000e\+00 \| 1\.000 \|'
expect_row out '^\| neumann:order=1 \| 0\.75 \| 1 \| 1\.333e\+00 \| 0\.444 \| 1\.379e\+00 \| 0\.460 \|  \| 4 \| 4 \|$'
"$program" --given --preconditioner=none two.mtx >out 2>log
expect_row out '^\| scaling \| 0\.5 \| 1\.5 \| 3\.000e\+00 \| 1\.000 \| 3\.822e\+00 \| 1\.000 \|'

# A^T A has the condition number 1e14 here.
"$program" --preconditioner=none --given wide.mtx >out 2>log
expect_row out '^\| none \| 1 \| 1e\+07 \| 1\.000e\+07 \| [^|]+\| 1\.000e\+07 \|'

"$program" --preconditioner=ic0 --steps=2 lap2d:8 >out 2>log
expect_row out '^\| ic0 \| .* 4, not settled \| 4, not settled \|$'
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

# A singular matrix has no inverse to find the least eigenvalue by.
"$program" singular.mtx >out 2>log && fail "of a singular matrix: $(cat out)"
grep -qF 'too ill-conditioned' log || fail "of a singular matrix: $(cat log)"

# The paper's problem, if none is given.
"$program" --preconditioner=ic0 --steps=2 >out 2>log
expect_row out '^### twophase:64:1000:b$'

expect_refusal 'no square grid' --turned lap3d:2
expect_refusal 'expected one executor' --executors=reference,reference lap2d:8
expect_refusal '--steps=0' --steps=0 lap2d:8
expect_refusal 'is no option' --colours lap2d:8
expect_refusal 'not symmetric' skew.mtx
expect_refusal 'no-such' --preconditioner=no-such lap2d:8
"$program" --help >out
grep -qF 'MATRIX' out || fail 'no help'
