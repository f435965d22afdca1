# Folded models (irregular.sh has those with tables and guards) stand for what was recognized, and their own plain form asks the same of every verb: on every sample,
# and, where TRACENEST_DATA names a directory of archives, on these, with their sizes.
. "$ROOT/tests/checks.sh"

same_models() { # NAME TRACE
	name=$1 trace=$2
	accepted "$name: model" model --lenient --values none --tables=off --guards=off "$trace" -o "$name.folded"
	accepted "$name: model --unfolded" model --lenient --unfolded --affine=off --values none "$trace" -o "$name.recognized"
	accepted "$name: show --unfolded" show --unfolded "$name.folded" -o "$name.plain"
	accepted "$name: show" show "$name.folded" -o shown
	same "$name: parse(print(f)) == f" "$name.folded" shown
	"$TRACENEST" expand "$name.recognized" -o streams 2>err
	for form in folded plain; do
		"$TRACENEST" expand "$name.$form" -o result 2>err
		same "$name: $form, it stands for the streams that were recognized" streams result
	done
	# Where numbers advance, the text has loops that the plain one has written out; and from that another text is built.
	for form in folded plain; do
		"$TRACENEST" stat "$name.$form" | grep -e '^processes' -e '^events  ' -e '^constructs' >$form.stat 2>err
	done
	same "$name: and have the same figures, but for the text" plain.stat folded.stat
	"$TRACENEST" matrix --csv "$name.plain" -o plain.csv 2>err
	"$TRACENEST" matrix --csv "$name.folded" -o folded.csv 2>err
	same "$name: and the same matrix" plain.csv folded.csv
	"$TRACENEST" show --unfolded --positions "$name.plain" -o plain.positions 2>err
	"$TRACENEST" show --unfolded --positions "$name.folded" -o folded.positions 2>err
	same "$name: and the same positions" plain.positions folded.positions
	accepted "$name: show --addresses" show --addresses "$name.folded" -o addressed
	sed 's, // [0-9.]*$,,' addressed >shown
	sed 's, // [0-9]* side by side.*$,,' "$name.folded" >expected
	same "$name: addresses are remarks" expected shown
	address=$(sed -n 's,.* // \([0-9.]*\.[0-9.]*\)$,\1,p' addressed | tail -n 1)
	if [ "$address" ]; then
		"$TRACENEST" show --addresses --loop "$address" "$name.folded" 2>err | sed -n "s,^ *\(.* // $address\)\$,\1,p" >shown
		sed -n "s,^ *\(.* // $address\)\$,\1,p" addressed >expected
		same "$name: and lead to their construct" expected shown
	fi
	"$TRACENEST" show --unfolded --addresses "$name.folded" -o addressed 2>err
	address=$(sed -n 's,.* // \(u[0-9.]*\.[0-9.]*\)$,\1,p' addressed | tail -n 1)
	if [ "$address" ]; then
		"$TRACENEST" show --unfolded --addresses --loop "$address" "$name.folded" 2>err | grep -v '^//' | head -n 1 >shown
		sed -n "s,^ *\(.* // $address\)\$,\1,p" addressed >expected
		same "$name: unfolded, too" expected shown
	fi
	if [ "$name" != bt-excerpt ]; then # of which parts of messages were cut off
		accepted "$name: skeleton" skeleton --lenient "$name.folded" -o "$name.c"
		compiles "$name: which compiles" "$name.c"
	fi
	accepted "$name: skeleton --lang text" skeleton --lang text "$name.folded" -o columns
	"$TRACENEST" show columns -o shown 2>err
	same "$name: which is the model in columns" "$name.folded" shown
}

for name in $(archives); do
	same_models "$name" "$(anchor "$name")"
