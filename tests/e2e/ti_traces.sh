# Time-independent traces of SimGrid's: what export writes comes back, event by event, and is written again; those that SimGrid writes; what they do not tell. And
# traces of other tools, which are named.
. "$ROOT/tests/checks.sh"

# Every collective on 3 processes, with sizes as our recorder has them, and messages with any tag.
rooted() { # NAME AT-ROOT ELSEWHERE
	echo "0 sync $1 0-2 root=1 ; $3
1 sync $1 0-2 root=1 ; $2
2 sync $1 0-2 root=1 ; $3"
}
{
	echo '0 send 1 tag7 ; bytes=70000
0 recv 1 tag7 ; bytes=70000
1 send 2 tag1500000000 ; bytes=12
1 recv 2 tag1500000000 ; bytes=12'
	for p in 0 1 2; do
		echo "$p sync MPI_Barrier 0-2
$p sync MPI_Allreduce 0-2 ; bytes=24 received=24
$p sync MPI_Allgatherv 0-2 ; bytes=$((4 * p + 4)) received=24
$p sync MPI_Scan 0-2 ; bytes=16 received=16
$p sync MPI_Exscan 0-2 ; bytes=16 received=$((p ? 16 : 0))
$p sync MPI_Reduce_scatter 0-2 ; bytes=12 received=4"
	done
	rooted MPI_Bcast 'bytes=40 received=0' 'bytes=0 received=40'
	rooted MPI_Reduce 'bytes=8 received=8' 'bytes=8 received=0'
	rooted MPI_Gatherv 'bytes=8 received=24' 'bytes=8 received=0'
	rooted MPI_Scatterv 'bytes=24 received=8' 'bytes=0 received=8'
	echo '0 sync MPI_Alltoallv 0-2 ; bytes=6 received=7 bytes[q]=1,2,3
1 sync MPI_Alltoallv 0-2 ; bytes=9 received=9 bytes[q]=5,0,4
2 sync MPI_Alltoallv 0-2 ; bytes=12 received=11 bytes[q]=1,7,4'
} >all.trace
accepted "a program" model -q all.trace -o all.nest
accepted "as a trace of SimGrid's" export -q --to smpi all.nest -o all.ti
for p in 0 1 2; do grep "^$p sync\|^$p send\|recv $p " all.trace; done >expected
accepted "is read" events -q --values 'bytes,received,bytes[q]' all.ti -o told
same "as what it was" expected told
accepted "its model" model -q all.ti -o again.nest
accepted "is that of the trace" check -q again.nest all.trace
accepted "and of what is read" check -q again.nest all.ti
accepted "written again" export -q --to smpi again.nest -o again.ti
holds "is the same" diff -r all.ti_files again.ti_files
accepted "the directory of its files is the trace, too" check -q again.nest all.ti_files
cat all.ti_files/*.txt >one.ti
accepted "so is one file of all" check -q again.nest one.ti
mkdir -p elsewhere
accepted "the list is found from elsewhere" check -q again.nest "$PWD/all.ti"

for name in conjugate_gradient.4 is.S.4.scorep bt.S.4.scorep lu.S.4.tau; do
	accepted "$name: its model" model -q --lenient "$(anchor $name)" -o run.nest
	accepted "$name: for SimGrid" export -q --lenient --to smpi run.nest -o run.ti
	accepted "$name: is read" model -q run.ti -o back.nest
	accepted "$name: and checked" check -q back.nest run.ti
	accepted "$name: written again" export -q --to smpi back.nest -o back.ti
	holds "$name: is the same" diff -r run.ti_files back.ti_files
done

# As SimGrid writes it: receives that are posted, elements and their types, places in the source.
mkdir tit
cat >tit/0 <<'END'
0 init
0 location pingpong.c 12
0 irecv 1 5 10 0
0 irecv 1 6 1e+01 1
0 isend 1 7 2
0 compute 123456.5
0 test 1 0 5
0 wait 1 0 6
0 wait 0 1 7
0 waitall 2
0 recv 1 8 -1 1
0 bcast 5 1 0
0 gather 2 2 0 1 1
0 sendRecv 2 1 3 1 0 1
0 Ssend 1 9 1 6
0 send -333 0 1 0
0 irecv 1 4 1 6
0 waitAny 1
0 ibcast 3 0 1
0 reducescatter 0 0 1
0 wait 0 0 -779
0 finalize
END
cat >tit/1 <<'END'
1 init 0
1 send 0 5 10
1 send 0 6 10 1

1 recv 0 7 2 6
1 comm_dup
1 send 0 8 4 1
1 bcast 5 1
1 gather 2 2 0 1 1
1 sendRecv 3 0 2 0 1 0
1 recv 0 9 1 6
1 ibcast 3 0 1
1 send 0 4 1 6
1 reducescatter 0 0 1
1 wait -333 -333 -779
1 finalize
END
printf '0\n1\n' >tit/list
cat >expected <<'END'
0 send 1 tag7 ; bytes=2
1 recv 0 tag6 ; bytes=40
1 recv 0 tag5 ; bytes=80
1 recv 0 tag8
0 sync MPI_Bcast 0-1 root=1 ; bytes=0 received=40
0 sync MPI_Gather 0-1 root=0 ; bytes=8 received=16
0 send 1 tag0 ; bytes=16
1 recv 0 tag0 ; bytes=12
0 send 1 tag9 ; bytes=1
1 recv 0 tag4 ; bytes=1
0 sync MPI_Reduce_scatter 0-1
0 sync MPI_Ibcast 0-1 root=0 ; bytes=12 received=0
1 send 0 tag5 ; bytes=80
1 send 0 tag6 ; bytes=40
0 recv 1 tag7 ; bytes=2
1 send 0 tag8 ; bytes=16
1 sync MPI_Bcast 0-1 root=1 ; bytes=40 received=0
1 sync MPI_Gather 0-1 root=0 ; bytes=8 received=0
1 send 0 tag0 ; bytes=12
0 recv 1 tag0 ; bytes=16
0 recv 1 tag9 ; bytes=1
1 send 0 tag4 ; bytes=1
1 sync MPI_Reduce_scatter 0-1
1 sync MPI_Ibcast 0-1 root=0 ; bytes=0 received=12
END
accepted "as SimGrid writes it" events -q --values bytes,received tit/list
same "is read" expected out
accepted "a table of it" events -q --csv --values type tit/list
holds "has places and types" grep -qx '0,0,,1,6,world,40,,,pingpong.c:12,pingpong.c:12,recv,MPI_INT' out

# As it writes it itself.
if command -v smpicc >/dev/null && command -v smpirun >/dev/null; then
	cat >traced.c <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
	int rank, size;
	double out[4] = {0}, in[16];
	MPI_Request request[2];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < 3; i++) {
		MPI_Irecv(in, 4, MPI_DOUBLE, (rank + size - 1) % size, 5, MPI_COMM_WORLD, &request[0]);
		MPI_Isend(out, 4, MPI_DOUBLE, (rank + 1) % size, 5, MPI_COMM_WORLD, &request[1]);
		MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
		MPI_Allgather(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
	}
	MPI_Ibcast(out, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD, request);
	MPI_Wait(request, MPI_STATUS_IGNORE);
	MPI_Finalize();
}
END
	cat >cluster.xml <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><cluster id="c" prefix="n" suffix="" radical="0-3" speed="1Gf" bw="125MBps" lat="50us"/></platform>
END
	printf 'n0\nn1\nn2\nn3\n' >hosts
	smpicc -o traced traced.c >make.out 2>&1 && smpirun -np 4 -platform cluster.xml -hostfile hosts -trace-ti --cfg=tracing/filename:traced.txt ./traced >make.out 2>&1
	cat >expected <<'END'
// tracenest 1
// processes 4
// events 40
[*] for i0 = 0 to 2
  [*] p send (p+1)%4 tag5 ; bytes=32
  [*] (p-1)%4 recv p tag5 ; bytes=32
  [*] p sync MPI_Allgather * ; bytes=4 received=16
done
[*] p sync MPI_Ibcast * root=0 ; bytes={16 at 0} received={16 not at 0}
END
	accepted "a trace that SimGrid wrote" model -q traced.txt
	same "is the program" expected out
else
	skip "traces that SimGrid writes: smpicc and smpirun are not here"
fi

# What it cannot tell, and what is none.
is_refused() { # WHY PATTERN LINE
	printf '0 init\n%b\n1 init\n' "$3" >bad.ti
	refused "$1" 2 "$2" events bad.ti
}
is_refused "anybody" "bad.ti:2: '-1' stands for any process" '0 recv -1 5 10'
is_refused "any tag" "bad.ti:2: '-1' stands for any process" '0 recv 1 -1 10'
is_refused "nobody" "bad.ti:2: '2' is none of the 2 processes" '0 send 2 5 10'
is_refused "no size" 'bad.ti:2: a message has a process, a tag and a size' '0 send 1 5'
is_refused "no number" "bad.ti:2: 'many' is no number of elements" '0 bcast many'
is_refused "words that are missing" 'bad.ti:2: words are missing' '0 alltoallv 4 1'
is_refused "a request of old" 'bad.ti:2: words are missing' '0 wait'
is_refused "nobody to exchange with" "bad.ti:2: a message has a process, a tag and a size" '0 sendRecv many 1 3 1'
is_refused "an unknown type" "bad.ti:2: '99' is the number of no datatype" '0 bcast 4 0 99'
is_refused "an unknown action" "bad.ti:2: 'dance' is no action" '0 dance 4'
is_refused "nothing" 'bad.ti:2: process 0 does nothing' '0'
printf '3 init\n3 send 1 5 8\n' >bad.ti
refused "one process of several" 2 'bad.ti: holds actions of some processes' events bad.ti
printf 'tit/0\nnowhere\n' >bad.ti
refused "a file that is not there" 2 'bad.ti:2: nowhere: No such file' events bad.ti
mkdir mixed
cp tit/0 mixed/0
echo '1 recv 0 tag1' >mixed/1
refused "a text trace among them" 2 'mixed/1: among time-independent traces' events mixed

# Traces of other tools.
names() { # WHAT FILE BYTES
	printf "$3" >"$2"
	refused "$1 is named" 2 "$2: a.* $1" model "$2"
}
names Paraver x.prv '#Paraver (01/01/2020 at 10:00):1_ns:1(4):1:4(1:1)\n'
names Paraver renamed '#Paraver (01/01/2020 at 10:00):1_ns:1(4):1:4(1:1)\n'
names GOAL x.goal 'num_ranks 4\nrank 0 {\n'
names MPE x.clog2 'CLOG-02.44'
names MPE x.slog2 '\0\12SLOG 2.0.6'
names DUMPI dumpi-2020.01.01-0000.bin '\1\2\3\4'
names DUMPI dumpi-2020.01.01.meta 'hostname=here\nnumprocs=4\n'
names 'OTF 1' x.otf '4\n'
names TAU tautrace.0.0.0.trc '\1\2\3\4'
names Paje x.trace '%%EventDef PajeDefineContainerType 0\n'
mkdir dumpi
mv dumpi-* dumpi
refused "DUMPI is named by its directory" 2 "dumpi/dumpi-.*: a trace of DUMPI's" report dumpi
