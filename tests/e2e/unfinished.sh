# Runs that hung or died, archives that lack the events of a rank, processes that others start, and messages that nobody receives: each is said where it is read.
. "$ROOT/tests/checks.sh"
. "$ROOT/tests/recording.sh"

cat >stands.c <<'END_OF_C'
#include <mpi.h>
#include <signal.h>
#include <unistd.h>
int main(int argc, char **argv) {
	int rank, k, a[4] = {0}, b[4] = {0};
	MPI_Comm pair;
	MPI_Request q;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair);
	for (int i = 0; i < 10; i++) MPI_Allreduce(a, b, 4, MPI_INT, MPI_SUM, pair);
	if (rank == 0) MPI_Bcast(a, 4, MPI_INT, 1, pair);
	if (rank == 1) MPI_Irecv(a, 1, MPI_INT, 3, 9, MPI_COMM_WORLD, &q);
	if (rank == 1) MPI_Waitany(1, &q, &k, MPI_STATUS_IGNORE);
	if (rank == 2) MPI_Allreduce(a, b, 4, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	sleep(2);
	raise(SIGKILL);
}
END_OF_C
cat >late.c <<'END_OF_C'
#include <mpi.h>
int main(int argc, char **argv) {
	int rank, x = 0;
	MPI_Request q = MPI_REQUEST_NULL;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 20; i++) {
		if (rank == 1) MPI_Send(&x, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
		if (rank == 0) MPI_Recv(&x, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	if (rank == 1) MPI_Isend(&x, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &q);
	if (rank == 1) MPI_Request_free(&q);
	MPI_Finalize();
}
END_OF_C
cat >starts.c <<'END_OF_C'
#include <mpi.h>
int main(int argc, char **argv) {
	MPI_Comm parent, others;
	MPI_Init(&argc, &argv);
	MPI_Comm_get_parent(&parent);
	if (parent == MPI_COMM_NULL)
		MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others, MPI_ERRCODES_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
}
END_OF_C

stand='the run did not end: 0 in MPI_Bcast (stands\.c:12), 1 in MPI_Waitany (stands\.c:14), 2 in MPI_Allreduce (stands\.c:15), 3 outside of MPI since [0-9.]* s; 1 waits for a message from 3 (tag9), and 3 is outside of MPI; MPI_Bcast since [0-9.]* s on 0-1@[0-9]*, without 1; MPI_Waitany since [0-9.]* s; MPI_Allreduce since [0-9.]* s on 0-3, without 0-1,3'
says() { # WHY FILE WORDS
	holds "$1" grep -q -e "$3" "$2"
}
record() { # OPTIONS...
	rm -rf run
	LD_PRELOAD=$(polite $mpi) timeout -s KILL $HANGS "$TRACENEST" record -o run "$@" >out 2>said
}
for mpi in $mpis; do
	for program in stands late starts; do holds "$mpi: $program" mpicc.$mpi -g -o $program.$mpi $program.c; done

	record -- mpirun.$mpi -n 4 ./stands.$mpi
	says "$mpi: who died, and who waited" said "^tracenest: $stand$"
	holds "... the archive has what is pending" grep -qa '^1 wait receive MPI_Irecv 3 9 0 0 4 0 1 stands\.c:13 main$' run/traces.otf2
	for command in 'model -o result' 'events -o result' 'report -o result'; do
		run ${command%% *} run/traces.otf2 ${command#* }
		[ "$status" = 3 ] && ok "$mpi: $command" || fail "$mpi: $command" "status $status"
		cp err said
		says "... says it first" said "^tracenest: run/traces.otf2: $stand"
		rm -f result
	done
	holds "... and suggests what there is" sh -c '! "$1" events run/traces.otf2 2>&1 >events | grep -q lenient' sh "$TRACENEST"
	accepted "$mpi: leniently" model --lenient run/traces.otf2 -o result
	mv result result.nest
	accepted "$mpi: a report" report --lenient run/traces.otf2 -o result
	holds "... has no efficiencies" sh -c 'grep -q "^Neither a run time nor efficiencies" result && ! grep -q "^run time" result'
	rm -f result
	accepted "$mpi: a profile" profile --lenient --exact result.nest run/traces.otf2 -o run.db
	accepted "$mpi: where they stood" at --time 3600s result.nest --profile run.db
	cp err said
	says "... says it first" said "^tracenest: run.db: $stand"
	says "... names the call" out '^  2 in MPI_Allreduce (stands\.c:15), behind 0.*i0=9: .* // for .* s$'
	says "... and none of who was in none" out '^  3 behind '
	accepted "$mpi: before they stood there" at --time 0 result.nest --profile run.db
	holds "... they were in no call" sh -c '! grep -q " in MPI" out'
	accepted "$mpi: where they stood, in JSON" at --json --time 3600s result.nest --profile run.db
	says "... has the call" out '"rank": 1, "state": "behind".*"call": "MPI_Waitany", "place": "stands.c:14", "called": '
	accepted "$mpi: where they stood, as CSV" at --csv --time 3600s result.nest --profile run.db
	says "... has the call" out '^3600.000000000,0,behind,.*,,MPI_Bcast,stands.c:12,[0-9.]*$'
	[ ! -x "$python" ] || $python -c 'import sqlite3; d = sqlite3.connect("run.db"); d.execute("UPDATE ending SET rank = 9 WHERE rank = 0"); d.commit()'
	[ ! -x "$python" ] || refused "$mpi: a rank that there is not" 2 'run.db: damaged' at --time 3600s result.nest --profile run.db

	record --no-archive --model none.nest -- mpirun.$mpi -n 4 ./stands.$mpi
	says "$mpi: likewise where no archive is kept" said "^tracenest: $stand$"
	holds "... and none is left" sh -c '! ls -d run/* run/*/* 2>/dev/null'

	record --model online.nest -- mpirun.$mpi -n 2 ./late.$mpi
	accepted "$mpi: a send that is never received: a model" model run/traces.otf2 -o late.nest
	cp err said
says "... with a warning" said 'never received: 1 channel .*$'
	holds "... and a note" grep -q '^// .*sends that are never received: 1$' late.nest
	accepted "$mpi: check" check late.nest run/traces.otf2
	accepted "$mpi: its mini-app" skeleton late.nest -o late.made.c
	holds "... compiles" mpicc.$mpi -o late.made late.made.c
	holds "... and ends" timeout -s KILL $HANGS mpirun.$mpi -n 2 ./late.made

	[ $mpi = openmpi ] || continue # in the same folder, MPICH of Debian starts none
	record -- mpirun.$mpi -n 2 ./starts.$mpi
	accepted "$mpi: processes that were started: a model" model run/traces.otf2 -o started.nest
	cp err said
says "... says so" said 'not in this model: 2 MPI_Comm_spawn'
done

# Text, and archives of others: sends alone are left over.
printf '0 send 1 t\n0 send 1 t\n0 recv 1 t\n' >late.trace
accepted "text: a send that is never received" model late.trace -o late.nest
cp err said
says "... with a warning" said 'never received: 1 channel'
accepted "... checked" check late.nest late.trace
accepted "... as C" skeleton late.nest -o late.c
printf '0 send 1 t\n0 recv 1 t\n0 recv 1 t\n' >lost.trace
refused "text: a receive of nothing" 3 '1 channel with unmatched' model lost.trace -o result
