# What calls of MPI say beside peers, tags and sizes, in traces and models of text.
. "$ROOT/tests/checks.sh"

# What each member of a group is given, in a text trace: what the model says of it, and that it says no more and no less.
told() { # WHY VALUE <TRACE
	cat >own.trace
	accepted "$1" model -q own.trace -o own.nest
	holds "$1: $2" grep -qF "bytes[q]=$2 " own.nest
	accepted "$1: again" expand --values all own.nest -o again.trace
	same "$1: is what was said" own.trace again.trace
	accepted "$1: is the trace" check -q own.nest own.trace
	accepted "$1: read and printed" show own.nest -o shown.nest
	same "$1: is the same text" own.nest shown.nest
}
# Of every process, in each of so many rounds, what it has for each member.
to_members() { # PROCESSES ROUNDS GROUP EXPRESSION of p, q and t
	awk -v n=$1 -v rounds=$2 -v group="$3" "function list(p, t,   q, text, run, times, v) {
		for (q = first; q <= last; q++) {
			v = $4
			if (times && v == run) { times++; continue }
			if (times) text = text (text == \"\" ? \"\" : \",\") run (times > 1 ? \"*\" times : \"\")
			run = v; times = 1
		}
		return text (text == \"\" ? \"\" : \",\") run (times > 1 ? \"*\" times : \"\")
	}
	function sum(p, t,   q, s) { for (q = first; q <= last; q++) s += $4; return s }
	BEGIN { split(group, of, \"-\"); first = of[1]; last = of[length(of)]
		for (p = first; p <= last; p++) for (t = 0; t < rounds; t++)
			print p \" sync MPI_Alltoallv \" group \" ; bytes=\" sum(p, t) \" bytes[q]=\" list(p, t) \" received=1\" }"
}
to_members 4 5 0-3 8 | told "the same for all" 8
to_members 4 5 0-3 '8 * q' | told "by member" '{8*q}'
to_members 6 5 2-5 '8 * q + 4 * p + t' | told "by all three, in a group of some" '{4*p+8*q+i0}'
to_members 8 3 0-7 '(q == (p + 1) % 8) * 800' | told "for one neighbour" '{800 at (q+7)%8}'
to_members 5 4 0-4 '(p * 7 + q * 13 + t * 5) % 11' | told "in a table" '$b2[p,i0,q]'
to_members 1 4 0 '5 + t' | told "of a group of one" '{5+i0}'
printf '0 sync MPI_Alltoallv 0-1 ; bytes=3 bytes[q]=1,2,3 received=1\n0 sync MPI_Alltoallv 0-1 ; bytes=3 bytes[q]=none received=1\n1 sync MPI_Alltoallv 0-1 ; received=1\n1 sync MPI_Alltoallv 0-1 ; bytes=3 bytes[q]=1,2 received=1\n' >odd.trace
accepted "lists that are none" model -q odd.trace -o odd.nest
accepted "... are words" expand --values all odd.nest -o again.trace
same "... and come back" odd.trace again.trace
printf '// tracenest 1\n// processes 3\n[*] p sync MPI_Alltoallv * ; bytes[q]=$b[q]\n// tables\n$b[q] = 1 2\n' >short.nest
refused "a table without a number for a member" 2 'short.nest:3:.*no such entry' show short.nest -o result
printf '// tracenest 1\n// processes 3\n[*] p sync MPI_Alltoallv * ; bytes={q}\n' >scope.nest
refused "q elsewhere" 2 "scope.nest:3:.*'q'" show scope.nest -o result
