# Real runs on several numbers of processes (samples/sizes): one program of them, its instances, and what is asked of both.
. "$ROOT/tests/checks.sh"

for run in rowcol.9 rowcol.12 rowcol.16 rowcol.18 is.S.4 is.S.8 is.S.16; do
	zstd -dcq "$ROOT/samples/sizes/$run.tar.zst" | tar -xf - --no-same-owner
done

accepted "three runs are one program" generalize rowcol.9 rowcol.12 rowcol.16 -o app.nest
holds "who sends is a condition" grep -q '\[x<X-1\] p send @(x+1,y) tag4@2' app.nest
accepted "it is shown" show app.nest -o shown.nest
holds "as it stands" cmp -s app.nest shown.nest
accepted "an instance on a number of processes that it was not learned from" instantiate app.nest -D P=18 -o 18.nest
cp err said
holds "examined" grep -q "on 18 processes every message of the instance is received" said
accepted "is the run on as many" check 18.nest rowcol.18 --values none
holds "event by event" grep -q 'events: the same as in the trace' out

accepted "instances are examined on every number of processes" check app.nest --up-to 40
holds "with sends that wait, too" grep -q '^exchanges .*: end on 9-40$' out
holds "and with all that wait" grep -q '(MPI_Ssend): ' out
refused "where there is none" 2 'learned from 9 processes on' check app.nest --up-to 8
accepted "any verb takes an instance" stat app.nest -D P=18
holds "which it is" grep -q '^processes  *18$' out
mkfifo pipe
cat 18.nest >pipe &
accepted "a model that comes through a pipe, which is read once" check pipe
accepted "the mini-app" skeleton -q app.nest -D P=18 -o app.c
compiles "is C" app.c
accepted "what simulators read" export -q app.nest -D P=18 --to goal -o app.goal
holds "is of as many" grep -qx 'num_ranks 18' app.goal
accepted "LogGOPS" replay -q app.nest -D P=36 --simulate cluster:36,1us,1GBps --model loggops
holds "has times" grep -q 'all phases' out
accepted "a picture for every number of processes" draw app.nest -o app.svg
holds "has conditions in place of ranks" grep -q 'x=1\.\.X&#45;2, y=Y&#45;1' app.svg
holds "and counts that are formulas" grep -q 'P&#45;1 ×' app.svg
refused "a page of every number" 2 'say which, as in -D P=' draw app.nest -o result.html
accepted "a text and itself" diff --exit-code app.nest shown.nest
holds "differ in nothing" grep -q ' 0 differ, 0 only in the first, 0 only in the second' out

accepted "numbers that follow the data" generalize is.S.4 is.S.8 is.S.16 -o is.nest
holds "are holes with their range" grep -q 'received=?([0-9]*\.\.[0-9]*)' is.nest
accepted "an instance is without them" instantiate is.nest -D P=16 -o is16.nest
cp err said
holds "which is said" grep -q "follow the data" said
accepted "the rest is proven" check is16.nest is.S.16 --values none

refused "runs of other programs" 3 'the run of 9 processes does something else than that of 16|does something else' generalize rowcol.9 is.S.16 is.S.8 -o result
printf '// tracenest 1\n// processes 0\n' >none.nest
refused "a run of no processes" 2 'none.nest has no processes' generalize none.nest rowcol.9 -o result
refused "runs of one number of processes" 2 'are both of 9 processes' generalize rowcol.9 rowcol.9 -o result
refused "parameters for some runs" 2 '--param is given 2 times for 3 runs' generalize rowcol.9 rowcol.12 rowcol.16 --param n=1 --param n=2 -o result
refused "parameters that contradict each other" 2 'm=2 stands where N of another run' generalize rowcol.9 rowcol.12 --param n=1 --param m=2 -o result
sed 's/to 5 /to 6 /' app.nest >edited.nest
refused "a text that was edited" 3 'not the one that generalize has made' instantiate edited.nest -D P=18 -o result
refused "a verb without a number of processes" 2 'instantiate APP -D P=' stat app.nest -o result
refused "a model of one number of processes" 2 'not a program for every number of processes' stat 18.nest -D P=9 -o result
refused "no number of processes" 2 'on how many processes' instantiate app.nest -o result
refused "times of too few runs" 2 'from 5 runs on, and there are 1' profile app.nest 18.nest -o result
