# tracenest record: what programs say of their own traffic is what is in the archive, under each MPI that is here and for each interface of Fortran; the same
# for random programs; how programs end is their own affair; launchers are told what they must pass on.
. "$ROOT/tests/checks.sh"

. "$ROOT/tests/recording.sh"

# Programs in C make their model on line as well: it is that of the archive. All on 2 to 9 processes: tests/recordings samples.
online="--model online.nest"
located() { # WHY
	accepted "its model" model --quiet run/traces.otf2 -o run.nest
	holds "$1: statements are in lines that are such calls" $python "$ROOT/tests/e2e/sites.py" run.nest "$ROOT/samples/programs"
}
modelled() {
	recorded "$@"
	located "$2, $1"
	accepted "is sound, and is the trace" check --quiet run.nest run/traces.otf2
	same "$2: on line it is the same" online.nest run.nest
	case $1 in communicators) lenient=--lenient ;; *) lenient= ;; esac # groups
	accepted "where its time went" report $lenient run/traces.otf2
	accepted "its profile" profile --quiet run.nest run/traces.otf2 -o run.db
}
for run in 'openmpi 7 communicators' 'openmpi 4 completion' 'openmpi 2 master_worker' 'openmpi 6 multigrid' 'openmpi 5 conjugate_gradient' \
	'mpich 3 communicators' 'mpich 3 completion' 'mpich 4 ring' 'mpich 3 stencil' 'mpich 2 wavefront'; do
	set -- $run
	case " $mpis " in *" $1 "*) modelled $3 $1 $2 env PATH="$programs/$1:$PATH" $3 ;; esac # its own name is no file here
done
online=
# Four on one core: the archive says who shares it, and report does, first.
for mpi in $mpis; do
	recorded "on shared cores" $mpi 4 taskset -c 0 "$programs/$mpi/stencil"
	holds "... which the archive says ($mpi)" sh -c 'otf2-print -A run/traces.otf2 | grep -A 1 TRACENEST::CORES | grep -q " 0-3 0 "'
	holds "... with the time of the CPU" sh -c 'otf2-print -A run/traces.otf2 | grep -A 1 TRACENEST::CPU_TIME | grep -q " [0-9]* [0-9]* [0-9]* [0-9]*$"'
	accepted "report" report run/traces.otf2
	holds "... which says so first" sh -c 'head -n 1 out | grep -q "^4 of 4 ranks shared a core: waits below [0-9.]* m*s are the scheduler.s$"'
	accepted "in JSON" report --json run/traces.otf2
	holds "... too" grep -q '"shared_cores": "0-3"' out
	LD_PRELOAD=$(polite $mpi) accepted "without an archive" record --no-archive --model shared.nest -- mpirun.$mpi -n 4 taskset -c 0 "$programs/$mpi/stencil"
	cp err said
	holds "... record says it" grep -q '4 of 4 ranks shared a core' said
