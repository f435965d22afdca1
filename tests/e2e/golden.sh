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
import json, re, sys
# Of each object of the schema (sarif-schema-2.1.0.json): what it must have, what it may have of which we write, all else is refused.
WORDS, COUNT = str, int
SCHEMA = {
	"log": ({"version": r"2\.1\.0", "runs": ["run"]}, {"$schema": r"https://.*/sarif-2\.1\.0\.json"}),
	"run": ({"tool": "tool"}, {"results": ["result"]}),
	"tool": ({"driver": "component"}, {}),
	"component": ({"name": ".+"}, {"version": ".+", "rules": ["rule"]}),
	"rule": ({"id": ".+"}, {"shortDescription": "message"}),
	"message": ({"text": ".+"}, {}),
	"result": ({"message": "message"}, {"ruleId": ".+", "ruleIndex": COUNT, "level": "none|note|warning|error", "locations": ["location"]}),
	"location": ({}, {"physicalLocation": "physical"}),
	"physical": ({"artifactLocation": "artifact"}, {"region": "region"}),
	"artifact": ({}, {"uri": r"[A-Za-z0-9._~/%-]+"}),
	"region": ({"startLine": COUNT}, {}),
}
def fits(value, kind, place):
	if isinstance(kind, list):
		assert isinstance(value, list), place
		for i, one in enumerate(value):
			fits(one, kind[0], f"{place}[{i}]")
	elif kind is COUNT:
		assert isinstance(value, int) and value >= (place.endswith("startLine")), place
	elif kind in SCHEMA:
		must, may = SCHEMA[kind]
		assert isinstance(value, dict) and must.keys() <= value.keys() <= must.keys() | may.keys(), (place, value)
		for name, one in value.items():
			fits(one, {**must, **may}[name], f"{place}.{name}")
	else:
		assert isinstance(value, str) and re.fullmatch(kind, value, re.S), (place, value)
log = json.load(open(sys.argv[1]))
fits(log, "log", "log")
run, = log["runs"]
rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
assert len(set(rules)) == len(rules)
for result, line in zip(run["results"], (16, 19), strict=True):
	assert rules[result["ruleIndex"]] == result["ruleId"] == "bytes" and "8 -> 16" in result["message"]["text"]
	place, = result["locations"]
	assert place["physicalLocation"] == {"artifactLocation": {"uri": "heat.c"}, "region": {"startLine": line}}
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
# One golden program for every number of processes, from recordings of three.
chain() { awk -v n="$1" -v size="${2:-8}" 'BEGIN { for (i = 0; i < 9; i++) { for (p = 0; p < n - 1; p++) print p, "send", p + 1, "t ; bytes=" size
	for (p = 1; p < n; p++) print p - 1, "recv", p, "t ; bytes=" size } }' >chain.$1; }
for n in 3 4 6; do chain $n; "$TRACENEST" model -q chain.$n -o chain.$n.nest; done
accepted "chains of three lengths are one program" generalize chain.3.nest chain.4.nest chain.6.nest -o chain.nest
for n in 5 11; do
	chain $n
	accepted "which is golden on $n processes, too" test chain.nest chain.$n
done
holds "and says so" grep -qx 'chain.nest: nothing has changed (11 processes)' out
chain 5 16
run test chain.nest chain.5 --sarif chain.sarif
holds "a change is seen" test $status = 1
holds "on the right ranks" grep -q 'bytes 8 -> 16, on ranks 0-3$' out
holds "and has a place for code scanning" grep -q '{"uri": "chain.nest"}' chain.sarif
refused "P is the run's" 2 'P is what the run has' test -D P=5 chain.nest chain.5
chain 2
run test chain.nest chain.2; mv err told
holds "what was not learned is told" grep -q 'warning: P is 2, less than in any run' told

refused "an unknown thing to ignore" 2 '--ignore color' test --ignore color project/heat.nest "$PAPER/pair.trace"
holds "no recording is left" sh -c '! ls -d tracenest-test-* project/tracenest-test-*'
unset LD_PRELOAD
python3 "$ROOT/tests/golden_edits.py" "$(dirname "$TRACENEST")" --edits 9-9 --unchanged 2 --mpi mpich >out 2>err
holds "an edit of a sample is told at its line, and there is no alarm" test $? = 0
