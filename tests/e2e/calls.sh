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
	rm -rf copy.otf2
	accepted "$why: an archive" export -q --to otf2 made.nest -o copy.otf2
	accepted "$why: ... is the same" check -q made.nest copy.otf2
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
	says $mpi 6 exchanges <<-'X'
	[*] for i0 = 0 to 4
	  [*] p sync MPI_Alltoallv * ; bytes=24 bytes[q]=$b2[(p-q)%6] received=24
	  [*] p sync MPI_Alltoallv @(*,y)@{2+y} ; bytes={12+12*x+12*i0} bytes[q]={4+4*x+4*i0} received={24+12*i0}
	  [*] p sync MPI_Alltoallv *@4 ; bytes=$b[p] bytes[q]=$b3[p,q] received=$r[p]
	  [*] p sync MPI_Ialltoallw * ; bytes=90 bytes[q]={5+4*q} received={30+24*p}
	$b2[(p-q)%6] = 0 8 0 0 0 16
	$b[p] = 60 56 48 36 20 0
	$b3[p,q] = 0..20:4 | 0 0 8..20:4 | 0 0 0 12 16 20 | (0)*4 16 20 | (0)*5 20 | (0)*6
	$r[p] = 0 4 16 36 64 100
	X

	# A collective among neighbours is a message to each, and one from each: of 3 x 2 processes that go around in rows, of a ring, of 0 and all.
	rm -rf run
	LD_PRELOAD=$(polite $mpi) timeout -s KILL $HANGS "$TRACENEST" record -q -o run --model online.nest -- mpirun.$mpi -n 6 "$programs/$mpi/arguments" neighbours >out 2>err || fail "neighbours ($mpi)" "they are not recorded"
	awk 'function add(p, q, bytes, times) { messages[p, q] += times; all[p, q] += bytes * times }
	BEGIN {
		for (p = 0; p < 6; p++) {
			if (p > 1) add(p, p - 2, 16, 8)
			if (p < 4) add(p, p + 2, 16, 8)
			add(p, p % 2 ? p - 1 : p + 1, 16, 2 * 8)
			add(p, (p + 1) % 6, 12, 2 * 8)
			add(p, p, 20, 8); add(p, p, 10, 8)
			add(0, p, 4, 8)
			if (p) add(p, 0, 4, 8)
		}
		print "from,to,messages,bytes"
		for (p = 0; p < 6; p++) for (q = 0; q < 6; q++) if ((p, q) in messages) print p "," q "," messages[p, q] "," all[p, q]
	}' >should
	accepted "neighbours ($mpi)" model -q run -o near.nest
	same "neighbours ($mpi): on line" online.nest near.nest
	accepted "neighbours ($mpi): the model is the trace" check -q near.nest run
	accepted "neighbours ($mpi): who passes on what" matrix --bytes --csv near.nest -o is.csv
	same "neighbours ($mpi): is what the program asks for" should is.csv
	accepted "neighbours ($mpi): where time went" report -q run
	accepted "neighbours ($mpi): a profile" profile -q near.nest run -o near.db
	accepted "neighbours ($mpi): for GOAL" export -q --to goal near.nest -o near.goal
	accepted "neighbours ($mpi): a mini-app" skeleton -q near.nest -o near.c
	mpicc.$mpi -Wall -Wextra -Werror -o near near.c -lm 2>err || fail "neighbours ($mpi): the mini-app" "it does not compile"
	rm -rf again
	LD_PRELOAD=$(polite $mpi) timeout -s KILL $HANGS "$TRACENEST" record -q -o again -- mpirun.$mpi -n 6 ./near >out 2>err || fail "neighbours ($mpi): the mini-app" "it does not run"
	accepted "neighbours ($mpi): its model" model -q again -o again.nest
	accepted "neighbours ($mpi): its matrix" matrix --bytes --csv again.nest -o is.csv
	same "neighbours ($mpi): is the same" should is.csv

	# Which of several requests completes first is no part of the program: whatever call asks for them, the text is that of one that waits for all.
	for by in waitall waitany waitsome testsome test; do
		rm -rf run
		LD_PRELOAD=$(polite $mpi) timeout -s KILL $HANGS "$TRACENEST" record -q -o run -- mpirun.$mpi -n 4 "$programs/$mpi/arguments" completion $by >out 2>err || fail "$by ($mpi)" "it is not recorded"
		accepted "$by ($mpi)" model -q --sites off run -o made.nest
		[ $by != waitall ] || cp made.nest should.nest
		same "$by ($mpi): as by one call" should.nest made.nest
		accepted "$by ($mpi): is the trace" check -q made.nest run
		accepted "$by ($mpi): with its calls" model -q --values bytes,call run -o calls.nest
		accepted "$by ($mpi): is the trace, too" check -q calls.nest run
	done

	# Datatypes of the program are what they were made of.
	rm -rf run
	LD_PRELOAD=$(polite $mpi) timeout -s KILL $HANGS "$TRACENEST" record -q -o run -- mpirun.$mpi -n 2 "$programs/$mpi/arguments" types >out 2>err || fail "types ($mpi)" "they are not recorded"
	accepted "types ($mpi)" events --rank 0 --values type run -o said
	sed -n 's/^0 send .*type=//p' said | sed 's/:[0-9a-f]*,/:HASH,/' >is
	printf '%s\n' 'vector[4,2,8,MPI_DOUBLE]' 'indexed[2,1,2,0,4,MPI_INT]' 'struct[2,1,2,0,256,vector[4,2,8,MPI_DOUBLE],MPI_INT]' 'resized[-8,64,MPI_FLOAT]' \
		'indexed[201:HASH,MPI_CHAR]' triple >should
	same "types ($mpi): what they were made of" should is

	# Polls that say no are one region as long as nothing else is done between them.
	rm -rf run
	LD_PRELOAD=$(polite $mpi) timeout -s KILL $HANGS "$TRACENEST" record -q -o run -- mpirun.$mpi -n 2 "$programs/$mpi/arguments" polls >out 2>err || fail "polls ($mpi)" "they are not recorded"
	otf2-print run/traces.otf2 >said
	holds "polls ($mpi): far apart, they are told one by one" sh -c 'n=$(grep -c "^ENTER .*\"MPI_Test\"" said) && [ $n -ge 22 ]'
	holds "polls ($mpi): 400,000 in a row are few regions" sh -c 'n=$(grep -c "^ENTER .*\"MPI_Iprobe\"" said) && [ $n -le 20000 ]'
	holds "polls ($mpi): which are left" sh -c '[ $(grep -c "^ENTER " said) = $(grep -c "^LEAVE " said) ]'
	accepted "polls ($mpi): the model" model -q run -o made.nest
	accepted "polls ($mpi): is the trace" check -q made.nest run
done