done
for mpi in $mpis; do
	n=2
	for program in "$programs/$mpi"/completion.*; do
		recorded "$(basename "$program")" $mpi $n "$program"
		located "$mpi, $(basename "$program")"
		n=$((n + 1))
	done
	[ ! -x "$programs/$mpi/stencil.f08" ] || recorded stencil.f08 $mpi 2 "$programs/$mpi/stencil.f08"
	accepted "a page with its source ($mpi)" report run/traces.otf2 --source="$ROOT/samples/programs" -o run.html
	holds "has lines of it" sh -c "sed -n '/class=.source/,/<.pre>/p' run.html | grep -q ':[0-9]* .*MPI_' || grep -q 'in no loop' run.html"
	holds "otf2-print reads the last one ($mpi)" sh -c 'otf2-print run/traces.otf2 >printed && grep -q SEND printed'
	case $mpi in mpich) some=5 ;; *) some=10 ;; esac # MPICH waits on the processor, of which there are few
	recorded "$some random programs" $mpi 3 "$programs/$mpi/random" 100 $some
	sites=$(otf2-print run/traces.otf2 | sed -n 's/.*"\(mpi_random\.c:[0-9]*\) .*/\1/p' | sort -u)
	for site in $(echo "$sites" | sort -R --random-source="$ROOT/LICENSE" | head -n 5); do
		line=${site#*:}
		holds "$site calls MPI" sh -c 'sed -n "$(($1 - 3)),$(($1))p" "$2" | grep -q -e MPI_ -e CALL -e init' sh "$line" "$ROOT/tests/mpi_random.c"
	done
done

for mpi in $mpis; do
	counted "an independent counter counts the same" $mpi 3 "$programs/$mpi/communicators"
	accepted "its model" model -q run/traces.otf2 -o made.nest
	refused "what is made of it has other collectives between groups, and says so" 3 'not in this model: groups of' skeleton made.nest -o made.c
done

# Handles that several requests share, and that are others' before; communicators of processes that meet while they run, and of those that they start (Debian's
# MPICH has no ports).
# Sizes tell which message of a channel was received where.
for mpi in $mpis; do
	recorded "requests that share handles" $mpi 2 "$programs/$mpi/handles"
	accepted "receives that overlap" events --values bytes run
	awk '$2 == "send" || $2 == "recv" { number[$2, $1, $3, $4]++; print $1, $3, $4, number[$2, $1, $3, $4], $NF >$2 }' out
	sort -o send send && sort -o recv recv
	same "... are those that MPI has matched ($mpi)" recv send
done
# Of a stack that is not the thread's own, no earlier walk proves that anything was called anew.
for mpi in $mpis; do
	recorded "a fiber" $mpi 1 "$programs/$mpi/handles" fiber
	otf2-print run/traces.otf2 >out
	holds "... whose calls all may be the same ($mpi)" sh -c '[ $(grep -c "^MPI_SEND" out) = 20 ] && ! grep -q "\"kept\" <[0-9]*>; CALLING" out'
done
case " $mpis " in *" openmpi "*)
	recorded "processes that meet" openmpi 2 "$programs/openmpi/handles" meet
	recorded "processes that are started are left out" openmpi 1 "$programs/openmpi/handles" spawn
	rm -rf run
	"$TRACENEST" record -o run -- mpirun.openmpi -n 1 "$programs/openmpi/handles" spawn >out 2>err
	own_words err >said
	holds "which is said once" test "$(grep -c 'not of MPI_COMM_WORLD are left out' said)" = 1 ;;
esac

