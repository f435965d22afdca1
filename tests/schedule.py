#!/usr/bin/env python3
"""schedule.py goal|smpi FILE PAIRS.csv|- ... -- are exported runs such that can be run?

Reads GOAL, or the list of time-independent traces of SMPI, with a parser of its own, and proves
  acyclic    no operation waits for itself: all are executed, where a send is complete only when
             its receiver has come (rendezvous, the worst case that a network may do);
  matched    each receive has its send, of no more bytes, first in, first out per pair and tag;
  complete   nothing is left over, no label is used that is not there, every rank is there;
  PAIRS.csv  messages and bytes of each pair are those of `tracenest matrix --bytes --csv`.
Tags from 2^30 on are those of decomposed collectives, which the matrix does not count.
Prints one line of figures; exits with 1 and a reason otherwise.
"""
import collections
import csv
import re
import sys

COLLECTIVE = 1 << 30


def fail(words):
    sys.exit(f"schedule.py: {words}")


class Rank:
    """Operations: kind ('s', 'r', 'c'), peer, tag, bytes; for each, what its start waits for."""

    def __init__(self):
        self.ops = []
        self.needs = []  # of (operation, must it be finished?)


GOAL_OP = re.compile(r"(\w+): (?:calc (\d+)|(send|recv) (\d+)b (?:to|from) (\d+) tag (\d+))$")
GOAL_NEED = re.compile(r"(\w+) (i?requires) (\w+)$")


def read_goal(path):
    ranks, rank, labels = {}, None, {}
    with open(path) as lines:
        first = next(lines).split()
        if len(first) != 2 or first[0] != "num_ranks":
            fail(f"{path}:1: no num_ranks")
        for number, line in enumerate(lines, 2):
            line = line.strip()
            if not line:
                continue
            if line.startswith("rank "):
                word, which, brace = line.split()
                if rank is not None or brace != "{" or int(which) in ranks:
                    fail(f"{path}:{number}: a rank inside another, or twice")
                rank, labels = ranks.setdefault(int(which), Rank()), {}
            elif line == "}":
                rank = None
            elif (m := GOAL_OP.match(line)) and rank is not None:
                label, calc, kind, size, peer, tag = m.groups()
                if label in labels:
                    fail(f"{path}:{number}: label {label} twice")
                labels[label] = len(rank.ops)
                rank.ops.append(("c", 0, 0, int(calc)) if calc else (kind[0], int(peer), int(tag), int(size)))
                rank.needs.append([])
            elif (m := GOAL_NEED.match(line)) and rank is not None:
                later, how, earlier = m.groups()
                if later not in labels or earlier not in labels:
                    fail(f"{path}:{number}: no such label")
                rank.needs[labels[later]].append((labels[earlier], how == "requires"))
            else:
                fail(f"{path}:{number}: not GOAL: {line}")
    if sorted(ranks) != list(range(int(first[1]))):
        fail(f"{path}: {first[1]} ranks are announced, there are {len(ranks)}")
    return [ranks[r] for r in sorted(ranks)], 0


def read_smpi(path):
    """A blocking send waits for its receiver; an isend is finished by the next waitall."""
    files = open(path).read().split("\n")[:-1]
    ranks, natives, shapes = [], 0, None
    for number, name in enumerate(files):
        rank, last, posted, native = Rank(), None, [], []
        ranks.append(rank)

        def add(op, needs):
            rank.ops.append(op)
            rank.needs.append(needs)
            return len(rank.ops) - 1

        for line in open(name):
            words = line.split()
            if int(words[0]) != number:
                fail(f"{name}: an action of rank {words[0]}")
            action, arguments, before = words[1], words[2:], [] if last is None else [last]
            if action in ("send", "isend", "recv"):
                peer, tag, size, datatype = arguments
                if datatype != "6":
                    fail(f"{name}: datatype {datatype}")
                at = add((("r" if action == "recv" else "s"), int(peer), int(tag), int(size)), before)
                # buffered up to 64 KiB, whatever the protocol: SMPI detaches such sends
                last = (at, action == "recv" or (action == "send" and int(size) >= 65536))
                posted += [(at, True)] if action == "isend" else []
            elif action == "waitall":
                last, posted = (add(("c", 0, 0, 0), before + posted), True), []
            elif action in ("compute", "sleep", "init", "finalize"):
                last = (add(("c", 0, 0, 0), before), True)
            else:
                native.append((action, arguments[-2] if action in ("bcast", "reduce") else ""))
                last = (add(("c", 0, 0, 0), before), True)
        if posted:
            fail(f"{name}: {len(posted)} sends are never waited for")
        if shapes is not None and native != shapes:
            fail(f"{name}: its collectives are not those of rank 0")
        shapes, natives = native, natives + len(native)
    return ranks, natives


