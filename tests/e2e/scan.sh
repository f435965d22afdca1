# Scanners: the paper's example, annotations, --at, text traces with attributes, a user's own output, and what is refused.
. "$ROOT/tests/checks.sh"
CC=${CC:-cc}
run_time() { echo "-I$(dirname "$TRACENEST")/include -L$(dirname "$TRACENEST") -Wl,-rpath,$(dirname "$TRACENEST") -ltracenest-scan"; }
# Where the run-time has sanitizers, so must programs that are compiled here.
flags() { "$TRACENEST" scan small.nest --at 0 --run small.ev --verbose 2>&1 | grep -o -e '-fsanitize=[a-z,]*' | head -n 1; }

cat >small.nest <<'END'
// tracenest 1
// processes 2
for i0 = 0 to 2
  get "step" {*}.time <-
  0 send 1 tag1
  0 recv 1 tag1
  get "size, both" {1}.bytes <-
done
get "color" {0}.color ->
0-1 sync MPI_Barrier 0-1
END
cat >small.ev <<'END'
0 send 1 tag1 ; time=10 bytes=8
0 send 1 tag1 ; time=20 bytes=16
0 recv 1 tag1 ; time=11 bytes=80
0 send 1 tag1 ; time=30 bytes=24
0 recv 1 tag1 ; time=21 bytes=160
0 recv 1 tag1 ; time=31 bytes=240
1 sync MPI_Barrier 0-1 ; time=50 bytes=0
0 sync MPI_Barrier 0-1 ; time=51 bytes=0 color=blue
END
cat >wanted <<'END'
label,i0,rank,value
step,0,0,10
step,1,0,20
step,2,0,30
color,,0,blue
step,0,1,11
"size, both",0,1,160
step,1,1,21
"size, both",1,1,240
step,2,1,31
"size, both",2,1,0
END
accepted "annotations, run on a text trace" scan small.nest --run small.ev
same "its records" out wanted
"$TRACENEST" scan small.nest --run - <small.ev >out 2>err
same "the same from standard input" out wanted
accepted "into a file, with one thread" scan small.nest --run small.ev --jobs 1 -o result
same "its records in the file" result wanted

# ---------------------------------------------------------------- folded text

"$TRACENEST" model --quiet --procedures=off "$(anchor lu.S.4.ez)" -o folded.nest 2>err || fail "a folded model" "status $?"
loop=$(awk '/^ / || /^\/\// || /^done/ { next } /for i0 = 0 to 48/ { print n + 0; exit } { n++ }' folded.nest) # the address of LU's iteration
awk -v loop="$loop" '
/for i0 = 0 to 48/ { inside = 1; n = 0; print; next }
inside && /^  [^ ]/ && !/^  done/ { if (/for i1/ && ++loops == 2) { print "get \"x\" {0,3}.time ->"; print loop "." n >"second" } n++ }
{ print }' folded.nest >annotated.nest
accepted "an annotation between folded statements" scan annotated.nest --run "$(anchor lu.S.4.ez)" -o result
sed "s/^x,/$(cat second),/" result >have
accepted "the same by its address" scan folded.nest --at "$(cat second)" --rank 0,3 --run "$(anchor lu.S.4.ez)" -o result
same "... fetches the same" have result
awk '{ print } /recv p tag2/ && !done++ { print "get \"no\" {0}.time <-" }' folded.nest >refused.nest
refused "a process that a statement does not cover" 2 'refused.nest:[0-9]+: get "no": statement [0-9.]+ covers the processes .*, not 0' \
	scan refused.nest --run "$(anchor lu.S.4.ez)" -o result
accepted "many records, with one thread" scan folded.nest --at $loop --inside --run "$(anchor lu.S.4.ez)" --jobs 1 -o result
mv result have
for round in 1 2 3 4 5; do
	accepted "with several" scan folded.nest --at $loop --inside --run "$(anchor lu.S.4.ez)" --jobs 3 -o result
	same "... in the same order" have result
done

# ---------------------------------------------------------------- numbers that advance

