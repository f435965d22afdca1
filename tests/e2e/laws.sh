# What does not change a text but for its numbers: how many processes there are, iterations, the order in which processes are listed, sites, another recording.
. "$ROOT/tests/checks.sh"

# A solver that sums up by a butterfly (CG), sweeps over a grid (LU), sums over rows and columns of it, an exchange with all neighbours. sites: where each statement is.
programs='
function put(event, line) { print event (sites ? (event ~ / ; / ? " " : " ; ") "site=\"" line "\"" : "") }
function rank(p) { return mirrored ? P - 1 - p : p }
function at(i) { return reversed ? P - 1 - i : i }
function send(p, to, tag, bytes, line) { put(rank(p) " send " rank(to) " tag" tag " ; bytes=" bytes, line) }
function receive(p, from, tag, bytes, line) { put(rank(from) " recv " rank(p) " tag" tag " ; bytes=" bytes, line) }
function all(bytes, line, i) { for (i = 0; i < P; i++) put(rank(at(i)) " sync MPI_Allreduce 0-" P - 1 " ; bytes=" bytes " received=" bytes, line) }
function other(p, bit) { return int(p / bit) % 2 ? p - bit : p + bit }
function sum(bytes, line, i, k, bit) {
	for (bit = P / 2; bit >= 1; bit /= 2) {
		k++
		for (i = 0; i < P; i++) {
			send(at(i), other(at(i), bit), k, bytes, "cg.f:" line " conj_grad")
			receive(at(i), other(at(i), bit), k, bytes, "cg.f:" line + 1 " conj_grad")
		}
	}
}
function solver(n, k) {
	P = X * Y
	all(4, "cg.f:1 cg")
	for (n = 0; n < N; n++) {
		for (k = 0; k < 25; k++) { sum(8, 10); sum(2800, 20); sum(8, 30) }
		sum(16, 40)
		all(8, "cg.f:2 cg")
	}
}
function line_of_processes(tag, bytes, dx, dy, line, i, p, x, y) {
	for (i = 0; i < P; i++) {
		p = at(i); x = p % X; y = int(p / X)
		if (x + dx >= 0 && x + dx < X && y + dy >= 0 && y + dy < Y) send(p, p + dx + X * dy, tag, bytes, "lu.f:" line " exchange")
		if (x - dx >= 0 && x - dx < X && y - dy >= 0 && y - dy < Y) receive(p, p - dx - X * dy, tag, bytes, "lu.f:" line + 1 " exchange")
	}
}
function planes(d, k, i, p, x, y) {
	for (k = 0; k < 10; k++)
		for (i = 0; i < P; i++) {
			p = at(i); x = p % X; y = int(p / X)
			if (x - d >= 0 && x - d < X) receive(p, p - d, 2 + d, 200, "lu.f:" 10 + d " planes")
			if (y - d >= 0 && y - d < Y) receive(p, p - d * X, 6 + d, 200, "lu.f:" 20 + d " planes")
			if (x + d >= 0 && x + d < X) send(p, p + d, 2 + d, 200, "lu.f:" 30 + d " planes")
			if (y + d >= 0 && y + d < Y) send(p, p + d * X, 6 + d, 200, "lu.f:" 40 + d " planes")
		}
}
function exchange(line) {
	line_of_processes(11, 960, 1, 0, line); line_of_processes(12, 960, -1, 0, line + 10)
	line_of_processes(13, 640, 0, 1, line + 20); line_of_processes(14, 640, 0, -1, line + 30)
}
function sweeps(n) {
	P = X * Y
	exchange(100)
	all(40, "lu.f:1 lu")
	for (n = 0; n < N; n++) { planes(1); planes(-1); exchange(200) }
	all(40, "lu.f:2 lu")
}
function members(p, row, y, list) {
	if (row) return int(p / X) * X "-" int(p / X) * X + X - 1 "@" 1 + int(p / X)
	for (y = 0; y < Y; y++) list = list (y ? "," : "") p % X + X * y
	return list "@" 1 + Y + p % X
}
function rows(n, i, row) {
	P = X * Y
	for (n = 0; n < N; n++) {
		for (row = 1; row >= 0; row--)
			for (i = 0; i < P; i++) put(rank(at(i)) " sync MPI_Allreduce " members(rank(at(i)), row) " ; bytes=" 8 * (1 + row) " received=" 8 * (1 + row), "rows.c:" row " rows")
		line_of_processes(1, 64, 1, 0, 10); line_of_processes(2, 64, 0, 1, 20)
	}
	all(8, "rows.c:9 main")
}
# Nodes of a cluster whose processes stand in a row of the grid and some more, with communicators of their own.
function node(p) { return int(p / 5) }
function nodes(n, i, p, k, mark) {
	P = X * Y
	for (n = 0; n < N; n++) {
		line_of_processes(1, 64, 1, 0, 10); line_of_processes(2, 64, 0, 1, 20)
		for (i = 0; i < P; i++) {
			p = at(i); k = node(rank(p))
			mark = k * 5 "-" (k * 5 + 4 < P ? k * 5 + 4 : P - 1) "@" 3 + (7 * k + 5) % 16
			put(rank(p) " sync MPI_Allreduce " mark " ; bytes=8 received=8", "nodes.c:1 nodes")
			put(rank(p) " sync MPI_Allgather " mark " ; bytes=16 received=16", "nodes.c:2 nodes")
		}
	}
	all(8, "nodes.c:9 main")
}
function neighbours(n, d, dx, dy) {
	P = X * Y
	for (n = 0; n < N; n++) {
		for (d = 0; d < 9; d++) if (d != 4) line_of_processes(d, 32, d % 3 - 1, int(d / 3) - 1, 10)
		all(8, "halo.c:9 main")
	}
}
'

