# Every option of `model`, and every two of them, on small traces: the model is that of the trace, and expands to it, whatever it was asked to look like.
. "$ROOT/tests/checks.sh"

singles='--tables=off
--guards=off
--affine=off
--procedures=off
--phase=recorded
--local
--unfolded
--plain
--by-site
--sites=off
--values=none
--values=all
--growth=1
--window=3
--repetitions=5
--lenient'

# The events of each process in order, without what they carry.
bare() { # TRACE
	sed 's/ ; .*//' "$1" | awk '{ print ($2 == "recv" ? $3 : $1) "\t" $0 }' | sort -s -n -k 1,1 | cut -f 2-
}

asked=0
one() { # TRACE OPTION...
	trace=$1
	shift
	asked=$((asked + 1))
	"$TRACENEST" model -q "$@" "$trace" -o asked.nest 2>err && "$TRACENEST" check -q asked.nest "$trace" >out 2>&1 &&
		"$TRACENEST" expand asked.nest >expanded && bare expanded | cmp -s - wanted && return
	wrong=$((wrong + 1))
	echo "$(basename "$trace"): model $*" >>wrongs
}

on_trace() { # TRACE PAIRS?
	bare "$1" >wanted
	wrong=0
	: >wrongs
	one "$1"
	for first in $singles; do
		one "$1" "$first"
		[ "$2" ] || continue
		for second in $singles; do
			[ "$first" = "$second" ] && break
			one "$1" "$second" "$first"
		done
	done
	if [ $wrong = 0 ]; then ok "all options of model on $(basename "$1")"
	else fail "all options of model on $(basename "$1")" "$(wc -l <wrongs) are wrong: $(head -n 5 wrongs | tr '\n' ';')"
	fi
}

# Sizes that follow no formula beside some that do.
awk 'BEGIN { split("16 77 8 800 8 3 3 3 3 16", size); for (r = 0; r < 2; r++) for (k = 0; k < 20; k++) {
	print 0, r ? "recv" : "send", 1, "a ; bytes=" size[1 + k * k % 10] " type=T" k % 3
	print 0, r ? "recv" : "send", 1, "b ; bytes=8" } }' >sizes.trace
# Tags that advance; sizes by process; sites; a step every third time; a triangle.
awk 'BEGIN { for (p = 0; p < 4; p++) for (k = 0; k < 60; k++) {
	print p, "send", (p + 1) % 4, "tag" k " ; bytes=" 8 * (k + 1) * (p + 1) " site=\"a.c:3 main\""
	print (p + 3) % 4, "recv", p, "tag" k " ; site=\"a.c:" 4 + k % 2 " main\""
	if (k % 3 == 1) print p, "sync MPI_Bcast 0-3@1 root=" k % 4 " ; bytes=" k * k } }' >steps.trace
awk 'BEGIN { for (p = 0; p < 4; p++) { for (k = 0; k < 7; k++) { for (i = 0; i <= k; i++) print p, "local work " i % 2; print p, "sync MPI_Barrier 0-3" }
	print p, "sync MPI_Reduce 0-1,3 root=3" } }' | grep -v '^2 sync MPI_Reduce' >triangle.trace
on_trace "$SCRATCH/sizes.trace" "$(sanitized || echo pairs)"
on_trace "$SCRATCH/triangle.trace" "$(sanitized || echo pairs)"
on_trace "$SCRATCH/steps.trace" "$(test "${TRACENEST_SOAK:-1}" = 1 || echo pairs)"
accepted "a size that follows no formula" model --tables=off sizes.trace -o result
cp err told
holds "is told to be left out" grep -q 'warning: bytes: what some events carry follows no formula' told
accepted "a tag that advances" model -q --local steps.trace -o result
holds "advances in a loop of one process, too" grep -q 'send 1 tag{' result
