# What events carry: kept in the model, printed back, compared, and counted from it.
. "$ROOT/tests/checks.sh"

readers_cost() { "$TRACENEST" stat "$1" | sed -n "s/^reader's cost *\([0-9.]*\) .*/\1/p"; }

# The archive's own values, from events; from expand.
same_values() { # NAME TRACE
	accepted "$1: model" model -q --lenient "$2" -o "$1.nest"
	accepted "$1: its own values" events --values bytes,received "$2" -o own
	accepted "$1: those of the model" expand --values bytes,received "$1.nest" -o said
	if grep -q ' ; ' "$1.nest"; then
		same "$1: are the same" own said
		accepted "$1: check compares them" check -q --lenient "$1.nest" "$2"
	else
		holds "$1: where all sizes are 0, none is said" test -z "$(grep -E '(bytes|received)=[1-9]' own)"
	fi
	accepted "$1: bare" model -q --lenient --values none "$2" -o bare
	holds "$1: is bare" test -z "$(grep -F ';' bare)"
	sed -e '/^\/\/ \(tables\|sites\)/,$d' -e 's/ ; [^/]*[^ /]//; s/ \/\/ .*//' "$1.nest" >cut
	sed -e "/^\/\/ tables/,\$d" bare >uncarried
	accepted "$1: its events" expand bare -o own
	accepted "$1: those of the model, bare" expand "$1.nest" -o said
	same "$1: values change no event" own said
	# Call sites go with values: what functions loop may be half a line dearer.
	grep -q ' for .* // [A-Za-z_]' "$1.nest" && dearer=0.5 || dearer=-0.01
	holds "$1: values change statements only where these cost more with them, or where paths tell loops" \
		sh -c "cmp -s uncarried cut || awk 'BEGIN { bare = $(readers_cost bare); own = $(readers_cost $1.nest); exit !(bare < own || own <= bare + $dearer) }'"
	accepted "$1: read and printed" show "$1.nest" -o shown
	same "$1: is the same text" "$1.nest" shown
}
for name in $(archives); do
	same_values "$name" "$(anchor "$name")"
done

# In which calls: the same, and in words that can be read.
for name in bt.S.4.scorep is.S.4.scorep lu.S.4.tau mg.S.4.ez; do
	accepted "$name: model with calls" model -q --values bytes,call "$(anchor $name)" -o calls.nest
	accepted "$name: its own calls" events --values call "$(anchor $name)" -o own
	accepted "$name: those of the model" expand --values call calls.nest -o said
	same "$name: are the same" own said
	accepted "$name: check compares them" check -q calls.nest "$(anchor $name)"
	sed 's/ apart=.*//; s/ call=.*//' calls.nest | grep -v '^[/$]' >uncalled
	accepted "$name: model with sizes of what is sent" model -q --values bytes "$(anchor $name)" -o sizes.nest
	grep -v '^[/$]' sizes.nest >sized
	[ $name = lu.S.4.tau ] || same "$name: calls change nothing else" sized uncalled
	[ $name != bt.S.4.scorep ] || cp calls.nest bt.nest
done
# Six of each, in turns, whether the text has a loop over them or a statement for each.
first_six() { grep "^$1 .*bytes=2880 " said | head -n 6 | sed 's/.* bytes=2880 //'; }
accepted "the first process" expand --rank 0 --values bytes,apart,call,other,place bt.nest -o said
for k in 0 1 2 3 4 5; do echo "apart=6 call=MPI_Waitall other=MPI_Irecv place=$k"; done >wanted
first_six '[1-3] recv 0' | same "receives posted six events before their Waitall" wanted -
for k in 5 4 3 2 1 0; do echo "apart=$k call=MPI_Isend other=MPI_Waitall"; done >wanted
first_six '0 send' | same "sends that the same call completes" wanted -
sed '0,/apart=6/s//apart=5/' bt.nest >changed.nest
refused "a changed one is found" 3 'the model is not that of the trace, on 4 of 4 ranks' check -q changed.nest "$(anchor bt.S.4.scorep)"

