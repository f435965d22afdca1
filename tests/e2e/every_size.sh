# A part of `make every-size`: what two and three runs of a written pattern teach is right on all other numbers of processes, refused, or warned of.
. "$ROOT/tests/checks.sh"

if sanitized; then skip "pairs and triples of runs (the plain build proves it)"
elif ! command -v python3 >/dev/null; then skip "pairs and triples of runs (python3 is not installed)"
else holds "pairs and triples of runs teach nothing wrong" python3 "$ROOT/tests/every_size/run" --part 7/30 --only stencil-2,red-black,binomial-doubles,trips.floorlog2,bytes.isqrt,sets.rem1000,tags.doubles "${TRACENEST%/*}"
fi

# Rules that runs on 9, 12 and 20 processes, or 8, 12 and 16, do not tell apart: the instance is right, or warned of, and --strict makes none.
law() { # NAME P RUNS... WARNING
	name=$1 P=$2
	shift 2
	runs=
	while [ $# -gt 1 ]; do runs="$runs $ROOT/tests/every_size/laws/$name.$1.nest"; shift; done
	accepted "$name" generalize $runs -o "$name.nest"
	accepted "... on $P" instantiate "$name.nest" -D P="$P" -o "$name.$P.nest"
	cp err said
	holds "... is warned of" grep -q "^tracenest: warning: .*$1" said
	holds "... and what is examined is no proof" grep -q 'that is no proof that the program would do so' said
	run check "$name.$P.nest" "$ROOT/tests/every_size/laws/$name.$P.trace"
	checked=$status
	refused "... and --strict makes none" 3 "$name.nest: --strict: its runs do not prove" instantiate "$name.nest" -D P="$P" --strict -o result
}
law bytes.isqrt 16 9 12 20 'statement 0.0 is 32 on 16 processes by 8\*log2down(P), and 24 by 8\*log2up(P)-8'
holds "... which is right" [ "$checked" = 0 ]
law set.rem1000 10 8 12 16 'an end of the ranks that execute statement 0.0 is 2 on 10 processes by P-8, and 4 by'
law trips.floorlog2 16 9 12 20 'statement 0 is 3 on 16 processes by log2up(P)-1, and 4 by log2down(P)'
law ft 128 4 8 16 '128 processes are more than any run has (16)'
accepted "a run that was learned is not doubted" instantiate set.rem1000.nest -D P=12 --strict -o result
for verb in stat "check" "skeleton -o result" "replay --model loggops --simulate cluster:10,1us,1GBps"; do
	run $verb set.rem1000.nest -D P=10
	cp err said
	holds "any verb warns: $verb" grep -q 'warning: no run is as 10 processes are in the remainder by 4, the number of factors 2, the prime powers that divide them' said
done
accepted "the events of a run" expand "$ROOT/tests/every_size/laws/set.rem1000.12.nest" -o 12.trace
accepted "a test with a program of every size" test set.rem1000.nest 12.trace
run test set.rem1000.nest "$ROOT/tests/every_size/laws/set.rem1000.10.trace"
cp err said
holds "warns where the run is not one of those" grep -q 'warning: no run is as 10 processes are' said
run check set.rem1000.nest --up-to 16
holds "instances that nothing proves are told" grep -q 'that the runs do not prove (instantiate says why): 9-11,13-15' out
