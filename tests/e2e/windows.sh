# One-sided communication is recorded: what a program counts of itself is what its model says, under each MPI.
. "$ROOT/tests/checks.sh"

. "$ROOT/tests/recording.sh"

# Open MPI's one-sided communication over shared memory crashes in MPI_Compare_and_swap where processes have no common ancestor's memory.
export OMPI_MCA_osc=pt2pt

# What the processes told, each pair once.
counted() { cat told.* | awk '{ m[$1 "," $2] += $3; b[$1 "," $2] += $4 } END { for (p in m) print p "," m[p] "," b[p] }' | sort; }

statements() { sed 's, *//.*,,' "$1" | grep .; }

windows() { # MPI CASE PROCESSES
	rm -rf run told.*
	holds "$1, $2: is recorded" timeout -s KILL $HANGS "$TRACENEST" record -q -o run --model online.nest -- mpirun.$1 -n $3 "$BUILD/programs/$1/windows" "$PWD/told" $2
	accepted "$1, $2: its model" model -q run -o run.nest
	holds "$1, $2: has all of it" sh -c '! grep -q "^// omits" run.nest && [ ! -s err ]'
	accepted "$1, $2: is the trace" check -q run.nest run
	accepted "$1, $2: with all values" model -q --values all run -o all.nest
	accepted "$1, $2: is the trace" check -q all.nest run
	accepted "$1, $2: the matrix" matrix --csv --bytes run.nest
	tail -n +2 out | sort >got
	counted >wanted
	same "$1, $2: is what the program counted" got wanted
	accepted "$1, $2: on line" matrix --csv --bytes online.nest
	tail -n +2 out | sort >got
	same "$1, $2: it is the same" got wanted
	accepted "$1, $2: times" time run.nest run
	accepted "$1, $2: losses" report run run.nest
	rm -rf exported
	accepted "$1, $2: exported" export -q --to otf2 run.nest -o exported
	accepted "$1, $2: is the run again" check -q run.nest exported/traces.otf2
	accepted "$1, $2: a mini-app" skeleton -q run.nest -o app.c
	holds "$1, $2: compiles" mpicc.$1 -std=c99 -Wall -Wextra -Werror -o app app.c
	rm -rf again
	holds "$1, $2: runs" timeout -s KILL $HANGS "$TRACENEST" record -q -o again -- mpirun.$1 -n $3 ./app
	accepted "$1, $2: its model" model -q again -o again.nest
	statements run.nest >wanted
	statements again.nest >got
	same "$1, $2: is the model that it is of" got wanted
	holds "$1, $2: runs with larger messages, too" timeout -s KILL $HANGS mpirun.$1 -n $3 ./app --scale-bytes 3
	holds "$1, $2: others can read it" sh -c 'otf2-print run/traces.otf2 >printed 2>said && [ ! -s said ]'
}
BUILD=$(dirname "$TRACENEST")
for mpi in $mpis; do
	windows $mpi fence 4
	sed 's,^ *,,; s, *//.*,,' run.nest | grep -e put -e get -e accumulate -e fence | sort >statements
	printf '%s\n' '[*] p accumulate 0 win@2 ; bytes=8 disp={p} op=MPI_SUM' '[*] p get (p-1)%4 win@2 ; bytes=40 disp=3' '[*] p put (p+1)%4 win@2 ; bytes={800+8*i0} disp={100*p}' '[*] p put p win@2 ; bytes=8 disp=0' \
		'[*] p sync MPI_Win_fence *@2' '[*] p sync MPI_Win_fence *@2' '[*] p sync MPI_Win_fence *@2' '[*] p sync MPI_Win_fence *@2' '[1-3] p put p-1 win@2 ; bytes=80 disp=500' >wanted
	same "$mpi: as an engineer wrote it" statements wanted
	windows $mpi atomics 6
	holds "$mpi: windows of rows are told apart" grep -q 'p fetch_and_op .* win@{2+x} ; ' run.nest
	windows $mpi epochs 4
	for verb in lock flush unlock; do holds "$mpi: $verb" grep -q "^  \[\*\] p $verb (p+1)%4 win@2" run.nest; done
	holds "$mpi: what lock" grep -q 'lock=(exclusive|shared){i0%2}' run.nest
	for verb in post start; do holds "$mpi: $verb" grep -q "^  \[\*\] p $verb win@2 ; group=(1,3|" run.nest; done
	for verb in complete wait; do holds "$mpi: $verb" grep -q "^  \[\*\] p $verb win@2" run.nest; done
	windows $mpi made 3
	holds "$mpi: a window for each step is a loop" grep -q '^  \[\*\] p put (p+1)%3 win@{2+i0} ; bytes=64' run.nest
done

for n in 3 4 6; do
	rm -rf run
	holds "on $n processes" timeout -s KILL $HANGS "$TRACENEST" record -q -o run -- mpirun.$mpi -n $n "$BUILD/programs/$mpi/windows" "$PWD/told" fence
	accepted "on $n processes: its model" model -q run -o of.$n.nest
done
accepted "one program for every number of processes" generalize of.3.nest of.4.nest of.6.nest -o all.nest
holds "makes its window" grep -q '^\[\*\] p sync MPI_Win_allocate \*@2 ; size={8000\*P} unit=8' all.nest
holds "and puts" grep -q '^  \[\*\] p put (p+1)%P win@2 ; bytes={800+8\*i0} disp={100\*p}' all.nest
