# Exports: what simulators get is a run that can be run, and is the run of the model (tests/schedule.py reads it without us).
. "$ROOT/tests/checks.sh"

python_there() { ! sanitized && command -v python3 >/dev/null; } # they say the same of what a sanitized build wrote
simgrid_there() { ! sanitized && command -v smpirun >/dev/null; }
schedule() { python3 "$ROOT/tests/schedule.py" "$@"; }

cluster() { # PROCESSES: a platform and its hosts
	cat >cluster.xml <<-END
	<?xml version='1.0'?>
	<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
	<platform version="4.1">
	  <cluster id="cluster" prefix="node" suffix="" radical="0-$(($1 - 1))" speed="1Gf" bw="1.25GBps" lat="${2:-5us}"/>
	</platform>
	END
	seq 0 $(($1 - 1)) | sed 's/^/node/' >hosts
}
simulated() { # WHY LIST PROCESSES: it ends; its time is in $seconds
	timeout -s KILL $HANGS smpirun -np "$3" -platform cluster.xml -hostfile hosts -replay "$2" --log=root.fmt:%m%n >sim.out 2>&1
	seconds=$(sed -n 's/^Simulation time //p' sim.out)
	if [ -n "$seconds" ]; then ok "$1"; else fail "$1" "$(tail -n 3 sim.out)"; fi
}

for name in $(enough is.S.4.scorep bt.S.4.scorep lu.S.4.tau mg.S.4.ez); do
	accepted "the model of $name" model -q "$(anchor "$name")" -o "$name.nest"
	accepted "its messages" matrix --lenient --bytes --csv "$name.nest" -o pairs.csv
	accepted "$name as GOAL" export --lenient -q --to goal "$name.nest" -o run.goal
	accepted "$name for SMPI" export --lenient -q --to smpi "$name.nest" -o run.ti
	if python_there; then
		holds "$name: GOAL, and what SMPI gets, are acyclic, matched, complete, of these bytes" schedule goal run.goal pairs.csv smpi run.ti pairs.csv
	fi
	if simgrid_there; then cluster 4; simulated "$name runs in SimGrid" run.ti 4; fi
done

