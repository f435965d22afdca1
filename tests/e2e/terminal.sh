# On a terminal: a bar that names the phases and goes when they are over, and colours; nothing of either in files and pipes.
. "$ROOT/tests/checks.sh"
if ! command -v python3 >/dev/null; then
	skip "terminals (python3 is not installed)"
	exit 0
fi
if ! python3 -c 'import os; os.openpty()' 2>/dev/null; then
	skip "terminals (the system has none to give: is /dev/pts mounted?)"
	exit 0
fi
cat >terminal.py <<'EOF'
# terminal.py OUTPUT COMMAND...: runs it on a terminal of its own, which types nothing; what it prints goes to OUTPUT.
import os, pty, sys
child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
printed = b""
try:
    while piece := os.read(terminal, 65536):
        printed += piece
except OSError:  # closed on the other side
    pass
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
open(sys.argv[1], "wb").write(printed)
sys.exit(status)
EOF
on_terminal() { TERM=${terminal:-xterm} python3 terminal.py "$@"; } # OUTPUT COMMAND...
trace=$(anchor lu.S.4.ez)
"$TRACENEST" model -q "$trace" -o lu.nest 2>err
escape=$(printf '\033')

# Half of a trace, a while, the rest: what is read slowly is seen to be read.
"$TRACENEST" events "$trace" >lu.trace 2>err
slowly='{ head -n 4000 lu.trace; sleep 1.2; tail -n +4001 lu.trace; } | "$0" model - -o slow.nest'
holds "a slow trace on a terminal" on_terminal seen sh -c "$slowly" "$TRACENEST"
tr '\r' '\n' <seen >lines
holds "its reading is seen" grep -q '^reading ' lines
holds "on one line" test "$(tr -d '\r' <seen | sed -n '1s/.*tracenest: 4 processes.*/one/p')" = one
holds "which is wiped" grep -qx '  *' lines
holds "before anything is said" awk '/^reading/ { said || bar++ } /^tracenest:/ { said++ } /^reading/ && said { late++ } END { exit !(bar && said && !late) }' lines
holds "quiet" on_terminal seen sh -c "$(echo "$slowly" | sed 's/model -/model -q -/')" "$TRACENEST"
holds "is quiet" test ! -s seen
sh -c "$slowly" "$TRACENEST" >seen 2>&1
holds "there is no bar in a pipe" sh -c '! grep -q "reading\|$(printf "\r")" seen'

holds "a program on a terminal" on_terminal seen "$TRACENEST" show lu.nest
holds "has colours: sets" grep -qF "$escape[36m[x<X-1]$escape[0m p " seen
holds "keywords" grep -qF "$escape[1mfor$escape[0m i0 = 0 to 48" seen
holds "tags" grep -qF " $escape[32mtag2$escape[0m " seen
sed "s/$escape\[[0-9;]*m//g" seen | tr -d '\r' >bare
"$TRACENEST" show lu.nest >plain 2>err
same "and else the same text" bare plain
for why in NO_COLOR=1 TERM=dumb; do
	holds "none with $why" on_terminal seen env "$why" "$TRACENEST" show lu.nest
	tr -d '\r' <seen >bare
	same "with $why the text is plain" bare plain
done
holds "none in a pipe" sh -c '! grep -q "$1" plain' sh "$escape"
holds "a file on a terminal" on_terminal seen "$TRACENEST" show lu.nest -o file.nest
same "is plain" file.nest plain
holds "a report on a terminal" on_terminal seen "$TRACENEST" report "$(anchor bt.S.4.scorep)"
holds "has its heading" grep -qF "$escape[1m lost " seen
holds "an error on a terminal" sh -c '! TERM=xterm python3 terminal.py seen "$1" show nosuch' sh "$TRACENEST"
holds "says who speaks in colour" grep -qF "$escape[1;31mtracenest:$escape[0m nosuch: No such file" seen
