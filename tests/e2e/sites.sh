# Where in the source statements are: kept in files, shown with the source, counted apart, in pictures.
. "$ROOT/tests/checks.sh"

# A stencil's exchange of two functions, its norm, and an end; lines as in source/.
mkdir -p source/deep source/other
{
	echo '#include <mpi.h>'
	echo 'void exchange(void) {'
	printf '\tMPI_Send(edge, n, MPI_DOUBLE, right, 7, world);\r\n'
	printf '\tMPI_Recv(halo, n, MPI_DOUBLE, left, 7, world);\n}\n'
} >source/deep/exchange.c
echo 'a file of the same name, deeper' >source/other/norm.f90
mkdir source/other/more && cp source/other/norm.f90 source/other/more/exchange.c
printf '\n\n\n\n\n\n\n\n\texchange();\n\tnorm_();\n' >source/solve.c
printf 'subroutine norm\n  call MPI_Allreduce(mine, all, 1, & ! \tof all\n' >source/norm.f90
for i in 0 1 2 3 4; do
	for p in 0 1 2; do
		echo "$p send $(((p + 1) % 3)) tag7 ; bytes=80 site=\"exchange.c:3 exchange < solve.c:9 solve\""
		echo "$(((p + 2) % 3)) recv $p tag7 ; bytes=80 site=\"exchange.c:4 exchange < solve.c:9 solve\""
		echo "$p sync MPI_Allreduce 0-2 ; site=\"norm.f90:2 norm < solve.c:10 solve\""
	done
done >run.trace
for p in 0 1 2; do echo "$p sync MPI_Barrier 0-2 ; site=\"app+0x1f$((p % 2))\""; done >>run.trace
accepted "a model" model -q run.trace -o run.nest
cat >wanted <<'END'
// tracenest 1
// processes 3
// events 48
[*] for i0 = 0 to 4 // solve
  [*] p send (p+1)%3 tag7 ; bytes=80 // exchange.c:3
  [*] (p-1)%3 recv p tag7 ; bytes=80 // exchange.c:4
  [*] p sync MPI_Allreduce * // norm.f90:2
done
[*] p sync MPI_Barrier * // app+0x1f0 | app+0x1f1
// sites
// solve.c:9 solve
//   exchange.c:3,4 exchange
// solve.c:10 solve > norm.f90:2 norm
// app+0x1f0
// app+0x1f1
END
same "says where its statements are" wanted run.nest
accepted "read and printed" show run.nest -o shown.nest
same "it is the same text" wanted shown.nest
accepted "compressed" model -q run.trace -o run.nestz
accepted "and printed" show run.nestz -o shown.nest
same "it is the same, too" wanted shown.nest
accepted "is the model of its trace" check -q run.nest run.trace
accepted "a part" show --loop 0.1 run.nest -o part.nest
holds "keeps its site" grep -qxF '// solve.c:9 solve > exchange.c:4 exchange' part.nest
accepted "one process" show --rank 1 run.nest -o part.nest
holds "keeps them" grep -qF '1 send 2 tag7 ; bytes=80 // exchange.c:3' part.nest
accepted "written out" show --unfolded run.nest -o part.nest
holds "it keeps them" grep -qxF '  0 send 1 tag7 // exchange.c:3' part.nest
for bare in --plain "--values none"; do
	accepted "a model with $bare" model -q $bare run.trace -o bare.nest
	holds "does not say it" test -z "$(grep -e 'exchange' -e '// sites' bare.nest)"
done
accepted "show --plain" show --plain run.nest -o bare.nest
holds "does not, either" test -z "$(grep -e 'exchange' -e '// sites' bare.nest)"

# Calls that are alike and come in turns from two lines.
for i in 1 2 3 4 5 6; do for l in 10 20; do
	echo "0 send 1 tag7 ; site=\"a.c:$l f\""
	echo "0 recv 1 tag7 ; site=\"b.c:3 g\""
