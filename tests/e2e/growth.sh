# Nothing is quadratic: a few verbs on a few programs, at 1, 4 and 16 times the size (all of them: make bench-growth). Ratios within one run, of processor time.
. "$ROOT/tests/checks.sh"

if ! command -v python3 >/dev/null; then
	skip "how verbs grow (python3 is not installed)"
	exit 0
fi
if "$ROOT/bench/growth" "$(dirname "$TRACENEST")" --quick --budget 0.4 >out 2>err; then ok "no verb grows by more than 6 where its input grows by 4"
else fail "no verb grows by more than 6 where its input grows by 4" "$(grep 'TOO LARGE' out || tail -n 1 out)"; fi
# Regular, irregular and hopeless ones; of too slow a machine a few have no second size.
holds "nor was it for want of cases" test "$(sed -n 's/ cases.*//p' out)" -ge 12
