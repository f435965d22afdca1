# Programs whose numbers advance: their models are as long as their sources, and stand for what the constant models (--affine=off) do. Models of single
# processes (--local) and --unfolded ones are what was recognized: in the latter numbers advance where a process has many that differ in nothing else (alltoall-60, counted).
. "$ROOT/tests/checks.sh"

alltoall() { # PROCESSES: with (rank+i)
	awk -v n="$1" 'BEGIN {
		for (p = 0; p < n; p++)
			for (i = 1; i < n; i++) {
				print p, "send", (p + i) % n, "tag7"
				print (p + n - i) % n, "recv", p, "tag7"
			}
	}'
}
counting() { # PROCESSES ITERATIONS: down a line, each time with another tag
	awk -v n="$1" -v iterations="$2" 'BEGIN {
		for (p = 0; p < n; p++)
			for (t = 0; t < iterations; t++) {
				if (p + 1 < n) print p, "send", p + 1, "tag" 100 + t
				if (p > 0) print p - 1, "recv", p, "tag" 100 + t
			}
	}'
}
sweep() { # PROCESSES FIRST LAST: i steps down a line, for each i
	awk -v n="$1" -v first="$2" -v last="$3" 'BEGIN {
		step = first < last ? 1 : -1
		for (p = 0; p < n; p++)
			for (i = first; i != last + step; i += step) {
				for (j = 0; j < i; j++) {
					if (p > 0) print p - 1, "recv", p, "tag1"
					if (p + 1 < n) print p, "send", p + 1, "tag1"
				}
				print p, "sync MPI_Bcast 0-" n - 1, "root=0"
			}
	}'
}
for n in 4 12 16 60; do alltoall $n >alltoall-$n.trace; done
counting 4 40 >counting.trace
counting 4 100 >counted.trace # so many tags that they are told as numbers from the start
sweep 4 1 12 >growing.trace
sweep 4 12 1 >shrinking.trace

# An index in a number, a peer, a coordinate or a bound.
advances() { grep -v '^//' "$1" | grep -q '[{@p][^} ]*i[0-9]'; }
advances_not() { ! advances "$1"; }

# What a verb tells of the model is what it tells of the constant one.
same_answers() { # NAME MODEL CONSTANT ARGS...
	of=$1 is=$2 should=$3
	shift 3
	"$TRACENEST" "$@" "$is" >is 2>err
	echo "status $?" >>is
	"$TRACENEST" "$@" "$should" >expected 2>err
	echo "status $?" >>expected
	same "$of: $* is that of the constant model" expected is
}

# No sets, no functions, no remarks in what is no header.
plain_notation() {
	! grep -v '^//' "$1" | grep -q -e '^ *\[' -e '[{}]' -e ' // ' && grep -q '^// tracenest 1$' "$1"
}

proof() { # NAME TRACE MODEL CONSTANT
	accepted "$1: expand" expand "$3" -o expanded
	same "$1: which is the trace" "$2" expanded
	accepted "$1: check agrees" check -q "$3" "$2"
	accepted "$1: show" show "$3" -o shown
	same "$1: parse(print(f)) == f" "$3" shown
	for question in "expand --rank 2" "matrix --csv" "check -q"; do
		same_answers "$1" "$3" "$4" $question
	done
	"$TRACENEST" stat "$3" | grep -e '^processes' -e '^events  ' >is 2>err
	"$TRACENEST" stat "$4" | grep -e '^processes' -e '^events  ' >expected 2>err
	same "$1: stat is that of the constant model, but for its text" expected is
	accepted "$1: show --plain" show --plain "$3" -o plain
	holds "$1: in the notation of the paper" plain_notation plain
	"$TRACENEST" expand plain -o expanded 2>err
	same "$1: which is the trace, too" "$2" expanded
	accepted "$1: draw" draw -q "$3" -o picture.dot
	case $1 in alltoall-60\ --local) ;; *) accepted "$1: draw --roles" draw -q --roles "$3" -o picture.dot ;; esac # 60 roles
	accepted "$1: skeleton" skeleton "$3" -o skeleton.c
	compiles "$1: which compiles" skeleton.c
}

for name in alltoall-4 alltoall-16 counting growing shrinking $(sanitized || echo alltoall-12 alltoall-60 counted); do
	for form in "" --local --unfolded; do
		model=$name$form.nest constant=$name$form.constant
		accepted "$name $form" model -q $form $name.trace -o $model
		accepted "$name $form --affine=off" model -q $form --affine=off $name.trace -o $constant
		case $name$form in *--unfolded | alltoall-4--local | growing--local | shrinking--local)
			holds "$name $form: does not advance" advances_not $model ;;
		*) holds "$name $form: advances" advances $model ;;
		esac
		holds "$name $form --affine=off: does not" advances_not $constant
		sanitized && [ "$name$form" != alltoall-4 ] && [ "$name$form" != growing ] || proof "$name $form" $name.trace $model $constant
	done
	accepted "$name --plain" model -q --plain $name.trace -o plain
	same "$name: is both" $name--unfolded.constant plain
	golden "$name: the model is as it was" $name.nest affine-$name.nest
	statements=$(grep -v -e '^//' -e '^ *done$' $name.nest | wc -l)
	holds "$name: $statements statements, at most 8" test "$statements" -le 8