done; done >turns.trace
accepted "two lines in turns" model -q turns.trace -o turns.nest
holds "are one statement" grep -qxF '  0 send 1 tag7 // a.c:10,20' turns.nest
accepted "told apart" model -q --by-site turns.trace -o apart.nest
holds "they are two" test "$(grep -c -e '// a.c:10$' -e '// a.c:20$' apart.nest)" = 2
accepted "the same events" check -q apart.nest turns.trace
accepted "without sites" model -q --sites=off turns.trace -o bare.nest
holds "nothing is said" test -z "$(grep -F a.c bare.nest)"
accepted "sites without values" model -q --values none --sites on run.trace -o bare.nest
holds "are said" grep -qxF '  [*] p send (p+1)%3 tag7 // exchange.c:3' bare.nest
refused "another word" 2 'not one of on|off' model --sites=no run.trace

accepted "the source" show --source=source run.nest -o sourced.nest
cp err said
holds "stands above its statements" grep -qxF '  // exchange.c:3: MPI_Send(edge, n, MPI_DOUBLE, right, 7, world);' sourced.nest
grep -e 'solve.c:' -e 'exchange.c:[34]: ' sourced.nest | sed '/^ *\/\/ sites/,$d;s/^ *//' | grep '^//' | grep -v -e '^//   ' | head -n 4 >lines
printf '%s\n' '// solve.c:9: exchange();' '// exchange.c:3: MPI_Send(edge, n, MPI_DOUBLE, right, 7, world);' \
	'// exchange.c:4: MPI_Recv(halo, n, MPI_DOUBLE, left, 7, world);' '// solve.c:10: norm_();' >called
same "with the calls around them, each once" called lines
holds "of the file that is least deep" grep -qxF '  // norm.f90:2: call MPI_Allreduce(mine, all, 1, & !  of all' sourced.nest
accepted "is a model again" show sourced.nest -o shown.nest
same "the same" wanted shown.nest
rm source/norm.f90 source/other/norm.f90
"$TRACENEST" show --source=source run.nest >sourced.nest 2>said
holds "files that are missing are told" grep -qxF 'tracenest: not there: norm.f90' said
refused "no source at all" 2 'none of the model.s source files is here, or below, not exchange.c: name their directory' show --source=bin run.nest
accepted "a model without sites" model -q run.trace --values none -o bare.nest
refused "has no source" 2 'does not say where its statements are' show --source=source bare.nest
refused "nor lines to count" 2 'does not say where its statements are' matrix --by site bare.nest
refused "--source does not go with --plain" 2 'does not go' show --source --plain run.nest

accepted "figures by line" stat --by site run.nest -o sites.stat
sed -n '/^statements *processes/,$p' sites.stat | tr -s ' ' >said
cat >wanted.stat <<'END'
statements processes events sends receives collectives bytes sent site
 1 3 15 15 0 0 1,200 exchange.c:3 exchange
 1 3 15 0 15 0 0 exchange.c:4 exchange
 1 3 15 0 0 15 0 norm.f90:2 norm
 1 3 3 0 0 3 0 app+0x1f0 | app+0x1f1
END
same "are those of the trace" wanted.stat said
accepted "as JSON" stat --by site --json run.nest -o sites.json
holds "likewise" grep -qF '{"site": "exchange.c:3 exchange", "statements": 1, "ranks": "0-2", "events": 15, "sent": 15,' sites.json
refused "nor figures of lines" 2 'does not say where its statements are' stat --by site bare.nest
accepted "messages by line" matrix --by site --bytes run.nest -o sites.txt
cat >wanted <<'END'
exchange.c:3 exchange: 15 messages; the table holds bytes (rows send, columns receive)
 from      0     1     2  total
    0      .   400     .    400
    1      .     .   400    400
    2    400     .     .    400
total    400   400   400   1200

norm.f90:2 norm: 0 messages; the table holds bytes (rows send, columns receive)
collectives
MPI_Allreduce of 0-2: 5 times

