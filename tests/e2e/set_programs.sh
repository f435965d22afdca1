# What check says of random programs over sets, and every verb of random runs with names of strangers, against their events. More of them: tests/set_programs -n 10000,
# tests/random_runs -n 10000 (--apps 10: mini-apps, too; --python python: the package).
. "$ROOT/tests/checks.sh"

if sanitized; then skip "random programs over sets (the plain build proves it)"
elif ! command -v python3 >/dev/null; then skip "random programs over sets (python3 is not installed)"
else
	holds "60 random programs over sets" python3 "$ROOT/tests/set_programs" -n 60 "$TRACENEST"
	holds "25 random runs" python3 "$ROOT/tests/random_runs" -n 25 "$TRACENEST"
fi