# A stripped program has its names later, from the same build alone: its model is that of the program with debug information.
mpi=${mpis##* }
if command -v mpicc.$mpi >/dev/null; then
	mkdir -p built later other
	mpicc.$mpi -O2 -g -I"$ROOT/samples/programs" -o built/app "$ROOT/samples/programs/conjugate_gradient.c" "$ROOT/samples/programs/tally.c" -lm 2>/dev/null
	mpicc.$mpi -O1 -g -I"$ROOT/samples/programs" -o other/app "$ROOT/samples/programs/conjugate_gradient.c" "$ROOT/samples/programs/tally.c" -lm 2>/dev/null
	rm -rf run
	LD_PRELOAD=$(polite $mpi) "$TRACENEST" record -q -o run -- mpirun.$mpi -n 2 built/app >/dev/null 2>err
	accepted "with debug information" model -q run/traces.otf2 -o named.nest
	cp built/app later/app && strip built/app
	rm -rf run
	LD_PRELOAD=$(polite $mpi) "$TRACENEST" record -q -o run -- mpirun.$mpi -n 2 built/app >/dev/null 2>err
	cp run/traces.def before
	refused "without it, no name" 2 "later/none" name run --debug later/none
	refused "another build" 2 "other/app: is not of the build of app" name run --debug other
	same "which changes nothing" run/traces.def before
	accepted "names that come later, elsewhere" name run --debug later -o elsewhere
	same "which changes nothing" run/traces.def before
	accepted "names that come later" name run --debug later
	same "the same ones" run/traces.def elsewhere/traces.def
	accepted "..." model -q run/traces.otf2 -o later.nest
	same "... are those of debug information" later.nest named.nest
	cp -r elsewhere inside && ln -s inside linked
	accepted "... of what a link leads to" name linked --debug later
	holds "... and stays one" test -L linked
	holds "... from inside of it" sh -c "cd inside && '$TRACENEST' name -q traces.otf2 --debug ../later"
	holds "... to inside of it" sh -c "cd inside && '$TRACENEST' name -q . --debug ../later -o named"
	same "... the same ones" inside/named/traces.def elsewhere/traces.def
	same "nothing is left of what was there" "$(ls -A . inside | grep -c '^\.tracenest' >left; echo left)" "$(echo 0 >none; echo none)"
	holds "otf2-print finds nothing to complain of" sh -c '! otf2-print run/traces.otf2 2>&1 >/dev/null | grep .'

	# Of two builds of a library frames do not tell which they are of.
	for build in 0 1; do
		mkdir -p lib$build
		printf '#include <mpi.h>\nint at[%d];\nvoid other(void) { %s; }\nvoid go(void) { MPI_Barrier(MPI_COMM_WORLD); }\n' $((build + 1)) \
			"$(test $build = 0 || echo 'for (int i = 0; i < 2; i++) at[i] = at[1 - i] * at[i]')" >go.c
		mpicc.$mpi -g -O1 -shared -fPIC -o lib$build/libgo.so go.c
		id=$(readelf -n lib$build/libgo.so | sed -n 's/.*Build ID: //p')
		mkdir -p later/.build-id/$(expr "$id" : '\(..\)')
		cp lib$build/libgo.so later/.build-id/$(expr "$id" : '\(..\)')/${id#??}.debug
		strip lib$build/libgo.so
	done
	printf '#include <mpi.h>\n#include <dlfcn.h>\nint main(void) {\n\tint rank;\n\tMPI_Init(0, 0);\n\tMPI_Comm_rank(MPI_COMM_WORLD, &rank);\n\tvoid *library = dlopen(rank ? "lib1/libgo.so" : "lib0/libgo.so", RTLD_NOW);\n\tvoid (*go)(void) = dlsym(library, "go");\n\tgo();\n\tMPI_Finalize();\n}\n' >loads.c
	mpicc.$mpi -g -o later/loads loads.c -ldl
	strip -o built/loads later/loads
	LD_PRELOAD=$(polite $mpi) "$TRACENEST" record -q -o two -- mpirun.$mpi -n 2 built/loads >/dev/null 2>err
	accepted "what has two builds" name two --debug later
	holds "... keeps what it has" sh -c "'$TRACENEST' model -q two | grep -q 'libgo.so+0x.* go$'"
	holds "... others are named" sh -c "'$TRACENEST' model -q two | grep -q 'loads.c:[0-9]* main'"
fi

# Four threads in each process.
for mpi in $mpis; do
	traffic=--threads recorded "threads that all call MPI" $mpi 2 "$programs/$mpi/threads"
	traffic=
done

# Collectives of two threads that overlap: an order that can have happened, found in the archive.
for mpi in $mpis; do
	rm -rf run
	LD_PRELOAD=$(polite $mpi) "$TRACENEST" record -q -o run --model two.nest -- mpirun.$mpi -n 3 "$programs/$mpi/interleaved" >/dev/null 2>err
	accepted "two threads: check ($mpi)" check -q two.nest run
	holds "... with their numbers" grep -q 'thread=' two.nest
	holds "... all 60 events" grep -qx '// events 60' two.nest
	LD_PRELOAD=$(polite $mpi) "$TRACENEST" record -q -o unkept --no-archive --model none.nest -- mpirun.$mpi -n 2 "$programs/$mpi/interleaved" >/dev/null 2>said
	holds "... without an archive no model" grep -q 'none.nest: no model: several threads' said
done

# What a model says is what the program made of it does: model, C, recording, model.
for run in 'openmpi lu.S.4.ez' 'mpich lu.S.4.tau'; do
	mpi=${run% *}
	case " $mpis " in *" $mpi "*) holds "$run is a fixed point" "$ROOT/tests/fixpoint" "$(dirname "$TRACENEST")" $mpi "$(anchor ${run#* })" ;; esac
done

# How a program ends. What came before is readable.
ends() { # WHY MPI ENDING STATUS
	rm -rf run
	expected=$4
	LD_PRELOAD=$(polite $2) timeout -s KILL $HANGS "$TRACENEST" record -o run -- mpirun.$2 -n 4 "$programs/$2/ending" "$3" >out 2>err
	status=$?
	if [ "$expected" = any ] && [ $status != 0 ]; then expected=$status; fi
	if [ $status = "$expected" ]; then ok "$1: status $expected ($2)"; else fail "$1 ($2)" "status $status instead of $expected"; fi
	holds "$1: the same output ($2)" grep -qx "$3" out
	holds "$1: what came before can be read ($2)" sh -c '"$1" events --quiet run/traces.otf2 >events 2>/dev/null; grep -q "0 send 1" events' sh "$TRACENEST"
}
for mpi in $mpis; do
	ends "MPI_Abort" $mpi abort 9
	rm -rf run
	"$TRACENEST" record --no-archive --model left.nest -o run -- mpirun.$mpi -n 4 "$programs/$mpi/ending" abort >out 2>err
	own_words err >said
	holds "MPI_Abort without an archive: what is lost is said ($mpi)" grep -q 'ranks 0-3 ended before MPI_Finalize: what was recorded until then is lost' said
	holds "... and not that there were 0 events" sh -c "grep -q '4 processes, of which no events are left' said && ! grep -q ' 0 events' said"
	ends "a segmentation fault in rank 3" $mpi crash any # of the processes that are killed then, the launcher tells of one
done
ends "SIGTERM in rank 3" $mpi term any

# Recorded once more, where a recording is, and what is left of one that was interrupted.
mpi=$(echo $mpis | cut -d' ' -f1)
rm -rf run
mkdir -p run/traces run/1/traces
touch run/traces.otf2 run/traces/0.evt run/1/traces/1.evt run/1/side run/1/memory run/notes.txt run/2.txt
for time in once twice; do
	accepted "recorded $time into the same directory" record -q -o run -- mpirun.$mpi -n 2 "$programs/$mpi/ring"
	accepted "is an archive" model --quiet run/traces.otf2 -o run.nest
done
holds "nothing of the first is left, and what others put there is" test "$(echo run/*)" = "run/2.txt run/notes.txt run/traces run/traces.def run/traces.otf2"

# Started by the mpirun of another MPI each process is alone, and that is said once.
case $mpis in
*openmpi*mpich* | *mpich*openmpi*)
	rm -rf run
	# each is a run of Open MPI, and has a TMPDIR of its own, as tests/mpi.sh says
	"$TRACENEST" record -o run -- mpirun.mpich -n 3 sh -c 'mkdir "$TMPDIR/$$" && TMPDIR=$TMPDIR/$$ exec "$1"' sh "$programs/openmpi/ring" >out 2>err
	status=$?
	own_words err >said
	holds "mpirun of another MPI: the program runs" test "$status.$(grep -c '20 rounds' out)" = 0.3
	holds "mpirun of another MPI: one line says what to do" sh -c 'test "$(wc -l <said)" = 1 && grep -q "^tracenest: run: each process was alone: mpirun is of another MPI.*take the one of its own" said'
	accepted "the next recording goes there" record -q -o run -- mpirun.mpich -n 2 "$programs/mpich/ring"
	holds "and is one" test -s run/traces.otf2 -a ! -e run/alone
	;;
