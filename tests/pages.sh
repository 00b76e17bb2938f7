#!/bin/sh
# pages.sh PAGE...: looks at pages of shoal report and shoal bench --html in headless Chromium,
# as wide as a desk and as narrow as a phone, in light and dark. Nothing may stick out, all
# pictures and drawings must be there, and nothing may come from elsewhere.
# Screenshots are left in $SHOAL_SHOTS, for those who want to look.
set -eu
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
  { echo "pages.sh: there is no Chromium" >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

look() { # PAGE WIDTH SCHEME, which is 0 for dark and 1 for light
  cat >"$folder/look.html" <<END
<!doctype html><body style="margin:0"><iframe id="f" src="file://$1" style="border:0;width:$2px;height:4000px"></iframe>
<script>
onload = () => {
  const d = document.getElementById("f").contentDocument, w = d.defaultView, wrong = []
  const say = (bad, text) => { if (bad) wrong.push(text) }
  const light = (c) => c.match(/\d+/g).slice(0, 3).reduce((a, b) => a + +b, 0) / 765
  say(d.documentElement.scrollWidth > $2, "it is " + d.documentElement.scrollWidth + " wide")
  for (const i of d.images) say(!i.naturalWidth, "picture " + i.alt + " is not shown")
  for (const s of d.querySelectorAll("svg")) say(s.getBoundingClientRect().height < 40, "a drawing is flat")
  for (const t of d.querySelectorAll("svg text:not(.unit)"))
    say(t.getBoundingClientRect().height < 8, "letters of a drawing are too small: " + t.textContent)
  say(!d.querySelector("h1") || !d.querySelector("table"), "heading or table are missing")
  say(w.performance.getEntriesByType("resource").some((e) => !e.name.startsWith("data:")), "it loads something")
  const page = light(w.getComputedStyle(d.body).backgroundColor), ink = light(w.getComputedStyle(d.body).color)
  say($3 ? page < 0.9 || ink > 0.4 : page > 0.2 || ink < 0.6, "colours are wrong: " + page + ", " + ink)
  document.title = wrong.length ? "WRONG " + [...new Set(wrong)].slice(0, 5).join("; ") : "FINE " + d.images.length + " " + d.querySelectorAll("svg").length
}
</script></body>
END
  shot=
  [ -z "${SHOAL_SHOTS:-}" ] || shot="--screenshot=$SHOAL_SHOTS/$(basename "$(dirname "$1")")-$(basename "$1" .html)-$2-$3.png"
  # shellcheck disable=SC2086
  set -- --headless --no-sandbox --disable-gpu --hide-scrollbars --allow-file-access-from-files \
    --user-data-dir="$folder/profile" --blink-settings=preferredColorScheme=$3 --window-size=$(($2 > 500 ? $2 : 500)),4000
  [ -z "$shot" ] || "$browser" "$@" "$shot" "file://$folder/look.html" >/dev/null 2>&1
  "$browser" "$@" --virtual-time-budget=5000 --dump-dom "file://$folder/look.html" 2>/dev/null |
    sed -n 's/.*<title>\(.*\)<\/title>.*/\1/p'
}

[ -z "${SHOAL_SHOTS:-}" ] || mkdir -p "$SHOAL_SHOTS"
status=0
for page in "$@"; do
  page=$(realpath "$page")
  for width in 390 1100; do
    for scheme in 0 1; do
      verdict=$(look "$page" "$width" "$scheme")
      echo "$page at $width, scheme $scheme: ${verdict:-no answer}"
      case $verdict in FINE*) ;; *) status=1 ;; esac
    done
  done
done
exit $status
