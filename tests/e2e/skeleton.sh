# tracenest skeleton: the mini-app compiles without a warning under each MPI that is here and passes on what the model does, whatever the sizes; what would
# wait forever is refused.
. "$ROOT/tests/checks.sh"
. "$ROOT/tests/counts.sh"

programs=$(dirname "$TRACENEST")/programs
on() { # MPI PROCESSES PROGRAM [ARGUMENT]...
	mpi_of=$1 processes=$2
	shift 2
	LD_PRELOAD=$(polite $mpi_of) timeout $HANGS mpirun.$mpi_of -n $processes "$@"
}

# A set of processes is one communicator, wherever it is written.
run skeleton -q "$GOLDEN/paper-shift.nest"
holds 'two sets are two communicators' test "$(grep -c MPI_Comm_split out)" = 2

# Every collective there is, of even and uneven sizes, on parts of the world, too; messages on communicators of their own; conditions.
cat >all.nest <<'END'
// tracenest 1
// processes 4
[0-3] for i0 = 0 to 2
  [0-3] p send (p+1)%4 tag{7+i0} ; bytes={100+10*p+8*i0} type=MPI_BYTE
  [0-3] (p-1)%4 recv p tag{7+i0} ; bytes=$r[p,i0]
  [0-3] p send (p-1)%4 tag9@3 ; bytes=800 type=MPI_DOUBLE
  [0-3] (p+1)%4 recv p tag9@3 ; bytes=800 type=MPI_DOUBLE
  [0-3] p sync MPI_Barrier 0-3
  [0-3] p sync MPI_Bcast 0-3 root={i0} ; bytes=$d[p,i0] received=$u[p,i0] type=MPI_INT
  [0-3] p sync MPI_Reduce 0-3 root=2 ; bytes=64 received=$e[p] type=MPI_DOUBLE
  [0-3] p sync MPI_Allreduce 0-3 ; bytes=64 received=64 type=MPI_DOUBLE
  [0-3] p sync MPI_Scan 0-3 ; bytes=64 received=64
  [0-3] p sync MPI_Exscan 0-3 ; bytes=64 received=64
  [0-3] p sync MPI_Reduce_scatter_block 0-3 ; bytes=64 received=16
  [0-3] p sync MPI_Reduce_scatter 0-3 ; bytes=60 received={0+10*p}
  [0-3] p sync MPI_Gather 0-3 root=1 ; bytes=8 received=8
  [0-3] p sync MPI_Gatherv 0-3 root=1 ; bytes={8+p} received=38
  [0-3] p sync MPI_Scatter 0-3 root=1 ; bytes=8 received=8
  [0-3] p sync MPI_Scatterv 0-3 root=1 ; bytes=8 received={8+p}
  [0-3] p sync MPI_Allgather 0-3 ; bytes=8 received=32
  [0-3] p sync MPI_Allgatherv 0-3 ; bytes={8+p} received=38
  [0-3] p sync MPI_Alltoall 0-3 ; bytes=32 received=32
  [0-3] p sync MPI_Alltoallv 0-3 ; bytes={100+p} received={103-p}
  [0-3] p sync MPI_Alltoallw 0-3 ; bytes={100+p} received={103-p}
  [0-3] p sync MPI_Ibcast 0-3 root=1 ; bytes=80 received=80
  [0-3] p sync MPI_Ialltoallv 0-3 ; bytes={100+p} received={103-p}
  [0-1] p sync MPI_Allreduce 0-1@4 ; bytes=8 received=8
  [2-3] p sync MPI_Bcast 2-3@5 root=3 ; bytes=8 received=8
  [0-1] p send p^1 tag1@4 ; bytes=8
  [0-1] p^1 recv p tag1@4 ; bytes=8
  [0-2] p send p+1 tag5 ; bytes=8
  [1-3] p-1 recv p tag5 ; bytes=8
  [0-2] p sync MPI_Allreduce 0-2@6 ; bytes=8 received=8
  [1-3] p sync MPI_Barrier 1-3@7
  [1-2] p send p+1 tag6@7 ; bytes=8
  [2-3] p-1 recv p tag6@7 ; bytes=8
  [1-2] p send p+1 tag7@7 ; bytes=8
  [2-3] p-1 recv p tag7@7 ; bytes=8
  [1-2] p send p+1 tag8@7 ; bytes=8
  [2-3] p-1 recv p tag8@7 ; bytes=8
  [0,2-3] p sync MPI_Gatherv 0,2-3 root=2 ; bytes={8+p} received=10
  if {i0} = 1
    [0-3] p sync MPI_Barrier 0-3
  else
    [0-3] p sync MPI_Ibarrier 0-3
  done
done
// tables
$r[p,i0] = 130 138 146 | 100 108 116 | 110 118 126 | 120 128 136 |
$d[p,i0] = 40 0 0 | 0 40 0 | 0 0 40 | 0 0 0 |
$u[p,i0] = 0 40 40 | 40 0 40 | 40 40 0 | 40 40 40 |
$e[p] = 0 0 64 0
END