# Numbers among words, and where there is none.
printf '// tracenest 1\n// processes 1\n// events 10\nfor i0 = 0 to 4\n  0 send 0 tag1 ; apart=(|0|"0"|MPI_Wait|-7){i0}\n  0 recv 0 tag1\ndone\n' >mixed.nest
accepted "numbers among words" show mixed.nest -o shown
same "are printed as they were read" mixed.nest shown
"$TRACENEST" expand --values all mixed.nest | sed -n 's/.*send.*tag1//p' >said
printf '\n ; apart=0\n ; apart="0"\n ; apart=MPI_Wait\n ; apart=-7\n' | same "and each is what it was" said -

# A word that comes first on its line, in text.
printf '0 send 1 tag1 ; type=MPI_INT tile=3\n0 recv 1 tag1 ; type="two words" tile=4\n' >words.trace
accepted "a word comes first: events" events --values all words.trace -o own
same "... as they were written" own words.trace
accepted "... model" model -q --values all words.trace -o words.nest
accepted "... agrees" check -q words.nest words.trace
accepted "... expand" expand --values type,tile words.nest -o said
printf '0 send 1 tag1 ; tile=3 type=MPI_INT\n0 recv 1 tag1 ; tile=4 type="two words"\n' | same "... says them" said -

# Numbers that stand around none as if they rose to it and came around.
for k in 1 2 3 4 5; do printf '0 local x ; tile=5\n0 local x\n0 local x ; tile=-5\n'; done >around.trace
accepted "5, none, -5: model" model -q --values all around.trace -o around.nest
accepted "... expand" expand --values all around.nest -o said
same "... is the trace" said around.trace

# Single values changed at random, each found.
archive=$(archives | head -n 1)
changes=${TRACENEST_VALUE_CHANGES:-20}
accepted "a model to change" model -q "$(anchor "$archive")" -o whole.nest
missed=$(python3 - "$TRACENEST" whole.nest "$(anchor "$archive")" "$changes" <<'END'
import random, re, subprocess, sys
tracenest, model, trace, changes = sys.argv[1:]
text, draw, missed = open(model).read(), random.Random(7), 0
places = [m.span(1) for m in re.finditer(r'(?:bytes|received)=(\d+)', text)]
for table in re.finditer(r'^\$\w+\[.*?\] =', text, re.M): # entries, not counts of copies
    end = text.find('\n$', table.end())
    places += [m.span(1) for m in re.compile(r'(?<![\d*:])(\d+)').finditer(text, table.end(), end if end > 0 else len(text))]
for _ in range(int(changes)):
    first, last = draw.choice(places)
    changed = text[:first] + str(int(text[first:last]) + draw.choice([1, 8, 1000])) + text[last:]
    open('changed.nest', 'w').write(changed)
    missed += subprocess.run([tracenest, 'check', '-q', 'changed.nest', trace], capture_output=True).returncode == 0
print(missed)
END
)
holds "each of $changes changed values is found" test "$missed" = 0

