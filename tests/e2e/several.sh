# mpirun -n K tracenest model: several of us share the reading, and make the model that one makes.
. "$ROOT/tests/checks.sh"

if sanitized; then skip "several commands at once: not for this build"; exit 0; fi
export OMPI_MCA_btl=self,vader,tcp

printf '0 send 1 t\n0 recv 1 t\n' >text.trace
for mpi in openmpi mpich; do
	if ! command -v mpirun.$mpi >/dev/null || [ ! -e "$(dirname "$TRACENEST")/libtracenest-several-$mpi.so" ]; then
		skip "several of us with $mpi, which is not here"
		continue
	fi
	several() { # K ARGS...: as run does, in K processes
		rm -rf result
		processes=$1
		shift
		LD_PRELOAD=$(polite $mpi) timeout -s KILL $HANGS mpirun.$mpi -n "$processes" "$TRACENEST" "$@" >out 2>err
		status=$?
	}
	for run in 'lu.S.4.ez 3' 'bt.S.4.scorep 7' 'mg.S.4.ez 2'; do
		sample=${run% *} processes=${run#* }
		"$TRACENEST" model --quiet "$(anchor $sample)" -o alone.nest
		several $processes model --quiet "$(anchor $sample)" -o result
		same "$mpi: $processes processes make the model of $sample that one makes" result alone.nest
	done
	"$TRACENEST" model --quiet --local --affine=off "$(anchor lu.S.4.ez)" -o alone.nest
	several 3 model --quiet --local --affine=off "$(anchor lu.S.4.ez)" -o result
	same "$mpi: options reach all of them" result alone.nest
	several 2 model --quiet text.trace -o result
	"$TRACENEST" model --quiet text.trace -o alone.nest
	same "$mpi: a text trace is read by one" result alone.nest

	several 3 model "$(anchor lu.S.4.ez)" -o result
	holds "$mpi: one of them tells what was found" test "$(grep -c 'processes, .* events' err)" = 1
	several 3 model /no/such/trace.otf2 -o result
	holds "$mpi: and what is wrong" test "$(grep -c '^tracenest: /no/such/trace.otf2' err)" = 1
	holds "$mpi: with its status" test $status = 2
	several 3 model "$(anchor lu.S.4.ez)" -o /no/such/folder/result
	holds "$mpi: what the first cannot do it says" test "$(grep -c "^tracenest: /no/such/folder" err)" = 1
	holds "$mpi: and ends them all" test $status = 2
done
