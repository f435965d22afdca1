# What newcomers name by mistake: one line each, which says what it is and what to do.
. "$ROOT/tests/checks.sh"
trace=$(anchor is.S.4.scorep)
"$TRACENEST" model -q "$trace" -o run.nest 2>err

one_line() { # WHY STATUS PATTERN ARGS...
	refused "$@"
	holds "$1: in one line" test "$(wc -l <err)" = 1
}
first='run .tracenest model. on it first'
one_line "the two in the wrong order" 2 'run.nest: a trace is wanted here' time "$trace" run.nest -o result
one_line "a text trace instead of a model" 2 "pair.trace:1:1: this is not a model: .*$first" stat "$PAPER/pair.trace" -o result
one_line "a model instead of a trace" 2 'run.nest: a trace is wanted here, and this is a model' model run.nest -o result
one_line "definitions instead of the anchor" 2 "name its anchor, .*/traces.otf2" model "$SAMPLES/is.S.4.scorep/traces.def" -o result
one_line "the same instead of a model" 2 'a part of an OTF2 archive, of which the anchor is wanted' show "$SAMPLES/is.S.4.scorep/traces.def" -o result
mkdir hollow
one_line "a directory without an archive" 2 'a directory without a trace' show hollow -o result
accepted "an archive instead of a model" show "$trace" -o result
same "is made one" run.nest result
accepted "a directory with an archive in it" model -q "$SAMPLES/is.S.4.scorep" -o result
same "is the archive" run.nest result
folder=$SAMPLES/is.S.4.scorep
for words in show expand stat check "check $folder" "skeleton --lenient" "matrix --lenient" "scan --at 0" "export --lenient --to goal" "time $folder" \
	"report --lenient $folder" "diff $folder" \
	"profile -o folder.db --exact $folder" "at --profile folder.db --time 1ms" "draw -o folder.html" events; do
	accepted "a folder with an archive in place of a file: $words" $words "$folder"
done
tar -cf packed.tar -C "$SAMPLES" is.S.4.scorep
one_line "an archive packed by tar" 2 "packed.tar: packed by tar: unpack it first \('tar -xf'\), and name the anchor" model packed.tar -o result
one_line "one packed by zstd, too" 2 "unpacked first \('unzstd', 'tar --zstd -xf'\)" model "$ROOT/samples/is.S.4.scorep.tar.zst" -o result
gzip -c run.nest >run.nest.gz
one_line "a model packed by gzip" 2 "run.nest.gz: compressed: unpack it first \('gunzip'\)" show run.nest.gz -o result
one_line "a program instead of its trace" 2 "a program: 'tracenest record -- mpirun -n 4 PROGRAM' makes a trace of it" model "$TRACENEST" -o result
one_line "a verb that is misspelt" 2 "there is no verb 'modle': did you mean model" modle "$trace" -o result
one_line "a rank that is none" 2 'there is no rank 9, the ranks are 0 to 3' show run.nest --rank 9 -o result
one_line "an output in no directory" 2 'cannot write: No such file or directory' show run.nest -o nowhere/result
for verb in "expand run.nest" "events $trace" "time run.nest $trace" "draw run.nest" "scan run.nest --at 0" "export run.nest --to perfetto"; do
	one_line "a rank that is none: ${verb%% *}" 2 'there is no rank 9, the ranks are 0 to 3' $verb --rank 9 -o "$(case $verb in draw*) echo rank.svg ;; *) echo rank.out ;; esac)"
done
one_line "a set of ranks that is none" 2 'not a set of ranks such as 3 or 0-3,8' show run.nest --rank -1 -o result
one_line "text under the name of a page" 2 'stat writes no html' stat run.nest -o result.html
mkdir without
for name in libgvc.so.6 libgvc.so.7 libgvc.so; do : >without/$name; done
export LD_LIBRARY_PATH="$PWD/without"
one_line "a picture where Graphviz is not" 2 'pictures need the library of Graphviz.*or write a page, .html' draw run.nest -o result.svg
accepted "and a page, which needs none" draw run.nest -o page.html
unset LD_LIBRARY_PATH
one_line "a model that is to be recorded" 2 'run.nest: is no program: it cannot be executed' record -o record.trace ./run.nest
one_line "a program that is not there" 2 'nowhere: there is no such program' record -o record.trace -- nowhere -n 4 ./app
head -c 300 "$TRACENEST" | tail -c 200 >junk
one_line "binary junk" 2 'this is not a text \(of an OTF2 archive, name the anchor' show junk -o result
sed 's/^\/\/ tracenest 1/\/\/ tracenest 2/' run.nest >newer.nest
one_line "a model of a newer version" 2 'newer.nest:1:14: version .2. of the model format; .* or a newer one' show newer.nest -o result
one_line "an option that is misspelt" 2 'unknown option --lopo: did you mean --loop' show run.nest --lopo 3 -o result
one_line "a number out of range" 2 '.--jobs 99999: not a number from 1 to 4096' model "$trace" --jobs 99999 -o result
one_line "a picture of no known kind" 2 "x.gif: a picture's name ends with .svg" draw run.nest -o x.gif
printf 'int main(void) { return 0; }\n' >alone.c
if cc -static alone.c -o alone 2>/dev/null; then
	run record -o alone.trace -- ./alone
	cp err said
	holds "a program that is linked statically: why it is not recorded" grep -q 'linked statically, .*: link it with shared libraries' said
else
	skip "a program that is linked statically: there is no libc.a"
fi
: >empty
one_line "an empty file" 2 "empty: the file is empty: a model starts with '// tracenest 1'" show empty -o result

"$TRACENEST" show --help >expected 2>err
accepted "help of a verb" help show
same "is what --help says" expected out
"$TRACENEST" --help >expected 2>err
accepted "help" help
same "is what --help says, too" expected out
one_line "help of no verb" 2 "there is no verb 'shwo': did you mean show" help shwo -o result

printf '0 local a\n' >one.trace
accepted "one process" model one.trace -o one.nest
cp err said
holds "is one process" grep -q '^tracenest: 1 process, 1 event,' said
