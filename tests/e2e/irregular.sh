# Iterations that differ: what is irregular is one loop, with tables and guards, and the same events.
. "$ROOT/tests/checks.sh"

# Runs of 8 processes on a ring, each step an exchange: `ring TAG` prints one.
library='
function ring(tag, p) {
	for (p = 0; p < 8; p++) print p " send " (p + 1) % 8 " " tag
	for (p = 0; p < 8; p++) print (p + 7) % 8 " recv " p " " tag
}
function all(name, n, p) { n = n ? n : 8; for (p = 0; p < n; p++) print p " sync " name " 0-" n - 1 }
function xor(a, b, r, k) { for (k = 1; k < 64; k *= 2) r += int(a / k) % 2 != int(b / k) % 2 ? k : 0; return r + 0 }
function random(n) { seed = (seed * 16807) % 2147483647; return int(seed / 16) % n }
BEGIN { seed = 4711 }'

traced() { # NAME PROGRAM
	awk "$library BEGIN { $2 }" >"$1.trace"
}

statements() { # MODEL
	sed '/^\/\/ tables/,$d' "$1" | grep -vc -e '^//' -e '^ *done$'
}

# The reader's cost, rounded up.
cost() { # MODEL
	"$TRACENEST" stat "$1" | tr -d , | awk '/^reader.s cost / { print int($3) + (int($3) < $3); found = 1 } END { if (!found) print "unknown" }'
}

at_most() { # WHAT IS MOST
	holds "$1: $2 is no more than $3" test "$2" -le "$3"
}

drawn=0
# NAME STATEMENTS COST: no more than these; and every verb understands it.
is_one_loop() {
	accepted "$1: model" model -q $1.trace -o $1.nest
	at_most "$1: statements" "$(statements $1.nest)" $2
	at_most "$1: reader's cost" "$(cost $1.nest)" $3
	accepted "$1: check" check $1.nest $1.trace
	accepted "$1: show" show $1.nest -o shown
	same "$1: reads back" $1.nest shown
	drawn=$((drawn + 1))
	if sanitized && [ $((drawn % 3)) != 1 ]; then return; fi
	accepted "$1: draw --roles" draw --roles $1.nest -o picture.svg
	accepted "$1: skeleton" skeleton $1.nest -o skeleton.c
	if sanitized; then return; fi # what follows are other programs, and comparisons
	compiles "$1: which compiles" skeleton.c
	accepted "$1: draw" draw $1.nest -o picture.svg
	accepted "$1: model without" model -q --tables=off --guards=off $1.trace -o $1.before
	holds "$1: --tables=off --guards=off have neither" sh -c "! grep -q -e '\\$' -e '^ *if ' $1.before"
	"$TRACENEST" expand $1.before -o streams 2>err
	accepted "$1: expand" expand $1.nest -o result
	same "$1: the same streams" streams result
	accepted "$1: show --plain" show --plain $1.nest -o plain
	holds "$1: which has neither" sh -c "! grep -q -e '\\$' -e '^ *if ' plain"
	"$TRACENEST" expand plain -o result 2>err
	same "$1: and the same streams" streams result
	"$TRACENEST" matrix --csv $1.before -o matrix.before 2>err
	accepted "$1: matrix" matrix --csv $1.nest -o matrix
	same "$1: the same matrix" matrix.before matrix
	"$TRACENEST" stat $1.before | sed -n '/^processes/p;/^events  /p' >stat.before
	"$TRACENEST" stat $1.nest | sed -n '/^processes/p;/^events  /p' >stat
	same "$1: the same events" stat.before stat
	accepted "$1: show --rank" show --rank 1 $1.nest -o rank
	"$TRACENEST" expand rank -o result 2>err
	"$TRACENEST" expand --rank 1 $1.before -o expected 2>err
	same "$1: of one process" expected result
	accepted "$1: show --loop" show --loop 0 $1.nest -o shown
	accepted "$1: show --positions" show --positions $1.nest -o shown
}

