# Texts that read as their source: the loops of the program, its bodies said once, what they cost their reader.
. "$ROOT/tests/checks.sh"

cost_of() { # MODEL: the reader's cost, rounded up
	"$TRACENEST" stat "$1" | awk '/^reader.s cost/ { gsub(",", "", $3); print int($3 + 0.99) }'
}

# NAME MOST TRACE [VALUES]: its model, which costs no more; it says what the trace does, and check accepts it.
built() {
	accepted "$1: model" model -q --lenient "$3" -o "$1.nest"
	cost=$(cost_of "$1.nest")
	holds "$1: costs $cost, no more than $2" test "$cost" -le "$2"
	accepted "$1: is the run, and sound" check -q "$1.nest" "$3"
	"$TRACENEST" events --values bytes,received "$3" 2>err | LC_ALL=C sort >"$1.events" # their order is checked above
	accepted "$1: expand" expand --values bytes,received "$1.nest"
	LC_ALL=C sort out >"$1.expanded"
	same "$1: with its sizes" "$1.events" "$1.expanded"
	accepted "$1: show" show "$1.nest" -o shown
	same "$1: is read as it was written" "$1.nest" shown
}
says() { # WHY PATTERN MODEL
	holds "$1" grep -q -e "$2" "$3"
}
says_not() {
	holds "$1" sh -c "! grep -q -e '$2' '$3'"
}

# What the samples cost.
for row in bt.S.4.ez:47 mg.S.4.ez:59 $(sanitized || echo bt.S.4.scorep:50 lu.S.4.ez:56 bt.S.4.tau:35); do
	built "${row%:*}" "${row#*:}" "$(anchor "${row%:*}")"
done
says "the time steps of BT, one ahead of a barrier" '^\[\*\] for i0 = 0 to 60$' bt.S.4.ez.nest
says "MG: its iterations are a loop" '^\[\*\] for i0 = 0 to 3$' mg.S.4.ez.nest
says "... of an exchange that is said once" '^procedure exchange(' mg.S.4.ez.nest
says "... called with the sizes of levels" 'call exchange(8\*4^i0,' mg.S.4.ez.nest
says_not "... and no iteration stands in a table" '\[p*,*i0\]' mg.S.4.ez.nest

# Runs of 8 processes on a ring: each step an exchange of some bytes.
ring='
function ring(bytes, p) {
	for (p = 0; p < 8; p++) print p " send " (p + 1) % 8 " tag1 ; bytes=" bytes
	for (p = 0; p < 8; p++) print (p + 7) % 8 " recv " p " tag1 ; bytes=" bytes
}
function all(bytes, p) { for (p = 0; p < 8; p++) print p " sync MPI_Allreduce 0-7 ; bytes=" bytes }
'
traced() { # NAME PROGRAM
	awk "$ring BEGIN { $2 }" >"$1.trace"
}

traced levels 'for (i = 0; i < 5; i++) { for (k = 0; k < 7; k++) ring(65536 / 4 ^ k); for (k = 6; k >= 0; k--) ring(65536 / 4 ^ k); all(8) }'
built levels 11 levels.trace

traced unlike 'for (i = 0; i < 20; i++) ring(64); all(8); all(40)'
built unlike 6 unlike.trace
says_not "two sizes are no affine function" '{8+32' unlike.nest

traced setup 'ring(64); all(8); for (i = 0; i < 9; i++) { ring(64); if (i == 0) all(8); all(16) }'
built setup 14 setup.trace
says_not "set-up is no iteration under a guard" ' if {i0} = 0' setup.nest

# A ring in which each passes on what it has received: the first message is sent before the loop, so each iteration receives one of
# an earlier one. That is no loop in which messages stay.
awk 'BEGIN {
	for (s = 0; s < 4; s++)
		for (p = 0; p < 8; p++) {
			print p " send " (p + 1) % 8 " tag1"
			for (k = 0; k < 6; k++) { print (p + 7) % 8 " recv " p " tag1"; print p " send " (p + 1) % 8 " tag1" }
			print (p + 7) % 8 " recv " p " tag1"
		}
}' >passing.trace
built passing 12 passing.trace

# Levels of a line: who is on the finest one alone smooths on it four times at once, the others twice before and twice behind the
# coarse ones. All four are one statement.
awk 'function smooth(level, p, d, i) {
	d = 2 ^ level
	for (i = 0; i < 2; i++) {
		for (p = d; p < 16; p += d) print p " send " p - d " tag" 10 + level " ; bytes=" 256 / d
		for (p = 0; p + d < 16; p += d) { print p + d " recv " p " tag" 10 + level " ; bytes=" 256 / d
			print p " send " p + d " tag" 10 + level " ; bytes=" 256 / d }
		for (p = d; p < 16; p += d) print p - d " recv " p " tag" 10 + level " ; bytes=" 256 / d
	}
}
BEGIN { for (cycle = 0; cycle < 6; cycle++) {
	for (level = 0; level < 4; level++) smooth(level)
	for (level = 3; level >= 0; level--) smooth(level)
	for (p = 0; p < 16; p++) print p " sync MPI_Allreduce 0-15 ; bytes=8"
} }' >coarse.trace
built coarse 38 coarse.trace
"$TRACENEST" check coarse.nest >out 2>err
says "levels have no irregular links" 'irregular links: 0$' out

# Who does what a master tells is named by an index of the master.
awk 'BEGIN { s = 7; for (i = 0; i < 200; i++) { s = s * 16807 % 2147483647; w = 1 + int(s / 16) % 4
	print w " send 0 tag3"; print w " recv 0 tag3"; print "0 send " w " tag4"; print "0 recv " w " tag4" } }' >workers.trace
built workers 70 workers.trace
says "a master and its workers are one loop" '^  \[$peer\[i0\]\] p send 0 tag3' workers.nest

# So they are where all have their first piece of work at once, and are told in the end that there is no more.
awk 'BEGIN {
	seed = 4711; sent = busy = 5
	for (w = 1; w <= 5; w++) { print "0 send " w " tag1 ; bytes=" 4 * w; print "0 recv " w " tag1 ; bytes=" 4 * w; worker[w] = w }
	while (busy) {
		seed = (seed * 16807) % 2147483647; k = 1 + int(seed / 16) % busy; w = worker[k]
		tag = (sent < 60 ? "tag1" : "tag3") " ; bytes=" 4 + sent % 9 * 4; if (sent++ >= 60) worker[k] = worker[busy--]
		print w " send 0 tag2 ; bytes=8"; print w " recv 0 tag2 ; bytes=8"; print "0 send " w " " tag; print "0 recv " w " " tag
	} }' >pool.trace
built pool 40 pool.trace
says "a pool of workers is one loop" '^  \[$peer\[i0\]\] 0 recv p tag1 ; bytes={4+.*i0)%9\*4}$' pool.nest
