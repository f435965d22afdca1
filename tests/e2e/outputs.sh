# Results are written whole or not at all, and every write is checked.
. "$ROOT/tests/checks.sh"

trace=$(anchor bt.S.4.scorep)
"$TRACENEST" model "$trace" -o model.nest 2>err || fail "a model" "status $?"

for verb in events model; do
	refused "$verb into a full disk" 2 '/dev/full: .*No space left' "$verb" "$trace" -o /dev/full
	refused "$verb into a directory that is not there" 2 'nowhere/x: ' "$verb" "$trace" -o nowhere/x
	refused "$verb into a directory" 2 'directory' "$verb" "$trace" -o .
done
for verb in show expand stat; do
	refused "$verb into a full disk" 2 '/dev/full: .*No space left' "$verb" model.nest -o /dev/full
done
full() { # WHY ARGS...
	why=$1
	shift
	"$TRACENEST" "$@" >/dev/full 2>err
	status=$?
	if [ "$status" = 2 ] && grep -q 'No space left' err; then ok "$why"; else fail "$why" "status $status"; fi
}
full "a full standard output (--help)" --help
full "a full standard output (--version)" --version
full "a full standard output (events)" events "$trace"
full "a full standard output (show)" show model.nest
full "a full standard output (expand)" expand model.nest
full "a full standard output (stat)" stat model.nest
"$TRACENEST" show model.nest >&- 2>err
holds "a closed standard output is noticed" test $? = 2

closed() { # WHY ARGS...
	why=$1
	shift
	{ "$TRACENEST" "$@" 2>closed.err; echo $? >closed.status; } | head -n 1 >closed.out
	cp closed.err err
	if [ "$(cat closed.status)" = 0 ] && ! grep -qi pipe err; then ok "$why"; else fail "$why" "status $(cat closed.status)"; fi
}
closed "a reader that closes the pipe (events)" events "$trace"
closed "a reader that closes the pipe (expand)" expand model.nest
closed "a reader that closes the pipe (show)" show model.nest
closed "a reader that closes the pipe (--help)" --help

"$TRACENEST" show model.nest -o kept
echo 'something dear' >kept
refused "a failing run keeps what was there" 2 'nowhere.trace: No such file' model nowhere.trace -o kept
holds "to the byte" test "$(cat kept)" = 'something dear'
ln -sf kept link
accepted "a link" show model.nest -o link
holds "stays a link" test -L link
same "to the result" kept model.nest
# So does one to a file that is not there yet; its folder must be.
mkdir -p deep/er
ln -s deep/first dangling
ln -s er/last deep/first
ln -s "$PWD/nowhere/last" astray
accepted "links to a file that is not there" show model.nest -o dangling
holds "stay links" test -L dangling -a -L deep/first -a ! -L deep/er/last
same "to the result, too" deep/er/last model.nest
refused "a link to a folder that is not there" 2 'astray: .*No such file' show model.nest -o astray
holds "stays one as well" test -L astray
ln -s deep/db.link dangling.db
accepted "a profile through a link" profile -q model.nest "$trace" -o dangling.db
holds "is behind it" test -L dangling.db -a -s deep/db.link
ln -s deep/folder dangling.folder
run export -q --to otf2 model.nest -o dangling.folder
holds "a folder through a link: it stays one" test -L dangling.folder
"$TRACENEST" show model.nest -o /dev/stdout >stdout.out 2>err
same "-o /dev/stdout is standard output" stdout.out model.nest
same "show prints what model wrote" kept model.nest
(umask 027; "$TRACENEST" show model.nest -o masked)
holds "the mode follows the umask" test "$(stat -c %a masked)" = 640

# An interrupt in the middle of a long result leaves nothing, and the status says so.
printf '// tracenest 1\n// processes 2\n// events 2000000000000000000\nfor i0 = 0 to 999999999999999999\n  0 send 1 t\n  0 recv 1 t\ndone\n' >huge.nest
temporary() { ls -d .tracenest-* >ls.out 2>/dev/null; }
interrupted() { # SIGNAL STATUS
	# A job in the background of a script ignores SIGINT, and so would what it starts.
	env --default-signal="$1" "$TRACENEST" expand huge.nest -o never 2>err &
	child=$!
	wait_until temporary
	holds "SIG$1: a temporary while at work" test -s ls.out
	kill -s "$1" "$child"
	wait "$child"
	holds "SIG$1 ends the work" test $? = "$2"
	if ls -d .tracenest-* never >ls.out 2>/dev/null; then fail "SIG$1 leaves nothing" "$(cat ls.out)"; else ok "SIG$1 leaves nothing"; fi
}
interrupted INT 130
interrupted TERM 143
interrupted HUP 129