traced every-seventh 'for (i = 0; i < 700; i++) { ring("tag1"); if (i % 7 == 6) ring("tag2"); if (i % 5 == 4) all("MPI_Allreduce") }'
is_one_loop every-seventh 12 14
holds "a period is a condition" grep -q '^  if {i0%7} = 6$' every-seventh.nest

traced many-sevenths 'for (i = 0; i < 3500; i++) { ring("tag1"); if (i % 7 == 6) ring("tag2"); if (i % 5 == 4) all("MPI_Allreduce") }'
accepted "the same, in more steps than are looked at one by one" model -q many-sevenths.trace -o many-sevenths.nest
at_most "more steps: statements" "$(statements many-sevenths.nest)" 12
accepted "more steps: check" check many-sevenths.nest many-sevenths.trace

traced inner-counts 'for (i = 0; i < 400; i++) { ring("tag1"); n = 1 + random(9); for (k = 0; k < n; k++) { ring("tag2"); all("MPI_Allreduce") } }'
is_one_loop inner-counts 8 130
holds "counts are a table" grep -q 'for i1 = 0 to {$n\[i0\]-1}$' inner-counts.nest

traced branch 'for (i = 0; i < 1000; i++) { ring("tag1"); if (random(2)) ring("tag2"); else all("MPI_Allreduce") }'
is_one_loop branch 10 310
holds "what is not done is done otherwise" grep -q '^  else$' branch.nest

traced triangle 'for (p = 0; p < 8; p++) for (i = 0; i < p; i++) print p " send " (p + 1) % 8 " tag1"
	for (p = 0; p < 8; p++) for (i = 0; i < p; i++) print p " recv " (p + 1) % 8 " tag1"'
is_one_loop triangle 6 6
holds "one loop for all" grep -q '^\[1-7\] for i0 = 0 to {-1+p}$' triangle.nest

traced master 'for (i = 0; i < 4000; i++) { w = 1 + random(7); print w " send 0 tag3"; print w " recv 0 tag3"; print "0 send " w " tag4"; print "0 recv " w " tag4" }'
is_one_loop master 5 1207
holds "a master and its workers are one loop" grep -q '^  \[$peer\[i0\]\] p send 0 tag3$' master.nest

# What all processes carry alike, in iterations that are not the same ones.
traced uneven 'for (p = 0; p < 8; p++) {
	n = 40 + p % 2 * 9
	for (i = 0; i < n; i++) {
		print p " local a"; if (i % 3 == 1) print p " local c"; print p " local b"
		if (substr("000110101100010110100111001011010001011", i + 1, 1) == 1 || i == n - 1) print p " local out ; bytes=" (i < n - 1 ? 8 : 16)
	}
}'
is_one_loop uneven 8 36
holds "is told apart by where it stands" grep -q '^.[*]. p local out ; bytes=16$' uneven.nest

# Inside of other loops, each time as often as there is work; and with tags that count the tasks.
traced masters 'for (s = 0; s < 20; s++) {
	all("MPI_Barrier"); n = 30 + random(10)
	for (i = 0; i < n; i++) { w = 1 + random(7); print "0 send " w " tag" i; print "0 recv " w " tag" i; print w " send 0 tag" 1000 + i; print w " recv 0 tag" 1000 + i }
	all("MPI_Allreduce")
}'
is_one_loop masters 8 225
holds "a master inside of a loop is one" grep -q '^    \[$peer\[i0,i1\]\] p send 0 tag{1000+i1}$' masters.nest

# Processes in rows, each with a communicator of its own, whose neighbours are fewer at the border; at times with whom is as far from the other end.
traced rows 'for (i = 0; i < 60; i++) {
	n = 3 + random(2)
	for (k = 0; k < n; k++) for (p = 0; p < 6; p++) {
		if (p < 4) print p " send " p + 2 " tag20"; if (p > 1) print p " send " p - 2 " tag21"
		if (p > 1) print p - 2 " recv " p " tag20"; if (p < 4) print p + 2 " recv " p " tag21"
		print p " sync MPI_Allreduce " p - p % 2 "-" p - p % 2 + 1
	}
	for (p = 0; p < 6 && i % 25 == 24; p++) { print p " send " 5 - p " tag5"; print 5 - p " recv " p " tag5" }
	for (p = 0; p < 6; p++) print p " sync MPI_Allreduce 0-5"
}'
is_one_loop rows 14 33
holds "the other end is a formula" grep -q 'p send {5-p} tag5$' rows.nest

