# Help, version, and bad usage: exit status 2 and a message that helps.
. "$ROOT/tests/checks.sh"

accepted "--version" --version
holds "says the version" grep -qx "tracenest $(cat "$ROOT/VERSION")" out
for word in -V version; do accepted "$word" $word; done
accepted "help of help" help help
accepted "--help" --help
# The verbs are those that the command says it has; a file of each stands in cli/.
verbs=$(sed -n 's/^  \([a-z-]*\) .*/\1/p' out)
sed -n 's/^VERB(\([a-z]*\),.*/\1/p; s/^VERB_AS([a-z_]*, "\([a-z-]*\)".*/\1/p' "$ROOT/cli/verbs.def" | sort >expected
echo "$verbs" | tr ' ' '\n' | sort >listed
same "--help names every verb" expected listed
for verb in $verbs; do
	run "$verb" --help
	if [ "$status" = 0 ] && [ ! -s err ] && grep -q "^Usage: tracenest $verb" out; then ok "$verb --help"; else fail "$verb --help" "status $status"; fi
	refused "$verb of nothing" 2 "$verb" "$verb"
	refused "$verb of too many files" 2 "'d'|d:|no such program|No such file|$verb" "$verb" a b c d
	refused "$verb with an option that it does not have" 2 'frobnicate' "$verb" --frobnicate x
	holds "$verb stands in a file of its own" test -f "$ROOT/cli/$verb.c"
done

"$TRACENEST" --help | grep '^  [a-z]' | cut -c 15- >out
holds "the help's rows have what verbs take in one column" sh -c '! grep -qv "^[[A-Z]" out'
refused "no verb" 2 verb
refused "an unknown verb" 2 "frobnicate" frobnicate
refused "a verb that is nearly one" 2 "did you mean model" modle x
refused "no file" 2 TRACE events
refused "two files where one is meant" 2 'b.trace' events a.trace b.trace
refused "an unknown option" 2 'frobnicate' events --frobnicate x
refused "an option of another verb" 2 'json' events --json x
refused "an option without its value" 2 'rank' events x --rank
refused "a flag with a value" 2 'local' model --local=yes x
for bad in '' -1 +1 1.5 0x10 1e3 ' 1' 1x 99999999999999999999; do
	refused "--jobs '$bad'" 2 jobs model --local --jobs "$bad" "$PAPER/pair.trace"
done
refused "--jobs 0" 2 jobs model --local --jobs 0 "$PAPER/pair.trace"
refused "--window 0" 2 window model --local --window 0 "$PAPER/pair.trace"
refused "--repetitions 1" 2 repetitions model --local --repetitions 1 "$PAPER/pair.trace"
for bad in '' x -1 3-1 0,0 1, 4194304 99999999999999999999; do
	refused "--rank '$bad'" 2 rank events --rank "$bad" "$PAPER/pair.trace"
done
refused "hyphens for a command" 2 'there is no such program' record - - - -
refused "--order of no kind" 2 'posted.*recorded' events --order random "$PAPER/pair.trace"
refused "--events of no kind" 2 'comm.*mpi.*all' events --events some "$PAPER/pair.trace"

accepted "options behind the file" events "$PAPER/pair.trace" --rank 0
holds "--rank selects" test "$(grep -c '^0 send' out)" = 10 -a "$(wc -l <out)" = 10
printf '// tracenest 1\n// processes 2\n0 send 1 t\n0 recv 1 t\n' >pair.nest
accepted "scan takes it" scan pair.nest --at 0 --rank 0
accepted "and draw" draw pair.nest --rank 0 -o result.html
cp "$PAPER/pair.trace" ./-dash
accepted "a file whose name begins with a dash, behind --" events -- -dash
"$TRACENEST" events - <"$PAPER/pair.trace" >stdin.out 2>err
same "- is standard input" out stdin.out
printf '0 local a\n' >former.trace
accepted "what an option was called once" model -q --unfold former.trace -o former.nest
