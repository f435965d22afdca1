# Pictures: every format, the geometry of the samples' layouts, and what must be refused.
. "$ROOT/tests/checks.sh"

mkdir models
for a in $(archives); do
	"$TRACENEST" model --quiet "$(anchor "$a")" -o "models/$a.nest" 2>err || fail "a model of $a" "status $?"
done
for t in "$PAPER"/*.trace; do
	"$TRACENEST" model --quiet --lenient "$t" -o "models/$(basename "$t" .trace).nest" 2>err || fail "a model of $t" "status $?"
done
unit=$(dirname "$TRACENEST")/unit
if [ -x "$unit" ]; then
	holds "layouts of the samples are right" env TRACENEST_MODELS="$PWD/models" "$unit" viz
fi

well_formed() { # WHY FILE
	if command -v xmllint >/dev/null 2>&1; then holds "$1 is well-formed" xmllint --noout "$2"
	elif command -v python3 >/dev/null 2>&1; then holds "$1 is well-formed" python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$2"
	fi
}
starts() { head -c "${#2}" "$1" | grep -qaF -e "$2"; }

for m in models/*.nest; do
	name=$(basename "$m" .nest)
	accepted "$name as SVG" draw "$m" -o picture.svg
	well_formed "$name" picture.svg
	accepted "$name as a page" draw "$m" -o page.html
	holds "the page of $name is small" test "$(wc -c <page.html)" -lt 3000000
done
m=models/lu.S.4.ez.nest
for format in 'pdf %PDF' 'png PNG' 'dot digraph' 'html <!doctype html>'; do
	accepted "${format%% *}" draw "$m" -o "x.${format%% *}"
	holds "${format%% *} is what it says" grep -qa -e "${format#* }" "x.${format%% *}"
done
accepted "some processes and a depth" draw "$m" --depth 1 --labels tags -o x.svg
holds "tags are written" grep -q '>tag1</text>' x.svg
accepted "one construct" draw "$m" --loop 0 -o x.svg
accepted "without what is short" draw "$m" --skip-short --labels none -o x.svg
holds "... marks say so, also before a call" test "$(grep -c '[0-9] constructs left out</text>' x.svg)" = 2
accepted "a width" draw "$m" --width 150 -o x.svg
holds "... is kept" awk '/<svg width="/ { gsub(/[^0-9]/, " "); split($0, n, " "); found = 1; exit !(n[1] <= 426) } END { exit !found }' x.svg
cp x.svg first.svg
accepted "again" draw "$m" --width 150 -o x.svg
same "the same picture every time" first.svg x.svg

odd() { # NAME LINES...
	name=$1
	shift
	{ printf '// tracenest 1\n'; printf '%b\n' "$@"; } >odd.nest
	for suffix in svg html dot; do accepted "$name as $suffix" draw odd.nest -o "odd.$suffix"; done
	well_formed "$name" odd.svg
}
odd "no processes" '// processes 0'
odd "one process" '// processes 1' '0 sync MPI_Barrier 0'
odd "only collectives" '// processes 4' '0-3 sync MPI_Bcast 0-3 root=0' '0,2 sync MPI_Allreduce 0,2' '1,3 sync MPI_Allreduce 1,3'
odd "names with marks" '// processes 2' "0-1 sync MPI_<&\"'\\\\N 0-1" "0 send 1 </script><!--&amp" "0 recv 1 </script><!--&amp"
holds "a name does not end the page's data" test "$(grep -c '</script>' odd.html)" = 2
odd "UTF-8" '// processes 2' '0 local \303\251t\303\251 \342\206\222 \346\227\245\346\234\254' '0 send 1 \317\200' '0 recv 1 \317\200'
holds "UTF-8 stays what it is" grep -q '→ 日本' odd.html
odd "bytes that are no UTF-8" '// processes 2' '0 send 1 a\377\303' '0 recv 1 a\377\303'
awk 'BEGIN { print "// tracenest 1\n// processes 8"; for (i = 0; i < 2000; i++) printf "%d send %d tag%d\n%d recv %d tag%d\n", i % 8, (i * 3 + 1) % 8, i, i % 8, (i * 3 + 1) % 8, i }' >tags.nest
accepted "2,000 tags" draw tags.nest -o tags.svg
awk 'BEGIN { n = 64; print "// tracenest 1\n// processes " n * n "\nfor i = 0 to 99"
	for (p = 0; p < n * n; p++) if (p % n < n - 1) printf "%d send %d tag1\n%d recv %d tag1\n", p, p + 1, p, p + 1
	for (p = 0; p < n * n; p++) if (p >= n) printf "%d send %d tag2\n%d recv %d tag2\n", p, p - n, p, p - n
	print "done\n0-4095 sync MPI_Reduce 0-4095" }' >large.nest
accepted "4,096 processes" draw large.nest -o large.svg
holds "... below 5 MB" test "$(wc -c <large.svg)" -lt 5000000
holds "... in bands" test "$(grep -c '<text ' large.svg)" -lt 120
accepted "... some of them opened" draw large.nest --rank 0-3,4095 -o large.svg
holds "... have lines of their own" grep -q '>4095</text>' large.svg

{ printf '// tracenest 1\n// processes 16\n[0-15] for i0 = 0 to 248\n'
	printf '  [0-15] for i1 = 0 to 61\n'
	printf '    [(1-3)+4*4] p-1 recv p tag2\n    [4-15] p-4 recv p tag4\n    [(0-2)+4*4] p send p+1 tag2\n    [0-11] p send p+4 tag4\n'
	printf '  done\n  [0-15] p sync MPI_Allreduce 0-15\ndone\n'; } >sweep.nest
for suffix in svg pdf png dot html; do accepted "the folded program as $suffix" draw sweep.nest --roles -o "roles.$suffix"; done
well_formed "the folded program" roles.svg
texts_of() { sed -n 's/.*<text [^>]*>\(.*\)<\/text>.*/\1/p' "$1" | sed 's/&#45;/-/g' | sort | uniq -c | sed 's/^ *//'; }
texts_of roles.svg >got
golden "the texts of a folded picture" got draw-folded.txt
holds "... statements at the pointer" grep -qF ')+4*4] p send p+1 tag2</title>' roles.svg
holds "... and in the page" grep -qF '"→p+1",0,"[(0-2)+4*4] p send p+1 tag2"' roles.html
accepted "process by process" draw sweep.nest -o x.svg
holds "... with the addresses of its text" grep -qF '<title>0.0.2: 1 send 2 tag2</title>' x.svg
accepted "a statement of it" draw sweep.nest --loop 0.0 -o x.html
holds "... likewise" grep -qF '"0.0.2"' x.html
accepted "a part of it" draw sweep.nest --roles --loop 0.0 --labels tags -o x.svg
holds "... with all tags" test "$(grep -cF '>→p+1 tag2</text>' x.svg)" = 6
accepted "without labels" draw sweep.nest --roles --labels none -o x.svg
holds "... there are none" sh -c '! grep -qF "→p" x.svg'
accepted "a process by itself" draw sweep.nest --roles --rank 5 -o x.svg
holds "... has a line" grep -q '>5</text>' x.svg
accepted "the program of 4,096 processes" draw large.nest --roles -o x.svg
holds "... has nine roles" grep -q '>4,096 processes in 9 roles, ' x.svg
awk 'BEGIN { x = 400; y = 250; n = x * y; print "// tracenest 1\n// processes " n "\n[0-" n - 1 "] for i = 0 to 999"
	print "[(0-" x - 2 ")+" x "*" y "] p send p+1 tag1\n[0-" n - x - 1 "] p send p+" x " tag2"
	print "[(1-" x - 1 ")+" x "*" y "] p-1 recv p tag1\n[" x "-" n - 1 "] p-" x " recv p tag2\ndone" }' >stencil.nest
