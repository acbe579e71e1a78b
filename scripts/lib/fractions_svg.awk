# Rows of csv_to_rows as a picture: for each matrix a group of bars, one for each format or library, as long as the
# fraction of the copy bandwidth; the dashed line is that bandwidth.
# usage: awk -f fractions_svg.awk TABLE.md > PICTURE.svg
BEGIN { FS = " *\\| *"; scale = 420; left = 250; height = 14 }
NF >= 6 && $2 ~ /^(apply_|csr_spmv\/|csr_apply\/)/ && $6 + 0 > 0 {
    split($2, part, "/")
    kind = part[1]; sub(/^apply_/, "", kind)
    if (kind ~ /^csr_(spmv|apply)$/) { kind = part[2] ~ /^(cusparse|eigen|mkl)/ ? part[2] : "csr kernel" }
    matrix = part[4] " (" (part[2] ~ /^(cusparse|eigen|mkl)/ ? owner : part[2]) ")"
    if (part[2] !~ /^(cusparse|eigen|mkl)/) { owner = part[2] }
    if (!(matrix in count)) { order[++matrices] = matrix }
    n = ++count[matrix]
    name[matrix, n] = kind; fraction[matrix, n] = $6; time[matrix, n] = $3
}
function escape(text) { gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); return text }
END {
    for (m = 1; m <= matrices; ++m) { lines += count[order[m]] + 2 }
    total = lines * height + 40
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"11\">\n",
        left + scale * 1.2 + 90, total
    printf "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
    y = 20
    for (m = 1; m <= matrices; ++m) {
        matrix = order[m]
        printf "<text x=\"%d\" y=\"%d\" font-weight=\"bold\">%s</text>\n", 10, y + 10, escape(matrix)
        y += height
        for (n = 1; n <= count[matrix]; ++n) {
            ours = name[matrix, n] !~ /^(cusparse|eigen|mkl)/
            printf "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>", left - 6, y + 10, escape(name[matrix, n])
            printf "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>", left, y + 1,
                fraction[matrix, n] * scale, height - 3, ours ? "#3b6fb6" : "#999999"
            printf "<text x=\"%.1f\" y=\"%d\">%.2f, %s µs</text>\n", left + fraction[matrix, n] * scale + 4, y + 10,
                fraction[matrix, n], time[matrix, n]
            y += height
        }
        y += height
    }
    printf "<line x1=\"%d\" x2=\"%d\" y1=\"10\" y2=\"%d\" stroke=\"black\" stroke-dasharray=\"4 3\"/>\n", left + scale,
        left + scale, total - 20
    printf "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">copy bandwidth</text>\n</svg>\n", left + scale, total - 6
}