app+0x1f0 | app+0x1f1: 0 messages; the table holds bytes (rows send, columns receive)
collectives
MPI_Barrier of 0-2: 1 time
END
same "are those of their statements" wanted sites.txt
accepted "as CSV" matrix --by site --csv --loop 0 run.nest -o sites.csv
holds "there is a column" grep -qx '0,exchange.c:3 exchange,0,1,5' sites.csv
accepted "as JSON" matrix --by site --json run.nest -o sites.json
holds "a member" grep -qF '"site": "exchange.c:3 exchange"' sites.json
accepted "messages by caller" matrix --by caller run.nest -o callers.txt
holds "have its name" grep -qxF 'solve (solve.c:9): 15 messages (rows send, columns receive)' callers.txt
accepted "as CSV" matrix --by caller --csv run.nest -o callers.csv
holds "in a column" grep -qxF 'solve (solve.c:9),0,1,5' callers.csv
accepted "as JSON" matrix --by caller --json run.nest -o callers.json
holds "in a member" grep -qF '"caller": "solve (solve.c:9)"' callers.json
accepted "a model without callers" model -q turns.trace -o turns.nest
refused "has none" 2 'no call site has a caller' matrix --by caller turns.nest
accepted "as pictures" matrix --by site run.nest -o sites.svg
holds "with titles" grep -qF '>exchange.c:3 exchange<' sites.svg
holds "of lines that send alone" test -z "$(grep -F norm.f90 sites.svg)"
refused "volumes of a trace are not by line" 2 'the volumes that the model says' matrix --by site --bytes=run.trace run.nest

accepted "a picture" draw -q run.nest -o run.svg
holds "says where events are" grep -qF '0 send 1 tag7 ; bytes=80 // solve (solve.c:9) &gt; exchange (exchange.c:3)' run.svg
holds "and loops" grep -q '15 events.*\|48 events\|// solve' run.svg
accepted "a page" draw -q run.nest -o run.html
holds "does so, too" grep -qF '"solve (solve.c:9) > exchange (exchange.c:3)"' run.html

# What several processes do in the same iterations alone is under one condition.
for i in 0 1 2 3 4 5 6 7; do
	for p in 0 1 2; do echo "$p sync MPI_Allreduce 0-2 ; site=\"m.c:3 main\""; done
	case $i in 3 | 7)
		echo '0 local a ; site="m.c:5 main"'
		echo '1 local b ; site="m.c:6 main"'
		echo '2 local c ; site="m.c:7 main"'
		;;
	esac
	for p in 0 1 2; do echo "$p sync MPI_Barrier 0-2 ; site=\"m.c:8 main\""; done
done >guarded.trace
cat >wanted <<'END'
[*] for i0 = 0 to 7 // main
  [*] p sync MPI_Allreduce * // m.c:3
  if {i0%4} = 3 // main
    0 local a // m.c:5
    1 local b // m.c:6
    2 local c // m.c:7
  done
  [*] p sync MPI_Barrier * // m.c:8
done
END
accepted "a model of it" model -q guarded.trace -o guarded.nest
grep -v '^//' guarded.nest >have
same "says so once" wanted have
accepted "functions of the source as procedures" show --procedures=functions guarded.nest -o named.nest
holds "what main does is no call" cmp -s guarded.nest named.nest
sed 's|m.c:[567]|m.c:4 > f.c:&|; s|f.c:m.c|f.c|; s|^// m.c:3,5,6,7,8 main|// m.c:3,8 main\n// m.c:4 main > f.c:5,6,7 f|' guarded.nest >called.nest
accepted "what it calls" show --procedures=functions called.nest -o named.nest
holds "is" grep -qx '    call f' named.nest
accepted "events of it" expand named.nest -o named.events
accepted "... and before" expand guarded.nest -o guarded.events
same "are the same" guarded.events named.events
