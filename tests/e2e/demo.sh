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
holds "... in forty lines" test "$(wc -l <shown)" -le 40
holds "... and ends with a page that is there" test -s "$(tail -n 1 shown)"
if grep -q 'that is run now' shown; then
	"$TRACENEST" report --json play/build/stencil.trace -o report.json 2>err
	holds "... where its exchange loses time" grep -q '"site": "stencil.c:44,46[,"]' report.json
	holds "... and its replay, to be copied" grep -q "replay .* --with 'mpirun" shown
fi
sed -n '/^What to try next/,$p' shown | sed -n 's/^  \(build.*[^ ]\)   *[^ ].*/\1/p' >hints
holds "... names what to try next" test "$(wc -l <hints)" -ge 4
while IFS= read -r line; do
	if (cd play && eval "$line" | cat >../out) </dev/null 2>err && test -s out && ! grep -q 'tracenest: ' err; then
		ok "$line"
	else
		fail "$line" "nothing is printed, or an error"
	fi
done <hints
