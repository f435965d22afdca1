# Matrices and times: of the model alone, of phases, as every kind of output, and what is refused.
. "$ROOT/tests/checks.sh"

cat >ring.nest <<'END'
// tracenest 1
// processes 3
for i0 = 0 to 999999999
  0 send 1 tag1
  0 recv 1 tag1
  1 send 2 tag2
  1 recv 2 tag2
  0-2 sync MPI_Allreduce 0-2
done
2 send 0 tag1
2 recv 0 tag1
END
accepted "10^9 iterations at once" matrix ring.nest
cat >wanted <<'END'
whole run: 2,000,000,001 messages (rows send, columns receive)
      from           0          1          2       total
         0           . 1000000000          .  1000000000
         1           .          . 1000000000  1000000000
         2           1          .          .           1
     total           1 1000000000 1000000000  2000000001
collectives
MPI_Allreduce of 0-2: 1000000000 times
END
same "its table" out wanted
accepted "of one iteration and one tag" matrix ring.nest --loop 0 --per-iteration --tag tag2 --csv
printf 'phase,from,to,messages\n0,1,2,1\n' >wanted
same "as CSV" out wanted
accepted "once is no times" matrix ring.nest --loop 0 --per-iteration
holds "in words" grep -qx 'MPI_Allreduce of 0-2: 1 time' out
accepted "as JSON" matrix ring.nest --json --loop 0 --loop 1
holds "calls of all members together" grep -q '"calls": 3000000000' out
if command -v python3 >/dev/null; then holds "JSON that parses" python3 -m json.tool out; fi
accepted "a heat map" matrix ring.nest --loop 0 --loop 1 -o heat.svg
holds "with its axes named" grep -q 'sender (rows)' heat.svg
printf '// tracenest 1\n// processes 1000\n[0-998] p send p+1 tag1\n[1-999] p-1 recv p tag1\n' >chain.nest
accepted "a heat map of many processes" matrix chain.nest -o chain.svg
holds "says what a cell is" grep -q 'sender (rows, each the sum of 4)' chain.svg
if command -v xmllint >/dev/null; then holds "well formed" xmllint --noout heat.svg; fi

for archive in $(archives); do
	"$TRACENEST" model --unfolded --values none --quiet --lenient "$(anchor "$archive")" -o "$archive.nest" 2>err
	"$TRACENEST" matrix "$archive.nest" --csv >whole 2>err
	"$TRACENEST" events "$(anchor "$archive")" 2>err | awk '$2 == "send" { n[$1 "," $3]++ } END { for (p in n) print p "," n[p] }' | sort -t, -k1,1n -k2,2n >plain
	tail -n +2 whole >counted
	same "$archive: as counted in the trace" counted plain
	phases=$(awk '/^ *\/\// || !NF { next } $1 == "for" { if (!depth++) printf " --loop %d", top++; next } $1 == "done" { depth--; next } !depth { printf " --loop %d", top++ }' "$archive.nest")
	if [ "$(echo "$phases" | wc -w)" -le 128 ]; then
		"$TRACENEST" matrix "$archive.nest" --csv $phases | awk -F, 'NR > 1 { n[$2 "," $3] += $4 } END { for (p in n) print p "," n[p] }' | sort -t, -k1,1n -k2,2n >summed
		same "$archive: the phases sum up to the whole" summed plain
	fi
done
lu=lu.S.4.ez
accepted "with volumes" matrix $lu.nest --bytes "$(anchor $lu)" --csv
holds "volumes that are some" awk -F, 'NR > 1 && $4 <= 0 { exit 1 }' out