esac

# Where nothing can be recorded, the program runs all the same.
mpi=$(echo $mpis | cut -d' ' -f1)
"$TRACENEST" record -o /proc/no/where -- mpirun.$mpi -n 2 "$programs/$mpi/ring" >out 2>err
status=$?
own_words err >said
holds "a directory that cannot be: the program runs" grep -q '2 processes, 20 rounds: 40' out
holds "with its own status" test $status = 0
holds "and that is said once" sh -c 'test "$(grep -c "^tracenest: /proc/no/where" said)" = 1'
"$TRACENEST" record -q -- sh -c 'exit 7' >out 2>err
holds "no MPI at all: the status is the command's" test $? = 7
"$TRACENEST" record -- sh -c 'kill -SEGV $$' >out 2>err
holds "a signal's, too" test $? = 139
"$TRACENEST" record --mpi $mpi -o unrecorded -- true >out 2>err
own_words err >said
holds "a program without MPI: a line says so" sh -c 'test "$(wc -l <said)" = 1 && grep -q "nothing was recorded: true: is not linked with MPI" said'
refused "a command that is not there" 2 'no such program' record -- ./not-there
refused "a buffer that is none" 2 'buffer' record --buffer 12x -- true

# Each way to leave nothing has a sentence of its own.
tells() { # WHY PATTERN COMMAND...
	why=$1 pattern=$2
	shift 2
	timeout -s KILL $HANGS "$TRACENEST" record -o unrecorded --mpi ${ending:-$mpi} -- "$@" >out 2>err </dev/null
	own_words err >said
	holds "nothing is recorded: $why" grep -q "$pattern" said
}
mkdir folder
printf 'true\n' >bare.script
cp "$programs/$mpi/ring" closed
chmod +x bare.script
chmod -x closed
tells "a program behind mpirun that is not there" 'nothing was recorded: ./typo (status [0-9]*): there is no such program' mpirun.$mpi -n 2 ./typo
tells "a folder" 'nothing was recorded: ./folder (status [0-9]*): is no program, but a directory' mpirun.$mpi -n 2 ./folder
tells "a file that may not be executed" "closed (status [0-9]*): is no program: it cannot be executed ('chmod +x'" mpirun.$mpi -n 2 ./closed
tells "a program without MPI behind mpirun" 'nothing was recorded: true: is not linked with MPI' mpirun.$mpi -n 2 true
tells "an option that mpirun does not know" 'mpirun.* (status [0-9]*): ended before any process came to MPI_Init: what it says' mpirun.$mpi --nosuch -n 2 "$programs/$mpi/ring"
tells "a script without its first line" "./bare.script cannot be run: is neither a program of this machine nor a script that begins with '#!'" ./bare.script
tells "a signal before MPI_Init" 'Aborted (status 134): ended the program before it came to MPI_Init' sh -c 'kill -ABRT $$'
tells "a command that is not found" 'sh (status 127): did not find a command' sh -c 'nosuch'
tells "one that cannot be executed" 'sh (status 126): could not execute a command' sh -c './folder'
tells "an environment that is wiped" "env -i.*: hands LD_PRELOAD on to no program: put 'tracenest record-exec" env -i "$programs/$mpi/ring"
if [ "$(id -u)" = 0 ]; then
	cp "$programs/$mpi/ring" setuid
	chown 65534 setuid
	chmod u+s setuid
	tells "a program that is setuid" './setuid.*: is setuid or setgid, so that nothing is preloaded' ./setuid
