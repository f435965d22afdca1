# The page in a real browser, where one is installed (Debian's chromium), with node and npm, which fetches playwright-core and axe-core.
. "$ROOT/tests/checks.sh"

build=$(dirname "$TRACENEST")
browser=
for name in chromium chromium-browser google-chrome; do
	[ -n "$browser" ] || browser=$(command -v "$name" || :)
done
# The page is the same whatever the command was built with.
if sanitized; then skip "the page in a browser: not for this build"; exit 0; fi
if [ -z "$browser" ]; then skip "the page in a browser: there is none (apt-get install chromium)"; exit 0; fi
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then skip "the page in a browser: there is no node, or no npm"; exit 0; fi

here=$build/page-test # kept from run to run
mkdir -p "$here"
cp "$ROOT"/tests/page/* "$here"
if ! { [ -d "$here/node_modules/playwright-core" ] && [ -d "$here/node_modules/axe-core" ]; } && ! (cd "$here" && timeout 300 npm ci --ignore-scripts --no-audit --no-fund >npm.log 2>&1); then
	rm -rf "$here/node_modules"
	skip "the page in a browser: npm could not fetch playwright-core and axe-core ($here/npm.log)"
	exit 0
fi
other() { # NAME LINES...
	name=$1
	shift
	{ printf '// tracenest 1\n'; printf '%b\n' "$@"; } >"$name.nest"
	"$TRACENEST" draw "$name.nest" -o "$name.html" 2>err || fail "a page of $name" "status $?"
}
other none '// processes 0'
other one '// processes 1' '0 send 0 a' '0 recv 0 a'
other collectives '// processes 4' '0-3 sync MPI_Bcast 0-3 root=0' '0,2 sync MPI_Allreduce 0,2' '1,3 sync MPI_Allreduce 1,3'
other names '// processes 2' "0-1 sync MPI_<&\"'\\\\N 0-1" "0 send 1 </script><!--&amp" "0 recv 1 </script><!--&amp" '0 local \303\251 \377'
other apart '// processes 2' 'for i = 0 to 9' '0 send 1 a' 'done' 'for i = 0 to 4' '0 recv 1 a' '0 recv 1 a' 'done'
awk 'BEGIN { n = 20; print "// tracenest 1\n// processes " n * n "\nfor i = 0 to 99"
	for (p = 0; p < n * n; p++) if (p % n < n - 1) printf "%d send %d tag1\n%d recv %d tag1\n", p, p + 1, p, p + 1
	print "done" }' >bands.nest
"$TRACENEST" draw bands.nest -o bands.html 2>err || fail "a page of bands" "status $?"
# Tables and guards: whom a worker's turn is for, and what happens in each seventh of them.
other tables '// processes 8' '[0-7] for i0 = 0 to 3999' '[$w[i0]] p send 0 tag3' '[0] $w[i0] recv p tag3' '[0] p send $w[i0] tag4' '[$w[i0]] 0 recv p tag4' \
	'if {i0%7} = 6' '[0-7] p sync MPI_Barrier 0-7 // solve.c:203' 'done' 'done' '// sites' '// solve.c:203 solve' '// tables' "\$w[i0] = $(awk 'BEGIN { for (i = 0; i < 4000; i++) printf "%d ", 1 + (5 * i + int(i / 3)) % 7 }')"
# 4,096 processes; and 1,000 loops with 8 messages each, whose processes overlap as those of AMG do.
other large-4096 '// processes 4096' '[0-4095] for i0 = 0 to 999' '[0-4031] p send p+64 tag1' '[64-4095] p-64 recv p tag1' '[64-4095] p send p-64 tag2' '[0-4031] p+64 recv p tag2' \
	'[(0-62)+64*64] p send p+1 tag3' '[(1-63)+64*64] p-1 recv p tag3' '[0-4095] p sync MPI_Allreduce 0-4095' 'done'
awk 'BEGIN { print "// tracenest 1\n// processes 8"
	for (k = 0; k < 1000; k++) {
		print "for i = 0 to " 2 + k % 17
		for (m = 0; m < 8; m++) {
			from = (k + m) % 8; to = (from + 1 + (k + m) % 7) % 8
			printf "%d send %d tag%d\n%d recv %d tag%d\n", from, to, k % 9, from, to, k % 9
		}
		print "done"
	} }' >large-loops.nest
"$TRACENEST" draw large-loops.nest -o large-loops.html 2>err || fail "a page of 1,000 loops" "status $?"
amg= # written out, where there is a recording of it: 8,000 messages that follow no formula
if [ -n "${TRACENEST_DATA:-}" ] && [ -d "$TRACENEST_DATA/amg.8.tau" ]; then
	amg=large-amg.html
	"$TRACENEST" model --quiet --lenient --tables=off --guards=off "$TRACENEST_DATA/amg.8.tau/traces.otf2" -o amg.nest 2>err
	"$TRACENEST" draw amg.nest -o $amg 2>err || fail "a page of AMG" "status $?"
fi
"$TRACENEST" report --quiet "$(anchor lu.S.4.ez)" -o report.html >out 2>err || fail "a report as a page" "status $?"
"$TRACENEST" model --quiet "$(anchor lu.S.4.ez)" -o lu.nest 2>err || fail "a model" "status $?"
"$TRACENEST" draw lu.nest -o lu.html 2>err || fail "a page" "status $?"
"$TRACENEST" time lu.nest "$(anchor lu.S.4.ez)" --json -o lu.json 2>err || fail "times" "status $?"
"$TRACENEST" draw lu.nest --times lu.json -o timed.html 2>err || fail "a page with times" "status $?"
HOME=$SCRATCH XDG_CONFIG_HOME=$SCRATCH/config timeout 600 node "$here/test.mjs" "$browser" lu.html \
	none.html one.html collectives.html names.html apart.html bands.html timed.html \
	tables.html large-4096.html large-loops.html $amg report.html 2>err || :
