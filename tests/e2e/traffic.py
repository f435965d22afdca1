"""Hold an OTF2 archive against what the processes of a program said of their own traffic, through OTF2's own Python module.

    traffic.py ARCHIVE TALLY...         what samples/programs/tally.h, tests/mpi_random.c and tests/mpi_handles.c write
    traffic.py --threads ...            calls of several threads, which do not nest, are no regions
    traffic.py --sent ARCHIVE COUNT...  what tests/mpi_counter.c writes: sends and collectives, communicators told by their members

Prints what differs, at most twenty lines, and a last line "N lines, N messages, N collectives (N tell each member, N neighbours)"; the status is 0 if nothing differs. Also held: each communicator
of the program is defined once, every event has a call site and lies inside of a region, times of a process never go back, no receive comes
before its send; members of a collective agree on its operation; what they give to each other one (bytes[q], to and from of neighbours) is what these get.
"""
import collections
import os
import sys

import otf2
from otf2 import events

OPERATIONS = {value: "MPI_" + name.capitalize() for name, value in vars(otf2.CollectiveOp).items() if name.isupper()}


ENDS = {events.MpiCollectiveBegin: "MpiCollectiveEnd", events.NonBlockingCollectiveRequest: "NonBlockingCollectiveComplete"}


class Archive:
    def __init__(self, path, sent_only, threads):
        self.threads = threads
        self.sent_only = sent_only
        self.name = self.by_members if sent_only else self.by_name
        self.count = collections.Counter()
        self.troubles = []
        self.used = collections.defaultdict(set)  # name of a communicator: its definitions
        self.under_way = collections.Counter()  # sent, and not received
        self.incomplete = collections.Counter()  # by rank: sends
        self.freed = collections.Counter()  # requests
        self.posted = {}  # rank and number of a request: the tag that it sends with
        self.order = collections.defaultdict(list)  # by rank: tags, as their sends complete
        self.sent = collections.defaultdict(list)
        self.received = collections.defaultdict(list)
        self.last = {}
        self.depth = collections.Counter()
        self.requests = {}
        self.members = {}
        self.began = collections.defaultdict(list)
        self.each = self.near = 0
        self.collectives = collections.Counter()  # by communicator and rank
        self.instance = collections.defaultdict(list)  # by communicator and number: what its members say
        self.told = collections.defaultdict(dict)  # by rank: communicators as mpi_counter.c tells them
        with otf2.reader.open(path) as self.reader:
            self.ranks = self.ranks_of_locations()
            for location, event in self.reader.events:
                self.take(self.ranks[location], event)
            self.check()
            self.check_instances()

    def check(self):
        for name, definitions in self.used.items():
            groups = [tuple(self.ranks_of(d, 0)) for d in definitions]
            if len(set(groups)) < len(groups):
                self.troubles.append("communicator %s is defined %d times for the same processes" % (name, len(definitions)))
        for channel, times in self.sent.items():
            for sent, received in zip(times, self.received[channel]):
                if received < sent:
                    self.troubles.append("%s: received at %d, sent at %d" % (channel, received, sent))
                    break

    def ranks_of_locations(self):
        """A location's rank is its place in the group of all locations of MPI."""
        for group in self.reader.definitions.groups:
            if group.group_type == otf2.GroupType.COMM_LOCATIONS:
                return {member: rank for rank, member in enumerate(group.members)}
        raise SystemExit("no group of locations")

    def ranks_of(self, comm, me):
        """World ranks of a communicator; where it has two sides, one behind the other."""
        if comm.group.group_type == otf2.GroupType.COMM_SELF:
            return [me]
        key = comm.group
        if key not in self.members:
            self.members[key] = [self.ranks[member] for member in comm.group.members]
        return self.members[key]

    def peer(self, comm, rank, me):
        return self.ranks_of(comm, me)[rank]

    def root(self, event, me):
        root = event.root
        if root is None or root == 0xffffffff:
            return "-"
        if root == 0xfffffffe:  # of those that have none, a collective of neighbours
            return "-" if OPERATIONS[event.collective_op].startswith(("MPI_Allgather", "MPI_Alltoall")) else "self"
        if root == 0xfffffffd:
            return "group"
        return str(self.peer(event.communicator, root, me))

    def by_name(self, comm, me):
        self.used[comm.name].add(comm)
        return comm.name

    def by_members(self, comm, me):
        """Of the communicators of these processes, the one that this process used so many others before."""
        told = self.told[me]
        if comm not in told:
            members = ",".join(map(str, sorted(self.ranks_of(comm, me))))
            told[comm] = "%s#%d" % (members, sum(name.startswith(members + "#") for name in told.values()))
        return told[comm]

    def site(self, rank, event):
        """Its other attributes, too."""
        attributes = {attribute.name: value for attribute, value in (event.attributes or {}).items()}
        if "site" not in attributes:
            self.troubles.append("rank %d: %s without a call site" % (rank, type(event).__name__))
        if self.depth[rank] == 0 and not self.threads:
            self.troubles.append("rank %d: %s outside of any region" % (rank, type(event).__name__))
        return attributes

    def elements(self, rank, event):
        """What is compared of a message at its two ends; programs of others may see it differently at each."""
        attributes = self.site(rank, event)
        return (event.msg_length,) if self.sent_only else (event.msg_length, str(attributes.get("type")), attributes.get("count"))

    def take(self, rank, event):
        if event.time < self.last.get(rank, 0):
            self.troubles.append("rank %d: time goes back" % rank)
        self.last[rank] = event.time
        if isinstance(event, events.Enter):
            self.depth[rank] += 1
            self.freed[rank] += event.region.name == "MPI_Request_free"
        elif isinstance(event, events.Leave):
            self.depth[rank] -= 1
        elif isinstance(event, (events.MpiSend, events.MpiIsend)):
            to = self.peer(event.communicator, event.receiver, rank)
            channel = (rank, to, event.msg_tag, event.communicator)
            self.count["send\t%d\t%d\t%d\t%d\t%s" % (rank, to, event.msg_tag, event.msg_length, self.name(event.communicator, rank))] += 1
            self.under_way[channel + self.elements(rank, event)] += 1
            self.sent[channel].append(event.time)
            if isinstance(event, events.MpiIsend):
                self.incomplete[rank] += 1
                self.posted[rank, event.request_id] = event.msg_tag
        elif isinstance(event, (events.MpiRecv, events.MpiIrecv)):
            source = self.peer(event.communicator, event.sender, rank)
            channel = (source, rank, event.msg_tag, event.communicator)
            if not self.sent_only:
                name = self.name(event.communicator, rank)
                self.count["recv\t%d\t%d\t%d\t%d\t%s" % (source, rank, event.msg_tag, event.msg_length, name)] += 1
            self.under_way[channel + self.elements(rank, event)] -= 1
            self.received[channel].append(event.time)
        elif isinstance(event, events.MpiIsendComplete):
            self.incomplete[rank] -= 1
            self.order[rank].append(self.posted[rank, event.request_id])
        elif isinstance(event, (events.MpiCollectiveEnd, events.NonBlockingCollectiveComplete)):
            operation = OPERATIONS[event.collective_op]
            name = self.name(event.communicator, rank)
            self.count["sized\t%d\t%s\t%s\t%d\t%d\t%s" % (
                rank, operation, self.root(event, rank), event.size_sent, event.size_received, name)] += 1
            self.count["collective\t%d\t%s\t%s" % (rank, operation, name)] += 1
            self.says(rank, event, self.site(rank, event))
        elif isinstance(event, (events.MpiCollectiveBegin, events.NonBlockingCollectiveRequest)):
            attributes = {attribute.name: value for attribute, value in (event.attributes or {}).items()}
            if "to" in attributes:
                self.began[rank, attributes["communicator"], ENDS[type(event)]].append(attributes["to"])

    def says(self, rank, event, attributes):
        kind = event.communicator, type(event).__name__, event.collective_op
        number = self.collectives[kind, rank]
        self.collectives[kind, rank] += 1
        if "from" in attributes:
            attributes["to"] = self.began[rank, event.communicator, type(event).__name__].pop(0)
        self.instance[kind, number].append((rank, event.size_received, attributes))

    def check_instances(self):
        """k-th with k-th, by communicator; of groups that say nothing there is nothing to hold."""
        for (kind, number), said in self.instance.items():
            members = self.ranks_of(kind[0], said[0][0])
            if len(said) < len(members):
                continue
            where = "%s %d of %s" % (OPERATIONS[kind[2]], number, members)
            if len({attributes["op"] for _, _, attributes in said if "op" in attributes}) > 1: # who is idle between groups says none
                self.troubles.append("%s: operations differ" % where)
            if all("bytes[q]" in attributes for _, _, attributes in said):
                given = {rank: numbers(attributes["bytes[q]"]) for rank, _, attributes in said}
                for rank, received, _ in said:
                    column = members.index(rank)
                    if sum(row[column] for row in given.values()) != received:
                        self.troubles.append("%s: rank %d gets %d" % (where, rank, received))
                self.each += 1
            if all("from" in attributes for _, _, attributes in said):
                sent, got = collections.Counter(), collections.Counter()
                for rank, _, attributes in said:
                    for to, size in neighbours(attributes["to"]):
                        sent[rank, members[to], size] += 1
                    for source, size in neighbours(attributes["from"]):
                        got[members[source], rank, size] += 1
                if sent != got:
                    self.troubles.append("%s: neighbours get what nobody gives" % where)
                self.near += 1


