# One token of a real model changed at a time: check notices every change of what it stands for. More of them: tests/tokens -n 1000.
. "$ROOT/tests/checks.sh"

if sanitized; then skip "changed tokens (the plain build proves it)"
elif ! command -v python3 >/dev/null; then skip "changed tokens (python3 is not installed)"
else
	# Nodes of five processes each, told by their communicators.
	awk 'BEGIN { for (p = 0; p < 36; p++) for (n = 0; n < 5; n++) {
		first = p - p % 5; last = first + 4 < 36 ? first + 4 : 35
		print p " sync MPI_Bcast " (first < last ? first "-" last : first) "@" 3 + first " root=" first " ; bytes=8"
		print p " sync MPI_Barrier " (first < last ? first "-" last : first) "@" 3 + first } }' >nodes.trace
	accepted "nodes: model" model -q nodes.trace -o nodes.nest
	holds "their groups are told by communicators" grep -q 'sync MPI_Barrier @' nodes.nest
	holds "125 changed tokens" python3 "$ROOT/tests/tokens" -n 125 "$TRACENEST" "$(anchor bt.S.4.scorep)" "$(anchor is.S.4.scorep)" "$(anchor mg.S.4.ez)" \
		"$(anchor lu.S.4.tau)" nodes.trace
fi
