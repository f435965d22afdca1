#!/usr/bin/env python3
"""call_rows.py ARCHIVE.otf2 ROWS.csv [ROWS.parquet]: are these the rows of `tracenest events --csv` and `--parquet`? They are made again of what otf2-print
says, by the rule of tracenest-events(1): a row for each message or collective of a call, one for a call without. Of threads that share a location nothing is known
here. The Parquet file is read by what its format says, with the help of zstd alone."""
import csv, re, struct, subprocess, sys
from decimal import Decimal


def printed(*options):
    return subprocess.run(["otf2-print", *options, sys.argv[1]], capture_output=True, text=True).stdout.split("\n")


world, groups, comms, rate, begin, worlds = [], {}, {}, 10**9, 0, []
for line in printed("-G"):
    words = line.split()
    if line.startswith("CLOCK_PROPERTIES"):
        rate, begin = (int(re.search(name + r": (\d+)", line).group(1)) for name in ("Ticks per Seconds", "Global Offset"))
    elif line.startswith("GROUP "):
        kind, members = re.search(r"Type: (\w+)", line).group(1), line.split(" Members:", 1)[-1]
        if kind == "COMM_LOCATIONS" and re.search(r'Paradigm: "?MPI', line):
            world = [int(x) for x in re.findall(r"<(\d+)>", members)]
            groups.setdefault(words[1], list(range(len(world))))
        elif kind == "COMM_GROUP":
            groups[words[1]] = [int(x) for x in re.findall(r"(\d+) \(", members)]
        elif kind == "COMM_SELF":
            groups[words[1]] = None
    elif line.startswith("COMM "):
        group = re.search(r'Group: "[^"]*" <(\d+)>', line).group(1)
        comms[words[1]] = groups.get(group, [])
        if '"MPI_COMM_WORLD"' in line.split("Group:")[0]:
            worlds = [words[1]]
if not worlds:
    worlds = sorted((c for c, g in comms.items() if g == list(range(len(world)))), key=int)[:1]
rank_of = {str(location): rank for rank, location in enumerate(world)}


def name(region):
    found = re.fullmatch(r"P?mpi_(\w+?)_*(\(\))?", region, re.I)
    return "MPI_" + found.group(1).capitalize() if found else None


def number(what, line):
    found = re.search(what + r': (?:"[^"]*" <(\d+)>|(\d+))', line)
    return next((x for x in found.groups() if x is not None), "") if found else ""


def member(rank, comm, index):
    group = comms.get(comm, range(len(world)))
    return rank if group is None else group[int(index)]


rows, open_calls, event = {rank: [] for rank in range(len(world))}, {rank: [] for rank in range(len(world))}, None
sites = {}
for line in printed():
    site = re.search(r'ADDITIONAL ATTRIBUTES:.*?\("site" <\d+>; STRING; "(.*?)" <\d+>\)', line)
    if site and event is not None:
        event.append(site.group(1).split(" < ")[0])
    words, event = line.split(), None
    if len(words) < 3 or words[1] not in rank_of or not words[2].isdigit():
        continue
    rank, time = rank_of[words[1]], int(words[2])
    if words[0] in ("ENTER", "LEAVE"):
        function = name(re.search(r'Region: "(.*)" <\d+>$', line).group(1))
        if function and words[0] == "ENTER":
            event = []
            open_calls[rank].append((function, time, event, []))
        elif function:
            function, entered, where, passed = open_calls[rank].pop()
            rows[rank] += [(function, entered, time, where, *p) for p in passed or [("", "", "", "", "", "")]]
        continue
    comm = number("Communicator", line)
    if words[0] in ("MPI_SEND", "MPI_ISEND", "MPI_RECV", "MPI_IRECV"):
        peer = re.search(r"(?:Receiver|Sender): (\d+)", line).group(1)
        if int(peer) >= 2**31:
            continue
        passed = ("send" if "SEND" in words[0] else "recv", str(member(rank, comm, peer)), number("Tag", line), comm, number("Length", line), "")
    elif words[0] in ("MPI_COLLECTIVE_END", "NON_BLOCKING_COLLECTIVE_COMPLETE"):
        root, sent, received = re.search(r'Root: (?:"[^"]*" <\d+>|([^,]*))', line).group(1), number("Sent", line), number("Received", line)
        operation = re.search(r"Operation: (\w+)", line).group(1)
        known = sent != "0" or received != "0" or operation not in ("BARRIER", "CREATE_HANDLE", "DESTROY_HANDLE")
        found = re.match(r"(\d+)", root or "")
        passed = ("MPI_" + ("I" + operation.lower() if words[0].startswith("NON") else operation.capitalize()), str(member(rank, comm, found.group(1))) if found else "", "", comm, sent if known else "", received if known else "")
    else:
        continue
    open_calls[rank][-1][3].append(passed)