# Text traces carry whatever they like.
{
	i=0
	while [ $i -lt 12 ]; do
		echo "0 send 1 tag$((i % 2)) ; bytes=$((1600 + 80 * i)) type=MPI_DOUBLE"
		echo "0 recv 1 tag$((i % 2)) ; bytes=$((1600 + 80 * i)) site=\"a b.c:$((i % 3))\" weight=0.5"
		i=$((i + 1))
	done
} >run.trace
accepted "a name that nothing carries" model run.trace --values type,weigth -o run.nest
mv err told
holds "... is said" grep -q "no statement has 'weigth'" told
holds "... alone" sh -c "! grep -q \"no statement has 'type'\" told"
accepted "a text trace" model -q run.trace --values all -o run.nest
same_text() { # WHY PATTERN
	holds "$1" grep -qF -- "$2" run.nest
}
same_text "sizes advance with the index" 'bytes={1600+80*i0}'
same_text "words are words" 'type=MPI_DOUBLE'
same_text "words that differ are chosen" 'site=("a b.c:0"|"a b.c:1"|"a b.c:2"){i0%3}'
same_text "numbers with a point are words" 'weight=0.5'
"$TRACENEST" events --values all run.trace | sort >own
"$TRACENEST" expand --values all run.nest | sort >said
same "are printed back" own said
accepted "are compared" check -q run.nest run.trace
sed 's/bytes=1680 site/bytes=1681 site/' run.trace >other.trace
refused "a size that differs" 3 "rank 1, position 1: the trace has '0 recv 1 tag1 ; .*bytes=1681.*', the model has .*bytes=1680" check -q run.nest other.trace
sed 's/ weight=0.5//' run.trace >other.trace
refused "a value that is missing" 3 'weight=0.5' check -q run.nest other.trace
accepted "only some names" model -q run.trace --values type -o some.nest
holds "are kept" test "$(grep -c 'type=' some.nest)" -gt 0 -a -z "$(grep -F bytes= some.nest)"
accepted "plain is bare" model -q run.trace --plain --values all -o plain.nest
holds "of everything" test -z "$(grep -F ';' plain.nest)"

# A statement of one tag beside one whose tag advances past it.
{
	for tag in 5 x 0 1 2 3 4 5 6 7 8 9; do
		echo "0 send 1 tag$tag ; bytes=64"
		echo "0 recv 1 tag$tag ; bytes=64"
	done
} >beside.trace
accepted "tags beside each other" model -q beside.trace -o beside.nest
holds "one advances" grep -q 'tag{i0} ; bytes=64' beside.nest
holds "one does not" grep -q 'tag5 ; bytes=64' beside.nest
accepted "all carry what they should" check -q beside.nest beside.trace

# A size that depends on the place: the receivers' goes around where their neighbours do. The same text for any size of the grid, but for the sizes.
torus() { # NX NY
	awk -v nx="$1" -v ny="$2" 'function at(x, y) { return (x + nx) % nx + nx * ((y + ny) % ny) }
		function said(x, y) { return 800 + 8 * ((x + nx) % nx) + 16 * ((y + ny) % ny) + 4 * t }
		BEGIN { for (t = 0; t < 9; t++) {
			for (y = 0; y < ny; y++) for (x = 0; x < nx; x++) {
				print at(x, y), "send", at(x + 1, y), "tag1 ; bytes=" said(x, y)
				print at(x, y), "send", at(x, y + 1), "tag2 ; bytes=" said(x, y)
			}
			for (y = 0; y < ny; y++) for (x = 0; x < nx; x++) {
				print at(x - 1, y), "recv", at(x, y), "tag1 ; bytes=" said(x - 1, y)
				print at(x, y - 1), "recv", at(x, y), "tag2 ; bytes=" said(x, y - 1)
			}
		} }' >torus.trace
	accepted "a torus of $1 by $2" model -q torus.trace -o torus.nest
	accepted "is that of the trace" check -q torus.nest torus.trace
	sed -e '/^\/\//d' -e 's/\[[^]]*\]/[]/' -e "s/(x\([^)]*\))%$1/(x\1)%NX/; s/(y\([^)]*\))%$2/(y\1)%NY/" torus.nest >torus.$1.$2
}
torus 3 4
torus 5 6
torus 7 3
holds "the receiver's size is the sender's" grep -qF 'bytes={800+16*y+4*i0+(x-1)%NX*8}' torus.3.4
same "the same text on 30 processes as on 12" torus.3.4 torus.5.6
same "and on 21" torus.3.4 torus.7.3

