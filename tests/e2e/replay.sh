# tracenest replay: a model is compiled, run and compared, on MPI and in SimGrid; what is wrong is said in a line before anything runs.
. "$ROOT/tests/checks.sh"

accepted "a model" model -q "$(anchor bt.S.4.scorep)" -o bt.nest
accepted "its profile" profile -q bt.nest "$(anchor bt.S.4.scorep)" -o bt.db

# A line per phase, and the last one. A phase is a loop or a call of the outermost level, or what stands between two of them.
phases=$(sed -e '/^\/\/ \(procedures\|tables\)$/,$d' -e '/^[/ ]/d' -e /^done/d bt.nest | awk '/^call |\] for / { n++; between = 0; next } { n += !between; between = 1 } END { print n }')
holds "a model of phases" test "$phases" -ge 3
compared() { # WHY FILE
	holds "$1: a line for each phase" test "$(grep -c -e '%  [0-9]' "$2")" = "$phases"
	holds "$1: all phases" grep -q '^ *[0-9.]* *[0-9.]* *[-+][0-9.]*%  all phases' "$2"
}

for mpi in openmpi mpich; do
	if ! command -v mpicc.$mpi >/dev/null || ! command -v mpirun.$mpi >/dev/null; then skip "replay under $mpi, which is not here"; continue; fi
	accepted "replay ($mpi)" replay bt.nest --profile bt.db --with "mpirun.$mpi -n 4" --iterations 5 --times times.json -o told
	compared "replay ($mpi)" told
	accepted "its times can be drawn ($mpi)" draw -q bt.nest --times times.json -o bt.svg
	run replay bt.nest --with "mpirun.$mpi -n 3" -o result
	if [ $status = 2 ] && grep -q "^tracenest: .* failed on the mini-app of 4 processes" err; then ok "a command of other processes ($mpi)"; else fail "a command of other processes ($mpi)" "status $status"; fi
done
if command -v smpirun >/dev/null && command -v smpicc >/dev/null && ! sanitized; then
	seconds() { sed -n 's/^ *- *\([0-9.]*\) .* all phases.*/\1/p' "$1"; }
	accepted "replay in SimGrid" replay bt.nest --profile bt.db --simulate cluster:4,10us,1GBps -o told
	compared "replay in SimGrid" told
	accepted "without computing" replay bt.nest --simulate cluster:4,10us,1GBps -o near
	accepted "with ten times the latency" replay bt.nest --simulate cluster:4,100us,1GBps -o far
	holds "takes longer" awk "BEGIN { exit !($(seconds far) > 2 * $(seconds near)) }"
	# A pipeline of small messages is a matter of latency, seven times that from its first process to its last one; a loop of large ones, hardly.
	printf '%s\n' '// tracenest 1' '// processes 8' '[0-7] for i0 = 0 to 9' '  [1-7] p-1 recv p tag1 ; bytes=8' '  [0-6] p send p+1 tag1 ; bytes=8' done \
		'[0-7] for i0 = 0 to 3' '  [0-7] p send (p+1)%8 tag2 ; bytes=10000000' '  [0-7] (p-1)%8 recv p tag2 ; bytes=10000000' done >both.nest
	accepted "a pipeline" replay both.nest --simulate cluster:8,10us,1GBps -o near
	accepted "with twice the latency" replay both.nest --simulate cluster:8,20us,1GBps -o far
	of_role() { awk -v role="role $1:" -v phase="$2" '$4 ~ /^[0-9]+$/ { now = $4 } index($0, role) && now == phase { print $2 }' "$3"; }
	factor() { awk "BEGIN { exit !($1 * $(of_role "$3" "$4" near) <= $(of_role "$3" "$4" far) && $(of_role "$3" "$4" far) <= $2 * $(of_role "$3" "$4" near)) }"; }
	holds "the last one in the pipeline takes twice as long" factor 1.95 2.05 2 0
	holds "the first one does not wait" factor 0 1.05 0 0
	holds "large messages take hardly longer" factor 1 1.03 1 1
	printf '%s\n' '// tracenest 1' '// processes 4' '[0-3] for i0 = 0 to 9' '  [0-3] p send p^1 tag1 ; bytes=1000000' '  [0-3] p^1 recv p tag1 ; bytes=1000000' done >neighbours.nest
	printf 'node%s\n' 0 0 1 1 >two
	accepted "on four hosts" replay neighbours.nest --simulate cluster:4,10us,1GBps -o near
	accepted "two on a host" replay neighbours.nest --simulate cluster:2,10us,1GBps --hosts two -o far
	holds "share its link" awk "BEGIN { exit !($(seconds far) > 1.8 * $(seconds near)) }"
	refused "too few lines" 2 'two: hosts for 4 processes, and the model has 8' replay both.nest --simulate cluster:8,10us,1GBps --hosts two -o result
	printf '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n<platform version="4.1">\n<cluster id="c" prefix="n" suffix="" radical="0-%s" speed="1Gf" bw="125MBps" lat="50us"/>\n</platform>\n' 3 >four.xml
	accepted "on a platform of one's own" replay bt.nest --simulate four.xml -o told
