# Options that change nothing on what they are given with: a line on standard error says so, and all else is as without them.
. "$ROOT/tests/checks.sh"
trace=$(anchor lu.S.4.ez)
"$TRACENEST" model -q "$trace" -o lu.nest 2>err
"$TRACENEST" model -q "$(anchor is.S.4.scorep)" -o is.nest 2>err
"$TRACENEST" profile lu.nest "$trace" -o lu.db 2>err
printf '0 send 1 a\n0 recv 1 a\n' >pair.trace
"$TRACENEST" model -q pair.trace -o pair.nest 2>err
printf '// tracenest 1\n// processes 2\n0 send 1 a\n0 recv 1 a\n' >plain.nest
seq 20 >numbers
"$TRACENEST" nlr -q numbers -o numbers.nest 2>err

said() { # REASON: in one line, of this option
	test "$(grep -c -e "^tracenest: ${option%%[= ]*} changes nothing: .*$1" said)" = 1
}
idle() { # OPTION REASON ARGS...: output and status are what they are without it
	option=$1 reason=$2
	shift 2
	run "$@" "$option" -o result
	cp err said
	holds "$1 $option: $reason" said "$reason"
	if sanitized; then return; fi # without the option, other checks run it
	"$TRACENEST" "$@" -o expected 2>err
	expected=$?
	holds "$1 $option: status" test "$status" = "$expected"
	same "$1 $option: output" expected result
	rm -f expected result
}
idle --events=mpi 'text trace' events pair.trace
idle --order=recorded 'text trace' events pair.trace
idle --collectives=regions 'text trace' events pair.trace
idle --order=recorded 'in which they were posted' events "$trace"
idle --lenient 'nothing is missing' matrix lu.nest
idle --lenient 'nothing is missing' export lu.nest --to goal
idle --order=recorded 'in which they were posted' time lu.nest "$trace" --json
idle --collectives=regions 'records collectives' time lu.nest "$trace" --json
for option in --phase=recorded --affine=off --tables=off --guards=off --window=100 --repetitions=9 --growth=3; do
	idle $option 'the same without it' model pair.trace
done
idle --collectives=regions 'records collectives' events "$trace"
idle --values=bytes 'no event has any' events pair.trace
idle --times 'no event has any' events pair.trace
idle --procedures=functions 'call paths tell of no function' show lu.nest
idle --lenient 'nothing is missing' model pair.trace
idle --lenient 'not merged' model pair.trace --local
idle --growth=2 'not merged' model pair.trace --local
idle --unfolded 'not merged are not folded' model pair.trace --local
idle --unfolded '--plain says it' model pair.trace --plain
idle --values=bytes 'plain notation' model "$trace" --plain
idle --affine=off 'plain notation' model pair.trace --plain
idle --tables=off 'numbers advance' model pair.trace --affine=off
idle --guards=off 'numbers advance' model pair.trace --unfolded
idle --by-site 'where in the source' model pair.trace
idle --unfolded 'written out' show plain.nest
idle --lenient 'only C' skeleton pair.nest --lang text
idle --lenient 'nothing is missing' skeleton pair.nest
idle --size=8 'how large' export lu.nest --to goal
idle --collectives=decomposed 'no collective' export pair.nest --to goal
idle --jobs=2 'without --run' scan lu.nest --at 0
idle --jobs=2 'no trace' matrix lu.nest
accepted_idle() { # OPTION REASON ARGS...: what has no output that could be compared
	option=$1 reason=$2
	shift 2
	accepted "$1 $option" "$@" "$option"
	cp err said
	holds "$1 $option: $reason" said "$reason"
}
accepted_idle --csv 'a picture' matrix lu.nest -o lu.svg
accepted_idle --json 'a picture' time lu.nest "$trace" -o lu.svg
accepted_idle --rank=1 'line of its own' draw lu.nest -o lu.svg
accepted_idle --depth=9 'no loop is inside' draw lu.nest -o lu.svg
accepted_idle --skip-short 'of a part' draw lu.nest --loop 8 -o lu.svg
accepted_idle --skip-short 'nothing is short' draw pair.nest -o pair.svg
accepted_idle --width=200 'zoomed' draw lu.nest -o lu.html
accepted_idle --eager=9 'no trace' diff lu.db lu.db
accepted_idle --lenient 'no trace' diff lu.nest lu.nest
accepted_idle --exact 'no trace' profile lu.db lu.db -o both.db
accepted_idle --lenient 'nothing is missing' report "$trace"
for option in --lenient --events=mpi --order=recorded; do
	accepted_idle $option 'nothing is missing\|the model says' report "$trace" lu.nest
	accepted_idle $option 'nothing is missing\|the model says' profile lu.nest "$trace" -o idle.db
done
accepted_idle --lenient 'nothing is missing' check lu.nest
accepted_idle --order=posted 'no trace' check lu.nest
accepted_idle --order=posted 'text trace' check pair.nest pair.trace
accepted_idle --window=9 'none is made' nlr numbers.nest --expand

accepted "values that no event has" expand lu.nest --values type
cp err said
holds "are named" grep -q "^tracenest: --values: no statement has 'type'" said
accepted "quiet" model -q pair.trace --lenient -o result
cp err said
holds "is quiet" test ! -s said

# One spelling of what is the same.
for verb in show expand; do
	for option in --rank -r; do accepted "$verb $option" $verb lu.nest $option 1 -o "$verb$option"; done
	same "$verb: --rank and -r" "$verb--rank" "$verb-r"
done
accepted "draw --rank" draw lu.nest --rank 1 --roles -o x.svg
accepted "scan --rank" scan lu.nest --at 0 --rank 1 -o x.c
accepted "an underscore" draw lu.nest --skip_short -o x.svg
refused "a name with something behind it" 2 'unknown option --skip-shorter' draw lu.nest --skip-shorter -o x2.svg

# Nothing is left but what was asked for; scan --run keeps an index.
mkdir left
cp lu.nest left
(
	cd left || exit
	for verb in show stat expand check skeleton matrix; do "$TRACENEST" $verb lu.nest >out 2>&1; done
	for verb in check time; do "$TRACENEST" $verb lu.nest "$trace" >out 2>&1; done
	"$TRACENEST" matrix lu.nest --bytes="$trace" >out 2>&1
	"$TRACENEST" report "$trace" lu.nest >out 2>&1
	"$TRACENEST" scan lu.nest --at 0 --run "$trace" >out 2>&1
	rm out
)
holds "verbs leave no file but the index of scan" test "$(ls left | tr '\n' ' ')" = 'lu.nest lu.nest.index '
