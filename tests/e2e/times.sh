# When each event was, kept in a profile: exactly as in the archive, or within a bound and without drift; and where in the program processes were at a time.
. "$ROOT/tests/checks.sh"

python=$(command -v python3) && python3 -c 'import sqlite3' 2>/dev/null || python=

# Times within a factor, no drift; what `at` says beside a search through all events. times.txt, out: as below.
cat >compare.py <<'END'
import json, sys
def streams(name):
    of = {}
    for line in open(name):
        words, _, behind = line.partition(" ; ")
        words = words.split()
        rank = int(words[2] if words[1] == "recv" else words[0])
        of.setdefault(rank, []).append({k: int(v) for k, v in (w.split("=") for w in behind.split())})
    return of
def within(a, b, factor):
    return a <= b * factor and b <= a * factor
def check_bound(factor):
    exact, told = streams("exact.txt"), streams("within.txt")
    assert exact.keys() == told.keys()
    for rank, events in exact.items():
        end = told_end = most = None
        for e, t in zip(events, told[rank]):
            if end is not None and e["enter"] >= end:
                assert within(t["enter"] - told_end, e["enter"] - end, factor), (rank, e, t, "gap")
                most = max(most, e["enter"] - end)
            assert within(t["leave"] - t["enter"], e["leave"] - e["enter"], factor), (rank, e, t, "call")
            assert t["enter"] <= t["time"] <= t["leave"], (rank, e, t)
            if end is not None:
                most = max(most, e["leave"] - e["enter"])
                assert abs(t["leave"] - e["leave"]) <= (factor - 1) * max(most, first), (rank, e, t, "drift")
            else:
                most, first = e["leave"] - e["enter"], e["leave"]
            end, told_end = e["leave"], t["leave"]
        assert len(events) == len(told[rank])
def check_at(name):
    told = streams(name)
    for answer in json.load(open("out")):
        for p in answer["processes"]:
            events, time = told.get(p["rank"], []), answer["ticks"]
            first = next((k for k, e in enumerate(events) if e.get("leave", e["time"]) > time), None)
            if not events: want = ("nothing", None)
            elif first is None: want = ("behind", len(events) - 1)
            else: want = ("before" if time < events[first].get("enter", events[first]["time"]) else "in", first)
            assert (p["state"], p.get("event")) == want, (time, p, want)
def times(name):
    told = streams(name)
    all = [t for events in told.values() for e in events for t in e.values()]
    low, high, state = min(all), max(all), 1
    for i in range(200):
        state = state * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
        print(low - 5 + (state >> 11) % (high - low + 10) if i % 4 else all[state % len(all)], "ticks", sep="")
if sys.argv[1] == "bound": check_bound(1.2)
elif sys.argv[1] == "at": check_at(sys.argv[2])
else: times(sys.argv[2])
END

check_times() { # NAME ARCHIVE
	accepted "the model of $1" model -q --lenient "$2" -o model.nest
	accepted "$1 with exact times" profile -q --lenient --exact model.nest "$2" -o exact.db
	accepted "the times of $1" expand --times model.nest --profile exact.db -o stamps.txt
	accepted "the times of the archive $1" events --times -q "$2" -o archive.txt
	same "are those of the archive ($1)" stamps.txt archive.txt
	accepted "$1 with its calls" profile -q --lenient --exact --calls model.nest "$2" -o calls.db
	accepted "times of calls ($1)" expand --times model.nest --profile calls.db -o exact.txt
	sed 's/ enter=.*//' exact.txt >stamps.txt
	same "have the same stamps ($1)" stamps.txt archive.txt
	accepted "$1 within a factor" profile -q --lenient --within 1.2 model.nest "$2" -o within.db
	accepted "times within a factor ($1)" expand --times model.nest --profile within.db -o within.txt
	[ -n "$python" ] || return
	holds "are within it, and do not drift ($1)" python3 compare.py bound
	for kind in calls within; do
		[ $kind = calls ] && text=exact.txt || text=within.txt
		python3 compare.py times $text >times.txt
		accepted "where processes of $1 are ($kind)" at --json --times times.txt model.nest --profile $kind.db
		holds "is where a search finds them ($1, $kind)" python3 compare.py at $text
	done
}

if [ -n "${TRACENEST_DATA:-}" ]; then # the smaller ones
	for archive in "$TRACENEST_DATA"/*/*.otf2; do
		case $archive in */*.[ABC].*/* | */amg.*) continue ;; esac
		check_times "$(basename "$(dirname "$archive")")" "$archive"
	done
else
	for name in $(enough bt.S.4.scorep mg.S.4.ez); do check_times $name "$(anchor $name)"; done
fi

bt=$(anchor bt.S.4.scorep)
accepted "a model" model -q "$bt" -o bt.nest
accepted "its profile" profile -q bt.nest "$bt" -o bare.db
accepted "with times" profile -q --exact --calls bt.nest "$bt" -o bt.db
accepted "at a time" at --time 0.5ms --time 1s bt.nest --profile bt.db
holds "says so" grep -q '^at [0-9]*, 1 s after the run began$' out
accepted "as CSV" at --csv --time 0.5ms --time 1s bt.nest --profile bt.db
holds "a row for each time and rank, in seconds" awk -F, 'NF != 11 || (NR > 1 && $1 != "0.000500000" && $1 != "1.000000000") { bad = 1 } END { exit bad || NR != 9 }' out
accepted "before all" at --time 0ticks bt.nest --profile bt.db
holds "all are before their first events" grep -q '^  0-3 before 0' out
accepted "behind all" at --time 1000s --rank 2 bt.nest --profile bt.db
holds "the one asked for is behind its last" grep -q '^  2 behind ' out
printf '# none\n\n1.5ms\n' | "$TRACENEST" at --times - bt.nest --profile bt.db >out
holds "times come from standard input" test "$(grep -c '^at ' out)" = 1
printf '1ms\n1 parsec\n' >times.txt
refused "a list with a line that is no time" 2 "times.txt:2: at: '1 parsec' is no time" at --times times.txt bt.nest --profile bt.db -o result
refused "no time" 2 'say when' at bt.nest --profile bt.db -o result
refused "a time that is none" 2 "'noon' is no time" at --time noon bt.nest --profile bt.db -o result
refused "a profile without times" 2 'bare.db: keeps no times' at --time 1s bt.nest --profile bare.db -o result
refused "times without a profile" 2 'needs the profile' expand --times bt.nest -o result
refused "a profile without times wanted" 2 'is read for --times alone' expand bt.nest --profile bt.db -o result
refused "exactly and within" 2 'not both' profile --exact --within 1.5 bt.nest "$bt" -o result
refused "calls of nothing" 2 'give that, too' profile --calls bt.nest "$bt" -o result
refused "a factor that leaves nothing open" 2 'a factor of 1.01 or more' profile --within 1.001 bt.nest "$bt" -o result
accepted "another model" model -q "$(anchor is.S.4.scorep)" -o is.nest
refused "the profile of another model" 3 'not that of the model' at --time 1s is.nest --profile bt.db -o result
refused "no profile" 2 'bt.nest: ' at --time 1s bt.nest --profile bt.nest -o result
if [ -n "$python" ]; then
	python3 -c 'import sqlite3; d = sqlite3.connect("bt.db"); d.execute("UPDATE stretch SET data = zeroblob(length(data))"); d.commit()'
	refused "times that are damaged" 2 'bt.db: damaged' expand --times bt.nest --profile bt.db -o result
	refused "likewise at a time" 2 'bt.db: damaged' at --time 1s bt.nest --profile bt.db -o result
fi