own = []
for rank in rows:
    for function, entered, time, where, what, peer, tag, comm, size, received in rows[rank]:
        when = ["%.9f" % (Decimal(t - begin) / rate).quantize(Decimal("1e-9")) for t in (entered, time)]
        own.append([str(rank), "0", function, peer, tag, "" if not what else "world" if comm in worlds else comm, size, *when, *where[:1], what, received])

with open(sys.argv[2], newline="") as file:
    told = list(csv.DictReader(file))
columns = ("rank", "thread", "function", "peer", "tag", "communicator", "bytes", "begin", "end", "site", "event", "received")
sited = any(len(row) == len(columns) for row in own)
mine = [dict(zip([c for c in columns if sited or c != "site"], row)) for row in own]
wrong = [(i, c, a[c], b[c]) for i, (a, b) in enumerate(zip(mine, told)) for c in a if a[c] != b[c]]
print("%d rows, %d told, differences:" % (len(mine), len(told)), wrong[:5])
good = bool(mine) and len(mine) == len(told) and not wrong and all(not b["path"] or b["path"].endswith(b["site"]) for b in told)


# ------------------------------------------------------------------ Parquet
def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def value_of(data, at, kind):
    """A value of Thrift's compact protocol: structs as dictionaries by id."""
    if kind in (5, 6):
        n, at = varint(data, at)
        return (n >> 1) ^ -(n & 1), at
    if kind == 8:
        n, at = varint(data, at)
        return data[at : at + n], at + n
    if kind == 9:
        n, of, at = data[at] >> 4, data[at] & 15, at + 1
        if n == 15:
            n, at = varint(data, at)
        items = []
        for _ in range(n):
            item, at = value_of(data, at, of)
            items.append(item)
        return items, at
    assert kind == 12, kind
    fields, last = {}, 0
    while data[at]:
        last, of = last + (data[at] >> 4), data[at] & 15
        fields[last], at = value_of(data, at + 1, of)
    return fields, at + 1


def bits(data, at, width, count):
    """One run of bit-packed numbers."""
    header, at = varint(data, at)
    assert header & 1
    packed = int.from_bytes(data[at : at + (header >> 1) * width], "little")
    return [packed >> i * width & ((1 << width) - 1) for i in range(count)], at + (header >> 1) * width


def page(data, at, codec):
    header, at = value_of(data, at, 12)
    body = data[at : at + header[3]]
    if codec == 6:
        body = subprocess.run(["zstd", "-dcq"], input=body, capture_output=True, check=True).stdout
    assert len(body) == header[2]
    return header, body, at + header[3]


def column_of(data, chunk, rows):
    meta, words = chunk[3], None
    at = meta.get(11, meta[9])
    if 11 in meta:
        header, body, at = page(data, at, meta[4])
        words, place = [], 0
        for _ in range(header[7][1]):
            length = struct.unpack_from("<I", body, place)[0]
            words.append(body[place + 4 : place + 4 + length].decode())
            place += 4 + length
    assert at == meta[9]
    header, body, at = page(data, at, meta[4])
    assert header[5][1] == rows == meta[5] and at == chunk[2] + meta[7]
    length = struct.unpack_from("<I", body, 0)[0]
    present, behind = bits(body, 4, 1, rows)
    assert behind == 4 + length
    if words is not None:
        values, _ = bits(body, behind + 1, body[behind], sum(present))
        values = [words[v] for v in values]
    else:
        values = struct.unpack_from("<%d%s" % (sum(present), "d" if meta[1] == 5 else "q"), body, behind)
    values = iter(values)
    return [next(values) if p else None for p in present]


if len(sys.argv) > 3:
    data = open(sys.argv[3], "rb").read()
    size = struct.unpack("<I", data[-8:-4])[0]
    assert data[:4] == data[-4:] == b"PAR1"
    footer, end = value_of(data[-8 - size : -8], 0, 12)
    assert end == size
    names, table = [s[4].decode() for s in footer[2][1:]], []
    for group in footer[4]:
        columns = [column_of(data, chunk, group[3]) for chunk in group[1]]
        assert [chunk[3][3][0].decode() for chunk in group[1]] == names
        table += zip(*columns)
    assert len(table) == footer[3] == sum(g[3] for g in footer[4])
    for row, line in zip(table, told):
        for key, cell in zip(names, row):
            same = abs(cell - float(line[key])) < 2e-9 if isinstance(cell, float) else line[key] == ("" if cell is None else str(cell))
            if not same:
                print("Parquet:", key, cell, line[key])
                good = False
    good = good and len(table) == len(told) and names == list(told[0])
sys.exit(not good)
