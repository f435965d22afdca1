# What the verbs promise, on every sample: the streams are the recording's, the model is the streams, reading it back changes nothing.
. "$ROOT/tests/checks.sh"

# The sums come from an independent reader of OTF2 (recorded order; roots of collectives left out) and are never blessed.
cat >expected.sums <<'X'
1fc4f68f8d1e4fb570d24a1105758872501a7df760c35305036544e22db103a9  bt.S.4.ez
cc1a1f0e9285847864bb780810a98ca8a989b5c9f870774012a9087f0d6ea6a4  bt.S.4.tau
9faf7b8407d3f29bc1dca99b51c315c533d47f68216e55c24ab80d8147e202f2  bt.S.4.scorep
e0598677619a83db5d54648ef719900c665a40bc7b65667718ee51db8aa15c9a  lu.S.4.ez
305316984bd1e7f2174010283b026cb066e6f12db8f0b9ece9d391fafb6d7e74  lu.S.4.tau
41d48fbf48fb9a802470d883e9d430f1f800456670a88d8a231ae63d80bacc7b  mg.S.4.ez
105f53ce63742d0c06d8ae35ee5fbaae49e3d34c8dc6e287f501b28ac35da95d  is.S.4.scorep
c97f130f12b3696b0c8fd0559c4359c45d308913cc388b47f679054e724d8f51  conjugate_gradient.4
X

ranks_of() { awk '{ print ($2 == "recv") ? $3 : $1 }' "$1" | sort -nu; }
stable_by_rank() { awk '{ print (($2 == "recv") ? $3 : $1) " " $0 }' "$1" | sort -s -n -k1,1 | cut -d' ' -f2-; }

round_trip() { # NAME TRACE [OPTIONS]
	name=$1 trace=$2
	shift 2
	accepted "$name: events $*" events "$@" "$trace" -o "$name.events"
	stable_by_rank "$name.events" >"$name.streams"
	accepted "$name: model --local $*" model --local "$@" "$trace" -o "$name.nest"
	accepted "$name: expand" expand "$name.nest" -o "$name.expanded"
	same "$name: the model stands for the streams" "$name.streams" "$name.expanded"
	accepted "$name: show" show "$name.nest" -o "$name.shown"
	same "$name: parse(print(m)) == m" "$name.nest" "$name.shown"
	accepted "$name: stat" stat "$name.nest" -o "$name.stat"
	accepted "$name: stat --json" stat --json "$name.nest" -o "$name.json"
	accepted "$name: model $*, global" model --lenient "$@" "$trace" -o "$name.global"
	cp err "$name.said"
	holds "$name: no guard always holds" sh -c '! grep -q "if {1}\$" "$1"' sh "$name.global"
	accepted "$name: expand the global model" expand "$name.global" -o result
	same "$name: the global model stands for the streams" "$name.streams" result
	for rank in $(ranks_of "$name.events"); do
		"$TRACENEST" expand --rank "$rank" "$name.nest"
	done >"$name.ranks" 2>err
	same "$name: expand --rank, one after the other" "$name.ranks" "$name.expanded"
	for jobs in $(sanitized || echo 1) 7; do
		"$TRACENEST" model --local "$@" --jobs $jobs -q "$trace" -o result 2>err
		same "$name: the same with --jobs $jobs" result "$name.nest"
		"$TRACENEST" model --lenient "$@" --jobs $jobs -q "$trace" -o result 2>err
		same "$name: the same global model with --jobs $jobs" result "$name.global"
	done
}

for name in $(archives); do
	trace=$(anchor "$name")
	round_trip "$name" "$trace"
	accepted "$name: check" check "$name.nest" "$trace"
	accepted "$name: check the global model" check "$name.global" "$trace"
	golden "$name: the model is as it was" "$name.nest" "$name.nest"
	golden "$name: stat is as it was" "$name.stat" "$name.stat"
	golden "$name: stat --json is as it was" "$name.json" "$name.json"
	accepted "$name: events --order recorded" events --order recorded "$trace"
	sum=$(sed 's/ root=[0-9]*$//' out | sha256sum | cut -d' ' -f1)
	holds "$name: the streams an independent reader sees" grep -qx "$sum  $name" expected.sums
	accepted "$name: model --order recorded" model --local --order recorded "$trace" -o recorded.nest
	accepted "$name: check remembers the order" check recorded.nest "$trace"
	"$TRACENEST" events --order recorded "$trace" -o recorded.events 2>err
	"$TRACENEST" expand recorded.nest -o recorded.expanded 2>err
	same "$name: recorded order, too, is kept" recorded.events recorded.expanded
	for events in mpi all; do
		accepted "$name: events --events $events" events --events $events "$trace" -o result
		holds "$name: --events $events has local events" grep -q '^[0-9]* local call ' result
		grep -v ' local ' result >without.local
		same "$name: and the same communication" without.local "$name.events"
	done
	accepted "$name: model --events mpi" model --local --events mpi "$trace" -o mpi.nest
	accepted "$name: check --events mpi" check mpi.nest "$trace"
done

for trace in "$PAPER"/*.trace; do
	name=$(basename "$trace" .trace)
	round_trip "$name" "$trace" --events all
	grep -v '^#' "$trace" | sort >plain
	sort "$name.events" >sorted
	same "$name: events is the trace" plain sorted
	golden "$name: the model is as it was" "$name.nest" "paper-$name.nest"
	golden "$name: stat is as it was" "$name.stat" "paper-$name.stat"
	case $name in
	bt-excerpt)
		refused "$name: check names what is missing" 3 tag3000 check "$name.nest" ;;
	*)
		accepted "$name: check" check "$name.nest"
		accepted "$name: check against the trace" check "$name.nest" "$trace" ;;
	esac
	"$TRACENEST" model --local --events all - <"$trace" >stdin.nest 2>err
	same "$name: the same from standard input" stdin.nest "$name.nest"
done

# Figures are the same wherever they are told.
python=python3
/usr/bin/python3 -c 'import cffi, numpy' 2>/dev/null && python=/usr/bin/python3 # whose packages are Debian's
if sanitized; then skip "figures in all views"
else
	$python "$ROOT/tests/e2e/views.py" "$TRACENEST" $(ls *.said | sed 's/\.said$//') >views 2>&1
	same "each figure is one in all views" /dev/null views
fi

# check finds a difference, and says where.
sed '0,/ to 9$/s// to 8/' pair.nest | sed 's/^\/\/ events 20/\/\/ events 19/' >short.nest
refused "check finds a missing message" 3 '0 -> 1 t: 9 sends, 10 receives' check short.nest
refused "check against the trace finds it" 3 'rank 0, position 9: ' check short.nest "$PAPER/pair.trace"
sed 's/ t$/ u/' pair.nest >renamed.nest
refused "check finds another tag" 3 'position|rank|process' check renamed.nest "$PAPER/pair.trace"

# A piece of a model by its address.
"$TRACENEST" show is.S.4.scorep.nest --rank 0 -o rank0.nest
accepted "show --rank is a model again" show rank0.nest
refused "an address that is none" 2 'loop|address' show pair.nest --loop x
refused "an address of nothing" 2 '99' show pair.nest --loop 99
accepted "show --loop" show pair.nest --loop 0
holds "prints the loop" grep -q 'for i0 = 0 to 9' out