accepted "the program of 100,000 processes" draw stencil.nest --roles -o x.svg
holds "... has nine roles" grep -q '>100,000 processes in 9 roles' x.svg
holds "... with addresses of its text" grep -q '<title>0.0: \[(0&#45;398)+400\*250\] p send p+1 tag1' x.svg
awk 'BEGIN { print "// tracenest 1\n// processes 41"; for (p = 0; p < 41; p++) print p, "local work", p }' >irregular.nest
refused "too many roles" 2 'more than 40 roles.*--loop' draw irregular.nest --roles -o x2.svg
for m2 in models/*.nest; do
	"$TRACENEST" draw "$m2" --roles -o x.svg 2>err || grep -q 'roles' err || fail "the folded program of $m2" "$(cat err)"
done

"$TRACENEST" time "$m" "$(anchor lu.S.4.ez)" --json -o lu.json 2>err || fail "times" "status $?"
accepted "times over a picture" draw "$m" --times lu.json -o timed.svg
well_formed "times" timed.svg
holds "... boxes tell their share" grep -q '49 × &#160;[0-9][0-9]* %</text>' timed.svg
holds "... the legend what is all" grep -q 'of the run time of all processes together, which is 100 %' timed.svg
accepted "times over a page" draw "$m" --times lu.json -o timed.html
holds "... that knows them" grep -q '"times": {"top":1,"share":{' timed.html
"$TRACENEST" draw "$m" --times - -o again.svg <lu.json 2>err || fail "times from standard input" "status $?"
same "times from standard input" timed.svg again.svg
main=$("$TRACENEST" show --procedures=off "$m" | awk '!/^ |^\/\/|^done/ { if (/to 48/) print n + 0; n++ }')
holds "a page has the lines of the text: executions, iterations in all, events, messages, bytes" \
	grep -q "\"  \[\*\] for i1 = 0 to 9\",\"$main.0\",49,490,3920,1960,392000,-1,0\]" timed.html
holds "... which the matrix has, too" sh -c '"$TRACENEST" matrix "$1" --loop "$2" | grep -q " 1960$"' - "$m" "$main.0"
holds "... and who sends to whom" grep -q '"pairs": \[\[\[0,1,1,5760\],\[2,3,1,5760\]\]' timed.html
accepted "a page of a part" draw "$m" --loop "$main.0" -o part.html
holds "... has its lines alone" test "$(grep -o '^  "lines":.*' part.html | grep -o '"  *done"\|"[0-9.]*",49\?0\?,' | tr '\n' ' ')" = "$(echo 0,49 0.0,490 0.1,490 0.2,490 0.3,490 | sed "s/\([0-9.]*\),\([0-9]*\)/\"$main.\1\",\2,/g") \"  done\" "
awk 'BEGIN { print "// tracenest 1\n// processes 63\n[0-62] for i = 0 to 9"; for (q = 0; q < 63; q++) for (t = 0; t < 26; t++) print "[0-62] p send", q, "t" t; print "done" }' >much.nest
accepted "a page of more pairs than are kept by statement" draw much.nest -o much.html
holds "... has them by loop" grep -q '"lines": \[\["\[\*\] for i0 = 0 to 9","0",1,10,1031940,1031940,-1,0,260\],\["[^"]*","0.0",10,0,630,630,-1,-1,0\]' much.html
accepted "times over a part" draw "$m" --times lu.json --loop "$main" -o part.svg
accepted "times over roles" draw "$m" --roles --times lu.json -o timed.svg
holds "... boxes tell their share" grep -q '49 × &#160;[0-9][0-9]* %</text>' timed.svg
holds "... are those of the part" grep -q '49 × &#160;[0-9][0-9]* %</text>' part.svg
awk 'BEGIN { print "// tracenest 1\n// processes 64"; for (p = 0; p < 64; p += 2) printf "for i = 0 to 9\n%d send %d t\n%d recv %d t\ndone\n", p, p + 1, p, p + 1 }' >pairs.nest
awk 'BEGIN { printf "{\"loops\": ["; for (i = 0; i < 32; i++) printf "%s{\"share\": 0.02, \"count\": 10, \"address\": \"%d\", \"more\": [{}]}", i ? "," : "", i; print "], \"processes\": 64}" }' >pairs.json
accepted "times over bands" draw pairs.nest --times pairs.json -o pairs.svg
holds "... a box that stands for several has the sum" grep -q '10 × &#160;(4 alike) &#160;8.0 %</text>' pairs.svg
wrong_times() { # WHY STATUS PATTERN JSON
	printf '%b' "$4" >wrong.json
	refused "$1" "$2" "^tracenest: wrong.json: .*$3" draw pairs.nest --times wrong.json -o x2.svg
}
wrong_times "times that are not JSON" 2 'no JSON from line 2' '{"loops":\nnone}'
wrong_times "times of nothing" 2 'no JSON' ''
wrong_times "times cut short" 2 'no JSON' '{"processes": 64, "loops": [{"address": "0", "cou'
wrong_times "times with more behind them" 2 'no JSON' '{"processes": 64, "loops": []} {}'
wrong_times "times with a NUL" 2 'no JSON' '{"processes": 64, "loops": []}\0'
wrong_times "another JSON" 2 'no times of loops: .*time MODEL TRACE --json' '[1, 2]'
wrong_times "a loop without a share" 2 'loop 0 of the list' '{"processes": 64, "loops": [{"address": "0", "count": 10}]}'
wrong_times "a share of more than all" 2 'loop 0 of the list' '{"processes": 64, "loops": [{"address": "0", "count": 10, "share": 1.5}]}'
wrong_times "an address that is none" 2 'loop 0 of the list' '{"processes": 64, "loops": [{"address": "a\\u001b", "count": 10, "share": 0.5}]}'
wrong_times "a loop that the model does not have" 3 'of another model: loop 32 is not' '{"processes": 64, "loops": [{"address": "32", "count": 10, "share": 0.5}]}'
wrong_times "an event for a loop" 3 'of another model: loop 0.1 is not' '{"processes": 64, "loops": [{"address": "0.1", "count": 10, "share": 0.5}]}'
wrong_times "a loop of another count" 3 'of another model: loop 3 has another number' '{"processes": 64, "loops": [{"address": "3", "count": 11, "share": 0.5}]}'
wrong_times "other processes" 3 'of another model: of 4 processes, and this one has 64' '{"processes": 4, "loops": []}'
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "[" }' >wrong.json
refused "times nested without end" 2 'no JSON' draw pairs.nest --times wrong.json -o x2.svg
refused "no times" 2 'nosuch.json: No such file' draw pairs.nest --times nosuch.json -o x2.svg
refused "both from standard input" 2 'only one of the two' draw - --times - -o x2.svg

# Guards and tables: nothing is written out; a master with its workers is one loop.
cat >irregular.nest <<'EOF'
// tracenest 1
// processes 8
[0-7] for i0 = 0 to 3999
  [$w[i0%13]] p send 0 tag3
  [0] $w[i0%13] recv p tag3
  if {i0%7} = 6
    [0-7] for i1 = 0 to {$n[p]-1}
      [0-7] p send $b[p,i1] tag9
    done
    [0-7] p recv p tag9
  else
    [0-7] p sync MPI_Barrier 0-7
  done
done
// tables
$w[i0] = 3 1 7 2 4 2 5 6 1 1 7 3 4
$n[p] = (1)*8
$b[p,i1] = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 |
EOF
accepted "a picture of guards and tables" draw irregular.nest -o irregular.dot
for words in 'if {i0%7} = 6' 'else' '→one of 1-7\|←one of 1-7' 'one →0' '\$b\[p,i1\]' 'one: each time another'; do
	holds "... with $words" grep -q "$words" irregular.dot
done
holds "... a line each" test "$(grep -c 'label="[0-7]\\r"' irregular.dot)" = 8
accepted "a page of it" draw irregular.nest -o irregular.html
holds "... with the guard" grep -q 'if {i0%7} = 6' irregular.html
accepted "the same by roles" draw irregular.nest --roles -o folded.dot
holds "... is on two lines" grep -q '8 processes in 2 roles' folded.dot

# Receives that were not recorded are no ends that are not drawn.
cat >lost.nest <<'EOF'
// tracenest 1
// processes 4
[0-3] for i0 = 0 to 9
  [0-3] p send (p+1)%4 tag1
  [0-3] p send (p+1)%4 tag2
  [0-3] (p-1)%4 recv p tag2
done
1 recv 0 tag3
EOF
accepted "a picture of what has lost receives" draw lost.nest -o lost.svg
holds "... says so of each" test "$(grep -c '<title>0.0: . send . tag1: receive not recorded</title>' lost.svg)" = 4
holds "... and of a send" grep -q 'recv 0 tag3: send not recorded' lost.svg
holds "... and of no other" sh -c '! grep -q "tag2: .*not recorded" lost.svg'
for words in receive send; do holds "... in the legend: $words" grep -q ">message whose $words was not recorded</text>" lost.svg; done
holds "... nor of an end that is not drawn" sh -c '! grep -q "not drawn" lost.svg'
accepted "a part of it" draw lost.nest --loop 0 -o part.svg
holds "... ends are not drawn" grep -q '>message whose other end is not drawn</text>' part.svg
accepted "by roles" draw lost.nest --roles -o roles.svg
holds "... likewise" grep -q '>message whose receive was not recorded</text>' roles.svg
accepted "as a page" draw lost.nest -o lost.html
holds "... likewise" grep -qE '"lost": \[([0-9]+,){4}[0-9]+\]' lost.html

# Calls are brackets with names (the paper's Figure 2); boxes that are alike have one label; what is very wide leaves out a part.
"$TRACENEST" model -q --lenient "$PAPER/bt-excerpt.trace" -o calls.nest 2>err
accepted "calls" draw calls.nest -o calls.svg
texts_of calls.svg >got
for words in '1 Isend' '1 Irecv' '2 Wait' '1 call begins and ends'; do holds "... by name: $words" grep -qxF "$words" got; done
holds "... each a bracket that opens and one that closes, and two in the legend" test "$(grep -c 'stroke="#444444"' calls.svg)" = 10
accepted "... without names" draw calls.nest --labels none -o calls.svg
holds "... are brackets all the same" sh -c 'grep -q "#444444" calls.svg && ! grep -q ">Isend<" calls.svg'
awk 'BEGIN { print "// tracenest 1\n// processes 8\nfor i = 0 to 99"; for (p = 0; p < 8; p += 2) printf "for k = 0 to 2\n%d send %d t\n%d recv %d t\ndone\n", p, p + 1, p, p + 1
	print "for k = 0 to 6\n0 send 1 t\n0 recv 1 t\ndone\ndone" }' >alike.nest
accepted "boxes that are alike" draw alike.nest -o alike.svg
texts_of alike.svg >got
for words in '1 100 ×' '1 3 ×' '1 7 ×'; do holds "... have one label: $words" grep -qxF "$words" got; done
awk 'BEGIN { print "// tracenest 1\n// processes 2"; for (i = 0; i < 3000; i++) { printf "0 send 1 tag%d\n0 recv 1 tag%d\n", i % 5, i % 5; if (i == 900) print "for i = 0 to 99\n0 send 1 t\n0 recv 1 t\ndone" } }' >wide.nest
accepted "a program of 6,000 events" draw wide.nest -o wide.svg
cp err said
holds "... leaves out a part" grep -q '^tracenest: all of it would be more than 1411 mm wide: a part is left out (--width draws all' said
holds "... which the picture says" grep -q 'constructs left out' wide.svg
points() { sed -n 's/.*<svg width="\([0-9]*\)pt".*/\1/p' "$1"; }
holds "... and is not too wide" test "$(points wide.svg)" -le 4200
sed 's/^	//' <<'END' >long.awk
	BEGIN {
		print "// tracenest 1\n// processes 2\nfor i0 = 0 to 9"
		for (l = 0; l < 9; l++) {
			print "  for i1 = 0 to " 2 + l
			for (t = 0; t < 60; t++) print "    0 send 1 tag" l * 60 + t "\n    0 recv 1 tag" l * 60 + t
			print "  done"
		}
		print "done"
	}
