# Every verb with a fault of the machine here and there: memory, disk, descriptors, signals. All of them: make faults.
. "$ROOT/tests/checks.sh"

if sanitized; then skip "faults of the machine (sanitizers have allocators of their own)"
elif ! command -v python3 >/dev/null; then skip "faults of the machine (python3 is not installed)"
else python3 "$ROOT/tests/faults/sweep" --most 5 --one-in 3 "$(dirname "$TRACENEST")"
fi
