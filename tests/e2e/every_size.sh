# A part of `make every-size`: what two and three runs of a written pattern teach is right on all other numbers of processes, refused, or warned of.
. "$ROOT/tests/checks.sh"

if sanitized; then skip "pairs and triples of runs (the plain build proves it)"
elif ! command -v python3 >/dev/null; then skip "pairs and triples of runs (python3 is not installed)"
else holds "pairs and triples of runs teach nothing wrong" python3 "$ROOT/tests/every_size/run" --part 7/30 --only stencil-2,red-black,binomial-doubles "${TRACENEST%/*}"
fi
