# Pictures: every format, the geometry of the samples' layouts, and what must be refused.
. "$ROOT/tests/checks.sh"

mkdir models
for a in $(archives); do
	"$TRACENEST" model --quiet "$(anchor "$a")" -o "models/$a.nest" 2>err || fail "a model of $a" "status $?"
done
for t in "$PAPER"/*.trace; do
	"$TRACENEST" model --quiet --lenient "$t" -o "models/$(basename "$t" .trace).nest" 2>err || fail "a model of $t" "status $?"
done
unit=$(dirname "$TRACENEST")/unit
if [ -x "$unit" ]; then
	holds "layouts of the samples are right" env TRACENEST_MODELS="$PWD/models" "$unit" viz
fi

well_formed() { # WHY FILE
	if command -v xmllint >/dev/null 2>&1; then holds "$1 is well-formed" xmllint --noout "$2"
	elif command -v python3 >/dev/null 2>&1; then holds "$1 is well-formed" python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$2"
	fi
}
starts() { head -c "${#2}" "$1" | grep -qaF -e "$2"; }

for m in models/*.nest; do
	name=$(basename "$m" .nest)
	accepted "$name as SVG" draw "$m" -o picture.svg
	well_formed "$name" picture.svg
	accepted "$name as a page" draw "$m" -o page.html
	holds "the page of $name is small" test "$(wc -c <page.html)" -lt 3000000
done
m=models/lu.S.4.ez.nest
for format in 'pdf %PDF' 'png PNG' 'dot digraph' 'html <!doctype html>'; do
	accepted "${format%% *}" draw "$m" -o "x.${format%% *}"
	holds "${format%% *} is what it says" grep -qa -e "${format#* }" "x.${format%% *}"
done
accepted "some processes and a depth" draw "$m" --depth 1 --labels tags -o x.svg
holds "tags are written" grep -q '>tag1</text>' x.svg
accepted "one construct" draw "$m" --loop 0 -o x.svg
accepted "without what is short" draw "$m" --skip-short --labels none -o x.svg
holds "... a mark says so" grep -q 'constructs left out' x.svg
accepted "a width" draw "$m" --width 150 -o x.svg
holds "... is kept" awk '/<svg width="/ { gsub(/[^0-9]/, " "); split($0, n, " "); found = 1; exit !(n[1] <= 426) } END { exit !found }' x.svg
cp x.svg first.svg
accepted "again" draw "$m" --width 150 -o x.svg
same "the same picture every time" first.svg x.svg

odd() { # NAME LINES...
	name=$1
	shift
	{ printf '// tracenest 1\n'; printf '%b\n' "$@"; } >odd.nest
	for suffix in svg html dot; do accepted "$name as $suffix" draw odd.nest -o "odd.$suffix"; done
	well_formed "$name" odd.svg
}
odd "no processes" '// processes 0'
odd "one process" '// processes 1' '0 sync MPI_Barrier 0'
odd "only collectives" '// processes 4' '0-3 sync MPI_Bcast 0-3 root=0' '0,2 sync MPI_Allreduce 0,2' '1,3 sync MPI_Allreduce 1,3'
odd "names with marks" '// processes 2' "0-1 sync MPI_<&\"'\\\\N 0-1" "0 send 1 </script><!--&amp" "0 recv 1 </script><!--&amp"
holds "a name does not end the page's data" test "$(grep -c '</script>' odd.html)" = 2
odd "UTF-8" '// processes 2' '0 local \303\251t\303\251 \342\206\222 \346\227\245\346\234\254' '0 send 1 \317\200' '0 recv 1 \317\200'
holds "UTF-8 stays what it is" grep -q '→ 日本' odd.html
odd "bytes that are no UTF-8" '// processes 2' '0 send 1 a\377\303' '0 recv 1 a\377\303'
awk 'BEGIN { print "// tracenest 1\n// processes 8"; for (i = 0; i < 2000; i++) printf "%d send %d tag%d\n%d recv %d tag%d\n", i % 8, (i * 3 + 1) % 8, i, i % 8, (i * 3 + 1) % 8, i }' >tags.nest
accepted "2,000 tags" draw tags.nest -o tags.svg
awk 'BEGIN { n = 64; print "// tracenest 1\n// processes " n * n "\nfor i = 0 to 99"
	for (p = 0; p < n * n; p++) if (p % n < n - 1) printf "%d send %d tag1\n%d recv %d tag1\n", p, p + 1, p, p + 1
	for (p = 0; p < n * n; p++) if (p >= n) printf "%d send %d tag2\n%d recv %d tag2\n", p, p - n, p, p - n
	print "done\n0-4095 sync MPI_Reduce 0-4095" }' >large.nest
LIMIT=20 accepted "4,096 processes" draw large.nest -o large.svg
holds "... below 5 MB" test "$(wc -c <large.svg)" -lt 5000000
holds "... in bands" test "$(grep -c '<text ' large.svg)" -lt 120
LIMIT=20 accepted "... some of them opened" draw large.nest --ranks 0-3,4095 -o large.svg
holds "... have lines of their own" grep -q '>4095</text>' large.svg

refused "an unknown suffix" 2 'result.gif.*\.svg, \.pdf, \.png, \.dot or \.html' draw "$m" -o result.gif
refused "no output" 2 'draw needs -o' draw "$m"
refused "a directory that is not there" 2 'nowhere/x.svg: ' draw "$m" -o nowhere/x.svg
refused "an address that does not exist" 2 'no construct at 99999' draw "$m" --loop 99999 -o x2.svg
refused "an address that is none" 2 'not an address' draw "$m" --loop a.b -o x2.svg
refused "a rank that does not exist" 2 'no rank 7' draw "$m" --ranks 7 -o x2.svg
refused "a width of nothing" 2 'not a number' draw "$m" --width 0 -o x2.svg
refused "no model" 2 'nosuch' draw nosuch.nest -o x2.svg
holds "nothing was left" test ! -e x2.svg
if [ "$(id -u)" != 0 ]; then
	mkdir locked && chmod a-w locked
	refused "a directory that cannot be written" 2 'locked/x.svg' draw "$m" -o locked/x.svg
fi
