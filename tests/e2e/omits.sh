# What the run did and its program does not stand for is counted, by name, and told by the recorder, the archive, the model and what is made of it:
# files whose places are shared, sizes by peer, neighbourhood collectives, intercommunicators. Answers that it would mislead end with 3.
. "$ROOT/tests/checks.sh"

. "$ROOT/tests/recording.sh"

cat >moves.c <<'END'
#include <mpi.h>
#include <stddef.h>
int main(int argc, char **argv) {
	int rank, value = 1;
	MPI_File file;
	MPI_Request request;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
	for (int i = 0; i < 20; i++) {
		MPI_File_write_shared(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
		if (rank == 0 && i < 3)
			MPI_File_read_shared(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
		MPI_Sendrecv(&i, 1, MPI_INT, 1 - rank, 5, &value, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	if (argc == 3)
		MPI_Abort(MPI_COMM_WORLD, 9);
	MPI_Pcontrol(0);
	MPI_File_write(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
	MPI_Pcontrol(1);
	MPI_File_write_ordered(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
	MPI_File_iwrite_shared(file, &value, 1, MPI_INT, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_File_close(&file);
	MPI_Finalize();
}
END
export TMPDIR=$PWD/tmp
mkdir -p "$TMPDIR"
list="40 MPI_File_write_shared, 3 MPI_File_read_shared, 2 MPI_File_iwrite_shared, 2 MPI_File_write_ordered"
not="not in this model: $list"
says() { # WHY FILE WORDS: that and no more than once
	holds "$1" test "$(grep -c "$3" "$2")" = 1
}
for mpi in $mpis; do
	holds "$mpi: a program" mpicc.$mpi -g -o moves.$mpi moves.c
	rm -rf run
	timeout -s KILL $HANGS "$TRACENEST" record --model online.nest -o run -- mpirun.$mpi -n 2 ./moves.$mpi "$PWD/file.$mpi" >out 2>said
	says "$mpi: a closing line" said "^tracenest: $not$"
	holds "$mpi: the archive has it" grep -qa "TRACENEST::OMITTED.$list" run/traces.otf2
	holds "$mpi: others can read it" sh -c 'otf2-print run/traces.otf2 >printed && "$1" -c "import otf2; otf2.reader.open(\"run/traces.otf2\")"' sh $python
	accepted "$mpi: its model" model run/traces.otf2 -o run.nest
	cp err said
	says "$mpi: says it" said "^tracenest: $not$"
	says "$mpi: its text, too" run.nest "^// omits $list$"
	same "$mpi: on line it is the same" online.nest run.nest
	rm -rf run # which stays until the next one is whole
	timeout -s KILL $HANGS "$TRACENEST" record -q -o run -- mpirun.$mpi -n 2 ./moves.$mpi "$PWD/file.$mpi" aborts >out 2>&1
	accepted "$mpi: the model of an aborted run" model --lenient run/traces.otf2 -o aborted.nest
	says "$mpi: knows at least half of it" aborted.nest '^// omits \(3[2-9]\|40\) MPI_File_write_shared, [23] MPI_File_read_shared$'
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
check|err|^tracenest: $not$|check run.nest run/traces.otf2
stat|err|^tracenest: $not$|stat run.nest
END
# Whoever takes the answer for the run is warned first, by the status, too.
cautious() { # WHY LINE COMMAND...
	title=$1 about=$2
	shift 2
	rm -f result
	run "$@" -q -o result
	cp err said
	if [ "$status" = 3 ] && [ -s result ] && ! crashed; then ok "$title: ends with 3, and answers"; else fail "$title" "status $status"; fi
	says "$title: says it" said "^tracenest: not in this model: $about (--lenient: status 0)$"
	accepted "$title: lenient" "$@" --lenient -o result
	cp err said
	says "$title: says it, too" said "^tracenest: not in this model: $about$"
}
while IFS='|' read -r why line command; do
	cautious "$why" "$list" $command
	[ -z "$line" ] || says "$why: its result, too" result "$line"
done <<END
skeleton|^ \* $not\.$|skeleton run.nest
skeleton of the archive|^ \* $not\.$|skeleton run/traces.otf2
export||export run.nest --to goal
matrix||matrix run.nest
report|^$not$|report run/traces.otf2 run.nest
report of the archive|^$not$|report run/traces.otf2
replay||replay run.nest --simulate cluster:2,1us,1GBps --model loggops
END
accepted "a page" report --lenient run/traces.otf2 -o run.html
says "says it" run.html "^$not"
accepted "values" report --lenient --json run/traces.otf2 -o run.json
holds "have it" $python -c 'import json, sys; sys.exit(json.load(open("run.json"))["omitted"][0] != {"call": "MPI_File_write_shared", "calls": 40})'

# What its statements show: names of collectives tell.
rows=$(cat <<'END'
sizes by peer of 2 MPI_Alltoallv|MPI_Alltoallv
sizes by peer of 2 MPI_Alltoallw|MPI_Alltoallw
sizes by peer of 2 MPI_Ialltoallv|MPI_Ialltoallv
neighbours of 2 MPI_Neighbor_alltoall|MPI_Neighbor_alltoall
neighbours of 2 MPI_Ineighbor_allgatherv|MPI_Ineighbor_allgatherv
groups of 2 MPI_Inter_bcast|MPI_Inter_bcast
END
)
while IFS='|' read -r line name; do
	printf '%s sync %s 0-1 ; bytes=8\n' 0 "$name" 1 "$name" >named.trace
	accepted "$name: a model" model named.trace -o named.nest
	cp err said
	says "$name: which says it" said "^tracenest: not in this model: $line$"
	cautious "$name" "$line" skeleton named.nest
	cautious "$name, a matrix" "$line" matrix named.nest
done <<END
$rows
END
for name in MPI_Alltoall MPI_Iallreduce MPI_Barrier MPI_Gatherv; do
	printf '%s sync %s 0-1 ; bytes=8\n' 0 $name 1 $name >named.trace
	accepted "$name: a model" model named.trace -o named.nest
	accepted "$name: a program" skeleton named.nest -o named.c
	holds "$name: of which nothing is missing" sh -c '! grep "not in this model" named.c err'
done
printf '0 sync MPI_Alltoallv 0-1\n1 sync MPI_Alltoallv 0-1\n0 sync MPI_Neighbor_alltoall 0-1\n1 sync MPI_Neighbor_alltoall 0-1\n' >named.trace
accepted "several" model named.trace -o named.nest
cautious "several" "sizes by peer of 2 MPI_Alltoallv; neighbours of 2 MPI_Neighbor_alltoall" skeleton named.nest

# Collectives of neighbours are messages to these alone: a program in which others would wait for ever is legal. Those of an intercommunicator are said.
cat >groups.c <<'END_OF_C'
#include <mpi.h>
int main(int argc, char **argv) {
	int rank, other, x = 1, y[4] = {0}, weight = 1;
	MPI_Comm graph, half, between;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	other = rank ^ 2;
	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &other, &weight, 1, &other, &weight, MPI_INFO_NULL, 0, &graph);
	for (int i = 0; i < 5; i++) {
		if (rank % 2) MPI_Recv(&x, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Neighbor_alltoall(&x, 1, MPI_INT, y, 1, MPI_INT, graph);
		if (rank % 2 == 0) MPI_Send(&x, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
	}
	if (argc > 1) {
		MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
		MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 7, &between);
		MPI_Allreduce(&x, y, 1, MPI_INT, MPI_SUM, between);
		MPI_Barrier(between);
	}
	MPI_Finalize();
}
END_OF_C
sides="groups of 4 MPI_Allreduce, 4 MPI_Barrier"
for mpi in $mpis; do
	holds "$mpi: a program of neighbours" mpicc.$mpi -g -o groups.$mpi groups.c
	for words in '' inter; do
		rm -rf run
		holds "$mpi: is recorded" timeout -s KILL $HANGS "$TRACENEST" record -o run -- mpirun.$mpi -n 4 ./groups.$mpi $words
		accepted "$mpi: its model" model run/traces.otf2 -o near.nest
		holds "$mpi: has the name" grep -q 'send .* MPI_Neighbor_alltoall@2' near.nest
		accepted "$mpi: can have happened" check near.nest run/traces.otf2
		if [ "$words" ]; then
			cautious "$mpi: skeleton" "$sides" skeleton near.nest
			cautious "$mpi: report" "$sides" report run/traces.otf2
		else accepted "$mpi: report" report run/traces.otf2
		fi
		accepted "$mpi: skeleton" skeleton --lenient near.nest -o near.c
		holds "$mpi: compiles" mpicc.$mpi -Wall -Wextra -Werror -o near near.c
		holds "$mpi: and runs" timeout -s KILL $HANGS mpirun.$mpi -n 4 ./near
		[ -z "$words" ] || holds "$mpi: without those between groups" grep -q 'MPI_Allreduce: who waits for whom is not known' near.c
		[ -z "$words" ] || continue
		for to in goal otf2; do rm -rf near.$to; accepted "$mpi: for $to" export -q --lenient --to $to near.nest -o near.$to; done
		accepted "$mpi: an archive again" check near.nest near.otf2/traces.otf2
	done
done