done
for trace in "$PAPER"/*.trace; do
	same_models "$(basename "$trace" .trace)" "$trace"
done

# What a tracer has lost leaves the rest folded: sends keep their forms, and nothing is lost besides.
without() { # NAME TRACE PATTERN: the records of a trace but those that match
	"$TRACENEST" events "$2" 2>err | grep -v -e "$3" >"$1.trace"
	same_models "$1" "$1.trace"
}
without lu.lossy "$(anchor lu.S.4.ez)" ' recv .* tag[13]$'
for line in '    [x<X-1] p send @(x+1,y) tag2' '    [y>0] @(x,y-1) recv p tag4' '[x>0] p send @(x-1,y) tag1' '[y>0] p send @(x,y-1) tag3'; do
	holds "sends without receives keep their forms: $line" grep -qxF "$line" lu.lossy.folded
done
without bt.lossy "$(anchor bt.S.4.ez)" ' recv '
holds "... also where every receive is missing" grep -qxF '[*] p send @(x+1,y+1) tag7000' bt.lossy.folded

# Groups that are one place of the grid, or all of it.
printf '// tracenest 1\n// processes 8\n// grid 4 2\n[1,3-5] p sync MPI_Bcast @(x,y) root=@(x,y)\n' >place.nest
printf '// tracenest 1\n// processes 4\n// grid 4 1\n[0-3] p sync MPI_Bcast @(*,y) root=@(1,y)\n[0-3] p sync MPI_Bcast @(*,*) root=@(1,y)\n' >whole.nest
for name in place whole; do
	accepted "$name: skeleton of such groups" skeleton "$name.nest" -o odd.c
	holds "$name: with a root" grep -q '^[[:blank:]]*bcast(1, MPI_BYTE, .*, [A-Za-z_0-9]\+);' odd.c
	compiles "$name: which compiles" odd.c
done

# What a model is made of stands in an order in which it can happen.
printf '%s\n' '0 send 1 tag1' '1 send 0 tag1' '0 recv 1 tag1' '1 recv 0 tag1' '0 local odd' '0 send 1 tag8' '0 recv 1 tag8' \
	'0 send 1 tag9' '0 recv 1 tag9' '0 send 1 tag10' '0 recv 1 tag10' >order.trace
for how in '' --local --unfolded --plain --affine=off; do
	accepted "model $how of messages that a recognizer may turn" model $how order.trace -o order.nest
	accepted "... is accepted" check order.nest order.trace
done

# What is wrong is refused, with its line.
head='// tracenest 1\n// processes 4\n'
bad() { # WHY LINE:COLUMN TEXT
	refused_model "$1" "$2" '' "$3"
}
bad "a rank beyond the processes" 3:2 "$head"'[0-4] p send 0 t\n'
bad "ranks that stand twice" 3:2 "$head"'[0-2,1] p send 0 t\n'
bad "a run backwards" 3:2 "$head"'[2-0] p send 0 t\n'
bad "a stride of 0" 3:2 "$head"'[0-2:0] p send 0 t\n'
bad "no copies" 3:2 "$head"'[(0)+2*0] p send 0 t\n'
bad "copies that overlap" 3:2 "$head"'[(0-1)+1*2] p send 0 t\n'
bad "a peer beyond the processes" 3:1 "$head"'[0-3] p send p+1 t\n'
bad "a statement over more than its loop" 4:1 "$head"'[0-1] for i0 = 0 to 3\n[0-2] p send 0 t\ndone\n'
bad "a grid of other sizes" 3:1 "$head"'// grid 4 4\n[0-3] p send @(x+1,y) t\n'
bad "coordinates without a grid" 3:14 "$head"'[0-3] p send @(x+1,y) t\n'

# Statements (lines but for "done") at most so many, and the text gzipped.
at_most() { # ARCHIVE STATEMENTS BYTES
	statements=$(grep -v -e '^//' -e '^ *done$' "$1.folded" | wc -l)
	holds "$1: $statements statements, at most $2" test "$statements" -le "$2"
	if [ -n "${3:-}" ]; then
		bytes=$(grep -v '^// note' "$1.folded" | gzip -9 | wc -c)
		holds "$1: $bytes bytes gzipped, at most $3" test "$bytes" -le "$3"
	fi
}
if [ -n "${TRACENEST_DATA:-}" ]; then
	for directory in "$TRACENEST_DATA"/*/; do
		trace=$(ls "$directory"*.otf2 2>/dev/null | head -1)
		[ -z "$trace" ] || same_models "$(basename "$directory")" "$trace"
	done
	at_most lu.A.16.scorep 100 400
	at_most cg.C.16.ez 45 400
	at_most cg.A.64.ez 60
	at_most mg.B.16.ez 180
	at_most bt.A.16.scorep 200
	at_most bt.A.16.ez 200
	# CG in the phase of its source, and as the paper's Figure 5 has it.
	loops() { sed -n 's/^\( *\)\(\[.*\] \)*for i\([0-9]\) = 0 to \([0-9]*\).*/\3:\4/p' "$1" | tr '\n' ' '; }
	accepted "model --phase recorded" model --phase recorded "$(ls "$TRACENEST_DATA"/cg.C.16.ez/*.otf2)" -o recorded
	holds "CG as recorded" test "$(loops recorded)" = '0:25 0:24 1:25 1:25 1:2 1:25 '
	holds "CG as it reads" test "$(loops cg.C.16.ez.folded)" = '0:25 0:74 1:25 '
else
	skip "the sizes of folded models: set TRACENEST_DATA"
fi
