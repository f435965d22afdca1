# Model texts that are none: exit status 2, file and line named. Models that are huge when run: answered at once all the same.
. "$ROOT/tests/checks.sh"

head='// tracenest 1\n// processes 2\n'
bad_model() { # WHY LINE:COLUMN PATTERN TEXT
	printf "$4" >bad.nest
	for verb in show stat expand check; do
		refused "$1 ($verb)" 2 "bad.nest:$2: .*$3" "$verb" bad.nest
	done
}
bad_model "no header" 1:1 . '0 send 1 t\n0 recv 1 t\n'
bad_model "an unknown version" 1:14 '2' '// tracenest 2\n// processes 2\n// events 0\n'
bad_model "a version that is no number" 1:14 . '// tracenest one\n// processes 2\n// events 0\n'
bad_model "processes that are no number" 2:14 . '// tracenest 1\n// processes many\n// events 1\n0 send 1 t\n'
bad_model "negative processes" 2:14 . '// tracenest 1\n// processes -1\n// events 1\n0 send 1 t\n'
bad_model "too many processes" 2:14 . '// tracenest 1\n// processes 99999999999\n// events 1\n0 send 1 t\n'
bad_model "an unclosed for" 4:1 'for' "$head"'// events 3\nfor i0 = 0 to 2\n  0 send 1 t\n'
bad_model "a stray done" 5:1 'done' "$head"'// events 1\n0 send 1 t\ndone\n'
bad_model "a bound that is no number" 4:15 . "$head"'// events 1\nfor i0 = 0 to x\n  0 send 1 t\ndone\n'
bad_model "a bound that overflows" 4:15 . "$head"'// events 1\nfor i0 = 0 to 99999999999999999999\n  0 send 1 t\ndone\n'
bad_model "a bound of 2^64 - 1" 4:15 . "$head"'// events 1\nfor i0 = 0 to 18446744073709551615\n  0 send 1 t\ndone\n'
bad_model "a loop without an equals sign" 4:1 . "$head"'// events 1\nfor i0 0 to 3\n  0 send 1 t\ndone\n'
bad_model "an event that is none" 4:1 . "$head"'// events 1\n0 frobnicates 1\n'
bad_model "a process that is not among the processes" 4:1 . "$head"'// events 1\n2 send 0 t\n'
bad_model "a sync by ranks out of its group" 4:1 . "$head"'// events 1\n0-1 sync MPI_Barrier 0\n'
bad_model "words behind done" 6:5 . "$head"'// events 3\nfor i0 = 0 to 2\n  0 send 1 t\ndone it\n'
bad_model "a procedure that calls itself through another" 9:3 'procedure a calls itself through b' \
	"$head"'call a\n// procedures\nprocedure a\n  call b\ndone\nprocedure b\n  call a\ndone\n'
printf "$head"'// events 3\nfor i0 = 1 to 3\n  0 send 1 t\ndone\n' >other.nest
accepted "a loop that counts from 1, as the paper's do" show other.nest
printf "$head"'// events 2\n0 send 1 t\n' >bad.nest
refused "another number of events than the header says" 3 'bad.nest:3:1: ' show bad.nest
printf "$head"'// events 1\n0 send 7 t\n' >missing.nest
accepted "a message to a process that is missing (show)" show missing.nest
refused "a message to a process that is missing (check)" 3 '0 -> 7 t' check missing.nest
: >bad.nest
refused "an empty file" 2 'bad.nest' show bad.nest
refused "a missing file" 2 'nowhere.nest.*No such file' show nowhere.nest
mkdir nothing
refused "a directory" 2 'a directory without a trace' show nothing
head -c 100000 "$TRACENEST" >bad.nest
refused "binary junk" 2 'bad.nest' show bad.nest
refused "a trace instead of a model" 2 'pair.trace' show "$PAPER/pair.trace"

{ printf "$head"'// events 1\n'; i=0; while [ $i -lt 10000 ]; do echo "for i$i = 0 to 0"; i=$((i + 1)); done; echo '0 send 1 t'
  i=0; while [ $i -lt 10000 ]; do echo done; i=$((i + 1)); done; } >deep.nest
for verb in show stat expand check; do
	refused "10,000 nested loops ($verb)" 2 'deep.nest:1004:1: ' "$verb" deep.nest
done

huge='for i0 = 0 to 999999999999999999\n  0 send 1 t\n  0 recv 1 t\ndone\n'
printf "$head// events 2000000000000000000\n$huge" >huge.nest
LIMIT=10
accepted "show of 10^18 iterations" show huge.nest
same "prints the loop" out huge.nest
accepted "stat of 10^18 iterations" stat huge.nest
accepted "stat --json of 10^18 iterations" stat --json huge.nest
accepted "check of 10^18 iterations" check huge.nest
{ "$TRACENEST" expand huge.nest 2>expand.err; echo $? >expand.status; } | head -n 1000000 | sort -u >first.out
holds "expand of 10^18 iterations streams" test "$(cat first.out)" = "0 send 1 t"
holds "and ends when nobody reads any more" test "$(cat expand.status)" = 0
holds "without a word" test ! -s expand.err

{ printf "$head"'// events 18446744073709551615\n'; i=0; while [ $i -lt 100 ]; do echo "for i$i = 0 to 999999999"; i=$((i + 1)); done
  echo '0 send 1 t'; echo '0 recv 1 t'; i=0; while [ $i -lt 100 ]; do echo done; i=$((i + 1)); done; } >more.nest
for verb in show stat check; do
	survived "more iterations than numbers ($verb)" "$verb" more.nest && ok "more iterations than numbers ($verb)"
done

# Well formed, but no run can have been so: exit status 3, the events named.
printf "$head"'1 recv 0 b\n0 send 1 a\n0 recv 1 a\n1 send 0 b\n' >circle.nest
grep -v '^//' circle.nest >circle.trace
refused "each receives before the other has sent (check)" 3 "rank 0, position 0: '1 recv 0 b', which rank 1 sends later" check circle.nest
refused "each receives before the other has sent (model)" 3 "rank 1, position 0: '0 recv 1 a', which rank 0 sends later" model circle.trace -o result
accepted "unless --lenient" model --lenient circle.trace -o result
printf "$head"'for i0 = 0 to 9\n  0 recv 1 t\n  0 send 1 t\ndone\n' >listed.nest
refused "a receive that stands before its send" 3 "0.0: '0 recv 1 t' stands before the send" check listed.nest
printf "$head"'0 sync MPI_Barrier 0-1\n' >absent.nest
refused "a member that never comes" 3 'MPI_Barrier on 0-1: 1 time, but never by 1' check absent.nest

# Few lines that stand for many: 64 million events, each another.
printf '// tracenest 1\n// processes 100\n// grid 100 1\n[0-99] for i0 = 0 to 319999\n  [0-99] p send @(x+1,y) tag{i0}\n  [0-99] @(x-1,y) recv p tag{i0}\ndone\n' >many.nest
accepted "check of many events that differ" check many.nest
accepted "expand of them on one process" expand --rank 99 many.nest -o result
holds "is all there" test "$(wc -l <result)" = 640000
accepted "stat of them" stat many.nest
holds "counts them" grep -q '64,000,000' out
accepted "matrix of them" matrix --csv many.nest
holds "has each pair" grep -q '^99,0,320000$' out
