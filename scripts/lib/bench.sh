# shellcheck shell=bash
# What the scripts that print benchmarks share. To be sourced after common.sh.

: "${root:?}"

# bench_origin COMMAND: date, commit and machine.
bench_origin() {
    local commit
    commit=$(git -C "$root" describe --always --dirty 2>/dev/null || echo unknown)
    cat <<END
$(date +%F), commit $commit, \`$1\`
$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores, load $(cut -d ' ' -f 1 /proc/loadavg) before
END
}

# bench_header COMMAND: the same, and the head of the table that csv_to_rows fills.
bench_header() {
    bench_origin "$1"
    cat <<END

| benchmark | median, µs | GB/s | of triad | of copy |
|---|---:|---:|---:|---:|
END
}

# run_benchmarks PROGRAM FILTER [OPTION...]: medians as CSV on standard output.
run_benchmarks() {
    local program=$1 filter=$2
    shift 2
    "$program" --benchmark_filter="$filter" --benchmark_report_aggregates_only=true --benchmark_format=csv "$@"
}

# csv_to_rows: medians of Google Benchmark's CSV as rows of a Markdown table. The copy is that of the executor of the
# row, or of the last one for libraries that are compared with it.
csv_to_rows() {
    awk -F, '
        $1 == "name" { for (i = 1; i <= NF; ++i) { gsub(/"/, "", $i); column[$i] = i } next }
        $1 ~ /_median"$/ {
            gsub(/"/, "", $1)
            sub(/\/iterations:1/, "", $1); sub(/\/(real|manual)_time/, "", $1); sub(/_median$/, "", $1)
            split($1, part, "/")
            rate = $column["GB/s"]
            if (part[1] == "bandwidth" && part[4] == "copy") { copy[part[2]] = rate; last = part[2] }
            limit = part[2] in copy ? copy[part[2]] : copy[last]
            printf "| %s | %.1f | %.1f | %.2f | %s |\n", $1, $column["real_time"], rate, $column["of_triad"],
                (limit > 0 ? sprintf("%.2f", rate / limit) : "")
        }
        $0 ~ /a solve ended early/ { print "error: " $0 > "/dev/stderr"; failed = 1 }
        END { exit failed }'
}