else
	skip "a program that is setuid: not root"
fi
case $mpis in
*openmpi*)
	ending=openmpi
	OMPI_MCA_pml=nosuch tells "MPI_Init that fails" 'ring (status [0-9]*): called MPI_Init, which failed' mpirun.openmpi -n 2 "$programs/openmpi/ring"
	unset OMPI_MCA_rmaps_base_oversubscribe
	tells "too few slots" 'mpirun.openmpi (status 1): started nothing: more processes than the slots.*--oversubscribe' mpirun.openmpi -n 999 "$programs/openmpi/ring"
	export OMPI_MCA_rmaps_base_oversubscribe=1
	ending=
	;;
esac

# What was recorded before stays until there is another one that is whole.
again() { # WHY PATTERN ARGUMENT...
	why=$1 pattern=$2
	shift 2
	LD_PRELOAD=$(polite $mpi) timeout -s KILL $HANGS "$TRACENEST" record -o kept "$@" >out 2>err
	own_words err >said
	holds "another recording: $why" grep -q "$pattern" said
}
rm -rf kept
mkdir kept
echo mine >kept/notes
again "the first one" '^tracenest: kept/traces.otf2: 2 processes' -- mpirun.$mpi -n 2 "$programs/$mpi/ring"
holds "has its place beside what is the user's" test -s kept/traces.otf2 -a -s kept/notes -a ! -e kept/new
"$TRACENEST" events kept/traces.otf2 >before 2>err
again "of nothing: the one before is kept" '^tracenest: kept: the recording that was there before is kept$' -- mpirun.$mpi -n 2 ./typo
again "of a program that dies: the one before is kept" '^tracenest: kept: .* is kept: this one is not whole, and is in kept/new$' -- mpirun.$mpi -n 3 "$programs/$mpi/ending" abort
again "of a model alone: the one before is kept" '^tracenest: kept: the recording that was there before is kept' --no-archive --model kept.nest -- mpirun.$mpi -n 3 "$programs/$mpi/ring"
holds "and the model is there" test -s kept.nest
"$TRACENEST" events kept/traces.otf2 >after 2>err
same "and is what it was" before after
"$TRACENEST" test --update kept.golden --archive kept -- mpirun.$mpi -n 2 ./typo >out 2>err
"$TRACENEST" events kept/traces.otf2 >after 2>err
same "also of test --archive" before after
again "that is whole: it is replaced" '^tracenest: kept: the recording that was there before is replaced$' -- mpirun.$mpi -n 3 "$programs/$mpi/ring"
holds "by it" sh -c '"$1" events --quiet kept/traces.otf2 | grep -q "1 send 2 tag7" && test -s kept/notes -a ! -e kept/new' sh "$TRACENEST"
rm -rf kept
again "a program that dies" '^tracenest: kept/traces.otf2: 3 processes (not all' -- mpirun.$mpi -n 3 "$programs/$mpi/ending" abort
again "once more: it is replaced" 'kept: the recording that was there before is replaced' -- mpirun.$mpi -n 3 "$programs/$mpi/ending" abort

