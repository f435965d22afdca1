# Two runs beside each other: traces and profiles say the same, differences add up, newer profiles are refused.
. "$ROOT/tests/checks.sh"

is=$(anchor is.S.4.scorep)
bt=$(anchor bt.S.4.scorep)
accepted "a run with itself" diff "$is" "$is"
holds "differs in nothing" grep -q '^Nothing differs\.$' out
accepted "also by status" diff --exit-code "$is" "$is"
accepted "two programs" diff "$is" "$bt"
holds "differ" grep -q 'only in the' out
"$TRACENEST" diff --exit-code "$is" "$bt" >out 2>err
holds "also by status" test $? = 3

accepted "the model of one" model -q "$is" -o is.nest
accepted "its profile" profile is.nest "$is" -o is.db
accepted "the model of the other" model -q "$bt" -o bt.nest
accepted "its profile" profile bt.nest "$bt" -o bt.db
accepted "profiles" diff is.db bt.db
sed 1,3d out >profiles
accepted "traces" diff "$is" "$bt"
sed 1,3d out >traces
holds "say the same" cmp -s profiles traces
accepted "a profile with its trace" diff is.db "$is"
holds "differs in nothing" grep -q '^Nothing differs\.$' out

if command -v python3 >/dev/null && python3 -c 'import sqlite3' 2>/dev/null; then
	python3 -c 'import sqlite3; d = sqlite3.connect("bt.db"); d.execute("PRAGMA user_version = 2"); d.commit()'
	refused "a profile of a newer version" 2 'bt.db: a profile of version 2, this is for versions up to 1' diff is.db bt.db -o result
	python3 -c 'import sqlite3; d = sqlite3.connect("other.db"); d.execute("CREATE TABLE t (x)"); d.commit()'
	refused "a database of somebody else" 2 'no profile that tracenest made' diff is.db other.db -o result
fi
head -c 5000 is.db >cut.db
refused "a profile that is cut short" 2 'cut.db: ' diff is.db cut.db -o result
refused "a model" 2 'is.nest: a model holds no times' diff is.nest is.db -o result
