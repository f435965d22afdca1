# Two runs beside each other: traces and profiles say the same, differences add up, newer profiles are refused.
. "$ROOT/tests/checks.sh"

is=$(anchor is.S.4.scorep)
bt=$(anchor bt.S.4.scorep)
accepted "a run with itself" diff "$is" "$is"
holds "differs in nothing" grep -q '^Nothing differs\.$' out
accepted "also by status" diff --exit-code "$is" "$is"
accepted "two programs" diff "$is" "$bt"
holds "differ" grep -q 'only in the' out
"$TRACENEST" diff --exit-code "$is" "$bt" >out 2>err
holds "also by status" test $? = 3

accepted "the model of one" model -q "$is" -o is.nest
accepted "its profile" profile is.nest "$is" -o is.db
accepted "the model of the other" model -q "$bt" -o bt.nest
accepted "its profile" profile bt.nest "$bt" -o bt.db
accepted "profiles" diff is.db bt.db
sed 1,3d out >profiles
accepted "traces" diff "$is" "$bt"
sed 1,3d out >traces
holds "say the same" cmp -s profiles traces
accepted "a profile with its trace" diff is.db "$is"
holds "differs in nothing" grep -q '^Nothing differs\.$' out

if command -v python3 >/dev/null && python3 -c 'import sqlite3' 2>/dev/null; then
	python3 -c 'import sqlite3; d = sqlite3.connect("bt.db"); d.execute("PRAGMA user_version = 99"); d.commit()'
	refused "a profile of a newer version" 2 'bt.db: a profile of version 99, this is for versions up to' diff is.db bt.db -o result
	python3 -c 'import sqlite3; d = sqlite3.connect("other.db"); d.execute("CREATE TABLE t (x)"); d.commit()'
	refused "a database of somebody else" 2 'no profile that tracenest made' diff is.db other.db -o result
fi
head -c 5000 is.db >cut.db
refused "a profile that is cut short" 2 'cut.db: ' diff is.db cut.db -o result

# The same streams in other statements, and one that differs in a size, in an event, in a name.
awk 'BEGIN { for (r = 0; r < 2; r++) for (k = 0; k < 80; k++) {
	print 0, r ? "recv 1 t ; bytes=" 8 * (k + 1) : "send 1 t ; bytes=" 8 * (k + 1)
	if (k % 7 == 6) print r, "sync MPI_Barrier 0-1"
	if (k % 5 == 1) print 1, r ? "send 0 u ; bytes=16" : "recv 0 u ; bytes=16" } }' >steps.trace
sed '8s/bytes=[0-9]*/bytes=77/' steps.trace >size.trace
sed 's/MPI_Barrier/MPI_Bcast/' steps.trace >name.trace
sed '/bytes=640/s/ t / v /' steps.trace >tag.trace
accepted "a program with guards" model -q steps.trace -o steps.nest
accepted "and without" model -q --guards=off --tables=off steps.trace -o long.nest
holds "another text" sh -c '! cmp -s steps.nest long.nest'
accepted "that says the same" diff --exit-code steps.nest long.nest
holds "is the same program" grep -qx 'Nothing differs: every process does the same, told in other statements\.' out
accepted "the other way round" diff --exit-code --json long.nest steps.nest
holds "likewise" grep -q '"programs_differ": false' out
for other in size name tag; do
	accepted "another $other" model -q --lenient --guards=off $other.trace -o other.nest
	"$TRACENEST" diff --exit-code steps.nest other.nest >out 2>err
	holds "is another program ($other)" test $? = 3
done

# Streams decide, not sums: what no statement shows is told by its place.
printf '// tracenest 1\n// processes 2\n' >head
{ cat head; printf '[*] for i0 = 0 to 2\n[*] for i1 = 0 to 1\n0 send 1 a\n0 recv 1 a\ndone\n0 send 1 b\n0 recv 1 b\ndone\n'; } >twice.nest
{ cat head; printf '[*] for i0 = 0 to 5\n0 send 1 a\n0 recv 1 a\nif {i0} in {0,2,5}\n0 send 1 b\n0 recv 1 b\ndone\ndone\n'; } >some.nest
{ cat head; printf '0 send 1 a ; bytes=8\n0 send 1 b ; bytes=8\n0 send 1 b ; bytes=16\n'; } >ab.nest
{ cat head; printf '0 send 1 b ; bytes=8\n0 send 1 a ; bytes=8\n0 send 1 b ; bytes=16\n'; } >ba.nest
{ cat head; printf '0 send 1 a ; bytes=8\n0 send 1 b ; bytes=16\n0 send 1 b ; bytes=8\n'; } >sizes.nest
differs() { # WHY FIRST SECOND LINE
	run diff --exit-code "$2" "$3"
	holds "$1, by status" test $status = 3
	holds "and in words" grep -qxF "$4" out
}
differs "the same sums in another order" twice.nest some.nest 'The streams differ first on rank 0, position 1:'
differs "two sends that are swapped" ab.nest ba.nest '  second: 0 send 1 b ; bytes=8'
differs "two sizes that are swapped" ab.nest sizes.nest '  second: 0 send 1 b ; bytes=16'
holds "for machines" sh -c '"$1" diff --json ab.nest sizes.nest | grep -q "\"first_difference\": {\"rank\": 0, \"position\": 1, "' - "$TRACENEST"
{ cat head; printf 'for i0 = 0 to 999999999999\n[*] p local x\n[*] p sync B 0-1\ndone\n'; } >endless.nest
accepted "a program of more events than are compared, with itself" diff --exit-code endless.nest endless.nest
{ cat head; printf '[0-1] for i0 = 0 to 2\nfor i1 = 0 to {$n[i0]-1}\n0 send 1 a ; bytes=8\ndone\ndone\n// tables\n$n[i0] = 0 0 1\n'; } >table.nest
{ cat head; printf '0 send 700 t\n0 send 1 t\n'; } >beyond.nest
for other in head beyond.nest; do
	differs "a loop whose count is in a table, with $other" $other table.nest '2 and 2 processes; a model holds no times'