traced adaptive 'for (i = 0; i < 30; i++) {
	for (p = 0; p < 8; p++) to[p] = p
	for (p = 7; p > 0; p--) { q = random(p + 1); s = to[p]; to[p] = to[q]; to[q] = s }
	for (k = 0; k < 10; k++) {
		for (p = 0; p < 8; p++) print p " send " to[p] " tag1"
		for (p = 0; p < 8; p++) print p " recv " to[p] " tag1"
		all("MPI_Allreduce")
	} }'
is_one_loop adaptive 5 126

traced neighbours 'for (p = 0; p < 16; p++) for (k = 0; k < 2; k++) { q = random(16); if (q != p) at[p, q] = at[q, p] = 1 }
	for (i = 0; i < 50; i++) {
		for (p = 0; p < 16; p++) for (q = 0; q < 16; q++) if (at[p, q]) print p " send " q " tag1"
		for (p = 0; p < 16; p++) for (q = 0; q < 16; q++) if (at[p, q]) print q " recv " p " tag1"
		all("MPI_Allreduce", 16)
	}'
is_one_loop neighbours 6 31
holds "neighbours are a table" grep -q 'p send $peer\[p,i1\] tag1$' neighbours.nest

traced particles 'for (i = 0; i < 60; i++) {
		all("MPI_Alltoall", 5)
		for (p = 0; p < 5; p++) for (d = 1; d < 5; d++) if ((go[p, d] = random(5) < 2)) print p " send " (p + d) % 5 " tag9"
		for (p = 0; p < 5; p++) for (d = 1; d < 5; d++) if (go[p, d]) print p " recv " (p + d) % 5 " tag9"
		if (i % 5 == 0) all("MPI_Allreduce", 5)
	}'
is_one_loop particles 18 470

# Lists of neighbours of other lengths on each process, in any order, with sizes of their own: a third of what it is without tables, which then has no sizes either.
traced lists 'for (p = 0; p < 8; p++) for (q = 0; q < p; q++) if (random(5) < 3) { to[p, n[p]++] = q; to[q, n[q]++] = p; b[p, q] = 8 * random(500); b[q, p] = 8 * random(500) }
	for (p = 0; p < 8; p++) for (k = n[p] - 1; k > 0; k--) { j = random(k + 1); s = to[p, j]; to[p, j] = to[p, k]; to[p, k] = s }
	for (i = 0; i < 50; i++) {
		for (p = 0; p < 8; p++) for (k = 0; k < n[p]; k++) print p " send " to[p, k] " tag99 ; bytes=" b[p, to[p, k]]
		for (p = 0; p < 8; p++) for (k = 0; k < n[p]; k++) print to[p, k] " recv " p " tag99 ; bytes=" b[to[p, k], p]
		all("MPI_Allreduce"); if (i % 2) all("MPI_Allreduce")
	}'
is_one_loop lists 8 49
sanitized || at_most "a third of the statements" $(($(statements lists.nest) * 3)) "$(statements lists.before)"
holds "a loop over the neighbours" grep -q '^  .[*]. for i1 = 0 to {$n.p.-1}$' lists.nest
holds "and their sizes" grep -q 'p send $peer.p,i1. tag99 ; bytes=$b[0-9]*.p,i1.$' lists.nest

# Neighbours in an order that changes, told relative to the process: the tables are the same for all, and for any number of processes.
traced relative 'for (i = 0; i < 40; i++) {
		d = 1 + random(7)
		for (p = 0; p < 8; p++) print p " send " (p + d) % 8 " tag1"
		for (p = 0; p < 8; p++) print (p + 8 - d) % 8 " recv " p " tag1"
		for (k = 1 + random(3); k > 0; k--) { x = 1 + random(7); for (p = 0; p < 8; p++) { print p " send " xor(p, x) " tag2"; print xor(p, x) " recv " p " tag2" } }
		all("MPI_Allreduce")
	}'