done

# The C text has the numbers of the model.
in_skeleton() { # NAME LINE
	"$TRACENEST" skeleton $1.nest -o skeleton.c 2>err
	holds "$1: skeleton has '$2'" grep -qF -- "$2" skeleton.c
}
in_skeleton alltoall-16 'send_to(1, MPI_BYTE, (p + 1 + i0) % 16, 7, MPI_COMM_WORLD);'
in_skeleton alltoall-16 'receive_from(1, MPI_BYTE, wrap(p - 1 - i0, 16), 7, MPI_COMM_WORLD);'
in_skeleton counting 'send_to(1, MPI_BYTE, p + 1, 100 + i0, MPI_COMM_WORLD);'
"$TRACENEST" show --unfolded counting.nest -o plain.nest 2>err
for question in "stat statements" "stat roles" "skeleton ."; do
	set -- $question
	"$TRACENEST" $1 - <counting.nest | grep "$2" >expected 2>err
	"$TRACENEST" $1 - <plain.nest | grep "$2" >is 2>err
	same "a plain model is folded and advances for $question" expected is
done
in_skeleton growing 'for (long i1 = 0; i1 <= i0; i1++) {'
"$TRACENEST" skeleton - <counting.nest >folded.c 2>err
"$TRACENEST" skeleton - <counting--local.nest >result 2>err
same "plain models are folded for it, and advance still" folded.c result
accepted "skeleton --lang text" skeleton --lang text alltoall-16.nest -o columns
accepted "reads back" show columns -o shown
same "as the model in columns" alltoall-16.nest shown

# What was recorded: the same in both ways.
same_recordings() { # NAME TRACE
	for form in "" --local; do
		accepted "$1: model $form" model -q --lenient --tables=off --guards=off $form "$2" -o on.nest
		accepted "$1: model $form --affine=off" model -q --lenient $form --affine=off --values none "$2" -o off.nest
		holds "$1: nothing advances with $form --affine=off" advances_not off.nest
		"$TRACENEST" expand on.nest -o on.streams 2>err
		"$TRACENEST" expand off.nest -o off.streams 2>err
		same "$1: stands for what the constant model $form does" off.streams on.streams
		"$TRACENEST" show on.nest -o shown 2>err
		same "$1: parse(print(f)) == f $form" on.nest shown
	done
}
for name in $(archives); do
	same_recordings "$name" "$(anchor "$name")"
done
for trace in $(enough "$PAPER"/*.trace); do
	same_recordings "$(basename "$trace" .trace)" "$trace"
done
if [ -n "${TRACENEST_DATA:-}" ]; then
	LIMIT=600
	for directory in "$TRACENEST_DATA"/*/; do
		trace=$(ls "$directory"*.otf2 2>/dev/null | head -1)
		[ -z "$trace" ] || same_recordings "$(basename "$directory")" "$trace"
	done
else
	skip "affine models of archives of one's own (TRACENEST_DATA is not set)"
fi

# What stands for nothing is refused, with its line.
head='// tracenest 1\n// processes 4\n// grid 4 1\n'
bad() { # WHY LINE:COLUMN WHAT TEXT
	refused_model "$1" "$2" "$3" "$head$4"
}
bad "a peer beyond the ranks" 5:1 'peer of process 0 would be 4194304' 'for i0 = 0 to 3\n0 send {4194302+i0} t\ndone\n'
bad "a negative tag" 5:1 'negative' 'for i0 = 0 to 3\n0 send 1 t{2-i0}\ndone\n'
bad "a process relative to p that is none" 5:1 'peer of process 0 would be 4' '[0-2] for i0 = 0 to 3\n[0-2] p send p+1+i0 t\ndone\n'
bad "an index of no loop around" 4:9 'no index' '0 send {i0} t\n'
bad "an index of a loop that is closed" 6:9 'no index' 'for i0 = 0 to 3\ndone\n0 send {i0} t\n'
bad "an index in a communicator that becomes negative" 5:1 'communicator of process 0 would be negative' '[0-3] for i0 = 0 to 3\n[0-3] p send 0 t@{2-i0}\ndone\n'
bad "an index in a remainder that becomes negative" 5:1 'tag of process 0 would be negative' '[0-3] for i0 = 0 to 3\n[0-3] p send 0 t{(i0)%%2-1}\ndone\n'
bad "an index in the lower bound" 5:10 'may not depend on indices' 'for i0 = 0 to 3\nfor i1 = {i0} to 4\ndone\ndone\n'
bad "too many statements" 6:1 'too many to go through' 'for i0 = 0 to 100000000\nfor i1 = 0 to {i0}\n0 send 1 t{i0-i1}\ndone\ndone\n'
