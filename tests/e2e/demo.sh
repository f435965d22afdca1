# `make demo` shows what it says it shows, and the commands it ends with work.
. "$ROOT/tests/checks.sh"

mkdir -p play/build
cd play || exit 1
ln -s "$TRACENEST" build/tracenest
ln -s "$SAMPLES" build/samples
ln -s "$(dirname "$TRACENEST")/programs" build/programs

"$ROOT/tests/demo" build >../shown 2>../err
status=$?
cd .. || exit 1
holds "the demonstration runs" test $status = 0
holds "... and nothing but the summary is on stderr" test -z "$(grep -v '^tracenest: ' err)"
holds "... shows the main loop" grep -qx '\[\*\] for i0 = 0 to 48' shown
holds "... and the proof" grep -q 'events: the same as in the trace, in the same order' shown
if grep -q 'recorded with' shown; then
	holds "... the program that was recorded" grep -q 'send @(x,y+1) tag{.*}@2 ; bytes=256 // stencil.c:' shown
	"$TRACENEST" report --json play/build/stencil.trace -o report.json 2>err
	holds "... where its exchange loses time" grep -q '"site": "stencil.c:[0-9]*,[0-9]*"' report.json
	holds "... and its replay" grep -q 'all phases, of the process that took longest' shown
fi
for picture in svg html; do
	holds "... leaves lu.$picture" test -s play/build/lu.$picture
done
sed -n '/^What to try next/,$p' shown | sed -n 's/^  \(build.*[^ ]\)   *[^ ].*/\1/p' >hints
holds "... names what to try next" test "$(wc -l <hints)" -ge 5
while IFS= read -r line; do
	if (cd play && eval "$line" | cat >../out) </dev/null 2>err && test -s out && ! grep -q 'tracenest: ' err; then
		ok "$line"
	else
		fail "$line" "nothing is printed, or an error"
	fi
done <hints
