#!/usr/bin/env python3
"""python_frames.py TOLD: is what otf2-print says on standard input (definitions, then events) what tests/mpi_frames.py told? Frames of C that stand side by side
are one C; those outside of all of Python's are left out, as are those of which nothing was told (asyncio has some). Prints what differs."""
import re, sys

contexts, paths = {}, {}
tag = None
for line in sys.stdin:
    found = re.match(r'CALLING_CONTEXT +(\d+) +Region: "(.*)" <\d+>, Source code location: (?:"(.*)" <\d+>|\S+), Parent: (?:".*" <(\d+)>|UNDEFINED)', line)
    if found:
        contexts[found.group(1)] = (found.group(2), found.group(3) or "", found.group(4))
    found = re.match(r"MPI_SEND .*Tag: (\d+)", line)
    tag = found.group(1) if found else tag
    found = tag and re.search(r'\("path" <\d+>; CALLING_CONTEXT; .*? <(\d+)>\)', line)
    if found:
        frames, at = [], found.group(1)
        while at is not None:
            function, place, at = contexts[at]
            frame = "..." if function == "..." else "C" if "+0x" in place or not re.search(r"(\.py|>):\d+$", place) else function + "@" + place
            if not (frame == "C" and frames[:1] == ["C"]):
                frames.insert(0, frame)
        paths[tag] = frames[frames[0] == "C":]
        tag = None

wrong = right = 0
for line in open(sys.argv[1]):
    tag, path = line.rstrip("\n").split(" ", 1)
    have = " > ".join(paths.get(tag, []))
    same = have == path or ("C" not in path.split(" > ") and have.replace("C > ", "") == path)
    right += same
    wrong += not same
    if not same and wrong <= 5:
        print("%s\n  told      %s\n  recorded  %s" % (tag, path, have))
print("%d paths, %d wrong" % (right + wrong, wrong))
sys.exit(wrong > 0 or right == 0)