END
awk -f long.awk >long.nest
accepted "a loop of 1,080 events" draw long.nest -o long.svg
holds "... closes those inside" grep -q '>11 ×' long.svg
holds "... and is not too wide, either" test "$(points long.svg)" -le 4200
accepted "... with a width" draw wide.nest --width 9000 -o wide.svg
cp err said
holds "... is all of it" sh -c '! grep -q "left out" wide.svg said'

# Loops that exchange messages in both directions run side by side; where these are many, they are not drawn.
mutual() { # PROCESSES BOTH
	awk -v n="$1" -v both="$2" 'BEGIN { print "// tracenest 1\n// processes " n
		for (p = 0; p < n; p++) { print "for i = 0 to " p; for (q = 0; q < n; q++) if (p < q || (both && p != q)) print p, "send", q, "t" p "x" q
			for (q = 0; q < n; q++) if (q < p || (both && p != q)) print q, "recv", p, "t" q "x" p; print "done" } }'
}
mutual 3 0 >one.nest && mutual 3 1 >both.nest && mutual 8 1 >many.nest
for name in one both many; do "$TRACENEST" draw $name.nest -o $name.svg 2>err || fail "loops apart" "status $?"; done
frames() { sed -n 's/.*fill="#f3f3f3".*points="\([-0-9.]*\),.*/\1/p' "$1" | sort -u | wc -l; } # different ends of boxes
holds "loops that exchange messages are side by side" test "$(frames both.svg)" -lt "$(frames one.svg)"
holds "... with so many messages between them" grep -q '>so many messages between loops</text>' both.svg
holds "... unless there are too many" grep -q '>Messages between loops that run side by side are not drawn.</text>' many.svg

