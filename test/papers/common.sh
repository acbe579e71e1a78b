# shellcheck shell=bash
# What the tests of experiments share. To be sourced, with $program set; goes to an empty folder.

: "${program:?}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit

fail() { echo "$*" && exit 1; }

# expect_row FILE PATTERN: a row of the tables that are there.
expect_row() { grep -qE "$2" "$1" || { cat "$1" && fail "no row matches $2"; }; }

# expect_refusal WORDS ARGUMENT...: exit code 2, nothing on standard output, one line of error that holds WORDS.
expect_refusal() {
    local words=$1 code=0
    shift
    "$program" "$@" >out 2>err || code=$?
    ((code == 2)) || fail "exit code $code of $*"
    [[ ! -s out && $(wc -l <err) == 1 ]] || fail "$* prints: $(cat out err)"
    grep -qF -- "$words" err || fail "no '$words' in: $(cat err)"
}

# matrix FILE SYMMETRY SIZE ENTRY...
matrix() {
    printf '%s\n' "%%MatrixMarket matrix coordinate real $2" "$3 $(($# - 3))" "${@:4}" >"$1"
}
