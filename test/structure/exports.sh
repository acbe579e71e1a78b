#!/usr/bin/env bash
# What a shared library exports is what exports.txt lists, and nothing that is internal
# (doc/decisions/0015-what-is-exported.md). It reads the library that test/install/add_subdirectory.sh builds; to update the list after a
# change of the interface:
#
#     bash test/structure/exports.sh . LIBRARY --list >test/structure/exports.txt
#
# A line is a function or variable, whatever its overloads, or a class whose type information and table of virtual functions
# are there. Types are collapsed: V is any value type, I any index type, Op any operator.
# usage: exports.sh SOURCE-DIR LIBRARY [--list]
set -euo pipefail
list=$1/test/structure/exports.txt
library=$2
if [[ ! -r $library ]]; then
    echo "$library is not there"
    exit 1
fi

# Which inline functions of a template that is instantiated are exported hangs on the compiler, so that a list is of one.
compiler() {
    # A library that clang has made names GCC, too, for what every program begins with.
    readelf -p .comment "$library" | sed -nE 's/.*(GCC|clang).* ([0-9]+)\.[0-9.]+.*/\1 \2/p' | sort -r | sed -n 1p
}
symbols() { nm -D --defined-only "$library"; }

# Without what compilers make of private helpers with closures.
collapsed() {
    symbols | awk '{print $3}' | c++filt | awk '
        /\{lambda/ || /^typeinfo name for / { next }
        /^(vtable|typeinfo) for / { sub(/^[a-z]+ for /, "class ") }
        !/^class / {
            # Without the type that a function template returns, and without parameters.
            depth = 0; first = 1; last = length($0); parameters = ""
            for (i = 1; i <= length($0); ++i) {
                c = substr($0, i, 1)
                if (c == "<") ++depth
                if (c == ">") --depth
                if (c == " " && depth == 0 && substr($0, 1, i) !~ /operator $/) first = i + 1
                if (c == "(" && depth == 0) { last = i - 1; parameters = "(...)"; break }
            }
            $0 = substr($0, first, last - first + 1)
            sub(/\[abi:cxx11\]/, "")
            $0 = $0 parameters
        }
        {
            gsub(/std::complex<(double|float)>/, "V")
            gsub(/<(double|float|V), (int|long)>/, "<V, I>")
            gsub(/<(double|float|V)>/, "<V>")
            gsub(/<(double|float|V), /, "<V, ")
            gsub(/, (double|float|V)>/, ", V>")
            gsub(/<(int|long)>/, "<I>")
            sub(/Factory<linden::[A-Za-z0-9:]+<V(, [A-Za-z:]+)*> ?>/, "Factory<Op>")
            print
        }' | LC_ALL=C sort -u
}

if [[ ${3:-} == --list ]]; then
    echo "# What a shared library exports, by $(compiler); see exports.sh."
    collapsed
    exit
fi

echo "$library exports $(symbols | wc -l) symbols: $(collapsed | wc -l) names where types and overloads are not told apart"
internal=$(symbols | awk '{print $3}' | c++filt | grep -vE '^[^(]*\blinden::' || true)
internal+=$(collapsed | grep -E 'linden::(reference|omp|cuda|hip|matrix_market|benchmarks|test|KernelEntry|kernel<)' || true)
if [[ -n $internal ]]; then
    printf 'These are internal:\n%s\n' "$internal" && exit 1
fi
if [[ $(sed -nE '1s/.* by (.*);.*/\1/p' "$list") != "$(compiler)" ]]; then
    echo "The list is not compared, since it is of another compiler: $(sed -n 1p "$list")"
    exit
fi
if ! diff <(grep -v '^#' "$list") <(collapsed) >/dev/null; then
    diff <(grep -v '^#' "$list") <(collapsed) | sed -n 's/^</no longer exported:/p; s/^>/exported and not listed:/p'
    echo "If that is meant: bash test/structure/exports.sh . $library --list >test/structure/exports.txt"
    exit 1
fi
