# The commands of README.md work as printed. Of its ```sh blocks, every line is run but those that build or install, and those of the
# program that is recorded, which the demonstration runs.
. "$ROOT/tests/checks.sh"

mkdir -p play/build
cd play || exit 1
ln -s "$TRACENEST" build/tracenest
ln -s "$SAMPLES" build/samples
ln -s "$ROOT/samples" samples
ln -s "$ROOT/doc" doc
PATH=$(dirname "$TRACENEST"):$PATH

awk '/^```sh/ { inside = 1; next } /^```/ { inside = 0 } inside' "$ROOT/README.md" >../commands
holds "README.md has commands" test -s ../commands
for verb in events model show expand check stat; do
	holds "README.md shows $verb" grep -q "tracenest $verb " ../commands
done
while IFS= read -r line; do
	case $line in
	'' | '#'* | make* | git* | cd* | sudo* | apt* | mpi* | *mpicc* | *mpirun* | *stencil* | . | ./configure*) continue ;;
	esac
	if (eval "$line") </dev/null >../readme.out 2>../readme.err; then
		ok "README: $line"
	else
		echo "FAILED README: $line: status $?"
		sed 's/^/    /' ../readme.err
	fi
done <../commands