# All processes send all that they have before they receive: with blocking calls that is a matter of size.
cat >round.nest <<'END'
// tracenest 1
// processes 4
[0-3] for i0 = 0 to 19
  [0-3] p send (p+1)%4 tag1 ; bytes={1000+i0}
  [0-3] p send (p+2)%4 tag1 ; bytes=2000
  [0-3] (p+2)%4 recv p tag1 ; bytes=2000
  [0-3] (p-1)%4 recv p tag1 ; bytes={1000+i0}
done
END

# The calls by which they were recorded: posted ahead, completed together, in one call with ends, persistent, blocking.
cat >calls.nest <<'END'
// tracenest 1
// processes 4
// events 540
[0-3] for i0 = 0 to 9
  [0-3] p send (p+1)%4 tag1 ; bytes=800 apart=0 call=MPI_Isend other=MPI_Waitall
  [0-3] (p-1)%4 recv p tag1 ; bytes=800 apart=1 call=MPI_Waitall other=MPI_Irecv place=0
  [0-2] p send p+1 tag2 ; bytes=80 call=MPI_Sendrecv place=0
  [1-3] p-1 recv p tag2 ; bytes=80 call=MPI_Sendrecv place=$place[p]
  [0-3] p send p^1 tag3 ; bytes=8 apart=0 call=MPI_Start other=MPI_Wait
  [0-3] p^1 recv p tag3 ; bytes=8 apart=1 call=MPI_Wait other=MPI_Start
  [0,2] p send p+1 tag4 ; bytes=8 call=MPI_Send
  [1,3] p-1 recv p tag4 ; bytes=8 call=MPI_Recv
  [1,3] p send p-1 tag4 ; bytes=16 call=MPI_Ssend
  [0,2] p+1 recv p tag4 ; bytes=16 apart=1 call=MPI_Wait other=MPI_Irecv
  [0-3] for i1 = 0 to 2
    [0-3] p send (p+1)%4 tag{10+i1} ; bytes={100+8*i1} apart={2-i1} call=MPI_Isend other=MPI_Waitall
  done
  [0-3] for i1 = 0 to 2
    [0-3] (p-1)%4 recv p tag{10+i1} ; bytes={100+8*i1} apart=3 call=MPI_Waitall other=MPI_Irecv place={i1}
  done
done
// tables
$place[p] = 1 1 1 0
END
# Calls that complete, by every name, one request each or all of them; requests as variables, and, with MPI_Startall, as a list.
for call in MPI_Wait MPI_Waitany MPI_Waitsome MPI_Test MPI_Testany MPI_Testsome MPI_Waitall MPI_Testall; do
	number=$((${number:-0} + 1))
	case $call in *all | *some) place=" place=0" ;; *) place= ;; esac
	printf '%s\n' '[0-3] for i0 = 0 to 4' "  [0-3] p send (p+1)%4 tag$number ; bytes=80 apart=0 call=MPI_Isend other=$call" \
		"  [0-3] (p-1)%4 recv p tag$number ; bytes=80 apart=1 call=$call other=MPI_Irecv$place" done >>completing.list
done
{
	printf '// tracenest 1\n// processes 4\n' && grep -v 'Wait\(all\)\|Testall' completing.list | awk '/ for / { loop = $0 } / send / { send = $0 } / recv / { print loop "\n" send "\n" $0 "\ndone" }'
} >completing.nest
{
	printf '// tracenest 1\n// processes 4\n' && cat completing.list
	printf '%s\n' '[0-3] for i0 = 0 to 4' '  [0-3] p send p^1 tag20 ; bytes=8 apart=0 call=MPI_Startall other=MPI_Testsome place=0' '  [0-3] p^1 recv p tag20 ; bytes=8 apart=1 call=MPI_Waitany other=MPI_Startall' \
		'  [0-3] p send (p+1)%4 tag21 ; bytes=64 call=MPI_Sendrecv_replace place=0' '  [0-3] (p-1)%4 recv p tag21 ; bytes=64 call=MPI_Sendrecv_replace place=1' done
} >listed.nest

# Tags that differ in their words alone, received in another order than they were sent.
cat >words.nest <<'END'
// tracenest 1
// processes 4
[0-3] for i0 = 0 to 4
  [0-3] p send (p+1)%4 a{i0} ; bytes={4000+i0}
  [0-3] p send (p+1)%4 b{i0} ; bytes=8
  [0-3] p send (p+1)%4 b ; bytes=2000
  [0-3] p send (p+1)%4 c0 ; bytes=16
  [0-3] (p-1)%4 recv p c0 ; bytes=16
  [0-3] (p-1)%4 recv p b{i0} ; bytes=8
  [0-3] (p-1)%4 recv p b ; bytes=2000
  [0-3] (p-1)%4 recv p a{i0} ; bytes={4000+i0}
done
END
printf '// tracenest 1\n// processes 2\n0 send 1 t\n0 recv 1 t0\n' >unnumbered.nest
refused "a tag without a number is none of number 0" 3 'process 1 receives 1 messages from 0 that are never sent' skeleton --lenient unnumbered.nest