# Sizes from the model alone.
accepted "the volumes" matrix run.nest --bytes --csv -o volumes
holds "are those of the trace" grep -q '^0,1,12,24480$' volumes
accepted "in any order of the words" matrix --bytes run.nest --csv -o volumes
accepted "of the trace itself" matrix --bytes run.trace run.nest --csv -o read
same "are the same" volumes read
accepted "of one iteration" matrix run.nest --loop 0 --per-iteration --bytes --csv -o mean
holds "of the mean one" grep -q '^0,0,1,1,2040$' mean
refused "bare models say nothing of volumes" 2 'does not say how large 12 of the 12 messages are.*--bytes=TRACE' matrix some.nest --bytes
sed 's/bytes={1600+80/bytes={1600+81/' run.nest >other.nest
refused "volumes that are not the model's" 3 'from 0 to 1 24480 bytes are sent, and the model other.nest says' matrix other.nest --bytes=run.trace

# What is wrong with a value has a line.
head='// tracenest 1\n// processes 2\n[0-1] for i0 = 0 to 9\n  [0-1] p local x'
bad_value() { # WHY COLUMN PATTERN ATTRIBUTES
	printf "$head ; $4\ndone\n// tables\n\$t[i0] = 1 2 3\n" >bad.nest
	refused "$1" 2 "bad.nest:4:$2: .*$3" show bad.nest
}
bad_value "no value" 21 'NAME=VALUE' 'bytes='
bad_value "twice" 29 'stands twice' 'bytes=1 bytes=2'
bad_value "no such index" 28 'i1' 'bytes={i1}'
bad_value "no such table" 27 'no table' 'bytes=$u[i0]'
bad_value "a table that is too short" 3 'no such entry' 'bytes=$t[i0]'
bad_value "an open quote" 26 'does not end' 'site="a b'
printf "$head ; bytes=\$t[i0%%3] received={5+\$t[(p+i0)%%3]}\ndone\n// tables\n\$t[i0] = 1 2 3\n" >good.nest
accepted "a table in turn" show good.nest

# Pieces of C have the sizes, too; figures have their sum.
accepted "skeleton" skeleton run.nest -o run.c
holds "sends what was sent" grep -qF 'send_to((1600 + 80 * i0) / 8, MPI_DOUBLE' run.c
holds "from a buffer that is as long" grep -qF 'LARGEST = 2480 }' run.c
compiles "compiles" run.c
accepted "stat" stat run.nest -o run.stat
holds "tells what is sent" grep -q 'bytes sent  *24,480   in 12 messages' run.stat
accepted "stat --json" stat --json run.nest -o run.json
holds "and as JSON" grep -q '"bytes_sent": 24480' run.json
accepted "draw" draw -q run.nest -o run.svg
holds "tooltips say what messages carry" grep -q 'send 1 tag0 ; bytes={1600+80\*i0} type=MPI_DOUBLE' run.svg
accepted "a page" draw -q run.nest -o run.html
holds "and the page, too" grep -qF '; bytes={1600+80*i0} type=MPI_DOUBLE' run.html
sed 's/bytes={1600+80\*i0}/bytes=1000000/' run.nest >large.nest
accepted "draw larger messages" draw -q large.nest -o large.svg
width() { grep -o 'stroke="[^"]*" stroke-width="[0-9.]*"' "$1" | grep -o '[0-9.]*"$' | tr -d '"' | sort -g | tail -n 1; }
holds "with wider arrows" awk "BEGIN { exit !($(width large.svg) > $(width run.svg)) }"
accepted "without tables" model -q --tables=off --values all beside.trace -o beside.nest
i=0
while [ $i -lt 12 ]; do echo "0 local x ; bytes=$((i * i * 7 % 11)) n=$i"; i=$((i + 1)); done >odd.trace
accepted "what follows no formula" model -q --values all odd.trace -o odd.nest
holds "stands in a table" grep -q '^\$b\[i0' odd.nest
accepted "without tables" model -q --values all --tables=off odd.trace -o odd.nest
holds "is left out, and it alone" grep -q 'local x ; n={i0}$' odd.nest
