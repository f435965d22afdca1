"""POP's factors of an archive, from what otf2-print says of it, held against those of tracenest report --json.

    otf2-print traces.otf2 | pop.py report.json

Computation is what lies outside of MPI's regions. The chain of computation goes along messages and collectives, which take no time; a process needs all members of
a collective if nobody left it before the last came, else those that its operation needs. The rest of the ideal run time is the critical path's, which report
gives.
"""
import collections
import json
import re
import sys

FROM_ROOT, TO_ROOT, SOME = {"BCAST", "SCATTER", "SCATTERV"}, {"REDUCE", "GATHER", "GATHERV"}, {"ALLTOALLV", "ALLTOALLW", "ALLGATHERV", "SCAN", "EXSCAN"}
events, members = collections.defaultdict(list), collections.defaultdict(set)
for line in sys.stdin:
    word = re.match(r"(ENTER|LEAVE|MPI_(?:I?SEND|I?RECV|COLLECTIVE_END))\s+(\d+)\s+(\d+)\s+(.*)", line)
    if not word:
        continue
    kind, who, time, rest = word[1], int(word[2]), int(word[3]), word[4]
    field = dict(re.findall(r"(\w+): ((?:\"[^\"]*\"|[^,(])+(?:\([^)]*\))?)", rest))
    if kind in ("ENTER", "LEAVE"):
        events[who].append((kind, time, 'region: "mpi_' in rest.lower(), None))
        continue
    communicator = re.search(r"<(\d+)>", field["Communicator"])[1]
    if kind == "MPI_COLLECTIVE_END":
        root = re.search(r"<(\d+)>\)", field["Root"])
        members[communicator].add(who)
        events[who].append((kind, time, communicator, (field["Operation"].strip(), int(root[1]) if root else None)))
    else:
        peer = int(re.search(r"<(\d+)>\)", field["Sender" if "RECV" in kind else "Receiver"])[1])
        pair = (peer, who) if "RECV" in kind else (who, peer)
        events[who].append((kind, time, (*pair, field["Tag"].strip(), communicator), None))

work, chain, at, inside = ({who: 0 for who in events} for _ in range(4))
since = {who: list[0][1] for who, list in events.items()}
entered, sent, came = {}, collections.defaultdict(collections.deque), collections.defaultdict(list)


def meet(key):
    """All members are there: the chain of each of them."""
    all, (operation, root) = came[key], came[key][0][3]
    clock = {who: chain[who] for who, *_ in all}
    together = min(done for _, _, done, _ in all) >= max(enter for _, enter, _, _ in all) or operation not in FROM_ROOT | TO_ROOT | SOME
    for who in clock:
        if together or (operation in TO_ROOT and who == root):
            chain[who] = max(clock.values())
        elif operation in FROM_ROOT:
            chain[who] = max(clock[who], clock[root])
        at[who] += 1
    del came[key]


def step(who):
    kind, time, what, more = events[who][at[who]]
    if kind in ("ENTER", "LEAVE"):
        if not inside[who]:
            work[who] += time - since[who]
            chain[who] += time - since[who]
        if what and kind == "ENTER" and not inside[who]:
            entered[who] = time
        inside[who] += what * (1 if kind == "ENTER" else -1)
        since[who] = time
    elif kind == "MPI_COLLECTIVE_END":
        if all(who != one for one, *_ in came[what]):
            came[what].append((who, entered[who], time, more))
        if len(came[what]) == len(members[what]):
            meet(what)
            return True
        return False
    elif "SEND" in kind:
        sent[what].append(chain[who])
    elif not sent[what]:
        return False
    else:
        chain[who] = max(chain[who], sent[what].popleft())
    at[who] += 1
    return True


moved = True
while moved:
    moved = False
    for who in events:
        while at[who] < len(events[who]) and step(who):
            moved = True
assert all(at[who] == len(events[who]) for who in events), "who waits for ever"

report = json.load(open(sys.argv[1]))
run = max(list[-1][1] for list in events.values()) - min(list[0][1] for list in events.values())
busiest, mean = max(work.values()), sum(work.values()) / len(work)
ideal = max(*chain.values(), report["path_work"])
factors = {"parallel": mean / run, "load_balance": mean / busiest, "communication": busiest / run, "serialization": busiest / ideal, "transfer": ideal / run}
for name, value in factors.items():
    said = report["efficiency"].get(name)
    assert said is None or abs(said - value) < 2e-6, f"{name}: {said}, from otf2-print {value}"
    assert said is None or said <= 1, f"{name}: above 1"