cat >triangle.nest <<'END'
// tracenest 1
// processes 3
for i0 = 0 to 2
  [0-2] for i1 = 0 to {i0}
    get "sent" {*}.time ->
    [0-1] p send p+1 tag{5+i0+2*i1}
    [1-2] p-1 recv p tag{5+i0+2*i1}
  done
  get "end" {0,2}.bytes ->
  [0-2] p sync MPI_Barrier 0-2
done
END
"$TRACENEST" expand triangle.nest | awk '{ p = $2 == "recv" ? $3 : $1; print $0 " ; time=" 100 * p + n[p] " bytes=" n[p]++ }' >triangle.ev
accepted "annotations in triangles, over sets" scan triangle.nest --run triangle.ev
cat >triangle.csv <<'END'
label,i0,i1,rank,value
sent,0,0,0,0
end,0,,0,1
sent,1,0,0,2
sent,1,1,0,3
end,1,,0,4
sent,2,0,0,5
sent,2,1,0,6
sent,2,2,0,7
end,2,,0,8
sent,0,0,1,100
sent,1,0,1,103
sent,1,1,1,105
sent,2,0,1,108
sent,2,1,1,110
sent,2,2,1,112
end,0,,2,1
end,1,,2,4
end,2,,2,8
END
same "their records" out triangle.csv
accepted "by address, the iterations of a loop whose bound advances" scan triangle.nest --at 0.0 --per-iteration --rank 2 --run triangle.ev
holds "six of them, beside the others" test "$(grep -c "^0.0," out)" = 6
accepted "the program" scan triangle.nest -o triangle.c
holds "it copies the bound" grep -q 'for (int64_t i1 = 0; i1 <= i0; i1++)' triangle.c
holds "and compiles without a warning" $CC $(flags) -Wall -Wextra -Werror -O2 -o triangle triangle.c $(run_time)
# A condition on an index alone asks for no process.
printf '// tracenest 1\n// processes 2\n// events 12\nfor i0 = 0 to 9\n  if {i0%%5} = 0\n    0 local a\n  done\n  0 local b\ndone\n' >turns.nest
run scan turns.nest --at 0.1 -o turns.c
holds "a condition on an index alone: without a warning" $CC $(flags) -Wall -Wextra -Werror -O2 -o turns turns.c $(run_time)

cat >stencil.nest <<'END'
// tracenest 1
// processes 48
// grid 6 8
[0-47] for i0 = 0 to 2
  [(1-5)+6*8] p-1 recv p tag1
  [(0-4)+6*8] p send p+1 tag1
  [6-47] p-6 recv p tag2
  [0-41] p send p+6 tag2
done
END
"$TRACENEST" expand stencil.nest | awk '{ p = $2 == "recv" ? $3 : $1; print $0 " ; time=" 100 * p + n[p]++ }' >stencil.ev
accepted "sets that are patterns" scan stencil.nest --at 0 --inside --run stencil.ev --program stencil.c
holds "are told apart by conditions" grep -q 'p % 6' stencil.c
awk -F, 'NR > 1 { print $4 }' out | sort -n >have
sed 's/.*time=//' stencil.ev | sort -n >wanted-times
same "every event is fetched once" have wanted-times

# ---------------------------------------------------------------- the program stands alone

accepted "the program" scan small.nest -o own.c
holds "it compiles without a warning" $CC $(flags) -Wall -Wextra -Werror -O2 -o own own.c $(run_time)
./own small.ev >out 2>err
same "and fetches the same" out wanted
sed 's|scan_put(out, r);|static uint64_t sum; if (r->is_number) scan_printf(out, "%s %llu\\n", r->label, (unsigned long long)(sum += r->number));|; s|\.scan = scan,|.scan = scan, .plain = true,|' own.c >changed.c
holds "with an output function of one's own it compiles, too" $CC $(flags) -Wall -Wextra -Werror -O2 -o changed changed.c $(run_time)
./changed small.ev >out 2>err
printf 'step 10\nstep 30\nstep 60\nstep 71\nsize, both 231\nstep 252\nsize, both 492\nstep 523\nsize, both 523\n' >wanted
same "and does what it is told" out wanted