# What is posted moves what the blocking operation moves, where it is waited for.
for call in MPI_Allreduce MPI_Iallreduce MPI_Bcast MPI_Ibcast MPI_Alltoall MPI_Ialltoall MPI_Reduce_scatter MPI_Ireduce_scatter MPI_Gather MPI_Igather; do
	case $call in *cast | *Gather | *gather) root=" root=2" ;; *) root= ;; esac
	for p in 0 1 2 3; do echo "$p sync $call 0-3$root ; bytes=8000000 received=8000000"; done >call.trace
	accepted "$call" model -q call.trace -o call.nest
	accepted "$call as GOAL" export -q --to goal call.nest -o $call.goal
	accepted "$call for SMPI" export -q --to smpi call.nest -o $call.ti
	accepted "$call, played back" replay call.nest --simulate cluster:4,1us,1GBps --model loggops
	cat "$call".ti_files/* | cat - $call.goal >$call.said && sed 's/ *[^ ]*$//' out | tail -n 1 >>$call.said
	holds "$call takes its time" awk '/all phases/ { found = $2 > 0.002 } END { exit !found }' out
	case $call in MPI_I*) same "$call moves what the blocking one does" $before.said $call.said ;; esac
	before=$call
done

# Collectives of every kind, by every algorithm, also of a part of the processes; sizes from what three recorders would say.
cat >every.nest <<'END'
// tracenest 1
// processes 6
[0-5] p sync MPI_Bcast 0-5 root=2 ; bytes=$b[p] received=$c[p]
[0-5] for i0 = 0 to 2
  [0-5] p sync MPI_Reduce 0-5 root={i0} ; bytes=100 received=0
  [0-5] p sync MPI_Gatherv 0-5 root=3 ; bytes={10+p} received=0
  [0-5] p sync MPI_Scatter 0-5 root=4 ; bytes=0 received=50
  [0-5] p sync MPI_Allreduce 0-5 ; bytes=1000 received=1000
  [0-5] p sync MPI_Allgatherv 0-5 ; bytes={8+p} received=63
  [0-5] p sync MPI_Reduce_scatter 0-5 ; bytes=600 received=100
  [0-5] p sync MPI_Alltoallv 0-5 ; bytes={601+p} received=600
  [0-5] p sync MPI_Scan 0-5 ; bytes=8 received=8
  [0-5] p sync MPI_Exscan 0-5 ; bytes=8 received=8
  [0-5] p sync MPI_Barrier 0-5
  [1,3,5] p sync MPI_Allreduce 1,3,5@2 ; bytes=24 received=24
  [0-4:2] p sync MPI_Bcast 0,2,4@3 root=4 ; bytes=$b1[p] received=$c1[p]
  [0-5] p send (p+1)%6 tag{7+i0} ; bytes=200000
  [0-5] (p-1)%6 recv p tag{7+i0} ; bytes=200000
  [0-5] p send (p+1)%6 tag7@4 ; bytes=20
  [0-5] (p-1)%6 recv p tag7@4 ; bytes=20
done
// tables
$b[p] = 0 0 64 0 0 0
$c[p] = 64 64 0 64 64 64
$b1[p] = 0 0 0 0 32 0
$c1[p] = 32 0 32 0 0 0
END
accepted "a run of every kind" check every.nest
accepted "its messages" matrix --lenient --bytes --csv every.nest -o pairs.csv
cluster 6
set --
for how in native decomposed decomposed:ring decomposed:binomial decomposed:recursive-doubling decomposed:pairwise; do
	accepted "$how for SMPI" export --lenient -q --to smpi --collectives $how every.nest -o "$how.ti"
	set -- "$@" smpi "$how.ti" pairs.csv
	simgrid_there && simulated "$how runs in SimGrid" "$how.ti" 6
	[ $how = native ] && continue
	accepted "$how as GOAL" export --lenient -q --to goal --collectives $how every.nest -o run.goal
	cp run.goal "$how.goal"
	set -- "$@" goal "$how.goal" pairs.csv
	case $how in
	decomposed) cp run.goal usual.goal ;;
	*) if cmp -s run.goal usual.goal; then fail "$how is another schedule" "the same"; else ok "$how is another schedule"; fi ;;
	esac
done
python_there && holds "all of them can be run" schedule "$@"
holds "what is decomposed moves the sizes of the model" grep -q '^l[0-9]*: send 64b to 3 tag 1073741' usual.goal
python_there && {
	sed '0,/recv 64b from/s//recv 63b from/' usual.goal >cut.goal
	sed '0,/^l2 .*requires l1/s//&\nl1 requires l2/' usual.goal >cycle.goal
	sed '0,/: send 20b to \([0-9]\) tag/s//: send 20b to \1 tag 9/' usual.goal >tag.goal
	for planted in cut cycle tag; do
		if schedule goal $planted.goal - >out 2>err; then fail "the checker finds a planted fault ($planted)" "$(cat out)"
		else ok "the checker finds a planted fault ($planted)"; fi
	done
}

# Times: sleeping in seconds, or computing in flops of a host.
accepted "a model" model -q "$(anchor bt.S.4.scorep)" -o bt.S.4.scorep.nest
accepted "a profile" profile bt.S.4.scorep.nest "$(anchor bt.S.4.scorep)" -o run.db
accepted "with times" export -q --to smpi --profile run.db bt.S.4.scorep.nest -o run.ti
accepted "in flops" export -q --to smpi --profile run.db --speed 2Gf bt.S.4.scorep.nest -o flops.ti
accepted "GOAL with times" export -q --to goal --profile run.db bt.S.4.scorep.nest -o run.goal
python_there && cat >times.py <<'END'
import re, sqlite3
db = sqlite3.connect("run.db")
second = db.execute("SELECT value FROM run WHERE key = 'ticks_per_second'").fetchone()[0]
goal = re.split(r"\nrank \d+ {\n", open("run.goal").read())[1:]
for rank, want in db.execute("SELECT rank, work FROM process ORDER BY rank"):
    lines = open(f"run.ti_files/rank-{rank}.txt").read().split("\n")
    slept = sum(float(l.split()[2]) for l in lines if " sleep " in l)
    flops = sum(float(l.split()[2]) for l in open(f"flops.ti_files/rank-{rank}.txt") if " compute " in l)
    ns = sum(int(n) for n in re.findall(r"calc (\d+)", goal[rank]))
    # means of several processes: 25 % apart at most
    for have in (slept, flops / 2e9, ns / 1e9):
        assert abs(have - want / second) < 0.25 * want / second, (rank, have, want / second)
END
python_there && holds "computing takes as long as in the profile" python3 times.py
if simgrid_there; then
	cluster 4
	simulated "it runs in seconds" run.ti 4
	cluster 4 10ms
	fast=$seconds
	simulated "and in a slow network" run.ti 4
	holds "a slow network is slower" awk "BEGIN { exit !($seconds > $fast + 1) }"
fi

# Measured runs: what TALP-Pages and Extra-P read.
accepted "a run for TALP-Pages" export -q --to talp run.db -o talp.json
accepted "from its archive, too" export -q --to talp "$(anchor bt.S.4.scorep)" -o archive.json
accepted "runs for Extra-P" export --to extra-p run.db "$(anchor bt.S.4.scorep)" run.db -o runs.txt
cp err said
holds "which has no model of so few sizes" grep -q 'tracenest: Extra-P makes models from 5 numbers of processes on; here it is 1' said
python_there && cat >measured.py <<'END'
import json, re, sqlite3
from datetime import datetime
value = dict(sqlite3.connect("run.db").execute("SELECT key, value FROM run"))
seconds = value["run"] / value["ticks_per_second"]
talp, archive = (json.load(open(name)) for name in ("talp.json", "archive.json"))
assert talp["Application"] == archive["Application"] and talp["dlbVersion"] == "3.5.0" and datetime.fromisoformat(talp["timestamp"])
regions = talp["Application"]
run = regions.pop("Global")
assert talp["resources"] == {"numCpus": 4, "numNodes": 1, "numMpiRanks": 4} and regions
assert abs(run["parallelEfficiency"] - value["efficiency"]) < 1e-4 and abs(run["elapsedTime"] / 1e9 / seconds - 1) < 1e-3
for what in "usefulTime", "mpiTime", "numMpiCalls":
    assert abs(sum(r[what] for r in regions.values()) - run[what]) <= len(regions), what
for r in [run, *regions.values()]:
    assert abs(r["mpiLoadBalance"] * r["mpiCommunicationEfficiency"] - r["parallelEfficiency"]) < 2e-4 and 0 <= r["parallelEfficiency"] <= 1
# Extra-P's grammar (docs/file-formats.md): a DATA for each point, here with three repetitions of each
lines = open("runs.txt").read().splitlines()
assert lines[:2] == ["PARAMETER p", "POINTS 4"]
times, metric = {}, None
for line in lines[2:]:
    word, rest = line.split(" ", 1)
    if word == "METRIC":
        metric = rest
    elif word == "REGION":
        region, data = rest, 0
        assert rest == "run" or re.fullmatch("run->[^>]+", rest)
    else:
        assert word == "DATA" and (data := data + 1) == 1
        values = [float(v) for v in rest.split(" ")]
        assert len(values) == 3 and values[0] == values[2] and re.fullmatch(r"(-?\d+(\.\d+)? ?)+", rest)
        times.setdefault(metric, {})[region] = values[0]
assert list(times) == ["time", "computation", "messages", "bytes"] and len({len(t) for t in times.values()}) == 1
for metric, of in times.items():
    whole = of.pop("run")
    assert abs(sum(of.values()) - whole) <= 1e-6 * max(whole, 1), metric
END
python_there && holds "add up, as TALP and Extra-P have them" python3 measured.py
refused "two runs for TALP-Pages" 2 "of one run, a file each: what is 'run.db'" export --to talp run.db run.db -o result
refused "times of a model" 2 'bt.S.4.scorep.nest: a model does not say how long anything took' export --to extra-p run.db bt.S.4.scorep.nest -o result
refused "two models" 2 'for --to extra-p alone' export --to goal bt.S.4.scorep.nest bt.S.4.scorep.nest -o result
refused "a rank of a measured run" 2 '--rank: not of --to talp and extra-p' export --to talp --rank 1 run.db -o result
cp run.db third.db
refused "a run that is the output" 2 'would take the place' export --to extra-p run.db run.db third.db -o third.db

# Archives: the model of what was made is the model, messages are not received before they are sent, computing lasts as long as it did.
cat >times_of.py <<'END'
import sqlite3, sys
first, second = (sqlite3.connect(name).execute("SELECT work, apart FROM process ORDER BY rank").fetchall() for name in sys.argv[1:])
work, again = (sum(row[0] for row in rows) for rows in (first, second))
assert abs(work - again) <= 0.01 * work, (work, again)
assert [row[1] for row in first] == [row[1] for row in second]
END
cat >archive.py <<'END'
import collections, sys
import otf2
sent, messages = collections.Counter(), 0
with otf2.reader.open(sys.argv[1]) as trace: # merged by time
    number = {id(l): i for i, l in enumerate(trace.definitions.locations)}
    for location, e in trace.events:
        if isinstance(e, (otf2.events.MpiSend, otf2.events.MpiRecv)):
            send = isinstance(e, otf2.events.MpiSend)
            other = e.communicator.group.members[e.receiver if send else e.sender]
            ends = number[id(location)], number[id(other)]
            channel = (ends if send else ends[::-1]) + (e.msg_tag, id(e.communicator))
            sent[channel] += 1 if send else -1
            assert sent[channel] >= 0, f"a message of {channel} is received before it is sent"
            messages += send
assert messages and not any(sent.values())
print(messages)
END
for name in $(enough bt.S.4.scorep is.S.4.scorep lu.S.4.ez); do
	accepted "the model of $name" model -q "$(anchor "$name")" -o "$name.nest"
	accepted "its profile" profile -q "$name.nest" "$(anchor "$name")" -o run.db
	accepted "$name as an archive again" export --lenient -q --to otf2 --profile run.db "$name.nest" -o again
	accepted "its model" model -q again/traces.otf2 -o again.nest
	holds "is the model" cmp "$name.nest" again.nest
	accepted "its profile" profile -q again.nest again/traces.otf2 -o again.db
	python_there && holds "computes as long" python3 times_of.py run.db again.db
	if python_there && command -v otf2-print >/dev/null; then
		holds "otf2-print reads it" sh -c 'otf2-print again/traces.otf2 >print.out 2>&1 && ! grep -qi error print.out'
	fi
	if python_there && /usr/bin/python3 -c 'import otf2' 2>/dev/null; then holds "no message is received early" /usr/bin/python3 archive.py again/traces.otf2; fi
done
cat >same_times.py <<'END'
import sqlite3
q = "SELECT statement, processes, arrival, what, occurrences, times, total, least, most FROM timing ORDER BY 1, 2, 3, 4"
first, second = (sqlite3.connect(name).execute(q).fetchall() for name in ("run.db", "again.db"))
assert first and first == second
END
for name in $(sanitized || echo bt.S.4.scorep is.S.4.scorep) lu.S.4.tau; do
	accepted "the model of $name" model -q --lenient "$(anchor "$name")" -o "$name.nest"
	accepted "its profile, exact" profile -q --exact --calls "$name.nest" "$(anchor "$name")" -o run.db
	accepted "$name as an archive again" export --lenient -q --to otf2 --profile run.db "$name.nest" -o again
	accepted "its profile" profile -q --exact --calls "$name.nest" again/traces.otf2 -o again.db
	python_there && holds "is the same" python3 same_times.py
	accepted "when its events were" expand --times "$name.nest" --profile run.db -o events
	accepted "and are now" expand --times "$name.nest" --profile again.db -o again.events
	holds "is the same" cmp events again.events
done
accepted "an archive without times" export --lenient -q --to otf2 every.nest -o again
accepted "has the events of the model" expand every.nest -o events
accepted "and no others" events again/traces.otf2 -o again.events
holds "in the same order" cmp events again.events

# Perfetto: slices that do not overlap, arrows with both ends in slices, as many as the run has.
cat >perfetto.py <<'END'
import bisect, json, sys
def check(path, told):
    trace = json.load(open(path))["traceEvents"]
    slices, ends = {}, {}
    for e in trace:
        if e["ph"] == "X":
            slices.setdefault(e["tid"], []).append((e["ts"], e["ts"] + e["dur"]))
        elif e["ph"] in "sf":
            assert ends.setdefault(e["id"], {}).setdefault(e["ph"], e) is e, "an end twice"
            assert e["ph"] == "s" or e["bp"] == "e", "an arrow that binds to what comes next"
        else:
            assert e["ph"] == "M" and e["name"] in ("process_name", "thread_name", "thread_sort_index") and e["args"], e
        # what the format wants of each: a name, numbers of process and thread, times in microseconds
        assert isinstance(e["name"], str) and isinstance(e["pid"], int) and isinstance(e.get("tid", 0), int), e
        assert e["ph"] == "M" or isinstance(e["ts"], (int, float)) and e.get("dur", 0) >= 0, e
    for tid, all_of in slices.items():
        assert all(b[0] >= a[1] - 1e-3 for a, b in zip(all_of, all_of[1:])), f"slices of {tid} overlap"
    for number, pair in ends.items():
        assert set(pair) == {"s", "f"} and pair["s"]["ts"] <= pair["f"]["ts"], f"arrow {number}"
        assert pair["s"]["name"] == pair["f"]["name"] and pair["s"]["cat"] == pair["f"]["cat"], f"arrow {number}: its ends do not find each other"
        for e in pair.values():
            at = bisect.bisect_right(slices[e["tid"]], (e["ts"] + 1e-3, 1e30)) - 1
            assert at >= 0 and slices[e["tid"]][at][0] <= e["ts"] + 1e-3 <= slices[e["tid"]][at][1] + 2e-3, f"arrow {number} hangs in the air"
    have = f"{sum(map(len, slices.values()))}+{len(ends)}"
    assert told in ("-", have), (path, told, have)
for path, told in zip(sys.argv[1::2], sys.argv[2::2]):
    check(path, told)
END
perfetto() { # WHY CALLS ARROWS OPTIONS...
	why=$1 calls=$2 arrows=$3
	shift 3
	accepted "$why" export --lenient --to perfetto "$@" -o "$calls.json"
	if grep -qx "tracenest: $calls calls, $arrows arrows" err; then ok "says so"; else fail "says so" "$(cat err)"; fi
	told="$told $calls.json $calls+$arrows"
}
told=
perfetto "a whole run" 276 36 every.nest
perfetto "two of its processes" 92 6 --rank 1-2 every.nest
perfetto "an iteration" 90 12 --loop 1 --iterations 1 every.nest
perfetto "a statement" 18 0 --loop 1.3 every.nest
accepted "a run with times" export --to perfetto --profile run.db lu.S.4.tau.nest -o run.json
accepted "a window of it" export --to perfetto --profile run.db --from 0.001 --until 0.5 lu.S.4.tau.nest -o window.json
python_there && holds "they are so, and what the format wants" python3 perfetto.py $told run.json - window.json -
refused "iterations of nothing" 2 'say with --loop' export --to perfetto --iterations 3 every.nest -o result
refused "no iterations" 2 'nor two as in 3-5' export --to perfetto --loop 1 --iterations 5-3 every.nest -o result
refused "a loop that there is not" 2 'every.nest: .*9' export --to perfetto --loop 9 every.nest -o result
printf '// tracenest 1\n// processes 2\nfor i0 = 0 to 999999999999999999\n  0 send 1 tag1\n  0 recv 1 tag1\ndone\n' >huge.nest
refused "10^18 iterations for GOAL" 2 'huge.nest: a process executes statement 0.0 1000000000000000000 times, and GOAL has 4294967295 operations' export --to goal huge.nest -o result
refused "a window of GOAL" 2 'only of --to perfetto' export --to goal --rank 1 every.nest -o result
refused "sizes of an archive" 2 'only of --to smpi and goal' export --to otf2 --size 1 every.nest -o result
refused "an archive to nowhere" 2 'which directory' export --to otf2 every.nest
refused "an archive in a file" 2 'cannot write: Not a directory' export --to otf2 every.nest -o pairs.csv
printf '// tracenest 1\n// processes 2\n0-1 sync frobnicate 0-1\n' >own.nest
refused "what OTF2 has no name for" 2 "OTF2 has no collective 'frobnicate'" export --to otf2 own.nest -o result

# The samples are what is made today.
REPLAY=$ROOT/samples/replay
accepted "the profile of the sample" profile -q is.S.4.scorep.nest "$(anchor is.S.4.scorep)" -o is.db
for format in smpi:is.ti goal:is.goal perfetto:is.json; do
	accepted "the sample of ${format%:*}" export --lenient -q --to "${format%:*}" --profile is.db is.S.4.scorep.nest -o "${format#*:}"
	holds "is that in samples/replay" cmp "${format#*:}" "$REPLAY/${format#*:}"
done
holds "with its files" diff -r is.ti_files "$REPLAY/is.ti_files"
accepted "the mini-app of the sample" skeleton --lenient --profile is.db is.S.4.scorep.nest -o is.c
holds "is that in samples/replay" cmp is.c "$REPLAY/is.c"
zstd -dcq "$REPLAY/is.archive.tar.zst" | tar -xf -
accepted "the archive there" check -q is.S.4.scorep.nest is.archive/traces.otf2

printf '// tracenest 1\n// processes 2\n0 send 1 tag1\n' >unmatched.nest
printf '// tracenest 1\n// processes 2\n0 recv 1 tag1\n1 send 0 tag1\n1 recv 0 tag2\n' >half.nest
printf '// tracenest 1\n// processes 2\n[0-1] 1-p recv p tag1\n[0-1] p send 1-p tag1\n' >crossed.nest
printf '// tracenest 1\n// processes 2\n[0-1] p recv p tag1\n' >bad.nest
printf '// tracenest 1\n// processes 2\n0 send 1 tag1 ; bytes=3000000000\n0 recv 1 tag1 ; bytes=3000000000\n' >large.nest
refused "a message that nobody receives" 3 'unmatched.nest: cannot be run again: .*message' export --to goal unmatched.nest -o result
refused "one that nobody sends" 3 'half.nest: cannot be run again' export --to smpi half.nest -o result
refused "the profile of another model" 3 'is not that of the model is.S.4.scorep.nest' export --to goal --profile run.db is.S.4.scorep.nest -o result
refused "no profile" 2 'not a profile|no profile' export --to goal --profile bt.S.4.scorep.nest bt.S.4.scorep.nest -o result
refused "no format" 2 'say with --to' export bt.S.4.scorep.nest -o result
refused "SMPI to standard output" 2 'say with -o' export --to smpi bt.S.4.scorep.nest
refused "a message that SMPI cannot count" 2 'large.nest: rank 0 passes on 3000000000 bytes' export --to smpi large.nest -o result
refused "an algorithm that there is not" 2 "'tree' is no algorithm" export --to goal --collectives decomposed:tree every.nest -o result
refused "a speed of nothing" 2 'not a speed' export --to smpi --speed 0Gf every.nest -o result
refused "collectives in GOAL" 2 'GOAL has messages alone' export --to goal --collectives native every.nest -o result
refused "a profile that is the output" 2 'would take the place' export --to goal --profile run.db bt.S.4.scorep.nest -o run.db
mkdir -p mine.ti_files && echo keep >mine.ti_files/notes
accepted "a directory that is there" export --lenient -q --to smpi every.nest -o mine.ti
holds "keeps what is not of ours" grep -q keep mine.ti_files/notes
accepted "again, by fewer processes" export -q --to smpi bt.S.4.scorep.nest -o mine.ti
holds "and older traces make room" test "$(ls mine.ti_files | wc -l)" = 5
echo >file.ti_files
refused "a directory that is a file" 2 'file.ti_files: cannot write: Not a directory' export --to smpi every.nest -o file.ti