def run(ranks):
    """Execute; gives (messages, bytes) by pair of point-to-point messages."""
    pairs = collections.defaultdict(lambda: [0, 0])
    waiting = [[len(needs) for needs in rank.needs] for rank in ranks]
    on_start = [collections.defaultdict(list) for _ in ranks]
    on_finish = [collections.defaultdict(list) for _ in ranks]
    for r, rank in enumerate(ranks):
        for op, needs in enumerate(rank.needs):
            for earlier, finished in needs:
                (on_finish if finished else on_start)[r][earlier].append(op)
    sends, receives = collections.defaultdict(collections.deque), collections.defaultdict(collections.deque)
    ready = collections.deque((r, op) for r in range(len(ranks)) for op, n in enumerate(waiting[r]) if not n)
    started = finished = messages = 0

    def release(r, ops):
        for op in ops:
            waiting[r][op] -= 1
            if not waiting[r][op]:
                ready.append((r, op))

    def finish(r, op):
        nonlocal finished
        finished += 1
        release(r, on_finish[r].pop(op, ()))

    while ready:
        r, op = ready.popleft()
        kind, peer, tag, size = ranks[r].ops[op]
        started += 1
        release(r, on_start[r].pop(op, ()))
        if kind == "c":
            finish(r, op)
            continue
        if peer >= len(ranks):
            fail(f"rank {r}: there is no rank {peer}")
        channel = (r, peer, tag) if kind == "s" else (peer, r, tag)
        mine, others = (sends, receives) if kind == "s" else (receives, sends)
        if not others[channel]:
            mine[channel].append((op, size))
            continue
        other, other_size = others[channel].popleft()
        sent, received = (size, other_size) if kind == "s" else (other_size, size)
        if received < sent:
            fail(f"{channel}: {sent} bytes are sent, and {received} received")
        messages += 1
        if tag < COLLECTIVE:
            pairs[channel[:2]][0] += 1
            pairs[channel[:2]][1] += sent
        finish(r, op)
        finish(peer, other)
    total = sum(len(rank.ops) for rank in ranks)
    if finished < total:
        left = [f"{c} {len(q)} {what}" for what, table in (("unreceived", sends), ("without a send", receives))
                for c, q in table.items() if q][:3]
        fail(f"{total - finished} of {total} operations are never done; channels {', '.join(left) or 'none'}")
    return pairs, total, messages


def compare(pairs, path):
    with open(path) as lines:
        rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    want = {(int(r["from"]), int(r["to"])): [int(r["messages"]), int(r["bytes"])] for r in rows}
    for pair in sorted(set(want) | set(pairs)):
        if want.get(pair) != pairs.get(pair):
            fail(f"pair {pair}: {pairs.get(pair)} messages and bytes, the matrix has {want.get(pair)}")


def check(format, path, wanted):
    ranks, natives = (read_goal if format == "goal" else read_smpi)(path)
    pairs, operations, messages = run(ranks)
    if wanted != "-":
        compare(pairs, wanted)
    moved = sum(p[1] for p in pairs.values())
    print(f"{len(ranks)} ranks, {operations} operations, {messages} messages, {moved} bytes between pairs, "
          f"{natives} collectives")


def main():
    words = sys.argv[1:]
    if not words or len(words) % 3 or any(word not in ("goal", "smpi") for word in words[::3]):
        sys.exit(__doc__)
    for three in zip(words[::3], words[1::3], words[2::3]):
        check(*three)


main()