# ---------------------------------------------------------------- the paper's example: the time of LU's second inner loop on three processes

example() { # ARCHIVE RANKS
	archive=$1 ranks=$2
	"$TRACENEST" model --quiet "$archive"/*.otf2 -o lu.nest 2>err
	"$TRACENEST" show --positions lu.nest >lu.positions
	# The second loop inside the outermost loop that holds two of the same length.
	awk -v ranks="$ranks" '
	{ line[NR] = $0; sub(/^ *\[[^]]*\] /, "") }
	$1 == "for" && depth == 0 { n = 0; outer = NR; count = $NF }
	$1 == "for" { if (depth == 1) second[outer] = ++n == 2 ? NR : second[outer]; depth++ }
	$1 == "done" { depth--; if (depth == 1 && n == 2 && !end[outer]) end[outer] = NR }
	END {
		for (o in second) if (second[o] > 0 && end[o] > second[o]) best = o
		for (i = 1; i <= NR; i++) {
			if (i == second[best]) print "get \"before\" {" ranks "}.time ->"
			print line[i]
			if (i == end[best]) print "get \"after\" {" ranks "}.time <-"
		}
		print best, second[best] >"where"
	}' lu.positions >lu.annotated
	accepted "LU of $(basename "$archive"): the example runs" scan lu.annotated --run "$archive"/*.otf2 -o result
	tail -n +2 result | sort >have
	holds "LU of $(basename "$archive"): a plain walk" $CC -O1 -o times "$ROOT/tests/e2e/times.c" $(pkg-config --cflags --libs otf2)
	./times "$archive"/*.otf2 2>err | awk '{ if (!($1 in rank)) rank[$1] = n++; print rank[$1], $2 }' >times.out
	awk -v ranks="$ranks" '
	function at(text, rank, runs, n, i, part, ends) {
		n = split(text, runs, ",")
		for (i = 1; i <= n; i++) {
			split(runs[i], part, "=")
			if (split(part[1], ends, "-") == 1) ends[2] = ends[1]
			if (rank >= ends[1] + 0 && rank <= ends[2] + 0) return part[2]
		}
		return -1
	}
	function inside(text) { sub(/.*\{/, "", text); sub(/\}.*/, "", text); return text }
	{ sub(/^ *\[[^]]*\] /, "") }
	FILENAME == "where" { outer = $1; second = $2; next }
	FILENAME == "times.out" { time[$1, count[$1]++] = $2; next }
	FNR == outer { iterations = $6 + 1; start = inside($0) }
	FNR == outer + 1 { length_ = inside($0) }
	FNR == second { times_ = $6 + 1; inner = inside($0) }
	FNR == second + 1 { inner_length = inside($0) }
	END {
		n = split(ranks, r, ",")
		for (k = 1; k <= n; k++) for (i = 0; i < iterations; i++) {
			p = at(start, r[k]) + at(length_, r[k]) * i + at(inner, r[k])
			print "before," i "," r[k] "," time[r[k], p]
			print "after," i "," r[k] "," time[r[k], p + times_ * at(inner_length, r[k])]
		}
	}' where times.out lu.positions | sort >plain
	same "LU of $(basename "$archive"): $(wc -l <have) records are those of the plain walk" have plain
	"$TRACENEST" scan lu.annotated -o lu.c 2>err
	holds "LU of $(basename "$archive"): one loop, three values before and three after" sh -c \
		'[ "$(grep -c "for (" lu.c)" = 1 ] && [ "$(grep -c scan_value lu.c)" = 6 ] && [ "$(grep -c scan_start lu.c)" = 2 ]'
	holds "LU of $(basename "$archive"): without a warning" $CC -Wall -Wextra -Werror -O2 -c -o lu.o lu.c $(run_time)
}
example "$SAMPLES/lu.S.4.ez" 0,1,3
if [ -d "${TRACENEST_DATA:-}/lu.A.16.scorep" ]; then
	example "$TRACENEST_DATA/lu.A.16.scorep" 0,1,5
	holds "2*3*249 records" test "$(wc -l <have)" = 1494