accepted "times" time $lu.nest "$(anchor $lu)"
holds "the hottest comes first" awk '/% of the time/ { match($0, /[0-9.]+ %/); now = substr($0, RSTART) + 0; if (seen && now > before) exit 1; before = now; seen = 1 }' out
holds "with what is between loops" grep -q '^between [0-9]* and [0-9]*: ' out
accepted "times of a loop on some ranks" time $lu.nest "$(anchor $lu)" --loop 0 --rank 0-1
holds "and of no other" sh -c '! grep -q "^[1-9][0-9.]*: \|between\|ranks.*[23]" out'
accepted "times as CSV" time $lu.nest "$(anchor $lu)" --csv
holds "inside and outside add up to the total" awk -F, 'NR > 1 && ($11 + $12 - $5) ^ 2 > 4e-18 { exit 1 }' out
holds "least <= median <= 95 % <= most" awk -F, 'NR > 1 && ($7 > $8 || $8 > $9 || $9 > $10) { exit 1 }' out
accepted "times as JSON" time $lu.nest "$(anchor $lu)" --json
if command -v python3 >/dev/null; then holds "JSON that parses, too" python3 -m json.tool out; fi
accepted "times as a picture" time $lu.nest "$(anchor $lu)" -o times.svg
holds "with strips" grep -q 'iteration' times.svg
holds "numbered by iteration" grep -q 'iteration (columns, each the mean of 3 or 4)' times.svg
for format in 'png PNG' 'pdf %PDF'; do
	accepted "times as ${format%% *}" time $lu.nest "$(anchor $lu)" -o "times.${format%% *}"
	holds "... is what it says" grep -qa -e "${format#* }" "times.${format%% *}"
	accepted "a matrix as ${format%% *}" matrix $lu.nest -o "heat.${format%% *}"
	holds "... is what it says" grep -qa -e "${format#* }" "heat.${format%% *}"
done
mkdir bin
for command in timeout rm grep ls head; do ln -s "$(command -v $command)" bin/; done
(PATH=$SCRATCH/bin; refused "no converter" 2 'made by rsvg-convert .*librsvg2-bin' matrix $lu.nest -o result.png)
tau=bt.S.4.tau
"$TRACENEST" model --quiet "$(anchor $tau)" -o $tau.nest 2>err || fail "a model of $tau" "status $?"
accepted "times of an archive with regions inside of MPI's" time $tau.nest "$(anchor $tau)"

refused "a tag that no message has" 2 'ring.nest: no message has the tag tag9: there are tag1, tag2$' matrix ring.nest --tag tag9 -o result
for suffix in jpg eps SVG; do
	refused "a matrix as .$suffix" 2 "x.$suffix: a picture's name ends with .svg, .png or .pdf" matrix ring.nest -o "x.$suffix"
	refused "times as .$suffix" 2 "x.$suffix: a picture's name ends with .svg, .png or .pdf" time $lu.nest "$(anchor $lu)" -o "x.$suffix"
	holds "... is not written" test ! -e "x.$suffix"
done
cp -r "$SAMPLES/$lu" cut
truncate -s 1000 cut/*/0.evt
refused "volumes of a trace that is cut short" 2 'cut off' matrix $lu.nest --bytes cut/*.otf2 -o result
refused "times of it" 2 'cut off' time $lu.nest cut/*.otf2 -o result

refused "an address that does not exist" 2 'no construct at 7' matrix ring.nest --loop 7 -o result
refused "an iteration of an event" 2 'is an event' matrix ring.nest --loop 0.0 --per-iteration -o result
refused "an iteration of nothing" 2 'goes with --loop' matrix ring.nest --per-iteration -o result
refused "two forms at once" 2 'exclude each other' matrix ring.nest --csv --json -o result
refused "volumes of another trace" 3 'could not be fetched|is not that of the model' matrix $lu.nest --bytes "$(anchor mg.S.4.ez)" -o result
refused "... says where" 3 'event 10 of rank 0 is another one in the model' matrix $lu.nest --bytes "$(anchor mg.S.4.ez)" -o result
refused "times of another trace" 3 'is not that of the model' time $lu.nest "$(anchor mg.S.4.ez)" -o result

printf '// tracenest 1\n// processes 2\nfor i0 = 0 to 9\n  0 send {i0} tag1\n  1 send 0 tag1\ndone\n' >beyond.nest
accepted "messages to ranks beyond those of the run" matrix --lenient beyond.nest
holds "count in the sum of their row" grep -qx ' *0 * 1 * 1 * 10' out
holds "and the next row is there" grep -qx ' *1 * 10 * [.] * 10' out