done

# Guards have no index; who a table names, and whose neighbour is there, stands in the line.
{ cat head; printf '[*] for i0 = 0 to 2\nif {i0} = 1\n[*] for i1 = 0 to 2\n[$w[i0]] p send 1-p t{i1} ; bytes=8\ndone\ndone\ndone\n// tables\n$w[i0] = 0 1 0\n'; } >guarded.nest
run diff head guarded.nest
holds "a statement in a guard is told as its text has it" grep -qF '0.0.0.0  [$w[i0]] p send {1-p} t{i1} (only in the second)' out

{ printf '// tracenest 1\n// parametric\n// processes P\n[*] for i0 = 0 to 2\n[*] p send (p+1)%%P t\n[*] (p-1)%%P recv p t\ndone\n'; } >inside.nest
awk '$1 == "done" { next } / recv / { print "done" } { print }' inside.nest >behind.nest
differs "a statement behind its loop, for every number of processes" inside.nest behind.nest 'in which loop differs: lines 6 and 7'

# Models, and mixes of kinds: programs alone.
for other in is.nest is.db "$is"; do
	accepted "a model with $(basename "$other")" diff --exit-code is.nest "$other"
	holds "differs in nothing" grep -q '^Nothing differs\.$' out
done
accepted "two models" diff is.nest bt.nest
holds "of which one has more" grep -q '^bt.nest has .* times the bytes (.*): tag.* (loop ' out
holds "the third line tells the iterations" sh -c 'sed -n 3p out | grep -qx "  iterations: all 62"'
sed 's/MPI_Alltoallv/MPI_Allgatherv/' is.nest >renamed.nest
accepted "a collective of another name" diff is.nest renamed.nest
holds "is what the first alone has" grep -q 'sync MPI_Alltoallv.*(only in the first)$' out
holds "and what the second has" grep -q 'sync MPI_Allgatherv.*(only in the second)$' out
for other in is.nest is.db "$is"; do
	"$TRACENEST" diff --exit-code "$other" bt.nest >out 2>err
	holds "differ by status" test $? = 3
done
printf '// tracenest 1\n// processes 2\nfor i0 = 0 to 9\n  0 send 1 tag1\n  0 recv 1 tag1\ndone\n' >short.nest
sed 's/0 to 9/0 to 19/' short.nest >long.nest
accepted "a loop that is longer" diff short.nest long.nest
holds "is told" sh -c 'sed -n 3p out | grep -q "^  iterations: 10 -> 20$"'
if "$TRACENEST" show -q bt.nest -o bt.nestz 2>/dev/null || "$TRACENEST" model -q "$bt" -o bt.nestz; then
	accepted "a model that is compressed" diff bt.nestz bt.nest
	holds "differs in nothing" grep -q '^Nothing differs\.$' out
fi

# For machines: what it says adds up.
if command -v python3 >/dev/null; then
	accepted "runs" diff --json "$is" "$bt" -o runs.json
	accepted "programs" diff --json is.db bt.nest -o programs.json
	holds "is JSON that adds up" python3 - <<-'EOF'
		import json
		runs, programs = json.load(open("runs.json")), json.load(open("programs.json"))
		assert abs(sum(c["change"] for c in runs["constructs"]) - runs["change"]) < 1e-8
		assert abs(runs["second"]["run"] - runs["first"]["run"] - runs["change"]) < 1e-8
		assert runs["programs_differ"] and programs["programs_differ"]
		assert programs["statements"] == runs["statements"]
		assert "constructs" not in programs and "run" in programs["first"]
		assert sum(s["second"]["messages"] for s in runs["statements"] if "second" in s) == 2952
	EOF
fi
