# What threads work on is what one alone makes of it: reading, recognition, merging, tables. For ThreadSanitizer, too.
. "$ROOT/tests/checks.sh"

for name in $(archives); do
	trace=$(anchor "$name")
	for options in '--local' '--lenient' '--lenient --values bytes,received' '--local --events all --order recorded'; do
		accepted "$name: model $options, with 7 threads" model -q $options --jobs 7 "$trace" -o "$name.nest"
		if sanitized; then continue; fi # one alone races with nobody
		accepted "$name: ... and alone" model -q $options --jobs 1 "$trace" -o alone.nest
		same "$name: ... is the same" alone.nest "$name.nest"
	done
	accepted "$name: check" check -q --jobs 7 "$name.nest" "$trace"
done
accepted "a profile" profile -q is.S.4.scorep.nest "$(anchor is.S.4.scorep)" -o is.db
