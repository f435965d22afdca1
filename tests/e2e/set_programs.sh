# What check says of random programs over sets, against their events. More of them: tests/set_programs -n 10000.
. "$ROOT/tests/checks.sh"

if sanitized; then skip "random programs over sets (the plain build proves it)"
elif ! command -v python3 >/dev/null; then skip "random programs over sets (python3 is not installed)"
else holds "60 random programs over sets" python3 "$ROOT/tests/set_programs" -n 60 "$TRACENEST"
fi
