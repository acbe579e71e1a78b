#!/usr/bin/env bash
# No element of a report of `linden validate`, everything unfolded, leaves a window of 1280 or 400 pixels.
#
# usage: report_fits.sh PROGRAM
# Exit code 77: there is no Chromium to look with.

set -euo pipefail
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || exit 77
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$1" validate --level 1 --backends reference --report "$folder/report.html" >/dev/null

# The title of the page that frames the report says how wide the report is and what leaves the frame; what scrolls by
# itself does not.
for width in 1280 400; do
    {
        echo "<!doctype html><title>not loaded</title><iframe id=report style='border:0;width:${width}px' srcdoc=\""
        sed 's/&/\&amp;/g; s/"/\&quot;/g' "$folder/report.html"
        cat <<END
"></iframe><script>addEventListener("load", () => {
    const page = document.getElementById("report").contentDocument
    page.querySelectorAll("details").forEach(e => e.open = true)
    const all = [...page.body.querySelectorAll("*")]
    const wide = all.filter(e => e.getBoundingClientRect().right > $width + 1 && !e.closest(".wide"))
    document.title = all.length < 500 ? "hardly anything was shown"
        : page.documentElement.scrollWidth > $width ? "it scrolls" : wide.length + " elements too wide"
})</script>
END
    } >"$folder/frame.html"
    title=$("$browser" --headless --no-sandbox --disable-gpu --virtual-time-budget=5000 --dump-dom \
        "file://$folder/frame.html" 2>/dev/null | sed -n 's/.*<title>\(.*\)<\/title>.*/\1/p' | head -n 1)
    echo "$width pixels: $title"
    [[ $title == "0 elements too wide" ]]
done