# Nor does one while a scanner is compiled, or runs: the compiler ends, with what it started, and leaves no temporary file.
printf '// tracenest 1\n// processes 2\n0 send 1 tag1\n0 recv 1 tag1\n' >tiny.nest
printf '#!/bin/sh\n: >"$TMPDIR/cc.o"\nsleep 1000 &\necho $! >sleeping\nwait\n' >slow-compiler
chmod +x slow-compiler
mkdir place
scan_interrupted() { # SIGNAL STATUS WHEN SIGN INPUT: the sign is a file that says when
	sign=$4
	rm -f sleeping
	env --default-signal="$1" TMPDIR="$PWD/place" "$TRACENEST" scan tiny.nest --at 0 --run - -o never <"$5" 2>err &
	child=$!
	wait_until there
	kill -s "$1" "$child"
	wait "$child"
	holds "SIG$1 ends a scan while $3" test $? = "$2"
	wait_until asleep # what was ended may be seen a moment longer
	if ls -d .tracenest-* never place/* >ls.out 2>/dev/null; then fail "... leaving nothing" "$(cat ls.out)"; else ok "... leaving nothing"; fi
}
there() { ls -d $sign >ls.out 2>/dev/null; }
asleep() { ! [ -s sleeping ] || ! kill -0 "$(cat sleeping)" 2>/dev/null; } # the program of the compiler's
mkfifo waiting
sleep 1000 >waiting &
writer=$!
for signal in 'INT 130' 'TERM 143' 'HUP 129'; do
	CC=$PWD/slow-compiler scan_interrupted $signal "the compiler runs" sleeping /dev/null
	scan_interrupted $signal "it runs" '.tracenest-*' waiting
done
kill $writer

# What the compiler started may take its time to remove its own files.
cat >tidy-compiler <<'END'
#!/bin/sh
(
	trap 'sleep 1.3; rm "$TMPDIR/cc.s" && : >tidied; exit' TERM
	: >"$TMPDIR/cc.s"
	while :; do sleep 0.1; done
) &
wait
END
chmod +x tidy-compiler
TMPDIR=$PWD/place CC=$PWD/tidy-compiler "$TRACENEST" scan tiny.nest --at 0 --run - -o never </dev/null 2>err &
child=$!
sign=place/*/cc.s
wait_until there
holds "a compiler is at work" there
kill "$child"
wait "$child"
holds "a compiler that tidies up is waited for" test -e tidied
holds "... leaving nothing" sh -c '! ls -d never place/* 2>/dev/null'

if sanitized; then skip "running out of memory (sanitizers reserve terabytes)"
else
	yes '0 send 1 t' | awk 'NR > 300000 { exit } { print $1, $2, $3, $4 NR }' >many.trace
	(ulimit -v 60000; "$TRACENEST" model --local --jobs 1 many.trace -o result 2>err)
	status=$?
	if [ $status = 1 ] && grep -q 'out of memory' err && [ ! -e result ] && ! ls -d .tracenest-* >ls.out 2>/dev/null; then ok "out of memory ends with status 1, leaving nothing"
	else fail "out of memory ends with status 1, leaving nothing" "status $status"; fi
	without_memory() { # KIB WHAT ARGS...: also where a library has none; what needs less than that is fine
		limit=$1 what=$2 result=result
		shift 2
		[ "$1" != draw ] || result=result.pdf
		(ulimit -v "$limit" && exec "$TRACENEST" "$@" -o $result 2>err) 2>killed
		status=$?
		if [ "$status" = 0 ] || [ "$status" = 127 ]; then rm -rf $result; fi # 127: not even its libraries fit
		case $status in 0 | 1 | 127) ok "out of memory in $what ($limit)" ;; *) fail "out of memory in $what ($limit)" "status $status" ;; esac
		if ls -d .tracenest-* $result >ls.out 2>/dev/null; then fail "... leaving nothing" "$(cat ls.out)"; else ok "... leaving nothing"; fi
	}
	for limit in 10200 10500 10800 11100 11400; do without_memory $limit "the OTF2 library" model -q --jobs 1 "$trace"; done
	for limit in 10900 11300; do without_memory $limit "what is exported" export -q model.nest --to otf2; done
	for limit in 32000 44000 56000 68000 80000; do without_memory $limit Graphviz draw -q model.nest; done