else
	skip "the paper's example on 16 processes: set TRACENEST_DATA"
fi

# ---------------------------------------------------------------- --at, the index, columns

lu=$SAMPLES/lu.S.4.ez
"$TRACENEST" model --quiet "$lu"/*.otf2 -o lu.nest 2>err
accepted "--at, at both ends, of two attributes" scan lu.nest --at 0 --both --get time --get bytes --rank 1,2 --run "$lu"/*.otf2
holds "eight records" test "$(wc -l <out)" = 9
holds "the index stands beside the model" test -s lu.nest.index
cp out first
accepted "again, with the index" scan lu.nest --at 0 --both --get time --get bytes --rank 1,2 --run "$lu"/*.otf2
same "the same records" out first
echo junk >lu.nest.index
accepted "again, with junk for an index" scan lu.nest --at 0 --both --get time --get bytes --rank 1,2 --run "$lu"/*.otf2
same "the same records all the same" out first
rm lu.nest.index
if [ -c /dev/full ]; then
	refused "a result for which there is no room" 2 'No space left' scan lu.nest --at 0 --run "$lu"/*.otf2 -o /dev/full
	holds "... brings no index" test ! -e lu.nest.index
else
	skip "a result for which there is no room (no /dev/full is here)"
fi
accepted "in columns" scan lu.nest --at 0 --inside --binary --run "$lu"/*.otf2 -o result
holds "columns say what they are" grep -aq '^tracenest columns 1$' result
accepted "--verbose tells the compiler's line" scan lu.nest --at 0 --verbose --run "$lu"/*.otf2
cp err told
holds "it does" grep -q -e '-ltracenest-scan' told

# ---------------------------------------------------------------- what is refused

refused "an address that does not exist" 2 'no construct at 99999' scan lu.nest --at 99999 -o result
refused "ranks that the construct does not cover" 2 'covers the processes' scan small.nest --at 0.0 --rank 1 -o result
refused "ranks that do not exist" 2 'there is no rank 9' scan lu.nest --at 0 --rank 9 -o result
refused "nothing asked for" 2 'nothing is asked for' scan lu.nest -o result
cg=$(anchor conjugate_gradient.4)
accepted "a model with call paths" model -q "$cg" -o cg.nest
accepted "call paths" scan cg.nest --at 1 --inside --get site --rank 1 --run "$cg"
sed '1d;s/.*,//' out | sort | uniq -c | sed -n 's/^ *\([0-9]* .*:17 dot\)/\1/p' >dots
printf '%s\n' '30 conjugate_gradient.c:17 dot < conjugate_gradient.c:54 main' '30 conjugate_gradient.c:17 dot < conjugate_gradient.c:59 main' >wanted
same "... are where the products are called" dots wanted
refused "an attribute that an archive does not carry" 2 "time, bytes and site" scan lu.nest --at 0 --get color --run "$lu"/*.otf2 -o result
refused "an attribute that a text trace does not carry" 2 "carries no attribute 'mass'" scan small.nest --at 0 --get mass --run small.ev -o result
refused "another trace, of as many processes" 3 'is not that of the model' scan lu.nest --at 0 --run "$SAMPLES"/mg.S.4.ez/*.otf2 -o result
head -n 5 small.ev >short.ev
refused "a text trace that ends early" 3 'is not that of the model' scan small.nest --run short.ev -o result
refused "a get without a place" 2 'go with --at' scan small.nest --get bytes -o result
CC=/nowhere/cc refused "no compiler" 2 "no C compiler: '/nowhere/cc' is not here.*stays in" scan small.nest --run small.ev --program kept.c -o result
holds "the program stays" test -s kept.c
mkdir -p cut && cp -r "$lu"/. cut/
for file in cut/*/*.evt; do break; done
size=$(wc -c <"$file")
head -c $((size / 2)) "$file" >cut.tmp && mv cut.tmp "$file"
run scan lu.nest --at 0 --inside --run cut/*.otf2
holds "a trace cut short: exit 3" test "$status" = 3
holds "with the records of the others" test "$(wc -l <out)" -gt 3
