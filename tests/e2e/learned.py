#!/usr/bin/env python3
"""learned.py READ.db LEARNED.db: do two profiles of runs of one program count alike: executions and calls of statements by how control came, events of processes?
And do the times of the second one add up, by process?"""
import sqlite3, sys

COUNTS = (
    "SELECT s.id, s.text, arrival, what, sum(occurrences), sum(times) FROM timing t JOIN statement s ON s.id = t.statement GROUP BY 1, 3, 4 ORDER BY 1, 3, 4",
    "SELECT rank, role, events FROM process ORDER BY rank",
)
read, learned = (sqlite3.connect(name) for name in sys.argv[1:])
good = True
for query in COUNTS:
    for a, b in zip(*(db.execute(query).fetchall() for db in (read, learned))):
        if a != b:
            print(a, b, sep="\n")
            good = False
for query in COUNTS:
    assert len(read.execute(query).fetchall()) == len(learned.execute(query).fetchall()) > 0
assert all(not more for more, in learned.execute("SELECT last - first - work - call - apart FROM process"))
total, = learned.execute("SELECT sum(total) FROM timing").fetchone()
own, = learned.execute("SELECT sum(work + call - after - after_call) FROM process").fetchone()
sys.exit(not good or total != own)
