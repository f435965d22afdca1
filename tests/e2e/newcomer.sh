# What newcomers name by mistake: one line each, which says what it is and what to do.
. "$ROOT/tests/checks.sh"
trace=$(anchor is.S.4.scorep)
"$TRACENEST" model -q "$trace" -o run.nest 2>err

one_line() { # WHY STATUS PATTERN ARGS...
	refused "$@"
	holds "$1: in one line" test "$(wc -l <err)" = 1
}
first='run .tracenest model. on it first'
one_line "an archive instead of a model" 2 "traces.otf2: a model is wanted here, and this is a trace: $first" show "$trace" -o result
one_line "the two in the wrong order" 2 "traces.otf2: a model is wanted here" time "$trace" run.nest -o result
one_line "a text trace instead of a model" 2 "pair.trace:1: this is not a model: .*$first" stat "$PAPER/pair.trace" -o result
one_line "a model instead of a trace" 2 'run.nest: a trace is wanted here, and this is a model' model run.nest -o result
one_line "definitions instead of the anchor" 2 "name its anchor, .*/traces.otf2" model "$SAMPLES/is.S.4.scorep/traces.def" -o result
one_line "the same instead of a model" 2 'a part of an OTF2 archive, of which the anchor is wanted' show "$SAMPLES/is.S.4.scorep/traces.def" -o result
one_line "a directory instead of a model" 2 "is a directory, not a file: if it holds a trace, $first" show "$SAMPLES/is.S.4.scorep" -o result
accepted "a directory with an archive in it" model -q "$SAMPLES/is.S.4.scorep" -o result
same "is the archive" run.nest result
tar -cf packed.tar -C "$SAMPLES" is.S.4.scorep
one_line "an archive packed by tar" 2 "packed.tar: packed by tar: unpack it first \('tar -xf'\), and name the anchor" model packed.tar -o result
one_line "one packed by zstd, too" 2 "unpacked first \('unzstd', 'tar --zstd -xf'\)" model "$ROOT/samples/is.S.4.scorep.tar.zst" -o result
gzip -c run.nest >run.nest.gz
one_line "a model packed by gzip" 2 "run.nest.gz: compressed: unpack it first \('gunzip'\)" show run.nest.gz -o result
one_line "a program instead of its trace" 2 "a program: 'tracenest record -- mpirun -n 4 PROGRAM' makes a trace of it" model "$TRACENEST" -o result
one_line "a verb that is misspelt" 2 "there is no verb 'modle': did you mean model" modle "$trace" -o result
one_line "a rank that is none" 2 'there is no rank 9, the ranks are 0 to 3' show run.nest --rank 9 -o result
one_line "an output in no directory" 2 'cannot write: No such file or directory' show run.nest -o nowhere/result
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