# Receives of one tag on two communicators, which do not complete in the order in which they were posted.
cat >crossed.nest <<'END'
// tracenest 1
// processes 2
[0-1] for i0 = 0 to 9
  [0-1] p sync MPI_Barrier 0-1@3
  [0-1] p send p^1 tag1 ; bytes=8 call=MPI_Send
  [0-1] p send p^1 tag1@3 ; bytes=16 call=MPI_Send
  [0-1] p^1 recv p tag1 ; bytes=8 apart=1 call=MPI_Wait other=MPI_Irecv
  [0-1] p^1 recv p tag1@3 ; bytes=16 apart=3 call=MPI_Wait other=MPI_Irecv
done
END
accepted "receives on two communicators" skeleton crossed.nest -o crossed.c
printf '// tracenest 1\n// processes 2\n[*] p sync MPI_Barrier *\nfor i0 = 0 to 3\ndone\n' >nothing.nest
accepted "a loop of nothing at the end" skeleton nothing.nest -o nothing.c
# A table has rows for those alone who do something under its condition; others may come by more often than it has entries.
cat >asking.nest <<'END'
// tracenest 1
// processes 4
[*] for i0 = 0 to {$n[p]-1}
  [*] p sync MPI_Barrier p
  if $g[p,i0]
    [0-1] p send p^1 tag1 ; bytes=8
    [0-1] p^1 recv p tag1 ; bytes=8
  else
    0 local call x
  done
  for i1 = 0 to {$m[i0]-1}
    0 send 0 tag2 ; bytes=8
    0 recv 0 tag2 ; bytes=8
  done
done
// tables
$n[p] = 3 3 40 50
$g[p,i0] = 1 0 1 | 1 0 1
$m[i0] = 1 0 2
END
accepted "a condition by rank and index" skeleton asking.nest -o asking.c
compiles "... which compiles" asking.c
holds "is asked by those who have entries" sh -c 'grep -B 1 "if (table_g\[p\]\[i0\] != 0)" asking.c | grep -q "if (p <= 1) {"'
holds "and so is a count" sh -c 'grep -B 1 "i1 < table_m\[i0\]" asking.c | grep -q "if (p == 0)"'
printf '// tracenest 1\n// processes 4\n[0,3] p sync MPI_Gatherv 0,3@3 root=0\n' >part.nest
accepted "a part of the world gathers what nobody knows the size of" skeleton part.nest -o part.c
compiles "... without a function that nobody calls" part.c
holds "are posted where they were" awk '/post_receive\(1, 16/ { step = 1 } /send_to\(16,/ && step == 1 { found = 1 } END { exit !found }' crossed.c

# More requests than one would give names to.
{
	printf '// tracenest 1\n// processes 4\n'
	for tag in $(seq 40); do echo "[0-3] p send p^1 tag$tag ; bytes=8 apart=$((80 - 2 * tag)) call=MPI_Isend other=MPI_Wait"; done
	for tag in $(seq 40); do echo "[0-3] p^1 recv p tag$tag ; bytes=8 apart=$((39 + tag)) call=MPI_Wait other=MPI_Irecv"; done
} >many.nest

# Blocking calls that wait for each other as soon as messages are large.
cat >cycle.nest <<'END'
// tracenest 1
// processes 4
[0-3] for i0 = 0 to 9
  [0-3] p send (p+1)%4 tag1 ; bytes=8 call=MPI_Send
  [0-3] (p-1)%4 recv p tag1 ; bytes=8 apart=0 call=MPI_Wait other=MPI_Irecv
done
END
sed 's/apart=0/apart=1/' cycle.nest >ahead.nest
sed -e 's/call=MPI_Send/apart=0 call=MPI_Isend other=MPI_Wait/' -e 's/apart=0 call=MPI_Wait other=MPI_Irecv/call=MPI_Recv/' -e 's/apart=0/apart=1/' cycle.nest >posted.nest

# A number that each process has for itself is MPI_COMM_SELF; of two, the other is a copy. PETSc meets on such.
cat >self.nest <<'END'
// tracenest 1
// processes 4
[0] p sync MPI_Allreduce 0@1 ; bytes=8 received=8
[1] p sync MPI_Allreduce 1@1 ; bytes=16 received=16
[2] p sync MPI_Bcast 2@1 root=2 ; bytes=24 received=24
[3] p sync MPI_Allreduce 3@1 ; bytes=8 received=8
[2-3] p sync MPI_Allreduce 2-3@2 ; bytes=8 received=8
[0-3] p send p tag1@1 ; bytes=8
[0-3] p recv p tag1@1 ; bytes=8
[1] p sync MPI_Barrier 1@3
[2] p sync MPI_Barrier 2@3
[1] p sync MPI_Barrier 1@3
END

accepted "a model of all collectives is sound" check -q all.nest
for model in all round self; do
	accepted "skeleton $model" skeleton --lenient $model.nest -o $model.c
	said $model.nest >$model.said
