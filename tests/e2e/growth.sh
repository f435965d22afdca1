# Nothing is quadratic: a few verbs on a few programs, at one size and at 4 times that (all of them, timed: make bench-growth). Steps and memory are counted, in a
# build for that (tests/counted.c), so it does not matter what else the machine does.
. "$ROOT/tests/checks.sh"

counted=$(dirname "$TRACENEST")/counted
if ! command -v python3 >/dev/null; then skip "how verbs grow (python3 is not installed)"; exit 0; fi
if [ ! -x "$counted/tracenest" ]; then skip "how verbs grow (no build that counts: make test-all)"; exit 0; fi
if "$ROOT/bench/growth" "$counted" --counted >out 2>err; then ok "no verb grows by more than 6 where its input grows by 4"
else fail "no verb grows by more than 6 where its input grows by 4" "$(grep 'TOO LARGE' out || tail -n 1 out)"; fi
holds "nor was it for want of cases" test "$(sed -n 's/ cases.*//p' out)" -ge 20
