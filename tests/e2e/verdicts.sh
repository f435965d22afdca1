# What `check` says of a run itself, of programs with one fault at a rank: calls that contradict each other in runs that end, and why others do not.
. "$ROOT/tests/checks.sh"
. "$ROOT/tests/recording.sh"

cat >contradict.c <<'END_OF_C'
#include <mpi.h>
#include <stdlib.h>
static int me, wrong; /* the rank that errs; -1: nobody does */
static int errs(void) { return me == wrong; }
int main(int argc, char **argv) {
	int np, a[8] = {0}, b[64] = {0}, n[8], at[8];
	float f[8] = {0}, g[8];
	MPI_Comm own;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &np);
	wrong = atoi(argv[1]);
	int next = (me + 1) % np, last = (me + np - 1) % np;
	MPI_Comm_dup(MPI_COMM_WORLD, &own);
	MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
	for (int i = 0; i < 3; i++) {
		MPI_Allreduce(a, b, 2, MPI_INT, errs() ? MPI_MAX : MPI_SUM, own);
		MPI_Allreduce(errs() ? (void *)f : a, errs() ? (void *)g : b, 2, errs() ? MPI_FLOAT : MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		MPI_Gather(a, errs() ? 1 : 2, MPI_INT, b, 2, MPI_INT, 0, own);
		MPI_Barrier(own);
	}
	for (int i = 0; i < np; i++) n[i] = 2, at[i] = 2 * i;
	if (errs()) n[next] = 1;
	int m[8];
	for (int i = 0; i < np; i++) m[i] = 2;
	MPI_Alltoallv(b, n, at, MPI_INT, b + 32, m, at, MPI_INT, own);
	MPI_Sendrecv(a, 2, errs() ? MPI_FLOAT : MPI_INT, next, 5, b, 2, MPI_INT, last, 5, own, MPI_STATUS_IGNORE);
	MPI_Sendrecv(a, 2, MPI_INT, next, 6, b, errs() ? 1 : 2, MPI_INT, last, 6, own, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Bcast(a, 2, MPI_INT, errs() ? wrong : (wrong + 1) % np, own);
	MPI_Finalize();
	return 0;
}
END_OF_C
cat >buffers.c <<'END_OF_C'
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
	int me, np, a = atoi(argv[2]), b = atoi(argv[3]), x[4] = {0}, y[4];
	const char *c = argv[1];
	MPI_Request q[2];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &np);
	int next = (me + 1) % np, last = (me + np - 1) % np;
	for (int i = 0; i < 3; i++) {
		if (!strcmp(c, "pair") && (me == a || me == b)) {
			MPI_Send(x, 4, MPI_INT, a + b - me, 7, MPI_COMM_WORLD);
			MPI_Recv(y, 4, MPI_INT, a + b - me, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		} else if (!strcmp(c, "ring")) {
			MPI_Send(x, 4, MPI_INT, next, 7, MPI_COMM_WORLD);
			MPI_Recv(y, 4, MPI_INT, last, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		} else if (!strcmp(c, "waits")) {
			MPI_Isend(x, 4, MPI_INT, next, 7, MPI_COMM_WORLD, q);
			MPI_Wait(q, MPI_STATUS_IGNORE);
			MPI_Recv(y, 4, MPI_INT, last, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		} else if (!strcmp(c, "barrier")) {
			if (me == a) MPI_Send(x, 4, MPI_INT, b, 7, MPI_COMM_WORLD);
			MPI_Barrier(MPI_COMM_WORLD);
			if (me == b) MPI_Recv(y, 4, MPI_INT, a, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		} else if (!strcmp(c, "order") && me == a) {
			MPI_Send(x, 4, MPI_INT, b, 7, MPI_COMM_WORLD);
			MPI_Send(x, 4, MPI_INT, b, 8, MPI_COMM_WORLD);
		} else if (!strcmp(c, "order") && me == b) {
			MPI_Recv(y, 4, MPI_INT, a, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			MPI_Recv(y, 4, MPI_INT, a, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		} else if (!strcmp(c, "good")) {
			MPI_Sendrecv(x, 4, MPI_INT, next, 1, y, 4, MPI_INT, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			MPI_Irecv(y, 4, MPI_INT, last, 2, MPI_COMM_WORLD, q);
			MPI_Send(x, 4, MPI_INT, next, 2, MPI_COMM_WORLD);
			MPI_Wait(q, MPI_STATUS_IGNORE);
			MPI_Isend(x, 4, MPI_INT, next, 3, MPI_COMM_WORLD, q);
			MPI_Recv(y, 4, MPI_INT, last, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			MPI_Wait(q, MPI_STATUS_IGNORE);
			MPI_Isend(x, 4, MPI_INT, next, 4, MPI_COMM_WORLD, q);
			MPI_Irecv(y, 4, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, q + 1);
			MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
			if (me % 2) MPI_Send(x, 4, MPI_INT, last, 5, MPI_COMM_WORLD);
			else if (next % 2) MPI_Recv(y, 4, MPI_INT, next, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			MPI_Ibarrier(MPI_COMM_WORLD, q);
			if (me == a) MPI_Send(x, 4, MPI_INT, b, 6, MPI_COMM_WORLD);
			if (me == b) MPI_Recv(y, 4, MPI_INT, a, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			MPI_Wait(q, MPI_STATUS_IGNORE);
			MPI_Isend(x, 4, MPI_INT, next, 9, MPI_COMM_WORLD, q);
			MPI_Request_free(q);
			MPI_Recv(y, 4, MPI_INT, last, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		}
		MPI_Allreduce(x, y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
END_OF_C
cat >left.c <<'END_OF_C'
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv) {
	int me, np, wrong = atoi(argv[1]), x[8] = {0}, y[8];
	MPI_Request q, p;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &np);
	for (int i = 0; i < 4; i++) {
		MPI_Isend(x, 8, MPI_INT, (me + 1) % np, 1, MPI_COMM_WORLD, &q);
		MPI_Recv(y, 8, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (me != wrong) MPI_Wait(&q, MPI_STATUS_IGNORE);
		MPI_Isend(x, 8, MPI_INT, (me + 1) % np, 2, MPI_COMM_WORLD, &q);
		MPI_Request_free(&q);
		MPI_Recv(y, 8, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Send_init(x, 8, MPI_INT, me, 3, MPI_COMM_WORLD, &p);
	MPI_Start(&p);
	MPI_Recv(y, 8, MPI_INT, me, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Wait(&p, MPI_STATUS_IGNORE);
	MPI_Request_free(&p);
	if (me == wrong) MPI_Irecv(y, 8, MPI_INT, (me + 1) % np, 9, MPI_COMM_WORLD, &q);
	if (me == wrong) MPI_Ibarrier(MPI_COMM_SELF, &q);
	MPI_Finalize();
	return 0;
}
END_OF_C
# The fault is named by $1; ranks $2 and $3 have a part in it. A process that hangs is ended by its alarm; now and then mpirun hangs then, and is ended, too.
cat >hang.c <<'END_OF_C'
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static char small[64], got[64], big[2000000];
#define WORLD MPI_COMM_WORLD, MPI_STATUS_IGNORE
int main(int argc, char **argv) {
	int me, np, a = atoi(argv[2]), b = atoi(argv[3]);
	const char *fault = argv[1];
	MPI_Comm x, y;
	MPI_Request q[2];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &np);
	MPI_Comm_dup(MPI_COMM_WORLD, &x);
	MPI_Comm_dup(MPI_COMM_WORLD, &y);
	for (int i = 0; i < 5; i++) {
		MPI_Sendrecv(small, 8, MPI_CHAR, (me + 1) % np, 3, got, 8, MPI_CHAR, (me + np - 1) % np, 3, WORLD);
		MPI_Allreduce(small, got, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	}
	alarm(2);
	if (!strcmp(fault, "tag")) {
		if (me == b) MPI_Send(small, 8, MPI_CHAR, a, 8, MPI_COMM_WORLD);
		if (me == a) MPI_Recv(got, 8, MPI_CHAR, b, 7, WORLD);
	} else if (!strcmp(fault, "sends") && (me == a || me == b)) {
		MPI_Send(big, sizeof big, MPI_CHAR, a + b - me, 7, MPI_COMM_WORLD);
		MPI_Recv(big, sizeof big, MPI_CHAR, a + b - me, 7, WORLD);
	} else if (!strcmp(fault, "ring")) {
		MPI_Ssend(small, 8, MPI_CHAR, (me + 1) % np, 7, MPI_COMM_WORLD);
		MPI_Recv(got, 8, MPI_CHAR, (me + np - 1) % np, 7, WORLD);
	} else if (!strcmp(fault, "leaves") && me != a)
		MPI_Allreduce(small, got, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	else if (!strcmp(fault, "sleeps")) {
		if (me == a) sleep(1000);
		MPI_Barrier(MPI_COMM_WORLD);
	} else if (!strcmp(fault, "names")) {
		if (me == a) MPI_Barrier(MPI_COMM_WORLD);
		else MPI_Allreduce(small, got, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	} else if (!strcmp(fault, "longer")) {
		if (me == b) MPI_Send(small, 16, MPI_BYTE, a, 7, MPI_COMM_WORLD);
		if (me == a) MPI_Recv(got, 8, MPI_BYTE, b, 7, WORLD);
	} else if (!strcmp(fault, "waits") && me == a) {
		MPI_Irecv(got, 8, MPI_CHAR, b, 7, MPI_COMM_WORLD, &q[0]);
		MPI_Isend(small, 8, MPI_CHAR, a, 9, MPI_COMM_WORLD, &q[1]);
		MPI_Wait(&q[0], MPI_STATUS_IGNORE);
	} else if (!strcmp(fault, "anyone") && me == a)
		MPI_Recv(got, 8, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD);
	else if (!strcmp(fault, "order")) {
		MPI_Barrier(me == a ? x : y);
		MPI_Barrier(me == a ? y : x);
	} else if (!strcmp(fault, "posted") && me != a) {
		MPI_Ibarrier(MPI_COMM_WORLD, q);
		MPI_Wait(q, MPI_STATUS_IGNORE);
	} else if (!strcmp(fault, "probes") && me == a)
		MPI_Probe(b, 7, WORLD);
	else if (!strcmp(fault, "splits") && me != a)
		MPI_Comm_dup(MPI_COMM_WORLD, &x);
	MPI_Finalize();
	return 0;
}
END_OF_C

says() { # WHY FILE WORDS
	holds "$1" grep -qE -e "$3" "$2"
}
line() { grep -n "$2" $1.c | head -n 1 | cut -d: -f1; } # PROGRAM TEXT
# Open MPI's mpirun now and then does not end when its processes have been killed, and then is killed with the command.
record() { # PROCESSES PROGRAM [ARGUMENT]...
	n=$1
	shift
	for try in 1 2 3; do
		rm -rf run
		LD_PRELOAD=$(polite $mpi) timeout -s TERM -k 10 30 "$TRACENEST" record -q -o run -- mpirun.$mpi -n "$n" "$@" >out 2>said
		[ ! -e run/traces.otf2 ] || break
	done
}

at=contradict.c
contradicts() { # RANK OTHERS NEXT LAST
	record 5 ./contradict.$mpi $1
	run check run
	cp err said
	cp out told
	holds "$mpi, $1: it is refused" test "$status" = 3
	says "... operations" said "^tracenest: run: $1 calls MPI_Allreduce with MPI_MAX \($at:$(line contradict MPI_MAX)\) where $2 have MPI_SUM \(.*\), 3 times$"
	says "... types of a collective" said "^tracenest: run: $1 calls MPI_Allreduce with MPI_FLOAT \(.*\) where $2 have MPI_INT \(.*\), 3 times$"
	says "... sizes" said "^tracenest: run: $1 calls MPI_Gather with 4 bytes.* \($at:$(line contradict MPI_Gather)\) where $2 have 8 bytes \(.*\), 3 times$"
	says "... sizes by peer" said "^tracenest: run: MPI_Alltoallv \($at:$(line contradict MPI_Alltoallv)\): its processes send 196 bytes and receive 200$"
	says "... roots" said "^tracenest: run: $1 calls MPI_Bcast with root $1 \($at:$(line contradict MPI_Bcast)\) where $2 have root $3 \(.*\)$"
	says "... types of a message" said "^tracenest: run: $1 sends MPI_FLOAT \($at:$(line contradict 'next, 5')\) where $3 receives MPI_INT \(.*\)$"
	says "... a message that was cut off" said "^tracenest: run: $1 receives 4 bytes \($at:$(line contradict 'next, 6')\) of a message of 8 bytes from $4 \(.*\)$"
	holds "... and nothing else" test "$(grep -c '^tracenest: run: ' said)" = 7
	holds "... nor that all is well" test ! -s told
	run check --lenient run
	holds "... leniently it is told" test "$status-$(grep -c '^tracenest: run: ' err)" = 0-7
}
hangs() { # FAULT RANK OTHER REASON
	record 4 ./hang.$mpi $1 $2 $3
	run check run
	head -n 1 err >said
	cp out told
	holds "$mpi, $1, $2 and $3: it is refused" test "$status" = 3
	says "... the first line has the reason" said "; $4(;| \(--lenient)"
	holds "... and nothing is well" test ! -s told
}

needs() { # FAULT RANK OTHER CIRCLE
	record 4 ./buffers.$mpi $1 $2 $3
	run check run
	cp err said
	holds "$mpi, $1, $2 and $3: a run that ended" test "$status" = 0
	says "... needs buffers" said "^tracenest: caution: run: it would wait for ever if .*: $4$"
}
for mpi in $mpis; do
	for program in contradict hang buffers left; do holds "$mpi: $program" mpicc.$mpi -g -o $program.$mpi $program.c; done
	record 5 ./contradict.$mpi -1
	accepted "$mpi: the same without a fault" check run
	holds "... of which nothing is said" test "$(grep -c '^tracenest: run: ' err)" = 0
	contradicts 0 1-4 1 4
	contradicts 4 0-3 0 3

	pair=$(line buffers 'a + b - me, 7') ring=$(line buffers 'MPI_Send(.*next, 7')
	needs pair 0 2 "0 for 2 to receive \(buffers.c:$pair, tag7\), 2 for 0 to receive \(buffers.c:$pair, tag7\)"
	needs ring 0 0 "0 for 1 to receive \(buffers.c:$ring, tag7\), .*, 3 for 0 to receive \(.*\)"
	needs waits 0 0 "0 for 1 to receive \(buffers.c:$(line buffers 'MPI_Isend(.*next, 7'), tag7\), .*, 3 for 0 to receive \(.*\)"
	needs barrier 1 3 "1 for 3 to receive \(buffers.c:$(line buffers ', b, 7'), tag7\), 3 for 1 to come to a collective \(.*\)"
	needs order 2 1 "1 for 2 to send \(buffers.c:$(line buffers ', a, 8'), tag8\), 2 for 1 to receive \(.*, tag7\)"
	record 4 ./buffers.$mpi good 1 2
	accepted "$mpi: one that needs none" check run
	holds "... of which nothing is said" test ! -s err

	for rank in 0 2; do
		record 3 ./left.$mpi $rank
		run check run
		grep '^tracenest: caution: neither completed nor freed: ' err | sed 's/.*: //' | sort >said
		cat >should <<END_OF_LINES
1 MPI_Ibarrier (left.c:$(line left Ibarrier)) on $rank
1 MPI_Irecv (left.c:$(line left Irecv)) on $rank
4 MPI_Isend (left.c:$(line left Isend)) on $rank
END_OF_LINES
		holds "$mpi, $rank: a run that ended" test "$status" = 0
		holds "... requests that are left" cmp said should
	done
	record 3 ./left.$mpi -1
	accepted "$mpi: one that leaves none" check run
	holds "... of which nothing is said" test ! -s err

	there='(is in MPI_Finalize.*|has ended|left no record)'
	hangs names 2 1 "2 calls MPI_Barrier \(hang.c:$(line hang 'me == a) MPI_Barrier')\) where 0-1,3 call MPI_Allreduce \(hang.c:$(line hang 'else MPI_Allreduce')\)"
	hangs tag 3 0 "3 waits for a message from 0 \(tag7\), which sent tag8 \(hang.c:$(line hang 'a, 8')\), and 0 $there"
	[ "${VERDICTS:-few}" = all ] || continue
	hangs sends 0 2 "0 and 2 wait for each other: 0 for 2 to receive its message \(tag7\), 2 for 0 to receive its message \(tag7\)"
	hangs ring 0 0 "0, 1, 2 and 3 wait for each other: 0 for 1 to receive its message \(tag7\), .*, 3 for 0 to receive its message \(tag7\)"
	hangs leaves 1 0 "0,2-3 wait for 1 in MPI_Allreduce, and 1 $there"
	hangs sleeps 3 0 "0-2 wait for 3 in MPI_Barrier, and 3 is outside of MPI"
	hangs longer 1 2 "1 receives at most 8 bytes \(hang.c:$(line hang 'got, 8, MPI_BYTE')\) of a message of 16 bytes from 2 \(hang.c:$(line hang 'small, 16')\)"
	hangs waits 0 3 "0 waits for a message from 3 \(tag7\), and 3 $there"
	hangs anyone 2 0 "2 waits for a message from anyone, and .*"
	hangs order 1 0 "0,2-3 and 1 wait for each other: 0,2-3 for 1 in MPI_Barrier, 1 for 0,2-3 in MPI_Barrier"
	hangs posted 0 0 "1-3 wait for 0 in MPI_Ibarrier, and 0 $there"
	hangs probes 3 1 "3 waits for a message from 1 \(tag7\), and 1 $there"
	hangs splits 2 0 "0-1,3 wait for 2 in MPI_Comm_dup, and 2 $there"
done
