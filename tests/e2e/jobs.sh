# tracenest record of commands that run more than one program with MPI: each job becomes an archive of its own, programs of another MPI run as without us, and
# a place that cannot be written ends with a line.
. "$ROOT/tests/checks.sh"

. "$ROOT/tests/recording.sh"

# A word for each process; rank 0 runs a command in between.
cat >outer.c <<'END'
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv) {
	int rank, size, status = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (size > 1)
		MPI_Sendrecv(&size, 1, MPI_INT, (rank + 1) % size, 7, &status, 1, MPI_INT, (rank + size - 1) % size, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
	status = rank == 0 && argc > 1 ? system(argv[1]) : 0;
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return status != 0;
}
END
for mpi in $mpis; do holds "$mpi: a program that starts others" mpicc.$mpi -g -o outer.$mpi outer.c; done

# What a process of a launcher gives to who is to know nothing of it.
cat >apart <<'END'
#!/bin/sh
exec env -i PATH="$PATH" TMPDIR="$TMPDIR" LD_PRELOAD="$LD_PRELOAD" TRACENEST_RECORD="$TRACENEST_RECORD" TRACENEST_MODEL="$TRACENEST_MODEL" OMPI_ALLOW_RUN_AS_ROOT=1 \
	OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 "$@"
END
cat >driver.py <<'END'
import subprocess, sys
sys.exit(max(subprocess.call(["mpirun." + sys.argv[1], "-n", n, "./outer." + sys.argv[1]]) for n in ("3", "2")))
END
chmod +x apart
export TMPDIR=$PWD/tmp
mkdir -p "$TMPDIR/1" "$TMPDIR/2"

# Each archive is sound, and of one job: the number of processes of each, in order.
jobs() { # WHY MPI JOBS LINE COMMAND
	rm -rf run
	timeout -s KILL $HANGS "$TRACENEST" record --mpi $2 --model run/of.nest -o run -- sh -c "$5" >out 2>said
	status=$?
	got=
	for job in run run/job*; do
		[ -e $job/traces.otf2 ] || continue
		name=of.nest
		[ $job = run ] || name=of.${job#run/}.nest
		"$TRACENEST" check --quiet "run/$name" $job/traces.otf2 >out 2>&1 || { fail "$1 ($2)" "$job: unsound"; sed 's/^/    /' out; return; }
		got="$got $(sed -n 's|^// processes ||p' "run/$name")"
		grep -q "^tracenest: $job/traces.otf2: " said || { fail "$1 ($2)" "$job is not named"; return; }
	done
	if [ "$status.${got# }" != "0.$3" ]; then
		fail "$1 ($2)" "status $status, jobs of$got processes instead of $3"
		sed 's/^/    /' said
	elif [ "$(grep -c "^tracenest: .*$4" said)" != 1 ] || grep -v -e '^tracenest: ' -e '^\[' said; then
		fail "$1 ($2)" "not one line that says: $4"
		sed 's/^/    /' said
	elif [ -n "$(find run -name 'run-*' -o -name side -o -name online -o -name foreign -o -name job1)" ]; then fail "$1 ($2)" "something is left: $(find run)"
	else ok "$1 ($2)"
	fi
}
while IFS='|' read -r why some processes line command <&3; do
	for mpi in $some; do
		case $mpi in openmpi) other=mpich name=MPICH ;; *) other=openmpi name='Open MPI' ;; esac
		case " $mpis " in *" $mpi "*) ;; *) continue ;; esac
		case "$command" in *OTHER*) case " $mpis " in *" $other "*) ;; *) continue ;; esac ;; esac
		jobs "$why" $mpi "$processes" "$(echo "$line" | sed "s/OTHER/$name/")" "$(echo "$command" | sed "s/MPI/$mpi/g; s/OTHER/$other/g")"
	done
