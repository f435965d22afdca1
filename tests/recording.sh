# recording.sh -- what checks of recordings share: sourced behind checks.sh, in its scratch directory, by tests/e2e/record.sh and tests/recordings. $mpis are
# the MPIs that are here.
programs=$(dirname "$TRACENEST")/programs
python=/usr/bin/python3
mpis=
for mpi in openmpi mpich; do
	if [ -d "$programs/$mpi" ] && command -v mpirun.$mpi >/dev/null && [ -e "$(dirname "$TRACENEST")/libtracenest-record-$mpi.so" ]; then mpis="$mpis $mpi"
	else skip "recording with $mpi, which is not here"
	fi
done
[ -n "$mpis" ] || exit 0
$python -c 'import otf2' 2>/dev/null || { skip "recording (python3-otf2 is not here)"; exit 0; }

online= traffic= # options of record, and of traffic.py

# What is recorded is what the program says of itself.
recorded() { # WHY MPI PROCESSES PROGRAM [ARGUMENT]...
	why="$1 ($2, $3 processes)" mpi=$2 n=$3
	shift 3
	rm -rf run tally.*
	LD_PRELOAD=$(polite $mpi) TALLY=$PWD/tally timeout -s KILL $HANGS "$TRACENEST" record -q $online -o run -- mpirun.$mpi -n "$n" "$@" >out 2>err
	status=$?
	if [ $status != 0 ]; then fail "$why" "status $status"
	elif ! $python "$ROOT/tests/e2e/traffic.py" $traffic run/traces.otf2 tally.* >differences 2>&1; then
		fail "$why" "the archive is not what the program says"
		sed 's/^/    /' differences
	else ok "$why"
	fi
}

# Does it fail by itself, of a few times?
fails_alone() { # MPI PROCESSES PROGRAM...
	for try in 1 2 3 4 5 6; do
		LD_PRELOAD=$(polite $1) timeout -s TERM -k 10 ${LIMIT:-$HANGS} mpirun.$1 -n $2 $3 ${4:-} >alone 2>alone.err || return 0
	done
	return 1
}

# A second counter, in front of the recorder: the same run, seen by both. Alone the program ends alike and prints the same, but for times.
counted() { # WHY MPI PROCESSES PROGRAM [ARGUMENT]...
	why="$1 ($2, $3 processes)" mpi=$2 n=$3
	shift 3
	rm -rf run count.*
	LD_PRELOAD=$(polite $mpi) timeout -s TERM -k 10 ${LIMIT:-$HANGS} mpirun.$mpi -n "$n" "$@" >alone 2>alone.err
	alone=$?
	COUNTER=$PWD/count timeout -s TERM -k 10 ${LIMIT:-$HANGS} "$TRACENEST" record -q -o run -- mpirun.$mpi -n "$n" \
		env LD_PRELOAD="$programs/$mpi/counter.so:$(dirname "$TRACENEST")/libtracenest-record-$mpi.so:$(polite $mpi)" COUNTER="$PWD/count" "$@" >out 2>err
	status=$?
	for printed in alone out; do sed -E 's/-?[0-9]*\.[0-9]+([eE][-+]?[0-9]+)?|[0-9]+:[0-9]+:[0-9]+/N/g; s/ +/ /g' $printed | sort >$printed.words; done
	if [ $alone != 0 ]; then skip "$why: alone it ends with status $alone here"
	elif [ $status != $alone ] && fails_alone $mpi $n "$@"; then skip "$why: alone it fails here now and then, too"
	elif [ $status != $alone ]; then fail "$why" "status $status, alone $alone"
	elif ! cmp -s alone.words out.words; then
		fail "$why" "it prints something else"
		diff alone.words out.words | head -n 6
	elif ! $python "$ROOT/tests/e2e/traffic.py" --sent run/traces.otf2 count.* >differences 2>&1; then
		fail "$why" "the archive is not what was counted"
		sed 's/^/    /' differences
	else ok "$why: $(tail -n 1 differences)"
	fi
}