is_one_loop relative 8 59
holds "on a ring" grep -q 'p send (p+$peer.i0.)%8 tag1$' relative.nest
holds "and back" grep -q '(p-$peer.i0.)%8 recv p tag1$' relative.nest
holds "flipping bits" grep -q 'p send p^$peer[0-9]*.i0,i1. tag2$' relative.nest

# Neighbours of many tags, which are not the same everywhere; inner loops of other counts, and what a process hears from all others at times:
# counts and a guard are new, the neighbours stay as they are.
traced halo 'for (i = 0; i < 30; i++) {
		for (k = 0; k < 5 + i % 3; k++) {
			for (p = 0; p < 8; p++) {
				print p " send " (p + 6) % 8 " tag100"; print p " send " (p + 2) % 8 " tag101"
				print p " send " (p % 2 ? p - 1 " tag104" : p + 1 " tag105")
				print p " send " (p + 4) % 8 " tag102"; print p " send " (p + 4) % 8 " tag103"
			}
			for (p = 0; p < 8; p++) {
				print (p + 6) % 8 " recv " p " tag101"; print (p + 2) % 8 " recv " p " tag100"
				print (p % 2 ? p - 1 " recv " p " tag105" : p + 1 " recv " p " tag104")
				print (p + 4) % 8 " recv " p " tag103"; print (p + 4) % 8 " recv " p " tag102"
			}
			if (k < 4 + i % 3) all("MPI_Allreduce")
		}
		for (p = 1; p < 8 && i % 10 == 9; p++) { print p " send 0 tag7"; print p " recv 0 tag7" }
	}'
is_one_loop halo 20 21
holds "neighbours keep their formulas" grep -q '^  \[\*\] p send @(x+1,y) tag{105-x}$' halo.nest
holds "what is heard from one after the other is a loop" grep -q '^      {1+i1} recv 0 tag7$' halo.nest

# A pipeline fills and drains: one forward and one backward step in turns between. What each process meets in other iterations is told by p.
traced bubbles 'for (i = 0; i < 10; i++) {
		for (p = 0; p < 6; p++) for (k = 0; k < 21 - p; k++) {
			if (k < 16) { if (p > 0) print p - 1 " recv " p " tag1"; if (p < 5) print p " send " p + 1 " tag1" }
			if (k >= 5 - p) { if (p < 5) print p + 1 " recv " p " tag2"; if (p > 0) print p " send " p - 1 " tag2" }
		}
		for (p = 0; p < 6; p++) print p " sync MPI_Allreduce 0-5"
	}'
is_one_loop bubbles 13 28

traced late 'for (p = 0; p < 8; p++) for (i = 0; i < 40 + 9 * (p % 2); i++) {
		print p " local a"; print p " local b"; if (i == 20 + 2 * (p % 2) || i == 21 + 2 * (p % 2)) print p " sync MPI_Barrier 0-7" }'
is_one_loop late 6 7
holds "counts go around with the process" grep -q '^.[*]. for i0 = 0 to {39+p%2\*9}$' late.nest
holds "and so do conditions" grep -q '^  if {i0-p%2\*2} in {20,21}$' late.nest

# Levels of a V-cycle: smoothing stands twice in a row. A loop of all of it costs less than the levels one after the other.
traced cycles 'for (i = 0; i < 5; i++) {
		for (l = 0; l < 3; l++) for (k = 0; k < 2; k++) { t = substr("ABA", l + 1, 1); ring("x" t); ring("y" t); ring("z" t) }
		all("MPI_Allreduce")
	}'
is_one_loop cycles 23 24
holds "each level's smoothing stands once" test "$(grep -c 'p send (p+1)%8 x[AB]$' cycles.nest)" = 2

