#!/usr/bin/env python3
"""sites.py MODEL DIRECTORY: is each statement of the model in lines of the sources in the directory that make such a call? Prints those that are not, and fails;
and where there is none to look at. The last line says how many there are."""
import os, re, sys

model, directory = sys.argv[1:]
CALLS = {"send": r"send|start|neighbor", "recv": r"recv|start|neighbor", "sync": None}
sources, wrong, seen, bare = {}, 0, 0, 0
for text in open(model):
    event = re.match(r"\s*(?:\[\S+\] )?\S+ (send|recv|sync) (\S+)", text)
    if not event or text.startswith("//"):
        continue
    place = re.search(r" // (\S+(?: (?:\||>) \S+)*)$", text.rstrip("\n"))
    if not place:
        bare += 1
        print("no line:", text.strip())
        continue
    kind = event.group(1)
    call = CALLS[kind] or event.group(2).replace("MPI_", "", 1)
    for part in place.group(1).split(" | "):
        name, _, lines = part.split(" > ")[-1].rpartition(":") # behind its callers
        if name not in sources:
            with open(os.path.join(directory, name)) as file:
                sources[name] = file.read().split("\n")
        for line in lines.split(","):
            seen += 1
            last = first = int(line) - 1
            while sources[name][first - 1].rstrip().endswith("&"): # Fortran: it has the number of its last line,
                first -= 1
            first -= name.endswith("0") # or, by gfortran -O2, of the line behind
            said = " ".join(sources[name][first:last + 1])
            if not re.search(call, said, re.I):
                wrong += 1
                print(f"{name}:{line}: no {call}: {said.strip()}")
print(seen, "lines")
sys.exit(1 if wrong or bare or not seen else 0)
