# record --model: the model that processes make of themselves while they run is that of the archive of the same run (more programs: record.sh).
. "$ROOT/tests/checks.sh"

build=$(dirname "$TRACENEST")
unset MAKEFLAGS MAKELEVEL MFLAGS
# The same message from two lines in turns.
cat >turns.c <<'END'
#include <mpi.h>
#define SHIFT MPI_Sendrecv(&out, 1, MPI_INT, 1 - rank, 5, &in, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
int main(int argc, char **argv) {
	int rank, out = 0, in;
	for (int i = MPI_Init(&argc, &argv) + MPI_Comm_rank(MPI_COMM_WORLD, &rank); i < 10; i++) {
		SHIFT;
		SHIFT;
	}
	MPI_Finalize();
}
END
# Rows and columns of processes, each with a communicator of its own.
cat >rows.c <<'END'
#include <mpi.h>
int main(int argc, char **argv) {
	int rank;
	MPI_Comm row, column;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &row);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &column);
	MPI_Barrier(row);
	MPI_Barrier(column);
	MPI_Finalize();
}
END
for mpi in openmpi mpich; do
	if [ ! -e "$build/libtracenest-record-$mpi.so" ]; then
		skip "models on line with $mpi, which is not here"
		continue
	fi
	make --no-print-directory -C "$ROOT" BUILD="$build" "$build/programs/$mpi/ring" >make.out 2>&1
	rm -rf run.trace online.nest
	run record --quiet --model online.nest -o run.trace -- mpirun.$mpi -n 2 "$build/programs/$mpi/ring"
	"$TRACENEST" model --quiet run.trace/traces.otf2 -o archive.nest
	same "$mpi: on line it is that of the archive" online.nest archive.nest
	rm -rf run.trace
	run record --no-archive --model only.nest -o run.trace -- mpirun.$mpi -n 2 "$build/programs/$mpi/ring"
	mv err said
	same "$mpi: without an archive, too" only.nest archive.nest
	holds "$mpi: it says how much that was" grep -qE '^tracenest: 2 processes, [0-9,]+ events \([1-9][0-9,]* messages, [0-9,]+ collectives\)$' said
	holds "$mpi: and nothing else is left" test ! -e run.trace
	rm -rf run.trace
	mpicc.$mpi -g -o turns turns.c >make.out 2>&1
	run record --quiet --by-site --model online.nest -o run.trace -- mpirun.$mpi -n 2 ./turns
	"$TRACENEST" model --quiet --by-site run.trace/traces.otf2 -o sites.nest
	same "$mpi: with sites, too" online.nest sites.nest
	holds "$mpi: which are told apart" test "$(grep -c 'turns.c:[67]$' online.nest)" = 4
	rm -rf run.trace
	mpicc.$mpi -g -o rows rows.c >make.out 2>&1
	run record --quiet --model online.nest -o run.trace -- mpirun.$mpi -n 4 ./rows
	"$TRACENEST" model --quiet run.trace/traces.otf2 -o rows.nest
	same "$mpi: communicators have the same numbers" online.nest rows.nest
	holds "$mpi: which ascend" test "$(grep -c 'sync MPI_Barrier @(.*)@{[24]+[xy]} ' rows.nest)" = 2
	rm -rf run.trace
	make --no-print-directory -C "$ROOT" BUILD="$build" "$build/programs/$mpi/stencil" >make.out 2>&1
	for values in call type,count,request,received none; do
		rm -rf run.trace
		run record --quiet --values $values --model online.nest -o run.trace -- mpirun.$mpi -n 4 "$build/programs/$mpi/stencil"
		"$TRACENEST" model --quiet --values $values run.trace/traces.otf2 -o archive.nest
		same "$mpi: with values $values" online.nest archive.nest
		run record --quiet --no-archive --values $values --model only.nest -o only -- mpirun.$mpi -n 4 "$build/programs/$mpi/stencil"
		same "$mpi: with values $values, and without an archive" only.nest archive.nest
	done
	rm -rf run.trace
	"$TRACENEST" record --quiet -o run.trace -- mpirun.$mpi -n 2 "$build/programs/$mpi/ring" >out 2>err
	"$TRACENEST" model --quiet run.trace/traces.otf2 -o archive.nest
	rm -rf run.trace
	# Learned by the processes: as often as in a profile of the archive.
	for program in communicators stencil multigrid ring; do
		make --no-print-directory -C "$ROOT" BUILD="$build" "$build/programs/$mpi/$program" >make.out 2>&1
		rm -rf run.trace read.db learned.db
		run record --quiet --model read.nest --profile read.db -o run.trace -- mpirun.$mpi -n 4 "$build/programs/$mpi/$program"
		run record --no-archive --model learned.nest --profile learned.db -o none.trace -- mpirun.$mpi -n 4 "$build/programs/$mpi/$program"
		cp err said
		same "$mpi: $program, its model" read.nest learned.nest
		holds "$mpi: $program, what is learned is counted as what is read" python3 "$ROOT/tests/e2e/learned.py" read.db learned.db
		holds "$mpi: $program, it says what that is" grep -q '^tracenest: learned.db: the profile: how long statements took; ' said
		holds "$mpi: $program, and nothing else is left" test ! -e none.trace
	done
	accepted "$mpi: exports take their times from it" export -q --to otf2 --profile learned.db learned.nest -o exported
	rm -rf exported
	accepted "$mpi: it is merged with its like" profile -q learned.db learned.db -o merged.db
	refused "$mpi: but with no other" 3 'one was learned without an archive' profile learned.db read.db -o merged.db
	refused "$mpi: nor compared" 2 'learned.db: a profile that was learned without an archive' diff learned.db read.db
	run record --no-archive --profile learned.db -o none.trace -- mpirun.$mpi -n 2 "$build/programs/$mpi/ring"
	holds "$mpi: it needs no model to be named" python3 -c 'import sqlite3; assert sqlite3.connect("learned.db").execute("SELECT count(*) FROM timing").fetchone()[0]'
	holds "$mpi: which leaves nothing, either" test ! -e none.trace
	rm -rf run.trace
	run record --profile run.db --exact --no-archive -o run.trace -- mpirun.$mpi -n 2 "$build/programs/$mpi/ring"
	holds "$mpi: a profile without an archive leaves nothing else" test ! -e run.trace
	accepted "$mpi: it has the times of the run" expand --times archive.nest --profile run.db
	holds "$mpi: of all its events" test "$(grep -c ' ; time=' out)" = "$("$TRACENEST" expand archive.nest | wc -l)"
	run record --quiet --model bad.nest -o run.trace -- mpirun.$mpi -n 2 sh -c "exit 7"
	holds "$mpi: the program's exit status is ours" test "$status" = 7
	holds "$mpi: where nothing was recorded there is no model" test ! -e bad.nest
done
refused "--by-site alone" 2 'goes with --model' record --by-site -- true
refused "--values alone" 2 'goes with --model' record --values call -- true
refused "names of sites come later" 2 '--values type,site: sites have their names when' record --model x --values type,site -- true
refused "so does all" 2 '--values all: sites have their names when' record --model x --values all -- true
refused "--no-archive alone" 2 'without --model' record --no-archive -- true
printf 'no such thing' >online