refused "an unknown suffix" 2 'result.gif.*\.svg, \.pdf, \.png, \.dot or \.html' draw "$m" -o result.gif
# What is not opened says which function it is in.
printf '// tracenest 1\n// processes 1\n// events 8\nfor i0 = 0 to 1 // solve\n  for i1 = 0 to 3 // apply\n    0 local a // f.c:3\n  done\ndone\n// sites\n// m.c:2 main > s.c:5 solve > f.c:3 apply\n' >named.nest
accepted "a loop that is not opened" draw named.nest --depth 1 -o named.svg
holds "has its function's name" grep -q 'apply' named.svg
refused "no output" 2 'draw needs -o' draw "$m"
refused "a directory that is not there" 2 'nowhere/x.svg: ' draw "$m" -o nowhere/x.svg
refused "an address that does not exist" 2 'no construct at 99999' draw "$m" --loop 99999 -o x2.svg
refused "an address that is none" 2 'not an address' draw "$m" --loop a.b -o x2.svg
refused "a rank that does not exist" 2 'no rank 7' draw "$m" --rank 7 -o x2.svg
refused "a width of nothing" 2 'not a number' draw "$m" --width 0 -o x2.svg
refused "no model" 2 'nosuch' draw nosuch.nest -o x2.svg
holds "nothing was left" test ! -e x2.svg
if [ "$(id -u)" != 0 ]; then
	mkdir locked && chmod a-w locked
	refused "a directory that cannot be written" 2 'locked/x.svg' draw "$m" -o locked/x.svg
fi
