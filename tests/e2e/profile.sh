# Profiles: what is in the database adds up, SQL reads it, and it is there whole or not at all.
. "$ROOT/tests/checks.sh"

cat >adds_up.py <<'END'
import sqlite3
db = sqlite3.connect("run.db")
run = dict(db.execute("SELECT * FROM run"))
one = lambda sql: db.execute(sql).fetchone()[0]
assert one("PRAGMA user_version") == 2
assert run["path_work"] + run["path_call"] == run["run"], "path"
assert one("SELECT sum(path_work + path_call) FROM construct") == run["run"], "constructs on the path"
assert one("SELECT count(*) FROM process") == run["processes"]
assert one("SELECT count(*) FROM process WHERE last - first <> work + call + apart") == 0, "processes"
whole = one("SELECT sum(last - first - apart) FROM process")
assert one("SELECT sum(total) FROM timing") + one("SELECT sum(after + after_call) FROM process") == whole, "times"
assert one("SELECT count(*) FROM timing WHERE times <> (SELECT coalesce(sum(times), 0) FROM histogram WHERE timing = id)") == 0
assert one("SELECT count(*) FROM timing WHERE total < times * least OR total > times * most") == 0, "extremes"
assert one("SELECT sum(occurrences) FROM timing WHERE what = 'call'") == one("SELECT sum(events) FROM process"), "events"
assert abs(one("SELECT sum(loss) FROM construct") - run["run"] * (1 - run["efficiency"])) < 1e-6 * run["run"], "losses"
for view in ("hot", "arrivals", "distribution", "losses", "waiting", "report", "seconds"):
    db.execute("SELECT * FROM " + view).fetchall()
assert one("SELECT count(*) FROM hot") > 0
END