done
# One message, of which nothing is folded; one whose receive does not say how much it gets.
printf '0 send 1 tag7 ; bytes=100000000\n0 recv 1 tag7 ; bytes=100000000\n' >bytes.trace
printf '0 send 1 tag3000 ; time=1200 bytes=800\n0 recv 1 tag3000 ; time=1450\n0 sync MPI_Allreduce 0-1\n1 sync MPI_Allreduce 0-1\n' >without.trace
for name in bytes:100000000 without:800; do
	accepted "${name%:*}" model -q ${name%:*}.trace -o ${name%:*}.nest
	accepted "its program" skeleton ${name%:*}.nest -o ${name%:*}.c
	holds "both ends pass on ${name#*:} bytes" test "$(grep -c "^	*\(send_to\|receive_from\)(${name#*:}, MPI_BYTE" ${name%:*}.c)" = 2
	accepted "played back" replay ${name%:*}.nest --simulate cluster:2,1us,1GBps --model loggops
done
accepted "a second for a gigabyte" replay bytes.nest --simulate cluster:2,1us,1GBps --model loggops
holds "in a simulation, too" awk '/all phases/ { found = $2 > 0.1 } END { exit !found }' out

# Models that are not folded pass on the same, also where one end alone says how large a message is.
accepted "what every process does" expand --values all all.nest -o all.trace
for form in unfolded local; do accepted "$form" model -q --values all --$form all.trace -o $form.nest; done
sed '/^[^;]* recv /s/ bytes=[0-9]*//' all.trace >sent.trace
sed '/^[^;]* send /s/ bytes=[0-9]*//' all.trace >received.trace
for end in sent received; do accepted "sizes that are $end" model -q --values all $end.trace -o $end.nest; done
for model in unfolded local sent received; do
	accepted "skeleton $model" skeleton --lenient $model.nest -o $model.c
	cp all.said $model.said
	holds "$model: all sizes are known" sh -c "! grep -q 'Where sizes are not known' $model.c"
	accepted "$model: the matrix" matrix --lenient --bytes --csv $model.nest -o $model.csv
	accepted "$model: as GOAL" export --lenient -q --to goal $model.nest -o $model.goal
done
accepted "the matrix" matrix --lenient --bytes --csv all.nest -o all.csv
accepted "as GOAL" export --lenient -q --to goal all.nest -o all.goal
for model in unfolded local sent received; do
	same "$model: the same matrix" all.csv $model.csv
	for goal in all $model; do sed 's/ tag 1073[0-9]*$//' $goal.goal >$goal.messages; done # which group has which tag is no matter
	same "$model: the same for simulators" all.messages $model.messages
done
# Both that are not folded give one program, and so do both that know the sizes of one end: two of these four are run.
for pair in 'unfolded local' 'sent received'; do
	set -- $pair
	for model; do sed 1d $model.c >$model.code; done # the first line names it
	same "$2: the same program as $1" $1.code $2.code
done
for model in words calls cycle ahead posted completing listed many; do
	accepted "skeleton $model" skeleton $model.nest -o $model.c
done
for call in Wait Waitany Waitsome Test Testany Testsome; do holds "MPI_$call is made" sh -c "grep -q MPI_$call'(' completing.c && grep -q MPI_$call'(' listed.c"; done
for call in Waitall Testall Startall Sendrecv_replace; do holds "MPI_$call is made" grep -q "MPI_$call(" listed.c; done
holds "forty are a list" grep -q '^static struct request \*add_request' many.c
holds "requests have variables where they can" sh -c "grep -q '	waitsome_for(0);' completing.c && ! grep -q add_request completing.c"
holds "in a cycle sends do not wait, and it says so" sh -c "grep -q 'Sends would wait for each other' cycle.c && ! grep -q MPI_Send cycle.c && grep -q MPI_Irecv cycle.c"
holds "where receives are posted ahead, they wait" sh -c "! grep -q 'Sends would wait for each other' ahead.c && grep -q MPI_Send ahead.c"
holds "a send is waited for behind the receive that it went with" awk '/post_send\(.*p/ { step = 1 } /\treceive_from\(.*p/ && step == 1 { step = 2 } /\twait_for\(0\);/ && step == 2 { found = 1 } END { exit !found }' posted.c
# The programs are the same whatever the command was built with.
mpis=
for mpi in $(sanitized || echo openmpi mpich); do
	if command -v mpicc.$mpi >/dev/null && command -v mpirun.$mpi >/dev/null && [ -e "$programs/$mpi/counter.so" ]; then mpis="$mpis $mpi"
	else skip "mini-apps under $mpi, which is not here"
	fi
done
for name in $(test -z "$mpis" || echo lu.S.4.ez bt.S.4.scorep); do
	accepted "$name with its calls" model -q --values bytes,received,call "$(anchor $name)" -o $name.nest
	accepted "its mini-app" skeleton $name.nest -o $name.c
	{ said $name.nest && said_calls $name.nest; } >$name.said
done
for mpi in $mpis; do
	for model in all round self unfolded sent; do
		holds "$model compiles ($mpi)" mpicc.$mpi -std=c17 -Wall -Wextra -Werror -o $model $model.c
		rm -f count.*
		holds "$model runs ($mpi)" timeout $HANGS mpirun.$mpi -n 4 env LD_PRELOAD="$programs/$mpi/counter.so:$(polite $mpi)" COUNTER="$PWD/count" ./$model
		counted count.* >counts
		same "$model passes on what the model says ($mpi)" $model.said counts
	done
	for name in lu.S.4.ez bt.S.4.scorep; do
		holds "$name's mini-app compiles ($mpi)" mpicc.$mpi -std=c17 -Wall -Wextra -Werror -o own $name.c
		rm -f count.*
		holds "it runs ($mpi)" timeout $HANGS mpirun.$mpi -n 4 env LD_PRELOAD="$programs/$mpi/counter.so:$(polite $mpi)" COUNTER_CALLS=1 COUNTER="$PWD/count" ./own
		{ counted count.* && counted_calls count.*; } >counts
		same "it passes on what $name did, by the same functions ($mpi)" $name.said counts
	done
	holds "words compiles ($mpi)" mpicc.$mpi -std=c17 -Wall -Wextra -Werror -o words words.c
	holds "messages go by the words of their tags ($mpi)" on $mpi 4 ./words
	for model in calls cycle ahead posted completing listed many; do
		holds "$model compiles ($mpi)" mpicc.$mpi -std=c17 -Wall -Wextra -Werror -o $model $model.c
		holds "$model ends with messages of a megabyte ($mpi)" on $mpi 4 ./$model --bytes 1000000
	done
	if [ -e "$(dirname "$TRACENEST")/libtracenest-record-$mpi.so" ]; then
		for model in calls listed; do
			LD_PRELOAD=$(polite $mpi) accepted "$model is recorded ($mpi)" record -q -o $model.run -- mpirun.$mpi -n 4 ./$model
			accepted "its calls are those of the model ($mpi)" check -q $model.nest $model.run/traces.otf2
		done
	fi
	holds "messages of a megabyte do not wait for each other ($mpi)" on $mpi 4 ./round --bytes 1000000
	holds "fewer iterations ($mpi)" sh -c "COUNTER=$PWD/few timeout $HANGS mpirun.$mpi -n 4 env LD_PRELOAD=$programs/$mpi/counter.so:$(polite $mpi) ./round --iterations 1 --scale-bytes 2 && test \$(awk '{ n += \$7 } END { print n }' few.0) = 2 && grep -q '	4000	' few.0"
	refusal=$(on $mpi 4 ./round --iterations 21 2>&1 >out)
	holds "more iterations than are known are refused ($mpi)" sh -c 'echo "$1" | grep -q "what more iterations would do is not known"' sh "$refusal"
done
if ! sanitized && command -v clang >/dev/null && command -v mpicc.openmpi >/dev/null; then
	OMPI_CC=clang holds "clang has nothing to say either" mpicc.openmpi -std=c17 -Wall -Wextra -Werror -o all all.c
fi

# More communicators than MPIs have room for, one after the other: each is made where it is needed first, and freed behind.
cat >temporary.nest <<'END'
// tracenest 1
// processes 4
// grid 2 2
[*] for i0 = 0 to 2499
  [*] p sync MPI_Allreduce @(x,*)@{2+x+2*i0} ; bytes=4 received=4
done
END
cat >nested.nest <<'END'
// tracenest 1
// processes 4
[0-3] for i0 = 0 to 1499
  [0-3] for i1 = 0 to 2
    [0-3] p sync MPI_Allreduce 0-3@{10+2*i0} ; bytes=8 received=8
  done
  [0-2] p send p+1 tag1@{10+2*i0} ; bytes=8
  [1-3] p-1 recv p tag1@{10+2*i0} ; bytes=8
  [0-3] p sync MPI_Bcast 0-3@{10+2*i0} root=0 ; bytes=8 received=8
  [0-2] for i1 = 0 to 3
    [0-2] p sync MPI_Allreduce 0-2@{11+2*i0} ; bytes=8 received=8
  done
  [1-3] p sync MPI_Barrier 1-3@3
done
[0-2] p send p+1 tag1@9 ; bytes=8
[1-3] p-1 recv p tag1@9 ; bytes=8
END
for model in temporary nested; do accepted "thousands of communicators, $model" skeleton $model.nest -o $model.c; done
for mpi in $mpis; do
	for model in temporary nested; do holds "compile ($mpi)" mpicc.$mpi -std=c17 -Wall -Wextra -Werror -o $model $model.c; done
	holds "are freed in time ($mpi)" on $mpi 4 ./nested
	if [ -e "$(dirname "$TRACENEST")/libtracenest-record-$mpi.so" ]; then
		LD_PRELOAD=$(polite $mpi) accepted "also where they are recorded ($mpi)" record -q -o temporary.run -- mpirun.$mpi -n 4 ./temporary
		accepted "with the communicators of the model ($mpi)" check -q temporary.nest temporary.run/traces.otf2
	else holds "of parts, too ($mpi)" on $mpi 4 ./temporary
	fi
done

# Sizes that nobody says are a byte, and it is said; those that are there, and are too many to be kept, are a caution.
printf '// tracenest 1\n// processes 2\n0 send 1 tag1\n0 recv 1 tag1\n' >unsized.nest
accepted "a model without sizes" skeleton unsized.nest -o unsized.c
cp err said
holds "says that they are a byte" grep -q '^tracenest: 2 statements do not say how many bytes they pass on: one byte is taken' said
printf '// tracenest 1\n// processes 2\nfor i0 = 0 to 2999999\n  0 send 1 tag1 ; bytes=800\n  0 recv 1 tag1 ; bytes=800\ndone\n' >long.nest
run skeleton long.nest -o long.c
cp err said
holds "more events than sizes are kept of" test $status = 3
holds "are told" grep -q "^tracenest: 6,000,000 events are more than the 4,194,304 whose sizes are kept" said
accepted "and accepted" skeleton --lenient long.nest -o long.c

# A collective that is posted, and waited for behind what another process does first, would wait forever.
printf '// tracenest 1\n// processes 2\nfor i0 = 0 to 9\n  0 recv 1 tag1\n  [0-1] p sync MPI_Ibarrier 0-1\n  0 send 1 tag1\ndone\n' >later.nest
refused "a posted collective that would wait forever" 3 'collectives that are posted would wait forever' skeleton later.nest -o result
accepted "and is left out" skeleton --lenient later.nest -o later.c
for mpi in $mpis; do
	holds "compiles ($mpi)" mpicc.$mpi -std=c17 -Wall -Wextra -Werror -o later later.c
	holds "and ends ($mpi)" on $mpi 2 ./later
done

# Where only what processes put in is told, what they get follows from it.
sed 's/ received=[^ ]*//; s/\$u\[.*//; s/\$e\[.*//' all.nest >puts.nest
accepted "sizes that processes put in" skeleton --lenient puts.nest -o puts.c
for mpi in $mpis; do
	holds "compile ($mpi)" mpicc.$mpi -std=c17 -Wall -Wextra -Werror -o puts puts.c
	holds "and are received ($mpi)" on $mpi 4 ./puts
done
printf '// tracenest 1\n// processes 4\n[2] p sync MPI_Bcast 0-3 root=2 ; bytes=8000\n[0-1,3] p sync MPI_Bcast 0-3 root=2 ; bytes=0\n' >root.nest
accepted "a root that stands elsewhere" skeleton root.nest -o root.c
holds "says for all what they get" test "$(grep -c 'bcast(8000, MPI_BYTE, 2' root.c)" = 2

printf '// tracenest 1\n// processes 4\n[*] for i0 = 0 to 9\n  call ibarrier\ndone\ncall ibarrier\n// procedures\nprocedure ibarrier\n  [*] p sync MPI_Ibarrier *\n  [*] p sync MPI_Ireduce * root=0 ; bytes=8\ndone\n' >posted.nest
accepted "a function called as what posts a collective" skeleton posted.nest -o posted.c
for mpi in $mpis; do
	holds "... is another ($mpi)" mpicc.$mpi -std=c17 -Wall -Wextra -Werror -o posted posted.c
done

# What all send to one must fit into what it gets: else the mini-app says so, whatever MPI makes of the end.
printf '// tracenest 1\n// processes 4\n[0-3] p sync MPI_Gatherv 0-3 root=0 ; bytes=4000 received=$r[p]\n// tables\n$r[p] = 3392 0 0 0\n' >gatherv.nest
accepted "sizes that cannot be" skeleton gatherv.nest -o gatherv.c
for mpi in $mpis; do
	holds "compile ($mpi)" mpicc.$mpi -std=c17 -Wall -Wextra -Werror -o gatherv gatherv.c
	for try in 1 2 3 4 5; do # MPICH's mpiexec loses what is said just before an abort, one time in twenty
		on $mpi 4 ./gatherv >gatherv.said 2>&1
		refused=$?
		! grep -q '^sizes that cannot be: ' gatherv.said || break
	done
	holds "and are refused ($mpi)" test $refused = 2 -a "$(grep -c '^sizes that cannot be: ' gatherv.said)" -ge 1
done

# Functions are those of the source, as far as call paths tell them; an index that only a condition asks for is passed.
cat >named.nest <<'END'
// tracenest 1
// processes 2
for i0 = 0 to 5 // run
  if {i0} = 2 // step
    [*] p sync MPI_Barrier * // s.c:7
    [*] p sync MPI_Barrier * // s.c:8
  done
  [*] p sync MPI_Allreduce * ; bytes=8 received=8 // s.c:9
  [*] p sync MPI_Barrier * // r.c:3
done
[*] p sync MPI_Barrier * // m.c:2
// sites
// m.c:1 main
//   r.c:2 run > s.c:7,8,9 Solver::step
//   r.c:3 run
//   run
// m.c:2 main
END
accepted "functions of the source" skeleton named.nest -o named.c
holds "have their names, and what they ask for" grep -qx 'static void Solver_step(long i0)' named.c
holds "those that call them, too" sh -c 'grep -A4 -x "static void run_1(void)" named.c | grep -qx "		Solver_step(i0);"'
for mpi in $mpis; do
	holds "compile ($mpi)" mpicc.$mpi -std=c17 -Wall -Wextra -Werror -o named named.c
done

# Long runs of equal numbers are ranges.
printf '// tracenest 1\n// processes 2\n[0-1] for i0 = 0 to 999\n  [0] p send 1 tag1 ; bytes=$b[i0]\n  [1] 0 recv p tag1 ; bytes=$b[i0]\ndone\n// tables\n$b[i0] = 8 (16)*990 (8 24)*4 32\n' >runs.nest
cat >power.nest <<'END'
// tracenest 1
// processes 4
[0-3] for i0 = 0 to 9
  [0-3] p sync MPI_Allreduce 0-3 ; bytes={8*2^i0} received={8*2^i0}
done
END
accepted "sizes that are powers" skeleton power.nest -o power.c
holds "buffers have room for the last one" grep -q 'LARGEST = 4096 ' power.c
accepted "a table of runs" skeleton runs.nest -o runs.c
holds "is short" grep -q '= {8, \[1 ... 990\] = 16, 8, 24, 8, 24, 8, 24, 8, 24, 32}' runs.c
if ! sanitized && command -v mpicc.openmpi >/dev/null; then holds "and C" mpicc.openmpi -std=c17 -Wall -Wextra -Werror -c -o runs.o runs.c; fi

# Tools tell the sizes of collectives in several ways: here, of 8 bytes, what travels if each process sends to all, or to those behind it.
printf '// tracenest 1\n// processes 4\n[0-3] p sync MPI_Allreduce 0-3 ; bytes=32 received=32\n[0-3] p sync MPI_Scan 0-3 ; bytes={32-8*p} received={8+8*p}\n' >pairs.nest
accepted "sizes of all pairs" skeleton pairs.nest -o pairs.c
sed 's/ received=[^ ]*//' pairs.nest >parts.nest
accepted "sizes that are sent to those behind" skeleton parts.nest -o parts.c
holds "are those of the first" grep -q 'scan(32 / 4, MPI_BYTE\|scan(8, MPI_BYTE\|scan((32[^p]*) / 4, MPI_BYTE' parts.c
holds "are told from a scan" grep -q 'allreduce(8, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD)' pairs.c

# Of an archive, with its calls.
accepted "skeleton of an archive" skeleton "$(anchor bt.S.4.scorep)" -o archive.c
accepted "the same by its folder" skeleton "$(dirname "$(anchor bt.S.4.scorep)")" -o folder.c
holds "it is the same" cmp archive.c folder.c
holds "it posts its receives" sh -c "grep -q MPI_Irecv archive.c && grep -q MPI_Waitall archive.c && grep -q 'wait_for_sends();' archive.c"

accepted "skeleton of LU" skeleton "$(anchor lu.S.4.ez)" -o lu.c
holds "it is short" test "$(wc -l <lu.c)" -le 250
holds "neighbours need no conditions" sh -c "grep -q '	receive_from(.*, left, ' lu.c && ! grep -q 'if (has' lu.c"
holds "its wavefronts are said, there and back" sh -c "grep -q 'A wavefront: each waits for those before it' lu.c && grep -q 'A wavefront back: each waits for those behind it' lu.c"

# Text traces need not tell who the root is.
printf '// tracenest 1\n// processes 4\n[0-3] p sync MPI_Bcast 0-3\n[0-3] p sync MPI_Gatherv 0-3 ; bytes={8+p}\n[0-3] p sync MPI_Ireduce 0-3\n' >rootless.nest
accepted "skeleton without roots" skeleton rootless.nest -o rootless.c
compiles "it compiles" rootless.c

holds "where each process is alone, it is MPI_COMM_SELF" sh -c "grep -q 'comm\[1\] = MPI_COMM_SELF;' self.c && grep -q 'MPI_Comm_dup(MPI_COMM_SELF, &comm\[3\]);' self.c"
while IFS='|' read -r why texts; do
	printf "// tracenest 1\n// processes 4\n$texts" >several.nest
	refused "$why" 2 'communicator 1 is of different processes in different collectives' skeleton several.nest -o result
done <<'END'
one number for two pairs|[0-1] p sync MPI_Barrier 0-1@1\n[2-3] p sync MPI_Barrier 2-3@1\n
for one process and for two|[0] p sync MPI_Barrier 0@1\n[2-3] p sync MPI_Barrier 2-3@1\n
for each process, and for two|[0] p sync MPI_Barrier 0@1\n[1] p sync MPI_Barrier 1@1\n[2-3] p sync MPI_Barrier 2-3@1\n
for all and for some|[0-3] p sync MPI_Barrier 0-3@1\n[2-3] p sync MPI_Barrier 2-3@1\n
END

# What would wait forever.
printf '// tracenest 1\n// processes 3\n0 send 1 tag1 ; bytes=8\n0 send 2 tag1 ; bytes=8\n0 recv 2 tag1 ; bytes=8\n' >lost.nest
refused "what nobody receives" 3 '^tracenest: lost.nest: 1 channel with unmatched .*0 -> 1 tag1: 1 send, 0 receives: what nobody receives would be waited for' skeleton lost.nest -o result
holds "in one line" test "$(wc -l <err)" = 1
accepted "with --lenient" skeleton --lenient lost.nest -o lost.c
holds "it is received at the end" grep -q '{0, 1, 1, -1, 1}' lost.c
printf '// tracenest 1\n// processes 2\n[0-1] for i0 = 0 to 9\n  [0] p send 1 tag{1+i0} ; bytes=8\n  [0] p send 1 tag20 ; bytes=8\n  [1] 0 recv p tag20 ; bytes=8\ndone\n' >lost.nest
accepted "of a loop" skeleton --lenient lost.nest -o lost.c
if echo "$mpis" | grep -q openmpi; then
	holds "it compiles" mpicc.openmpi -std=c17 -Wall -Wextra -Werror -o lost lost.c
	holds "and ends" on openmpi 2 ./lost
	holds "with fewer iterations, too" on openmpi 2 ./lost --iterations 2 --bytes 1000000
fi
printf '// tracenest 1\n// processes 2\n0 recv 1 tag1\n' >never.nest
refused "what nobody sends" 3 'never.nest: .*0 sends, 1 receive' skeleton never.nest -o result
refused "... not even with --lenient" 3 'process 1 receives 1 messages from 0 that are never sent' skeleton --lenient never.nest -o result

# With the times of a profile.
accepted "a model to profile" model -q "$(anchor bt.S.4.scorep)" -o bt.nest
accepted "its profile" profile -q bt.nest "$(anchor bt.S.4.scorep)" -o bt.db
accepted "skeleton --profile" skeleton bt.nest --profile bt.db -o bt.c
accepted "a profile of each event" profile -q --exact --calls bt.nest "$(anchor bt.S.4.scorep)" -o exact.db
accepted "skeleton --profile with the times of each" skeleton bt.nest --profile exact.db -o exact.c
holds "which are in the program" grep -q '^static const int first_times\[PROCESSES\]\[EVENTS + 1\]' exact.c
# A run without messages and collectives computes, too.
printf '// tracenest 1\n// processes 2\n' >none.nest
accepted "an archive without events" export -q --to otf2 none.nest -o none
accepted "its profile" profile -q none.nest none/traces.otf2 -o none.db
accepted "its mini-app" skeleton none.nest --profile none.db -o none.c
if ! sanitized && command -v mpicc.openmpi >/dev/null; then holds "has nothing that is not used" mpicc.openmpi -std=c17 -Wall -Wextra -Werror -o none.run none.c; fi

# Times are drawn so that the slowest of some processes takes as long as it did: alike where all are slow together, one after the other where it takes most.
if command -v python3 >/dev/null && python3 -c 'import sqlite3' 2>/dev/null; then
	cat >longest.py <<'END'
import sqlite3, sys
d = sqlite3.connect("apart.db")
d.execute("DELETE FROM together")
d.execute("INSERT INTO together SELECT t.id, %s FROM timing t JOIN processes p ON p.id = t.processes WHERE what = 'before' AND p.count = 4 AND occurrences = times" % sys.argv[1])
d.commit()
END
	draws_apart() { # LONGEST: how far apart most draw, if that is what the slowest takes
		cp bt.db apart.db && python3 longest.py "$1" && "$TRACENEST" skeleton bt.nest --profile apart.db -o apart.c
		sed -n '/^} rows\[\]/,/^};/p' apart.c | tr '{' '\n' | sed -n 's/^[0-9]*, [0-9]*, [0-9]*, [0-9]*, [0-9]*, \([0-9.e-]*\)}.*/\1/p' | sort -g | tail -n 1
	}
	holds "who is slow together draws the same" test "$(draws_apart 'total * 0.5 / times')" = 0
	holds "who is slow in turn draws a quarter apart" sh -c 'awk "BEGIN { exit !($1 > 0.24 && $1 <= 0.25) }"' sh "$(draws_apart 'most * 2.0')"
fi
refused "the profile of another model" 3 'bt.db: the profile is not that of the model round.nest' skeleton round.nest --profile bt.db -o result
for mpi in $mpis; do
	holds "it compiles ($mpi)" mpicc.$mpi -std=c17 -Wall -Wextra -Werror -o bt bt.c
	[ $mpi = mpich ] || holds "with the times of each, too" mpicc.$mpi -std=c17 -Wall -Wextra -Werror -o exact exact.c
	holds "and runs ($mpi)" on $mpi 4 ./bt --compute none --iterations 2
done
