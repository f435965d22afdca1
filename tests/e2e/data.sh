# Every archive of a directory outside the project: TRACENEST_DATA=DIR holds unpacked archives, DIR/NAME/*.otf2.
. "$ROOT/tests/checks.sh"

[ -n "${TRACENEST_DATA:-}" ] || { skip "archives of one's own (TRACENEST_DATA is not set)"; exit 0; }
LIMIT=600
for directory in "$TRACENEST_DATA"/*/; do
	name=$(basename "$directory")
	trace=$(ls "$directory"*.otf2) || continue
	for order in posted recorded; do
		"$TRACENEST" events --order $order "$trace" -o events.out 2>err || fail "$name: events --order $order" "status $?"
		accepted "$name: model --local --order $order" model --local --order $order "$trace" -o model.nest
		"$TRACENEST" expand model.nest -o expanded.out 2>err
		same "$name: expand(model) is the trace, --order $order" events.out expanded.out
		run check model.nest "$trace"
		if [ "$status" = 0 ] || { [ "$status" = 3 ] && [ -s err ]; }; then ok "$name: check, status $status"
		else fail "$name: check" "status $status"; fi
	done
done