# NAME PROGRAM VARIABLES...: the model of a run, NAME.nest, and its tree, NAME.tree: the text without numbers, sets and tables.
made() {
	name=$1 program=$2
	shift 2
	awk $(printf ' -v %s' "$@") "$programs BEGIN { $program() }" >"$name.trace"
	accepted "$name: model" model -q "$name.trace" -o "$name.nest"
	accepted "$name: is the run, and sound" check -q "$name.nest" "$name.trace"
	awk '/^\/\/ tables/ { exit } /^\/\// { next }
		{ sub(/ \/\/.*/, ""); sub(/ ; .*/, ""); sub(/\[[^]]*\] /, "") }
		{ gsub(/\$[a-z]+[0-9]*\[[^]]*\]/, "#"); gsub(/\{[^}]*\}/, "#"); gsub(/-?[0-9]+/, "#"); gsub(/-#|\(#\)|#[-+*%]#/, "#"); gsub(/\+#/, "#"); print }' \
		"$name.nest" >"$name.tree"
}
cost_of() { "$TRACENEST" stat "$1.nest" | awk '/^reader.s cost/ { gsub(",", "", $3); print $3 }'; }

# PROGRAM GRID GRID...: one tree; and of the first grid with more iterations, from the last process to the first, with sites.
law() {
	program=$1 first=$2
	shift
	for grid in "$@"; do
		made "$program.$grid" "$program" X="${grid%x*}" Y="${grid#*x}" N=5
		same "$program: one tree on $first and $grid" "$program.$first.tree" "$program.$grid.tree"
	done
	set -- X="${first%x*}" Y="${first#*x}"
	for iterations in 3 50; do
		made "$program.n$iterations" "$program" "$@" N=$iterations
		same "$program: one tree with 5 iterations and $iterations" "$program.$first.tree" "$program.n$iterations.tree"
	done
	made "$program.reversed" "$program" "$@" N=5 reversed=1
	same "$program: the same in another order" "$program.$first.nest" "$program.reversed.nest"
	made "$program.mirrored" "$program" "$@" N=5 mirrored=1
	same "$program: one tree with ranks the other way round" "$program.$first.tree" "$program.mirrored.tree"
	made "$program.sites" "$program" "$@" N=5 sites=1
	same "$program: one tree with sites" "$program.$first.tree" "$program.sites.tree"
	sed 's,\([^ ]\) *// .*,\1,' "$program.sites.nest" >"$program.unsited.nest"
	holds "$program: sites cost nothing but for lines that one stands for" test "$(cost_of "$program.unsited")" = "$(cost_of "$program.$first")"
}
law solver 4x2 4x4 8x4
law sweeps 3x3 4x3 4x4 5x4
law rows 3x3 4x3 4x4
law nodes 6x6 6x7 7x8
law neighbours 3x3 4x3 5x4
