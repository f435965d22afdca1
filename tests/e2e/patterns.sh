# Patterns of communication on different numbers of processes: as long as their source, and no longer on more processes, but for what --tables=off writes out.
. "$ROOT/tests/checks.sh"

alone() { # PROCESSES: a ring, and collectives of each process with itself
	awk -v n="$1" 'BEGIN {
		for (p = 0; p < n; p++) for (t = 0; t < 9; t++) {
			print p, "send", (p + 1) % n, "tag1"
			print (p + n - 1) % n, "recv", p, "tag1"
			print p, "sync MPI_Bcast", p "@1 root=" p
		}
	}'
}
exclusive_or() { # PROCESSES: all-to-all over p xor k
	awk -v n="$1" '
	function xor(a, b,   sum, bit) {
		for (bit = 1; a > 0 || b > 0; bit *= 2) {
			if (a % 2 != b % 2) sum += bit
			a = int(a / 2); b = int(b / 2)
		}
		return sum + 0
	}
	BEGIN {
		for (p = 0; p < n; p++) for (t = 0; t < 5; t++) for (k = 1; k < n; k++) {
			print p, "send", xor(p, k), "tag1"
			print xor(p, k), "recv", p, "tag1"
		}
	}'
}
rank_order() { # PROCESSES: all-to-all, 0 first; also the neighbours in a box of 2 x 2 x 2
	awk -v n="$1" 'BEGIN {
		for (p = 0; p < n; p++) for (t = 0; t < 5; t++) {
			for (q = 0; q < n; q++) if (q != p) print p, "send", q, "tag1"
			for (q = 0; q < n; q++) if (q != p) print q, "recv", p, "tag1"
		}
	}'
}
rotation() { # PROCESSES: all-to-all, the next one first
	awk -v n="$1" 'BEGIN {
		for (p = 0; p < n; p++) for (i = 1; i < n; i++) {
			print p, "send", (p + i) % n, "tag7"
			print (p + n - i) % n, "recv", p, "tag7"
		}
	}'
}
ring() { # PROCESSES
	awk -v n="$1" 'BEGIN {
		for (p = 0; p < n; p++) for (t = 0; t < 9; t++) {
			print p, "send", (p + 1) % n, "tag1"
			print p, "send", (p + n - 1) % n, "tag2"
			print (p + n - 1) % n, "recv", p, "tag1"
			print (p + 1) % n, "recv", p, "tag2"
		}
	}'
}
chain() { # PROCESSES: so many messages to the next on a line, then those from the one before
	awk -v n="$1" 'BEGIN {
		for (p = 0; p < n; p++) {
			for (k = 0; k < 12 && p + 1 < n; k++) print p, "send", p + 1, "tag1"
			for (k = 0; k < 12 && p > 0; k++) print p - 1, "recv", p, "tag1"
		}
	}'
}
torus() { # NX NY: neighbours, and a collective of each process with itself
	awk -v nx="$1" -v ny="$2" '
	function at(x, y) { return (x + nx) % nx + nx * ((y + ny) % ny) }
	BEGIN {
		for (p = 0; p < nx * ny; p++) for (t = 0; t < 5; t++) {
			x = p % nx; y = int(p / nx)
			print p, "send", at(x + 1, y), "tag0"; print p, "send", at(x - 1, y), "tag1"
			print p, "send", at(x, y + 1), "tag2"; print p, "send", at(x, y - 1), "tag3"
			print at(x - 1, y), "recv", p, "tag0"; print at(x + 1, y), "recv", p, "tag1"
			print at(x, y - 1), "recv", p, "tag2"; print at(x, y + 1), "recv", p, "tag3"
			print p, "sync MPI_Barrier", p "@1"
		}
	}'
}
roots() { # NX NY: broadcasts along rows and columns, the root of each going round
	awk -v nx="$1" -v ny="$2" '
	function row(y) { return nx * y "-" nx * y + nx - 1 "@" 2 + y }
	function column(x,   y, text) {
		for (y = 0; y < ny; y++) text = text (y ? "," : "") x + nx * y
		return text "@" 100 + x
	}
	BEGIN {
		for (p = 0; p < nx * ny; p++) for (t = 0; t < nx * ny; t++) {
			x = p % nx; y = int(p / nx)
			print p, "sync MPI_Bcast", row(y), "root=" t % nx + nx * y
			print p, "sync MPI_Bcast", column(x), "root=" x + nx * (t % ny)
		}
	}'
}
cells() { # N: the sweeps of NPB BT on N x N processes, each tag the cell that sends, modulo N
	awk -v n="$1" '
	function mod(a) { return (a % n + n) % n }
	function at(x, y) { return mod(x) + n * mod(y) }
	function sweep(p, x, y, dx, dy, ax, ay, bx, by,   k, qx, qy) {
		for (k = 0; k < n - 1; k++) {
			qx = mod(x - dx); qy = mod(y - dy)
			print p, "send", at(x + dx, y + dy), "tag" 3000 + mod(ax * x + ay * y - k) + n * mod(bx * x + by * y + k)
			print at(qx, qy), "recv", p, "tag" 3000 + mod(ax * qx + ay * qy - k) + n * mod(bx * qx + by * qy + k)
		}
	}
	BEGIN {
		for (p = 0; p < n * n; p++) for (t = 0; t < 5; t++) {
			x = p % n; y = int(p / n)
			sweep(p, x, y, 1, 0, 1, 1, -1, 0)
			sweep(p, x, y, 0, 1, 1, 1, 0, 1)
		}
	}'
}

of_length() { # LINES PATTERN ARGS...
	lines=$1 pattern=$2
	shift 2
	"$@" >pattern.trace
	accepted "$*: model" model -q --tables=off --guards=off pattern.trace -o pattern.nest
	holds "$*: $lines lines" test "$(grep -vc '^//' pattern.nest)" = "$lines"
	holds "$*: $pattern" grep -qF -e "$pattern" pattern.nest
	accepted "$*: check agrees" check -q pattern.nest pattern.trace
	accepted "$*: model --unfolded" model -q --unfolded --affine=off pattern.trace -o pattern.plain
	accepted "$*: expand" expand pattern.plain -o streams
	accepted "$*: expand" expand pattern.nest -o result
	same "$*: both stand for the same streams" streams result
}

for n in 8 32; do of_length 4 "p send p^{1+i0%$((n - 1))} tag1" exclusive_or $n; done
for n in 8 12; do of_length $((2 * n + 2)) 'p send 7 tag1' rank_order $n; done
for n in 5 12 16; do of_length 4 "p send (p+1+i0)%$n tag7" rotation $n; done
for n in 3 16 17; do of_length 6 "(p-1)%$n recv p tag1" ring $n; done
for n in 3 16; do of_length 5 "p sync MPI_Bcast p@1 root=p" alone $n; done
for n in 16 40; do of_length 6 "[0-$((n - 2))] p send p+1 tag1" chain $n; done
of_length 11 '@(x-1,y) recv p tag0' torus 4 5
of_length 11 '@(x-1,y) recv p tag0' torus 6 8
for n in 5 6; do of_length 4 'root=@(x,i0)' roots 7 $n; done
for n in 4 8 12; do of_length 10 "tag{3000+(x+y-i1)%$n+(-x+i1)%$n*$n}" cells $n; done