def numbers(text):
    """0,800,0*5,400"""
    return [int(run.partition("*")[0]) for run in text.split(",") for _ in range(int(run.partition("*")[2] or 1))]


def neighbours(text):
    """MPI_Neighbor_alltoall 1:800 3:800"""
    return [tuple(map(int, word.split(":"))) for word in text.split()[1:]]


def tallied(paths):
    count = collections.Counter()
    for path in paths:
        with open(path) as file:
            for line in file:
                key, _, number = line.rstrip("\n").rpartition("\t")
                count[key] += int(number)
    return count


def main():
    words = sys.argv[1:]
    threads = words[0] == "--threads"
    words = words[threads:]
    sent_only = words[0] == "--sent"
    words = words[sent_only:]
    archive, said = Archive(words[0], sent_only, threads), tallied(words[1:])
    found = archive.count
    archive.troubles += ["%s: %d more sent than received" % (message, n) for message, n in archive.under_way.items() if n]
    if sent_only:
        kinds = {"send", "collective"}
    else:
        let_go = {int(key.split("\t")[1]): said.pop(key) for key in list(said) if key.startswith("incomplete")} or archive.freed
        archive.troubles += ["rank %d: %d sends do not complete" % (rank, n) for rank, n in archive.incomplete.items() if n > let_go.get(rank, 0)]
        kinds = {"send", "recv", "order", "sized" if any(key.startswith("sized") for key in said) else "collective"}
        if any(key.startswith("order") for key in said):
            found.update("order\t%d\t%s" % (rank, ",".join(map(str, tags))) for rank, tags in archive.order.items())
    found = {key: number for key, number in found.items() if key.split("\t")[0] in kinds}
    troubles = list(archive.troubles)
    for key in sorted(set(found) | set(said)):
        if found.get(key, 0) != said.get(key, 0):
            troubles.append("%s: %d in the archive, %d in the program" % (key.replace("\t", " "), found.get(key, 0), said.get(key, 0)))
    for line in troubles[:20]:
        print(line)
    print("%d lines, %d messages, %d collectives (%d tell each member, %d neighbours)" % (
        len(said), sum(n for key, n in said.items() if key.startswith("send")),
        sum(n for key, n in said.items() if key.startswith(("sized", "coll"))), archive.each, archive.near))
    sys.exit(1 if troubles or not said else 0)


main()