fi

# No result takes the place of what it was made from, by whatever name.
mkdir own
cp -r "$(dirname "$trace")" own/archive
own=own/archive/$(basename "$trace")
cp model.nest own/model.nest
ln -s "$(basename "$own")" own/archive/link
ln own/model.nest own/hard
mkdir own/traces
printf '0 send 1 t\n0 recv 1 t\n' >own/traces/a.trace
cp -r own own.kept
untouched() { # WHY OUTPUT ARGS...
	why=$1 to=$2
	shift 2
	run "$@" -o "$to"
	if [ "$status" = 2 ] && grep -q 'take the place of what is read' err && diff -r own own.kept >diff.out; then ok "$why"
	else fail "$why" "status $status"; fi
}
untouched "the anchor of a trace" "$own" model "$own"
untouched "... through a link" own/archive/link model "$own"
untouched "its definitions" "${own%.otf2}.def" model "$own"
untouched "its events" "$(ls "${own%.otf2}"/*.evt | head -n 1)" events "$own"
untouched "a file of a directory of traces" own/traces/a.trace model own/traces
untouched "a model" own/model.nest show own/model.nest
untouched "... through a hard link" own/hard expand own/model.nest
untouched "... by the trace that another option names" "$own" matrix own/model.nest --bytes "$own"
"$TRACENEST" model own/traces -o own/traces/new.nest 2>err
holds "a new file beside the traces is fine" test $? = 0
rm own/traces/new.nest

# ... of any verb, whatever its other files are: it is refused before one is read.
while read -r verb rest; do
	untouched "$verb: an output that is its input" own/model.nest $verb $rest
	echo "$verb" >>verbs.tried
done <<END
events own/model.nest
model own/model.nest
show own/model.nest
expand own/model.nest
stat own/model.nest
check own/model.nest
test own/model.nest model.nest
skeleton own/model.nest
replay own/model.nest
export own/model.nest --to goal
scan own/model.nest
matrix own/model.nest
draw own/model.nest
time model.nest own/model.nest
report model.nest own/model.nest
profile own/model.nest model.nest
at own/model.nest --profile run.db --time 0
diff model.nest own/model.nest
generalize own/model.nest
instantiate own/model.nest -D P=4
scaling own/model.nest model.nest
nlr own/model.nest
END
sed -n 's/^VERB\([^,]*"\([^"]*\)"\|(\([a-z]*\)\).*/\2\3/p' "$ROOT/cli/verbs.def" | grep -vx -e record -e record-exec -e name | sort >verbs.all
sort -u verbs.tried >verbs.sorted
same "every verb that writes a file of its own is tried" verbs.all verbs.sorted
untouched "expand: the profile" own/model.nest expand model.nest --profile own/model.nest --times
untouched "export: the profile" own/model.nest export model.nest --to goal --profile own/model.nest
untouched "replay: the platform" own/model.nest replay model.nest --simulate own/model.nest
untouched "scan: the trace" "$own" scan model.nest --run "$own"
untouched "at: the list of times" own/model.nest at model.nest --profile run.db --times own/model.nest
untouched "draw: the times" own/model.nest draw model.nest --times own/model.nest
to_option() { # WHY ARGS...: an output that another option names
	why=$1
	shift
	run "$@"
	if [ "$status" = 2 ] && grep -q 'take the place of what is read' err && diff -r own own.kept >diff.out; then ok "$why"
	else fail "$why" "status $status"; fi
}
to_option "replay --times" replay own/model.nest --with true --times own/model.nest
to_option "scan --program" scan own/model.nest --at 0 --run "$own" --program own/model.nest -o result
to_option "record --model" record --model own/model.nest -- cat own/model.nest
to_option "record --profile" record --profile own/model.nest -- cat own/model.nest
refused "two results in one file" 2 'two results in one file' scan model.nest --at 0 --run "$own" --program result -o result
"$TRACENEST" show - <own/model.nest -o own/model.nest 2>message
holds "standard input that is the output" grep -q 'take the place of what is read' message
"$TRACENEST" show own/model.nest >>own/hard 2>message
holds "standard output that is the input" grep -q 'standard output: the output would take the place' message
holds "... which stays as it was" diff -r own own.kept
"$TRACENEST" events own/traces/a.trace >>own/traces/a.trace 2>err
holds "... nor grows while it is read" diff -r own own.kept