# Conjugate gradients: steps are not one long loop with a table of what is done in which of its iterations. The exchanges of pairs in front of the loop of the source
# and around its transpose are one loop, in which every third one is behind a transpose.
traced gradients 'for (i = 0; i < 16; i++) {
		pairs(); for (k = 0; k < 26; k++) { pairs(); for (p = 0; p < 4; p++) transpose("send"); for (p = 0; p < 4; p++) transpose("recv"); pairs(); pairs() }
		if (!i) for (p = 0; p < 4; p++) print p " sync MPI_Barrier 0-3"
	}
	}
	function pairs() { for (p = 0; p < 4; p++) print p " send " p + 1 - p % 2 * 2 " tag1"; for (p = 0; p < 4; p++) print p + 1 - p % 2 * 2 " recv " p " tag1" }
	function transpose(verb, q) { q = p % 2 * 2 + int(p / 2); if (verb == "send") print p " send " q " tag1"; else print q " recv " p " tag1"'
accepted "gradients: model" model -q --procedures=off gradients.trace -o gradients.nest
holds "gradients: the loops of the source" test "$(sed -n 's/.*for \(.*\)/\1/p' gradients.nest | tr '\n' ' ')" = 'i0 = 0 to 15 i1 = 0 to 78 '

# A solver whose iterations vary, and in each tenth of them is one more reduction; a collection of what it has found in each twentieth step.
traced solver 'for (i = 0; i < 40; i++) {
		ring("tag10"); ring("tag20"); ring("tag21"); n = 30 + random(30)
		for (k = 0; k < n; k++) { ring("tag30"); all("MPI_Allreduce"); if (k % 10 == 9) all("MPI_Allreduce") }
		if (i % 20 == 19) all("MPI_Gather")
	}'
is_one_loop solver 17 30
holds "its steps are a loop, not a list of iterations" grep -q '^\[\*\] for i0 = 0 to 39$' solver.nest

# The same on a torus of SIDE x SIDE, with walls, is no longer on more processes: tables that grow with these do not win.
walls() { # SIDE
	awk -v n=$1 'function id(x, y) { return x * n + y }
		BEGIN { for (i = 0; i < 20; i++) {
			for (k = 0; k <= 4 + i % 3; k++) {
				for (p = 0; p < n * n; p++) {
					x = int(p / n); y = p % n
					print p " send " id((x + n - 1) % n, y) " tag100"; print p " send " id((x + 1) % n, y) " tag101"
					if (y) print p " send " p - 1 " tag102"; if (y < n - 1) print p " send " p + 1 " tag103"
				}
				for (p = 0; p < n * n; p++) {
					x = int(p / n); y = p % n
					print id((x + n - 1) % n, y) " recv " p " tag101"; print id((x + 1) % n, y) " recv " p " tag100"
					if (y) print p - 1 " recv " p " tag103"; if (y < n - 1) print p + 1 " recv " p " tag102"
				}
				for (p = 0; p < n * n && k < 4 + i % 3; p++) print p " sync MPI_Allreduce 0-" n * n - 1
			}
			for (t = 7; t < 11; t++) for (p = 1; p < n * n && i % 10 == 9; p++) { print p " send 0 tag" t; print p " recv 0 tag" t }
		} }' >walls.$1
	accepted "walls of $1 x $1: model" model -q walls.$1 -o walls.nest
	at_most "walls of $1 x $1: statements" "$(statements walls.nest)" 25
	holds "walls of $1 x $1: what merging left apart is of no account" sh -c '! grep "^// note" walls.nest'
	at_most "walls of $1 x $1: bytes" "$(wc -c <walls.nest)" 1000
}
walls 4
walls 10

# The examples of ScalaTrace II (ICS 2013), on two processes: iterations that differ (Figure 1), as printed and more of them; inner loops of
# other counts each time (2); loops that differ from process to process (4).
two='function all(name) { print "0 sync " name " 0-1"; print "1 sync " name " 0-1" }
	function sent() { print "0 send 1 tag1"; print "1 send 0 tag1" }
	function taken() { print "1 recv 0 tag1"; print "0 recv 1 tag1" }
	function figure1(n) { for (i = 0; i < n; i++) {
		all("MPI_Barrier"); if (i % 2 == 0) sent(); if (i % 2 == 1) taken(); all("MPI_Barrier") } }'
