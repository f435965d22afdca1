# Text traces that are none: exit status 2, the file and the line named, nothing left behind.
. "$ROOT/tests/checks.sh"

bad_line() { # WHY LINE [PATTERN]
	printf '0 send 1 t\n%s\n0 recv 1 t\n' "$2" >bad.trace
	refused "$1 (model)" 2 "bad.trace:2: .*${3:-.}" model bad.trace -o result
	refused "$1 (events)" 2 "bad.trace:2: .*${3:-.}" events bad.trace -o result
}
bad_line "one word" "0"
bad_line "no verb" "0 1"
bad_line "an unknown verb" "0 sends 1 t" sends
bad_line "a send without a tag" "0 send 1"
bad_line "a send without a destination" "0 send"
bad_line "a send with a word too many" "0 send 1 t more"
bad_line "a recv with a word too many" "0 recv 1 t more"
bad_line "a negative source" "-1 send 1 t"
bad_line "a negative destination" "0 send -1 t"
bad_line "a huge rank" "99999999999999999999 send 1 t"
bad_line "a rank beyond the limit" "4194304 send 1 t"
bad_line "a rank that is no number" "zero send 1 t"
bad_line "a rank with a leading zero" "00 send 1 t"
bad_line "a sync without a group" "0 sync MPI_Barrier"
bad_line "a sync without a name" "0 sync"
bad_line "a sync with a word too many" "0 sync MPI_Barrier 0-1 root=0 more"
bad_line "a group that runs backwards" "0 sync MPI_Barrier 3-0" backwards
bad_line "a group with a rank twice" "0 sync MPI_Barrier 0,0-3"
bad_line "a group that is none" "0 sync MPI_Barrier all"
bad_line "a group without the process" "2 sync MPI_Barrier 0-1"
bad_line "a group of too high ranks" "0 sync MPI_Barrier 0-4194304"
bad_line "several processes at once" "0-1 sync MPI_Barrier 0-1"
bad_line "a root that is no number" "0 sync MPI_Bcast 0-1 root=x"
bad_line "a local event without a description" "0 local"
bad_line "an attribute without a value" "0 send 1 t ; time="
bad_line "an attribute that is none" "0 send 1 t ; time"
bad_line "a communicator that is no number" "0 send 1 t@x"
bad_line "a loop" "for i0 = 0 to 3"
bad_line "control characters" "$(printf '0 send 1 \001\002')"

refused "a missing file" 2 'nowhere.trace.*No such file' model nowhere.trace -o result
refused "a file name that is too long" 2 'too long' model "$(printf '%0300d' 0)" -o result
: >empty.trace
refused "an empty file" 2 'empty.trace' model empty.trace -o result
printf '# nothing\n\n' >comments.trace
refused "a file without events" 2 'comments.trace' model comments.trace -o result
mkdir -p nothing
refused "a directory without traces" 2 'nothing' model nothing -o result
refused "a directory without traces (events)" 2 'nothing' events nothing
head -c 100000 "$TRACENEST" >junk.trace
refused "binary junk" 2 'junk.trace' model junk.trace -o result
head -c 100000 "$TRACENEST" | tail -c 99990 >junk2.trace
refused "binary junk without a magic number" 2 'junk2.trace' model junk2.trace -o result
printf '0 send 1 t\n0 send 1 t\0t\n' >nul.trace
refused "a NUL in a line" 2 'nul.trace:2' model nul.trace -o result
{ printf '0 send 1 t\n0 send 1 '; head -c 10000000 /dev/zero | tr '\0' x; echo; } >long.trace
survived "a line of 10 MB" model --local long.trace -o result && ok "a line of 10 MB"
{ printf '0 send 1 t\n'; head -c 10000000 /dev/zero | tr '\0' x; echo; } >long.trace
refused "a line of 10 MB that is none" 2 'long.trace:2' model long.trace -o result
holds "its message is short" test "$(wc -c <err)" -lt 1500
{ printf '0 send 1 t\n#'; head -c 10000000 /dev/zero | tr '\0' x; printf '\n0 recv 1 t\n'; } >long.trace
survived "a comment of 10 MB" model --local long.trace -o result && ok "a comment of 10 MB"
printf '0 send 1 t\r\n0 recv 1 t\r\n' >crlf.trace
survived "lines that end in CR LF" model --local crlf.trace -o result && ok "lines that end in CR LF"
printf '0 send 1 t\n0 recv 1 t' >unended.trace
accepted "a last line without its end" events unended.trace
holds "is an event" test "$(wc -l <out)" = 2
if [ "$(id -u)" = 0 ]; then
	skip "an unreadable file (root reads everything)"
else
	cp "$PAPER/pair.trace" unreadable.trace
	chmod 0 unreadable.trace
	refused "an unreadable file" 2 'unreadable.trace.*Permission denied' model unreadable.trace -o result
fi

mkdir -p several
grep ' send ' "$PAPER/pair.trace" >several/0.trace
grep ' recv ' "$PAPER/pair.trace" >several/1.trace
accepted "a directory of traces" model --local several -o result
"$TRACENEST" expand result >expanded.out
holds "holds both files" test "$(wc -l <expanded.out)" = 20
echo 'junk' >>several/1.trace
refused "a bad line in a directory names its file" 2 'several/1.trace:11: ' model several -o result
