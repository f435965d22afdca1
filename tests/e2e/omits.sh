# One-sided communication and files: what moved data and is no event is counted, and told by the recorder, the archive, the model and what is made of it.
. "$ROOT/tests/checks.sh"

. "$ROOT/tests/recording.sh"

cat >moves.c <<'END'
#include <mpi.h>
#include <stddef.h>
int main(int argc, char **argv) {
	int rank, value = 1, window[2] = {0};
	MPI_Win win;
	MPI_File file;
	MPI_Request request;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_create(window, sizeof window, sizeof *window, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	for (int i = 0; i < 20; i++) {
		MPI_Win_fence(0, win);
		MPI_Put(&value, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, win);
		if (rank == 0 && i < 3)
			MPI_Get(&value, 1, MPI_INT, 1, 1, 1, MPI_INT, win);
		MPI_Win_fence(0, win);
		MPI_Sendrecv(&i, 1, MPI_INT, 1 - rank, 5, &value, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Win_free(&win);
	if (argc == 1)
		MPI_Abort(MPI_COMM_WORLD, 9);
	MPI_Pcontrol(0);
	MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
	MPI_File_write(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
	MPI_Pcontrol(1);
	MPI_File_write_at_all(file, rank * (int)sizeof value, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
	MPI_File_iwrite_at(file, rank * (int)sizeof value, &value, 1, MPI_INT, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_File_close(&file);
	MPI_Finalize();
}
END
export TMPDIR=$PWD/tmp
mkdir -p "$TMPDIR"
list="40 MPI_Put, 3 MPI_Get, 2 MPI_File_iwrite_at, 2 MPI_File_write_at_all"
words="40 MPI_Put, 3 MPI_Get, 2 MPI_File_iwrite_at and 2 MPI_File_write_at_all"
says() { # WHY FILE WORDS: that and no more than once
	holds "$1" test "$(grep -c "$3" "$2")" = 1
}
for mpi in $mpis; do
	holds "$mpi: a program" mpicc.$mpi -g -o moves.$mpi moves.c
	rm -rf run
	timeout -s KILL $HANGS "$TRACENEST" record --model online.nest -o run -- mpirun.$mpi -n 2 ./moves.$mpi "$PWD/file.$mpi" >out 2>said
	says "$mpi: a closing line" said "^tracenest: $words moved data and are not recorded"
	holds "$mpi: the archive has it" grep -qa "TRACENEST::OMITTED.$list" run/traces.otf2
	holds "$mpi: others can read it" sh -c 'otf2-print run/traces.otf2 >printed && "$1" -c "import otf2; otf2.reader.open(\"run/traces.otf2\")"' sh $python
	accepted "$mpi: its model" model run/traces.otf2 -o run.nest
	cp err said
	says "$mpi: says it" said "^tracenest: $words are not part of this model$"
	says "$mpi: its text, too" run.nest "^// omits $list$"
	same "$mpi: on line it is the same" online.nest run.nest
	timeout -s KILL $HANGS "$TRACENEST" record -q -o run -- mpirun.$mpi -n 2 ./moves.$mpi >out 2>&1
	accepted "$mpi: the model of an aborted run" model --lenient run/traces.otf2 -o aborted.nest
	says "$mpi: knows at least half of it" aborted.nest '^// omits \(3[2-9]\|40\) MPI_Put, [23] MPI_Get$'
done

rm -rf run
timeout -s KILL $HANGS "$TRACENEST" record -q -o run -- mpirun.$mpi -n 2 ./moves.$mpi "$PWD/file.$mpi" >out 2>said
while IFS='|' read -r why where line command; do
	accepted "$why" $command
	cp $where kept
	says "$why: says it" kept "$line"
done <<END
show|out|^// omits $list$|show run.nest
show --plain|out|^// omits $list$|show --plain run.nest
model --plain|out|^// omits $list$|model --plain run/traces.otf2
model --local|out|^// omits $list$|model --local run/traces.otf2
check|err|$words are not part of this model$|check run.nest run/traces.otf2
stat|err|$words are not part of this model$|stat run.nest
skeleton|out|^ \* $words are not part of this model\.$|skeleton run.nest
skeleton of the archive|out|^ \* $words are not part of this model\.$|skeleton run/traces.otf2
export|err|$words are not part of this model$|export run.nest --to goal -o run.goal
report|out|^$words are not part of this model$|report run/traces.otf2 run.nest
report of the archive|out|^$words are not part of this model$|report run/traces.otf2
END
accepted "a page" report run/traces.otf2 -o run.html
says "says it" run.html "^$words are not part of this model"
accepted "values" report --json run/traces.otf2 -o run.json
holds "have it" $python -c 'import json, sys; sys.exit(json.load(open("run.json"))["omitted"][0] != {"call": "MPI_Put", "calls": 40})'
