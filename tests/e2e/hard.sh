# Small inputs that went wrong once (tests/hard has them, and what was wrong): what must come of them.
. "$ROOT/tests/checks.sh"
HARD=$ROOT/tests/hard
for f in "$HARD"/*.trace.zst; do zstd -dcqf "$f" >"$(basename "$f" .zst)"; done

# So many seconds of processor time and KiB of memory must do, many times what it takes (under sanitizers nothing is told by that).
within() { # SECONDS KIB WHY ARGS...
	seconds=$1 memory=$2 why=$3
	shift 3
	if sanitized; then return; fi
	(ulimit -t "$seconds" && ulimit -v "$memory" && exec "$TRACENEST" "$@" >out 2>err)
	status=$?
	if [ "$status" = 0 ]; then ok "$why"; else fail "$why" "status $status"; fi
}

# Events come in the order of the text, whatever loops over sets stand beside plain ones.
events_of() { # RANK MODEL: names of its events, in order
	"$TRACENEST" expand --rank "$1" "$HARD/$2" | awk '{ printf "%s ", $NF }'
}
in_order() { # MODEL RANK EVENTS
	holds "$1: the order of process $2" test "$(events_of "$2" "$1")" = "$3 "
	"$TRACENEST" show --unfolded "$HARD/$1" >unfolded.nest
	holds "$1: ... and of its plain form" test "$("$TRACENEST" expand --rank "$2" unfolded.nest | awk '{ printf "%s ", $NF }')" = "$3 "
}
in_order order1.nest 0 'a c c c c a c c c c'
in_order order1.nest 1 'a b c b c b c b c a b c b c b c b c'
in_order order2.nest 0 'a c c a c c'
in_order order2.nest 1 'a b c b c a b c b c'

for n in 9 12; do
	accepted "$n loops inside each other: positions" show --positions "$HARD/positions-depth$n.nest"
	holds "... in each of them" test "$(grep -c "#{0-1=" out)" = "$n"
	accepted "... printed and read" show "$HARD/positions-depth$n.nest" -o "deep$n.nest"
	accepted "... checked" check -q "deep$n.nest"
done

accepted "a group on an axis of one" skeleton "$HARD/skeleton-ub.nest" -o ub.c
compiles "... compiles" ub.c

accepted "a tag that ends in a backslash" draw -q "$HARD/backslash.nest" -o backslash.dot
# Outside of quotes there is nothing but DOT: every quote is closed in its statement.
holds "... leaves no quote open" awk '{ gsub(/\\\\/, ""); gsub(/\\"/, ""); n += gsub(/"/, "") } END { exit n % 2 }' backslash.dot

refused "received before it can have been sent (a trace)" 3 'rank 1, position 0: .0 recv 1 a., which rank 0 sends later' model deadlock.trace -o result
refused "... (a model)" 3 'rank 1, position 0: .0 recv 1 a., which rank 0 sends later' check "$HARD/deadlock.nest"
refused "... (in a loop)" 3 '0\.0: .0 recv 1 t. stands before the send' check "$HARD/inv.nest"
refused "messages that cross iterations" 3 'loop 1: 0 -> 1 t: what iteration 0 sends is received in iteration 1: messages cross from one iteration into another' check "$HARD/cross.nest"
refused "... below a guard" 3 "loop 0: 0 -> 1 tag1: what iteration 0 sends is received in iteration 1: messages cross" check "$HARD/crossing-under-guard.nest"
accepted "a receive before a send in the same iteration, for an earlier message" check "$HARD/earlier-message.nest"
holds "... which is found by counting" grep -q 'no loop spans several processes' out
accepted "messages three iterations under way" model -q three-under-way.trace -o three.nest
accepted "... of which the model is accepted" check three.nest three-under-way.trace
holds "... and says what it looked at" grep -q 'no loop spans several processes' out
# The loop that is blamed is one of the text that was given.
printf '// tracenest 1\n// processes 2\n[0-1] for i0 = 0 to 1\n[0-1] p local x{i0}\ndone\n0 send 1 t\n[0-1] for i0 = 0 to 4\n[1] 0 recv p t\n[0] p send 1 t\ndone\n0 recv 1 t\n' | sed 's/x{i0}/x/; s/0 to 1$/0 to {p}/' >blamed.nest
refused "a loop is blamed" 3 'loop 2: 0 -> 1 t: .*messages cross' check blamed.nest
accepted "... by an address that show knows" show --loop 2 blamed.nest
holds "... of that loop" grep -q '0 recv p t' out

# Six lines: whatever is asked of them follows the text.
for verb in stat check matrix skeleton 'show --positions' 'show --rank 0' 'show --loop 0'; do
	within 2 200000 "six lines that stand for 64,000,000 events: $verb" $verb "$HARD/blowup.nest"
done
if sanitized; then :; else
	first=$( (ulimit -t 2 && ulimit -v 200000 && "$TRACENEST" expand --rank 0 "$HARD/blowup.nest" 2>err) | head -n 3 | tr '\n' ';')
	holds "... its events come as they are asked for" test "$first" = '0 send 1 tag0;99 recv 0 tag0;0 send 1 tag1;'
fi
refused "... what needs it unfolded says so" 2 'stands for too many statements that differ' draw "$HARD/blowup.nest" -o result.svg

# Conditions and counts that repeat with the index are not gone through one by one.
guarded() { # ITERATIONS EVENTS
	printf '// tracenest 1\n// processes 4\n[0-3] for i0 = 0 to %s\n[0-3] p send (p+1)%%%%4 tag1\n[0-3] (p-1)%%%%4 recv p tag1\nif {i0%%%%7} = 6\n[0-3] for i1 = 0 to {i0%%%%5}\n[0-3] p send (p+1)%%%%4 tag2\n[0-3] (p-1)%%%%4 recv p tag2\ndone\ndone\ndone\n' "$(($1 - 1))" | sed 's/%%/%/g' >guarded.nest
	for verb in show check skeleton; do within 1 200000 "a condition in $1 iterations: $verb" $verb guarded.nest; done
	accepted "... printed" show guarded.nest -o shown
	holds "... $2 events" grep -qx "// events $2" shown
}
guarded 1000 "$(awk 'BEGIN { for (i = 0; i < 1000; i++) e += 8 + (i % 7 == 6 ? 8 * (i % 5 + 1) : 0); print e }')"
guarded 16000000 182857120
guarded 35000000000 400000000000

# Thousands of loops: none looks at all those before it.
loops() { # N
	awk -v n="$1" 'BEGIN { print "// tracenest 1\n// processes 2"; for (i = 0; i < n; i++) print "for i0 = 0 to " i % 7 + 1 "\n0 send 1 tag" i "\n0 recv 1 tag" i "\ndone" }' >loops.nest
}
loops 40000
for verb in check 'show --positions'; do within 2 400000 "40,000 loops: $verb" $verb loops.nest; done
loops 10000
for verb in stat skeleton; do within 3 400000 "10,000 loops: $verb" $verb loops.nest; done

for name in slow-1559 slow-4714; do
	within 6 400000 "$name: irregular" model -q $name.trace -o $name.nest
	sanitized || accepted "... agrees" check -q $name.nest $name.trace
done

lines() { grep -vc -e '^//' "$1"; }
ideal() { # NAME: as short as the ideal program, which is the trace's, too
	accepted "$1" model -q "$1.trace" -o "$1.nest"
	accepted "... agrees" check -q "$1.nest" "$1.trace"
	accepted "... as its ideal program does" check -q "$HARD/$1.ideal.nest" "$1.trace"
	holds "... is as short" test "$(lines "$1.nest")" -le "$(lines "$HARD/$1.ideal.nest")"
}
for name in xor8 chain16 roots7x5 summa3x5 self4x5; do ideal $name; done
holds "collectives of each process alone: one role" test "$("$TRACENEST" stat --json self4x5.nest | grep -c '"roles": *1\b')" = 1
of_at_most() { # LINES NAME
	accepted "$2" model -q "$2.trace" -o "$2.nest"
	accepted "... agrees" check -q "$2.nest" "$2.trace"
	holds "... has at most $1 lines" test "$(lines "$2.nest")" -le "$1"
}
of_at_most 80 vcycle5x7
of_at_most 10 naive12

# The model's events and what they carry are those of the trace, process by process.
by_process() { awk '{ print ($2 == "recv" ? $3 : $1), $0 }' "$1" | sort -s -n -k 1,1 >"$1.sorted"; }
whole() { # NAME
	accepted "$1" model -q --values all "$1.trace" -o "$1.nest"
	accepted "... agrees" check -q "$1.nest" "$1.trace"
	accepted "... its own values" events --values all "$1.trace" -o own
	accepted "... those of the model" expand --values all "$1.nest" -o said
	by_process own
	by_process said
	same "... are the same" own.sorted said.sorted
}
for name in sizes-by-communicator sizes-read-after-free largest-tag; do whole $name; done