figure() { # NAME PROGRAM
	awk "$two BEGIN { $2 }" >figure-$1.trace
	accepted "ScalaTrace II, $1" model -q figure-$1.trace -o figure-$1.nest
	golden "ScalaTrace II, $1: the model" figure-$1.nest scalatrace2-$1.nest
	accepted "ScalaTrace II, $1: check" check figure-$1.nest figure-$1.trace
}
figure 1 'figure1(2)'
figure 1-often 'figure1(300)'
figure 2 'for (i = 0; i < 60; i++) { all("MPI_Bcast"); for (j = 0; j < 2 + i * i % 7; j++) { sent(); taken() } }'
figure 4 'for (i = 0; i < 6; i++) print "0 send 1 tag1"; for (i = 0; i < 6; i++) { print "1 send 0 tag1"; print "0 recv 1 tag1" }
	for (i = 0; i < 6; i++) print "1 recv 0 tag1"'

# A model as one compressed file, read everywhere a model is.
accepted "model -o FILE.nestz" model -q neighbours.trace -o neighbours.nestz
holds "which is shorter" test "$(wc -c <neighbours.nestz)" -lt "$(wc -c <neighbours.nest)"
for verb in show stat expand skeleton matrix; do
	accepted "$verb of a compressed model" $verb neighbours.nestz -o result
	mv result packed
	"$TRACENEST" $verb neighbours.nest -o result 2>err
	same "$verb: the same" result packed
done
"$TRACENEST" show - <neighbours.nestz >packed 2>err
same "from standard input, too" neighbours.nest packed
accepted "check of a compressed model" check neighbours.nestz neighbours.trace
head -c 100 neighbours.nestz >cut.nestz
refused "a compressed model that is cut short" 2 'cut.nestz: the compressed data is damaged, or cut short' show cut.nestz -o result
printf '\050\265\057\375\265\123\050\265\057\375\041\123\157' >claims.nestz
refused "one that claims more bytes than it can hold" 2 'damaged, or cut short' show claims.nestz -o result
printf '\050\265\057\375\340\377\377\377\377\377\377\377\017' >huge.nestz
refused "one that claims 2^60 bytes" 2 'huge.nestz: not a compressed model' show huge.nestz -o result

# A halo whose receives were not recorded: nothing joins its processes, whose neighbours differ, and yet it is one loop.
traced sends 'for (k = 0; k < 20; k++) for (p = 0; p < 16; p++) {
	if (p % 4 < 3) print p " send " p + 1 " tag1"; if (p % 4) print p " send " p - 1 " tag2"
	if (p < 12) print p " send " p + 4 " tag3"; if (p > 3) print p " send " p - 4 " tag4" }'
accepted "a halo without receives: model" model -q --lenient sends.trace -o sends.nest
golden "a halo without receives is one loop" sends.nest sends.nest
accepted "a halo without receives: check" check -q --lenient sends.nest sends.trace
traced two 'for (k = 0; k < 20; k++) for (p = 0; p < 8; p++) print p " send " (p < 4 ? (p + 1) % 4 " tag1" : p - 4 " tag2")'
accepted "two programs without receives: model" model -q --lenient two.trace -o two.nest
holds "what differs in numbers alone is told by place on a grid" grep -q '^  .[*]. p send @(x-y+1,0) tag{1+y}$' two.nest

# Of what was recorded, no model becomes longer: a statement less is worth a byte. It stays what it was.
for name in $(archives); do
	trace=$(anchor "$name")
	"$TRACENEST" model -q --lenient --values none --tables=off --guards=off "$trace" -o before 2>err
	accepted "$name: model" model -q --lenient --values none "$trace" -o model
	at_most "$name: statements" "$(statements model)" "$(statements before)"
	at_most "$name: reader's cost" "$(cost model)" "$(cost before)"
	"$TRACENEST" expand before -o streams 2>err
	"$TRACENEST" expand model -o result 2>err
	same "$name: the same streams" streams result
done
