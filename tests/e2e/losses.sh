# Archives that do not hold all that their programs passed on: verbs that conclude from it refuse it, the others say so.
. "$ROOT/tests/checks.sh"

# A call that is recorded without what it passes on: MPI_Sendrecv, which was MPI_Comm_rank.
cp -r "$SAMPLES/bt.S.4.tau" lossy
chmod -R u+w lossy
sed 's/MPI_Comm_rank()/PMPI_Sendrecv()/' lossy/traces.def >renamed && mv renamed lossy/traces.def
trace=lossy/traces.otf2 whole=$(anchor bt.S.4.tau)
LOST="MPI_Sendrecv was called 4 times on ranks 0-3, and the archive holds no message and no collective of it: record the program with 'tracenest record', which knows them"

tells() { # WHY ARGS...: that and no more than once
	accepted "$@"
	cp err told
	holds "... which tells it once" test "$(grep -c "^tracenest: $LOST" told)" = 1
}

refused "model" 3 "$trace: $LOST, or take --lenient" model "$trace" -o result
tells "model --lenient" model --lenient "$trace" -o lossy.nest
refused "check" 3 "$trace: $LOST, or take --lenient" check lossy.nest "$trace"
refused "report" 3 "$trace: $LOST, or take --lenient" report "$trace" -o result
tells "report --lenient" report --lenient "$trace" -o result
refused "report beside a model" 3 "$trace: $LOST, or take --lenient" report "$trace" lossy.nest -o result
tells "report --lenient beside a model" report --lenient "$trace" lossy.nest -o result
refused "profile" 3 "$trace: $LOST, or take --lenient" profile lossy.nest "$trace" -o result
tells "profile --lenient" profile --lenient lossy.nest "$trace" -o result
tells "profile --lenient of an archive" profile --lenient "$trace" "$trace" -o result
mv result lossy.db
refused "diff" 3 "$trace: $LOST, or take --lenient" diff lossy.db "$trace" -o result
tells "diff --lenient" diff --lenient lossy.db "$trace" -o result
tells "events" events "$trace" -o events
tells "events of one process" events --rank 2 "$trace" -o result
"$TRACENEST" events "$whole" -o expected 2>err
same "events are those that there are" expected events
tells "time" time lossy.nest "$trace" -o result
tells "matrix --bytes" matrix --bytes="$trace" lossy.nest -o result

for verb in "events $whole" "time lossy.nest $whole" "matrix --bytes=$whole lossy.nest" "profile lossy.nest $whole" "report $whole lossy.nest"; do
	accepted "an archive that holds all: $verb" $verb -o result
	holds "... is not accused" test ! -s err
done

# Calls that move data without messages: in whatever recorder's archive, they are told, and no reason to refuse it.
cp -r "$SAMPLES/bt.S.4.tau" files
chmod -R u+w files
sed 's/MPI_Comm_rank()/MPI_File_read()/' files/traces.def >renamed && mv renamed files/traces.def
accepted "model of a run that reads files" model files/traces.otf2 -o files.nest
cp err said
holds "says so" grep -qx 'tracenest: not in this model: 4 MPI_File_read' said
holds "so does its text" grep -qx '// omits 4 MPI_File_read' files.nest
accepted "check" check files.nest files/traces.otf2
