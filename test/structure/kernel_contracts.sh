#!/usr/bin/env bash
# Declarations of kernels (core/kernels/): every parameter has a name, which the contract speaks of; there are at most
# seven, more being a struct; and the reference, which says what a kernel means, has it, unless doc/kernel-gaps.md says
# why not.
# usage: kernel_contracts.sh SOURCE-DIR
set -euo pipefail
cd "$1"

max_parameters=7

# One line for each kernel: file, variable, name in the table, number of parameters, those without a name.
kernels=$(find core/kernels -name '*.hpp' | sort | xargs -r awk -v OFS='\t' '
    function has_name(parameter) {
        gsub(/(^| )(const|typename) /, " ", parameter)
        gsub(/^ +| +$/, "", parameter)
        return parameter ~ /[>*& ][A-Za-z_][A-Za-z_0-9]*$/
    }
    function end_parameter() {
        if (parameter ~ /[^ ]/) {
            ++count
            if (!has_name(parameter)) nameless = nameless (nameless == "" ? "" : "; ") parameter
        }
        parameter = ""
    }
    function parse(file, text,    at, depth, c, rest) {
        while ((at = index(text, "kernel<void(")) > 0) {
            text = substr(text, at + length("kernel<void("))
            count = 0
            nameless = parameter = ""
            depth = 1
            for (at = 1; depth > 0 && at <= length(text); ++at) {
                c = substr(text, at, 1)
                depth += (c == "(" || c == "<") - (c == ")" || c == ">")
                if (depth == 0 || (depth == 1 && c == ",")) end_parameter()
                else parameter = parameter c
            }
            rest = substr(text, at)
            if (match(rest, /^ *> *[a-z_0-9]+ *\{ *"[^"]*"/)) {
                split(substr(rest, 1, RLENGTH), word, /[> {"]+/)
                print file, word[2], word[3], count, nameless
            }
        }
    }
    { sub(/\/\/.*/, ""); gsub(/\t/, " "); text[FILENAME] = text[FILENAME] " " $0 }
    END { for (file in text) parse(file, text[file]) }' | sort)
# The text of folders without comments, on one line.
flat() { find "$@" -name '*.[ch]pp' -exec cat {} + | sed 's,//.*,,' | tr -s '\n ' ' '; }
num_kernels=$(grep -c . <<<"$kernels" || true)
num_declared=$(flat core/kernels | { grep -o 'kernel<void(' || true; } | wc -l)

# The variables that reference/ binds, with what core/ binds for all hosts, and the kernels that are written once.
bound=" $({ flat reference core | grep -oE '[a-z_0-9]+(<[A-Za-z_, ]*>)? ?\.bind\(' | sed -E 's/[^a-z_0-9].*//' || true
            flat core | grep -oE '\<f\([a-z_0-9]+(<[A-Za-z_, ]*>)?, ?BodyOf<' | sed -E 's/^f\(([a-z_0-9]+).*/\1/' || true
          } | sort -u | tr '\n' ' ')"

num_nameless=0
num_long=0
num_undefined=0
num_gaps=0
while IFS=$'\t' read -r file kernel name num_parameters nameless; do
    if [[ -z $kernel ]]; then continue; fi
    if [[ -n $nameless ]]; then
        echo "$file: $kernel has parameters without a name: $nameless"
        num_nameless=$((num_nameless + 1))
    fi
    if ((num_parameters > max_parameters)); then
        echo "$file: $kernel has $num_parameters parameters, more than $max_parameters"
        num_long=$((num_long + 1))
    fi
    if [[ $bound != *" $kernel "* ]]; then
        if grep -q "^- $name on reference:" doc/kernel-gaps.md; then
            num_gaps=$((num_gaps + 1))
        else
            echo "$file: $kernel is not bound in reference/, and doc/kernel-gaps.md does not say why"
            num_undefined=$((num_undefined + 1))
        fi
    fi
done <<<"$kernels"

echo "$num_kernels kernels of $num_declared declarations, $num_nameless with nameless parameters," \
    "$num_long with more than $max_parameters, $num_undefined without a reference, $num_gaps gaps that are explained"
((num_kernels > 0 && num_kernels == num_declared && num_nameless + num_long + num_undefined == 0))
