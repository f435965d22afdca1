# The commands of README.md and doc/tour.md work as printed, and print what these say. Of their ```sh blocks, every line is run but those that build or
# install; the walk through a program that is recorded needs an MPI.
. "$ROOT/tests/checks.sh"

mkdir -p play/build
cd play || exit 1
ln -s "$TRACENEST" build/tracenest
ln -s "$SAMPLES" build/samples
ln -s "$ROOT/samples" samples
ln -s "$ROOT/doc" doc
PATH=$(dirname "$TRACENEST"):$PATH

cat "$ROOT/README.md" "$ROOT/doc/tour.md" >../words
awk '/^```sh/ { inside = 1; next } /^```/ { inside = 0 } inside' ../words | awk '!met[$0]++' >../commands
holds "README.md has commands" test -s ../commands
for verb in events model show expand check stat; do
	holds "they show $verb" grep -q "tracenest $verb " ../commands
done
while IFS= read -r line; do
	case $line in
	'' | '#'* | make* | 'sh run '* | git* | cd* | sudo* | apt* | mpi* | *mpicc* | *mpirun* | *stencil* | . | ./configure*) continue ;;
	esac
	if (eval "$line") </dev/null >../readme.out 2>../readme.err; then
		ok "$line"
	else
		echo "FAILED $line: status $?"
		sed 's/^/    /' ../readme.err
	fi
done <../commands

"$TRACENEST" show lu.nest --loop 40 2>../readme.err | grep -v '^//' >../got
awk '/^```$/ { if (inside) exit; inside = 1; next } inside' "$ROOT/README.md" >../expected
same "README: the program that it begins with is that of the sample" ../expected ../got

# Commands with a block behind them that says what they print: numbers that were measured may be others.
awk -v blocks=../walk '
	/^```sh/ { inside = 1; number++; file = blocks "." number ".sh"; close(file); next }
	/^```$/ && !inside && shell { inside = 1; file = blocks "." number ".out"; shell = 0; next }
	/^```/ { shell = inside && file ~ /sh$/; inside = 0; next }
	inside { print >file }
	!inside && NF { shell = 0 }' ../words
holds "doc/tour.md says what commands print" test "$(ls ../walk.*.out | wc -l)" -ge 4
masked() { # FILE: measured numbers, how many bytes times take, and as much space as they need; who shares a core depends on the machine
	sed '/ ranks shared a core: they waited for cores, too$/d; s/[0-9][0-9.,]* ns per call/N ns per call/; s/  *[0-9]*\.[0-9]\{6\} / N /; s/,  *$//; s/collectives), [0-9,]* bytes$/collectives), N bytes/' "$1" | case $2 in
	*report*) sed -n 's/^\(run time\|computation\) .*/\1/p; /^ lost /p' ;;
	*) cat ;;
	esac
}
build=$(dirname "$TRACENEST")
for mpi in mpich openmpi; do
	if sanitized || [ ! -x "$build/programs/$mpi/stencil" ]; then continue; fi
	ln -sf "$build/programs" build/programs
	for block in $(ls ../walk.*.sh | sort -t . -k 4 -n); do
		grep -q stencil "$block" || continue
		sed "s/mpich/$mpi/g" "$block" >../commands.sh
		holds "the walk ($mpi): $(tail -n 1 "$block")" sh -c 'sh -e ../commands.sh >../printed 2>../said </dev/null || { cat ../printed ../said; false; }'
		printed=${block%.sh}.out
		[ -f "$printed" ] || continue
		own_words ../said >>../printed
		{ grep -v '^tracenest: ' "$printed"; own_words "$printed"; } >../promised
		masked ../promised "$(cat "$block")" >../expected
		masked ../printed "$(cat "$block")" >../got
		same "prints what doc/tour.md says" ../expected ../got
	done
	exit
done
skip "the walk of doc/tour.md (no program was built for an MPI, or a sanitizer is in the way)"
