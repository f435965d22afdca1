# What calls of MPI say beside peers, tags and sizes is recorded, in the model, and what its mini-app does, too.
. "$ROOT/tests/checks.sh"
. "$ROOT/tests/recording.sh"

statements() { grep '^ *\(\[\|[0-9]\|for\|if\|\$\)' "$1" | sed 's, *//.*,,'; }

# The model of a case has these lines; so has that of its mini-app.
says() { # MPI PROCESSES CASE <LINES
	mpi=$1 n=$2 why="$3 ($1)"
	cat >should
	rm -rf run again
	LD_PRELOAD=$(polite $mpi) timeout -s KILL $HANGS "$TRACENEST" record -q -o run -- mpirun.$mpi -n $n "$programs/$mpi/arguments" $3 >out 2>err || { fail "$why" "it is not recorded"; return; }
	accepted "$why" model -q run -o made.nest
	statements made.nest >is
	same "$why: what is said" should is
	accepted "$why: the model is the trace" check -q made.nest run
	accepted "$why: a mini-app" skeleton -q made.nest -o made.c
	mpicc.$mpi -g -Wall -Wextra -Werror -o made made.c -lm 2>err || { fail "$why: the mini-app" "it does not compile"; return; }
	LD_PRELOAD=$(polite $mpi) timeout -s KILL $HANGS "$TRACENEST" record -q -o again -- mpirun.$mpi -n $n ./made >out 2>err || { fail "$why: the mini-app" "it does not run"; return; }
	accepted "$why: its model" model -q again -o again.nest
	statements again.nest >is
	same "$why: it does the same" should is
}

for mpi in $mpis; do
	says $mpi 3 reductions <<-'X'
	[*] for i0 = 0 to 9
	  [*] p sync MPI_Allreduce * ; bytes=8 op=MPI_MAX received=8
	  [*] p sync MPI_Allreduce * ; bytes=16 op=(longest,ordered|longest){i0%2} received=16
	  [*] p sync MPI_Reduce * root=1 ; bytes=12 op=MPI_BXOR received={12 at 1}
	  [*] p sync MPI_Iallreduce * ; bytes=16 op=MPI_MINLOC received=16
	  [*] p sync MPI_Reduce_scatter_block * ; bytes=12 op=MPI_PROD received=4
	  [*] p sync MPI_Exscan * ; bytes=4 op=MPI_LOR received={4 not at 0}
	X
done