fi

# By LogGOPS: the same phases, without a compiler; a pipeline of 8 takes seven times the latency; what if.
seconds() { sed -n 's/^ *[-0-9.]* *\([0-9.]*\) .* all phases.*/\1/p' "$1"; }
accepted "replay by LogGOPS" replay bt.nest --profile bt.db --simulate cluster:4,10us,1GBps --model loggops --times times.json -o told
compared "replay by LogGOPS" told
printf '%s\n' '// tracenest 1' '// processes 8' '[1-7] p-1 recv p tag1 ; bytes=8' '[0-6] p send p+1 tag1 ; bytes=8' >line.nest
accepted "a pipeline by LogGOPS" replay line.nest --simulate cluster:8,10us,1GBps --model loggops -o told
holds "takes seven hops" test "$(seconds told)" = 0.000070
accepted "overheads, too" replay line.nest --simulate cluster:8,10us,1GBps --model loggops:o=1us -o told
holds "make each two longer" test "$(seconds told)" = 0.000084
accepted "large messages" replay line.nest --simulate cluster:8,10us,1GBps --model loggops --message-bytes 10001 -o told
holds "take as long as the link does" test "$(seconds told)" = 0.000140
printf '%s\n' '// tracenest 1' '// processes 8' '[0-7] p sync MPI_Allreduce 0-7 ; bytes=8 received=8' '[0-7] p send (p+1)%8 tag1' '[0-7] (p-1)%8 recv p tag1' >all.nest
accepted "a collective by LogGOPS" replay all.nest --simulate cluster:8,10us,1GBps --model loggops -o told
holds "a message of which nobody knows how large it is" test "$(grep -c '2 statements do not say how many bytes' err)" = 1
holds "and three rounds" test "$(seconds told)" = 0.000040
accepted "by a ring" replay all.nest --simulate cluster:8,10us,1GBps --model loggops --collectives allreduce=ring -o told
holds "fourteen rounds" test "$(seconds told)" = 0.000150
accepted "half of the computing" replay bt.nest --profile bt.db --simulate cluster:4,0s,1TBps --model loggops --scale-compute 0.5 -o near
accepted "all of it" replay bt.nest --profile bt.db --simulate cluster:4,0s,1TBps --model loggops -o far
holds "takes half as long" awk "BEGIN { x = $(seconds near) / $(seconds far); exit !(x > 0.495 && x < 0.505) }"
refused "another model" 2 '--model magic: simgrid, loggops' replay line.nest --simulate cluster:8,10us,1GBps --model magic -o result
refused "LogGOPS on MPI" 2 '--model: of --simulate alone' replay line.nest --with true --model loggops -o result
refused "iterations by LogGOPS" 2 '--iterations: of the mini-app alone' replay line.nest --simulate cluster:8,10us,1GBps --model loggops --iterations 2 -o result
refused "no algorithm" 2 "'star' is no algorithm" replay line.nest --simulate cluster:8,10us,1GBps --model loggops --collectives star -o result
refused "no number" 2 '--scale-bytes many: not a number' replay line.nest --simulate cluster:8,10us,1GBps --model loggops --scale-bytes many -o result

# What is wrong.
printf '<platform version="4.1">\n<cluster id="c" prefix="n" suffix="" radical="0-1,7" speed="1Gf"/>\n</platform>\n' >three.xml
refused "too few hosts in a file" 2 'three.xml: the platform has 3 hosts, and the model 4 processes' replay bt.nest --simulate three.xml -o result
holds "in one line" test "$(wc -l <err)" = 1
refused "too few hosts in a cluster" 2 'the platform has 3 hosts' replay bt.nest --simulate cluster:3,10us,1GBps -o result
echo nothing >no.xml
refused "no platform" 2 'no.xml: no platform' replay bt.nest --simulate no.xml -o result
refused "neither way" 2 'say how: --with' replay bt.nest -o result
printf '// tracenest 1\n// processes 4\n0 send 1 tag1 ; bytes=8\n' >lost.nest
refused "messages that nobody receives" 3 'lost.nest: 1 channel with unmatched' replay lost.nest --simulate cluster:4,10us,1GBps -o result
printf '// tracenest 1\n// processes 4\n0 send 1 tag1 ; bytes=8\n0 recv 1 tag1 ; bytes=8\n' >other.nest
refused "the profile of another model" 3 'bt.db: the profile is not that of the model other.nest' replay other.nest --profile bt.db --simulate cluster:4,10us,1GBps -o result
