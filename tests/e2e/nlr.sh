# tracenest nlr: programs' accesses come back as their loops, as the manual shows them; any lines come back; predictions on real streams; what is refused.
. "$ROOT/tests/checks.sh"

page=$ROOT/doc/tracenest-nlr.1
holds "a program that tells of its accesses" "${CC:-cc}" -O1 -o addresses "$ROOT/tests/e2e/addresses.c"
awk 'BEGIN {
	for (k = 0; k < 15; k++) {
		for (r = k; r < 16; r++) print r " sync MPI_Bcast " k "-15 root=" k
		for (r = k + 1; r < 16; r++) { print k " send " r " tag" k; print k " recv " r " tag" k }
	}
}' >all
"$TRACENEST" events --quiet --rank 5 all -o sweep.trace
for program in multiply decompose solve stencil tiles sweep; do
	[ $program = sweep ] || ./addresses $program >$program.trace
	accepted "the accesses of $program" nlr $program.trace -o $program.nest
	awk -v from=".\\\\\" $program" '$0 == from { on = 1; next } /^\.RE/ { on = 0 } on' "$page" | sed 's/\\-/-/g' >expected
	tail -n +3 $program.nest >got
	same "$program: the nest in the manual" expected got
	accepted "$program expanded" nlr --expand $program.nest
	same "$program comes back" $program.trace out
	accepted "$program with positions" nlr --positions $program.trace -o placed.nest
	grep -v '^ *// [@#]' placed.nest >got
	same "$program: positions are remarks" $program.nest got
	accepted "$program expanded with them" nlr --expand placed.nest
	same "$program comes back with them" $program.trace out
	accepted "$program without numbers" nlr --affine off $program.trace -o plain.nest
	accepted "$program without numbers, expanded" nlr --expand plain.nest
	same "$program without numbers comes back" $program.trace out
done

awk 'BEGIN { for (i = 0; i < 9; i++) { print "row " i; for (j = 0; j < i; j++) print "item " i " " j } }' >triangle
accepted "positions of a triangle" nlr --positions triangle
tail -n +3 out >got
sed -n '/^And the positions/,/^\.RE/p' "$page" | grep -v '^[.A]' | sed 's/\\-/-/g' >expected
same "as in the manual" expected got

# Lines come back, with LF behind each.
printf 'load 1\r\nload 2\r\n\r\nload 7' >crlf
printf 'load 1\nload 2\n\nload 7\n' >expected
accepted "lines that end with CR LF, the last with nothing" nlr crlf -o crlf.nest
accepted "expanded" nlr --expand crlf.nest
same "all end with LF" expected out
printf 'load\r1\n' >lone
refused "a CR inside a line" 2 'lone:1: control character 0x0d' nlr lone -o result

# All to all, as a loop over the peers (rank + i), in rounds that the tags count.
awk 'BEGIN {
	for (t = 0; t < 10; t++) for (i = 1; i < 16; i++) for (r = 0; r < 16; r++) {
		print r " send " (r + i) % 16 " tag" 100 + t
		print (r + 16 - i) % 16 " recv " r " tag" 100 + t
	}
}' >all
"$TRACENEST" events --quiet --rank 0 all -o exchange
accepted "all to all" nlr exchange -o exchange.nest
cat >expected <<'END'
// tracenest nest 1
// records 300
for i0 = 0 to 9
  for i1 = 0 to 14
    0 send {1+i1} tag{100+i0}
    {15-i1} recv 0 tag{100+i0}
  done
done
END
same "is a loop over peers in a loop over tags" expected exchange.nest
accepted "expanded" nlr --expand exchange.nest
same "and comes back" exchange out
"$TRACENEST" events --quiet --rank 3 all | "$TRACENEST" nlr --quiet - >got
holds "where the peers wrap around, there is another loop" test "$(grep -c '^  for' got)" = 3

# Lines of every kind, and none.
: >empty
accepted "an empty trace" nlr empty -o result
holds "is an empty nest" test "$(cat result)" = "// tracenest nest 1
// records 0"
printf '%s\n' '' ' ' 'for i0 = 0 to 3' done '// x' '\' 'a{1}' '5' ' 5' '  5 6' '18446744073709551616' '0x10' '007' '-0' 'ä ö' 'done' 'done' 'done' 'done' >odd
cat odd odd odd odd >lines
accepted "odd lines" nlr lines -o odd.nest
accepted "odd lines, expanded" nlr --expand odd.nest
same "odd lines come back" lines out
nest=$("$TRACENEST" nlr --quiet - <lines | "$TRACENEST" nlr --expand - | cksum)
holds "through pipes" test "$nest" = "$(cksum <lines)"
printf '9223372036854775806\n9223372036854775807\n-9223372036854775808\n-9223372036854775807\n' >ends
accepted "the ends of 64 bits" nlr ends -o ends.nest
accepted "expanded" nlr --expand ends.nest
same "they come back" ends out

# Predictions: over 99 % of the records of LU and BT at distance 1, over 98 % at 64 (of the samples' short runs, less).
share() { awk -v d="$1" '$1 == d { print $3 }' out; }
for archive in $(archives); do
	case $(basename "$archive") in
	lu.A.*.scorep | bt.A.*.scorep) near=99 far=98 ;;
	lu.S.* | bt.S.*) near=90 far=60 ;;
	*) continue ;;
	esac
	"$TRACENEST" events --quiet --rank 0 "$(anchor "$archive")" -o stream
	accepted "$(basename "$archive") foretold" nlr --predict 64 stream
	holds "$(basename "$archive"): over $near % at distance 1" awk "BEGIN { exit !($(share 1) > $near) }"
	holds "$(basename "$archive"): over $far % at distance 64" awk "BEGIN { exit !($(share 64) > $far) }"
	"$TRACENEST" nlr --quiet stream | "$TRACENEST" nlr --expand - >got
	same "$(basename "$archive") comes back" stream got
done

refused "a file that is not there" 2 'nowhere' nlr nowhere -o result
refused "a trace as a nest" 2 'lines:1: not a nest' nlr --expand lines -o result
printf '// tracenest nest 1\n// records 3\na\n' >short
refused "a nest of other records than it says" 3 'says that it has 3 records, but has 1' nlr --expand short -o result
printf '// tracenest nest 1\nfor i0 = 0 to 2\n  {9223372036854775806+i0}\ndone\n' >beyond
refused "a nest that goes beyond 64 bits" 3 'beyond 64 bits' nlr --expand beyond -o result
refused "two copies" 2 'three copies' nlr --repetitions 2 lines -o result
accepted "two copies of words" nlr --affine off --repetitions 2 lines
refused "expanding and predicting" 2 'goes with neither' nlr --expand --predict 4 lines -o result
refused "no distance" 2 'predict' nlr --predict 0 lines -o result
head -c 3000 "$TRACENEST" >junk
refused "binary junk" 2 'junk:' nlr junk -o result
for size in 10 25 40 60; do
	head -c $size solve.nest >cut.nest
	survived "a nest cut at $size" nlr --expand cut.nest && ok "a nest cut at $size"
done