done 3<<'END'
one after the other|openmpi mpich|2 4|job2/traces|mpirun.MPI -n 2 ./outer.MPI; mpirun.MPI -n 4 ./outer.MPI
of as many processes, at once|openmpi mpich|2 2|job2/traces|TMPDIR=$TMPDIR/1 mpirun.MPI -n 2 ./outer.MPI & TMPDIR=$TMPDIR/2 mpirun.MPI -n 2 ./outer.MPI; wait
each all of its run|openmpi|1 1|job2/traces|./outer.MPI; ./outer.MPI
a rank that starts a program which is all of its run|openmpi|2 1|job2/traces|mpirun.MPI -n 2 ./outer.MPI './apart ./outer.MPI'
a rank that starts a job|mpich|2 3|job2/traces|mpirun.MPI -n 2 ./outer.MPI './apart mpirun.MPI -n 3 ./outer.MPI'
a driver that is a job, too|mpich|1 2|job2/traces|./outer.MPI './apart mpirun.MPI -n 2 ./outer.MPI'
a driver in Python|openmpi|3 2|job2/traces|python3 driver.py MPI
a rank that starts a program of another MPI|openmpi mpich|2|is a program of OTHER: it ran unrecorded|mpirun.MPI -n 2 ./outer.MPI './apart ./outer.OTHER'
a script with a job of another MPI before it|mpich|2|is a program of OTHER: it ran unrecorded|mpirun.OTHER -n 2 ./outer.OTHER && mpirun.MPI -n 2 ./outer.MPI
END

# Nothing but programs of another MPI: they end as they do alone.
case $mpis in
*openmpi*mpich*)
	for run in 'openmpi mpich completion' 'openmpi mpich communicators' 'mpich openmpi communicators'; do
		set -- $run
		mpi=$1 other=$2 program=$3
		rm -rf run
		LD_PRELOAD=$(polite $mpi) timeout -s KILL $HANGS "$TRACENEST" record --mpi $other -o run -- sh -c "mpirun.$mpi -n 3 $programs/$mpi/$program" >out 2>said
		status=$?
		holds "$program of $mpi under the recorder of $other: it runs" test "$status.$(grep -c '^3 processes' out)" = 0.1
		holds "and one line says what to do" sh -c 'test "$(grep -vc "^\[" said)" = 1 && grep -q "nothing was recorded: $1 is a program of .*--mpi $2 takes" said' sh $program $mpi
	done
	;;
esac

# Places.
mpi=$(echo $mpis | cut -d' ' -f1)
rm -rf run
accepted "a directory in others that are not there" record -q -o run/is//there/ -- mpirun.$mpi -n 2 ./outer.$mpi
holds "is made" test -s run/is/there/traces.otf2
for place in /proc/no/where ./outer.c ./outer.c/in; do
	"$TRACENEST" record --mpi $mpi -o $place -- sh -c 'echo it ran' >out 2>said
	status=$?
	holds "$place: the program runs" test "$status.$(cat out)" = "0.it ran"
	holds "$place: the last line says that nothing was recorded, and why" sh -c 'tail -n 1 said | grep -q "^tracenest: nothing was recorded: $1: ."' sh $place
	"$TRACENEST" record --mpi $mpi --require -o $place -- sh -c 'echo it ran' >out 2>said
	status=$?
	holds "$place, --require: it is not started" test "$status.$(cat out)" = 2.
	holds "$place, --require: one line says why" sh -c 'test "$(grep -c "$1: ." said)" = 1' sh $place
done
"$TRACENEST" record --require --mpi $mpi -o run -- true >out 2>said
holds "--require: nothing recorded is an error" test $? = 2
"$TRACENEST" record --require --mpi $mpi -o run -- sh -c 'exit 7' >out 2>said
holds "--require: what can be recorded is started" test $? = 7

mkdir bare
cp "$TRACENEST" bare/tracenest
for some in "--mpi $mpi sh" "mpirun.$mpi -n 1 sh" sh; do
	for verb in record record-exec; do
		set -- $some
		[ "$1" = --mpi ] && first="$1 $2" && shift 2 || first=
		bare/tracenest $verb $first -o none -- "$@" -c 'echo it ran' >out 2>said
		status=$?
		holds "$verb $some without a recorder: it is not started" test "$status.$(cat out)" = 2.
		holds "... one line says why" sh -c 'test "$(wc -l <said)" = 1 && grep -q "^tracenest: libtracenest-record-.*: no recorder for" said'
	done
done
