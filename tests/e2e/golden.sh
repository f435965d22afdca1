# A golden program: the project of examples/ci, and edits of sample programs. All of the edits, by hand: `python3 tests/golden_edits.py build --unchanged 200`.
. "$ROOT/tests/checks.sh"
if sanitized || ! command -v mpirun.mpich >/dev/null; then
	skip "golden programs (the plain build shows them; MPICH)"
	exit 0
fi

cp -r "$ROOT/examples/ci" project
export TRACENEST MPICC='mpicc.mpich -w' MPIRUN=mpirun.mpich LD_PRELOAD="$(polite mpich)"
# What the workflow runs, its options and all.
step=$(sed -n 's/^        run: \.\/check //p' project/.github/workflows/communication.yml)
project/check $step >out 2>err
holds "the project's run is its golden program" test $? = 0
holds "and says so" grep -qx 'heat.nest: nothing has changed (4 processes)' out
holds "a test that passes" grep -q 'tests="1" failures="0"' project/communication.xml
sed -i 's/POINTS\], 1, MPI_DOUBLE, right/POINTS - 1], 2, MPI_DOUBLE, right/; s/MPI_Irecv(&now\[0\], 1/MPI_Irecv(\&then[0], 2/' project/heat.c
project/check $step >out 2>err
holds "another size fails" test $? = 1
printf '%s\n' 'heat.c:16 exchange: MPI_Irecv: bytes 8 -> 16, on ranks 1-3' 'heat.c:19 exchange: MPI_Isend: bytes 8 -> 16, on ranks 0-2' >expected
grep '^heat.c' out >told
same "and is told by line" expected told
holds "a failure each" grep -q 'tests="2" failures="2"' project/communication.xml
holds "what code scanning reads" python3 - project/communication.sarif <<'P'
import json, sys
log = json.load(open(sys.argv[1]))
assert log["version"] == "2.1.0" and log["$schema"].endswith("sarif-2.1.0.json")
run, = log["runs"]
rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
assert run["tool"]["driver"]["name"] == "tracenest" and len(set(rules)) == len(rules)
for result, line in zip(run["results"], (16, 19), strict=True):
	assert rules[result["ruleIndex"]] == result["ruleId"] == "bytes" and result["level"] == "error" and "8 -> 16" in result["message"]["text"]
	place = result["locations"][0]["physicalLocation"]
	assert place["artifactLocation"]["uri"] == "heat.c" and place["region"] == {"startLine": line}
P
project/check --ignore bytes >out 2>err
holds "which may be ignored" test $? = 0
project/check --update >out 2>err && project/check >out 2>err
holds "and be meant" test $? = 0

cat >fails.c <<'C'
#include <mpi.h>
int main(int argc, char **argv) { MPI_Init(&argc, &argv); MPI_Finalize(); return 7; }
C
$MPICC -o fails fails.c
refused "a program that fails is no comparison" 2 'ended with status 7' test project/heat.nest -- ./fails
refused "nothing recorded is no pass" 2 'nothing was recorded' test --mpi mpich project/heat.nest -- true
refused "nor is a program that is not there" 2 'no such program' test project/heat.nest -- ./nobody
refused "no golden program" 2 '--update writes it' test none.nest -- ./fails
refused "neither a command nor a trace" 2 'needs a command' test project/heat.nest
refused "other processes" 2 'of 4 processes, and the run has 2' test project/heat.nest "$PAPER/pair.trace"
refused "an unknown thing to ignore" 2 '--ignore color' test --ignore color project/heat.nest "$PAPER/pair.trace"
holds "no recording is left" sh -c '! ls -d tracenest-test-* project/tracenest-test-*'
unset LD_PRELOAD
python3 "$ROOT/tests/golden_edits.py" "$(dirname "$TRACENEST")" --edits 9-9 --unchanged 2 --mpi mpich >out 2>err
holds "an edit of a sample is told at its line, and there is no alarm" test $? = 0
