# record --model: the model that processes make of themselves while they run is that of the archive of the same run.
. "$ROOT/tests/checks.sh"

build=$(dirname "$TRACENEST")
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
unset MAKEFLAGS MAKELEVEL MFLAGS
for mpi in openmpi mpich; do
	if [ ! -e "$build/libtracenest-record-$mpi.so" ]; then
		skip "models on line with $mpi, which is not here"
		continue
	fi
	make --no-print-directory -C "$ROOT" BUILD="$build" $(printf "$build/programs/$mpi/%s " ring stencil multigrid communicators completion) >make.out 2>&1
	for program in 'ring 5' 'stencil 6' 'multigrid 4' 'communicators 7' 'completion 3'; do
		name=${program% *} processes=${program#* }
		rm -rf run.trace online.nest
		run record --quiet --model online.nest -o run.trace -- mpirun.$mpi -n $processes "$build/programs/$mpi/$name"
		"$TRACENEST" model --quiet run.trace/traces.otf2 -o archive.nest
		same "$mpi: the model of $name on $processes processes, on line, is that of its archive" online.nest archive.nest
	done
	rm -rf run.trace
	run record --no-archive --model only.nest -o run.trace -- mpirun.$mpi -n 3 "$build/programs/$mpi/completion"
	same "$mpi: without an archive, too" only.nest archive.nest
	holds "$mpi: and nothing else is left" test ! -e run.trace
	LIMIT=20 run record --quiet --model bad.nest -o run.trace -- mpirun.$mpi -n 2 sh -c "exit 7"
	holds "$mpi: the program's exit status is ours" test "$status" = 7
	holds "$mpi: where nothing was recorded there is no model" test ! -e bad.nest
done
refused "--no-archive alone" 2 'without --model' record --no-archive -- true
printf 'no such thing' >online