# From within: the last process makes the archive.
rm -rf inside
mpirun.$mpi -n 3 "$TRACENEST" record-exec -o inside -- "$programs/$mpi/ring" >out 2>err
holds "record-exec behind mpirun makes an archive" test -s inside/traces.otf2
holds "of all processes" sh -c '"$1" events --quiet inside/traces.otf2 | grep -q "1 send 2 tag7"' sh "$TRACENEST"

# Launchers of which there is none here.
rm -rf run
mkdir bin
printf '#!/bin/sh\necho "$@"\nexit 5\n' >bin/srun
chmod +x bin/srun
PATH=$PWD/bin:$PATH "$TRACENEST" record -q -o run -- srun -n 2 "$programs/$mpi/ring" >out 2>err
holds "srun's status" test $? = 5
holds "srun is told to export" grep -q -e "^--export=ALL,TRACENEST_RECORD=$PWD/run,.*LD_PRELOAD=.*libtracenest-record-$mpi.so -n 2" out

# Paths of calls: all frames up to main, of deep stacks both ends.
cat >deep.c <<'END'
#include <mpi.h>
#include <stdlib.h>
static int deep(int n)
{
	if (n)
		return deep(n - 1) + 1;
	return MPI_Barrier(MPI_COMM_WORLD);
}
int main(int c, char **v)
{
	MPI_Init(&c, &v);
	int r = deep(atoi(v[1]));
	MPI_Finalize();
	return r < 0;
}
END
"mpicc.$mpi" -g -O0 -o deep deep.c
repeated() { printf "$2 %.0s" $(seq $1); }
while IFS='|' read -r some frames depth path <&3; do
	accepted "a stack of $depth calls" record -q --stack $frames -o run -- mpirun.$mpi -n 1 ./deep $depth
	otf2-print -G run/traces.otf2 | sed -n 's/^CALLING_CONTEXT *\([0-9]*\) *Region: "\([^"]*\)" <[0-9]*>, Source code location: /\1 \2@/p' |
		sed 's/@"\([^"]*\)" <[0-9]*>,.* /@\1 /; s/@UNDEFINED,.* / /; s/[<>]//g' |
		awk '{ path[$1] = path[$3] " " $2 } $3 != "UNDEFINED" { last = path[$1] } END { print last }' >path
	echo " main@deep.c:12 $path" | cmp -s - path && ok "a stack of $depth calls: $some" || fail "a stack of $depth calls: $some" "$(cat path)"
done 3<<END
whole|32|2|deep@deep.c:6 deep@deep.c:6 deep@deep.c:7
both ends|8|40|$(repeated 3 deep@deep.c:6)... $(repeated 4 deep@deep.c:6)deep@deep.c:7
both ends of what is kept|4|600|deep@deep.c:6 ... deep@deep.c:6 deep@deep.c:6 deep@deep.c:7
END
accepted "sites alone" record -q --stack 0 -o run -- mpirun.$mpi -n 1 ./deep 2
holds "have no paths" sh -c '! otf2-print -G run/traces.otf2 | grep -q ^CALLING_CONTEXT'
