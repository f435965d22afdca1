# tracenest record of programs in Python: the stacks that are recorded are those that Python itself tells of.
. "$ROOT/tests/checks.sh"
. "$ROOT/tests/recording.sh"

$python -c 'import mpi4py' 2>/dev/null || { skip "programs in Python (python3-mpi4py is not here)"; exit 0; }
case " $mpis " in *" openmpi "*) ;; *) skip "programs in Python: Debian's mpi4py is Open MPI's"; exit 0 ;; esac
LD_PRELOAD=$(polite openmpi) timeout -s KILL $HANGS mpirun.openmpi -n 1 $python -c 'from mpi4py import MPI' >out 2>err ||
	{ skip "programs in Python, which do not run here: $(tail -n 1 err)"; exit 0; }

python_recorded() { # WHY OPTION...
	why=$1
	shift
	rm -rf run
	if LD_PRELOAD=$(polite openmpi) timeout -s KILL $HANGS "$TRACENEST" record -q -o run "$@" -- mpirun.openmpi -n 1 $python "$ROOT/tests/mpi_frames.py" told >out 2>err; then
		ok "$why"
	else fail "$why" "status $?: $(tail -n 1 err)"
	fi
	{ otf2-print -G run/traces.otf2 && otf2-print run/traces.otf2; } >printed
}
python_recorded "a program in Python" --model online.nest
holds "whose paths are what Python tells" $python "$ROOT/tests/e2e/python_frames.py" told <printed
accepted "its model" model -q run/traces.otf2 -o run.nest
accepted "is sound, and is the trace" check -q run.nest run/traces.otf2
holds "has its functions" grep -q '^// .* > mpi_frames.py:[0-9]* Solver.step > mpi_frames.py:[0-9]* send$' run.nest
python_recorded "the same, of each call its site alone" --stack 0
holds "is in its line" grep -q '"site" <[0-9]*>; STRING; "mpi_frames.py:33 send"' printed
