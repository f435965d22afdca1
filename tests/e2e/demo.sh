# `make demo` shows what it says it shows, and the commands it ends with work.
. "$ROOT/tests/checks.sh"

# What is missing is installed (here by an apt-get that only says so), and the packages are seen to come; `sh run` says what there is.
mkdir fake
cat >fake/apt-get <<'END'
#!/bin/sh
echo "apt-get $*" >>apt-get.log
printf 'dlstatus:1:0:Retrieving file 1 of 2\ndlstatus:2:55.5:Retrieving file 2 of 2\npmstatus:a:3.2:Unpacking a\n'
[ ! -e no-network ] || { echo 'E: no network'; exit 100; }
END
printf '#!/bin/sh\nexec "$@"\n' >fake/sudo
chmod +x fake/apt-get fake/sudo
PATH=$PWD/fake:$PATH "$ROOT/.ci/deps" demo nosuchtool >deps.out 2>deps.err
holds "what is missing is installed" test $? = 0
holds "and nothing that is recommended" grep -q -e '^apt-get .*install --no-install-recommends nosuchtool$' apt-get.log
holds "and told" grep -qx 'deps: missing: nosuchtool' deps.out
printf 'deps: %s\n' 'downloading, 55 %: Retrieving file 2 of 2' 'installing, 3 %: Unpacking a' >expected
tail -n 2 deps.out >got
same "with its progress" expected got
: >no-network
PATH=$PWD/fake:$PATH "$ROOT/.ci/deps" demo nosuchtool >deps.out 2>deps.err
holds "without a network it fails" test $? = 1
holds "and says what to install" grep -q 'is there a network.*apt-get install nosuchtool' deps.err
holds "nothing is missing here" test -z "$("$ROOT/.ci/deps" --missing demo)"
sh "$ROOT/run" >out 2>deps.err
holds "sh run says what there is" test "$?.$(cat deps.err)" = '2.usage: sh run demo | sh run test'
rm -f no-network

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