for archive in "$SAMPLES"/*.scorep "$SAMPLES"/*.tau; do
	[ -d "$archive" ] || continue
	name=$(basename "$archive")
	accepted "the model of $name" model -q "$(anchor "$name")" -o "$name.nest"
	accepted "its profile" profile "$name.nest" "$(anchor "$name")" -o run.db
	if command -v python3 >/dev/null && python3 -c 'import sqlite3' 2>/dev/null; then holds "adds up" python3 adds_up.py; fi
	holds "is small" test "$(wc -c <run.db)" -lt 1000000
done
if command -v python3 >/dev/null && python3 -c 'import sqlite3' 2>/dev/null; then
	sed -n '/^\.\\" test: python/,/^\.EE/p' "$ROOT/doc/tracenest-profile.5" | sed '/^\./d; s/\\-/-/g' >example.py
	holds "the manual's example in Python runs" python3 example.py
fi
if command -v Rscript >/dev/null && Rscript -e 'library(RSQLite)' >out 2>&1; then
	sed -n '/^\.\\" test: R/,/^\.EE/p' "$ROOT/doc/tracenest-profile.5" | sed '/^\./d; s/\\-/-/g' >example.R
	holds "the manual's example in R runs" Rscript example.R
fi
refused "a profile to nowhere" 2 'say with -o' profile bt.S.4.scorep.nest "$(anchor bt.S.4.scorep)"
refused "the model of another trace" 3 'is not that of the model' profile bt.S.4.scorep.nest "$(anchor is.S.4.scorep)" -o result
refused "a text trace" 2 'a text trace does not say when calls begin' profile bt.S.4.scorep.nest "$PAPER/pair.trace" -o result
refused "a directory" 2 'cannot write' profile bt.S.4.scorep.nest "$(anchor bt.S.4.scorep)" -o .

# Three profiles of one program, two of them made up, merged in two groupings and orders.
if command -v python3 >/dev/null && python3 -c 'import sqlite3' 2>/dev/null; then
	accepted "a profile to be merged" profile -q bt.S.4.scorep.nest "$(anchor bt.S.4.scorep)" -o a.db
	cat >vary.py <<'END'
import sqlite3, shutil
for name, k in (("b.db", 3), ("c.db", 5)):
    shutil.copy("a.db", name)
    d = sqlite3.connect(name)
    d.execute("UPDATE timing SET total = total + times * 1000 * ?, least = least + ? - 4, most = most + ?, squares = squares * 1.7, most_rank = 3 - most_rank", (k, k, 5 * (k - 4)))
    d.execute("UPDATE share SET work = work * ?", (k,))
    d.execute("UPDATE link SET least_flight = least_flight - ?", (k,))
    d.execute("UPDATE process SET work = work + 1000 * ?, last = last + 1000 * ?", (k, k))
    d.execute("UPDATE construct SET loss = loss * 1.1 * ?, ranks = '0-1' WHERE id % 2", (k,))
    d.execute("DELETE FROM series WHERE iteration % ? = 1", (k,))
    d.execute("UPDATE processes SET ranks = '0,2' WHERE id = ?", (k - 2,))
    d.execute("UPDATE run SET value = value * ? WHERE key IN ('run', 'hops', 'path_work')", (k,))
    d.commit()
END
	cat >same.py <<'END'
import sqlite3, sys
def rows(name):
    d = sqlite3.connect(name)
    tables = [t for t, in d.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1")]
    return [(t,) + r for t in tables for r in sorted(d.execute("SELECT * FROM " + t).fetchall(), key=repr)]
def near(a, b):
    return a == b or isinstance(a, float) and isinstance(b, float) and abs(a - b) <= 1e-12 * max(abs(a), abs(b))
one, other = rows(sys.argv[1]), rows(sys.argv[2])
assert len(one) == len(other) and all(near(a, b) for r, s in zip(one, other) for a, b in zip(r, s))
END
	cat >sums.py <<'END'
import sqlite3
a, b, ab = (sqlite3.connect(name) for name in ("a.db", "b.db", "ab.db"))
for sum in ("sum(total), sum(occurrences), sum(times) FROM timing", "sum(times) FROM histogram", "sum(work), sum(call) FROM share",
            "sum(work), sum(last - first) FROM process", "sum(bytes), sum(flight) FROM link", "sum(path_work), sum(waited) FROM series",
            "value FROM run WHERE key = 'run'"):
    parts = [d.execute("SELECT " + sum).fetchone() for d in (a, b, ab)]
    assert all(x + y == z for x, y, z in zip(*parts)), (sum, parts)
def by_key(*of):
    rows = {}
    for d in of:
        for *key, total, least in d.execute("SELECT p.ranks, statement, arrival, what, total, least FROM timing t JOIN processes p ON p.id = t.processes"):
            was = rows.get(tuple(key), (0, None))
            rows[tuple(key)] = was[0] + total, min((x for x in (was[1], least) if x is not None), default=None)
    return rows
assert by_key(a, b) == by_key(ab), "rows of the same processes"
assert ab.execute("SELECT min(least), max(most) FROM timing").fetchone() == (
    min(d.execute("SELECT min(least) FROM timing").fetchone()[0] for d in (a, b)), max(d.execute("SELECT max(most) FROM timing").fetchone()[0] for d in (a, b)))
assert ab.execute("SELECT count(*) FROM timing t JOIN processes p ON p.id = t.processes WHERE p.count <> (SELECT count(*) FROM member WHERE processes = p.id)").fetchone()[0] == 0
END
	holds "others are made up" python3 vary.py
	for pair in "a.db b.db ab.db" "ab.db c.db ab_c.db" "b.db c.db bc.db" "a.db bc.db a_bc.db" "c.db a.db ca.db" "ca.db b.db ca_b.db"; do
		set -- $pair
		accepted "profiles are merged ($pair)" profile "$1" "$2" -o "$3"
	done
	holds "what they hold is added up" python3 sums.py
	holds "in any grouping" python3 same.py ab_c.db a_bc.db
	holds "in any order" python3 same.py ab_c.db ca_b.db
	accepted "views read them, and diff" diff a.db ab_c.db
	refused "profiles of other programs" 3 'they are of other programs' profile a.db run.db -o result
	cat >clocks.py <<'END'
import shutil, sqlite3, sys
times = {"process": "first last work call apart late_sender late_receiver collective after after_call", "timing": "total least most", "histogram": "low high",
    "construct": "loss imbalance serialization transfer path_work path_call work call", "link": "flight least_flight late_sender", "series": "path_work path_call work waited",
    "share": "work call late_sender late_receiver collective caused_late_sender caused_late_receiver caused_collective path_work path_call"}
def tick(d): return 1 / d.execute("SELECT value FROM run WHERE key = 'ticks_per_second'").fetchone()[0]
if sys.argv[1] == "make": # the same as b, by a clock that ticks three times as fast; by one that is not known
    for name, factor in ("fast.db", 3), ("unknown.db", 0):
        shutil.copy("b.db", name)
        d = sqlite3.connect(name)
        d.execute("UPDATE run SET value = value * ? WHERE key = 'ticks_per_second'", (factor,))
        d.execute("UPDATE run SET value = value * ? WHERE key IN ('run', 'begin', 'path_work', 'path_call')", (factor or 1,))
        for table, columns in times.items():
            d.execute("UPDATE %s SET %s" % (table, ", ".join("%s = -%s * %d" % (c, c, factor or 1) for c in columns.split())))
            d.execute("UPDATE %s SET %s" % (table, ", ".join("%s = -%s" % (c, c) for c in columns.split())))
        d.execute("UPDATE timing SET squares = squares * ?", (factor * factor,))
        d.commit()
else: # the same seconds, but for half a nanosecond each
    one, two = sqlite3.connect("ab.db"), sqlite3.connect("a_fast.db")
    assert tick(two) == 1e-9, tick(two)
    for table, columns in times.items():
        for c in columns.split() + ["count(*)"]:
            f = 1 if c == "count(*)" else None
            (x,), (y,) = (d.execute("SELECT %s FROM %s" % (c if f else "total(%s)" % c, table)).fetchone() for d in (one, two))
            n = one.execute("SELECT count(*) FROM " + table).fetchone()[0]
            if table == "histogram" and f is None: continue # bins lie elsewhere
            assert table == "histogram" or abs(x * (f or tick(one)) - y * (f or tick(two))) <= (n + 1) * 1e-9 + 1e-6 * abs(x * tick(one)), (table, c, x * tick(one), y * tick(two))
    assert [d.execute("SELECT sum(times) FROM histogram").fetchone() for d in (one, two)][0] == two.execute("SELECT sum(times) FROM histogram").fetchone()
    s = [d.execute("SELECT total(squares) FROM timing").fetchone()[0] * tick(d) ** 2 for d in (one, two)]
    assert abs(s[0] - s[1]) <= 1e-6 * s[0], s
    apart = [sum(abs(l - r) for l, r in d.execute("SELECT loss, imbalance + serialization + transfer FROM construct")) * tick(d) for d in (one, two)]
    assert abs(apart[0] - apart[1]) <= 1e-6 * apart[0] + 1e-9, apart
END
	python3 clocks.py make
	accepted "profiles of clocks that tick differently" profile a.db fast.db -o a_fast.db
	holds "in nanoseconds" python3 clocks.py same
	accepted "are read by diff" diff a.db a_fast.db
	refused "a clock that is not known" 3 'how long the ticks of one are is not known' profile a.db unknown.db -o result
fi

# A time stamp in the middle of a stream becomes one from its beginning.
if command -v python3 >/dev/null; then
	cat >backwards.py <<'END'
import glob, struct, sys
name = sorted(glob.glob(sys.argv[1] + "/traces/*.evt"))[0]
data = bytearray(open(name, "rb").read())
at = [i for i in range(len(data) - 9) if data[i] == 5]
times = [struct.unpack_from("<Q", data, i + 1)[0] for i in at]
middle = sorted(times)[len(times) // 2]
good = [(i, t) for i, t in zip(at, times) if middle // 2 < t < middle * 2]
i, t = good[len(good) // 2]
struct.pack_into("<Q", data, i + 1, good[10][1])
open(name, "wb").write(data)
END
	cp -r "$SAMPLES/bt.S.4.scorep" back && chmod -R u+w back && python3 backwards.py back
	clock='the clock of rank 0 runs backwards: a record at [0-9]* follows one at [0-9]*$'
	refused "a clock that runs backwards (report)" 3 "$clock" report back/traces.otf2 -o result
	refused "a clock that runs backwards (time)" 3 "$clock" time bt.S.4.scorep.nest back/traces.otf2 -o result
	refused "a clock that runs backwards (profile)" 3 "$clock" profile --exact bt.S.4.scorep.nest back/traces.otf2 -o result
	refused "a clock that runs backwards (diff)" 3 "$clock" diff "$(anchor bt.S.4.scorep)" back/traces.otf2 -o result
fi
