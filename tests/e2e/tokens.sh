# One token of a real model changed at a time: check notices every change of what it stands for. More of them: tests/tokens -n 1000.
. "$ROOT/tests/checks.sh"

if sanitized; then skip "changed tokens (the plain build proves it)"
elif ! command -v python3 >/dev/null; then skip "changed tokens (python3 is not installed)"
else holds "100 changed tokens" python3 "$ROOT/tests/tokens" -n 100 "$TRACENEST" "$(anchor bt.S.4.scorep)" "$(anchor is.S.4.scorep)" "$(anchor mg.S.4.ez)" "$(anchor lu.S.4.tau)"
fi
