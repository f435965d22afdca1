/*
 * file_signature.c -- a table of what files of other kinds begin with. A newcomer who names one of
 * them shall read what it is and what to type, not what is wrong with its first byte.
 */
#include "model/file_signature.h"

#include <string.h>

#include "base/text.h"

struct kind {
	size_t at; /* where the mark stands */
	const char *mark;
	size_t length;
	const char *where_model, *where_trace; /* what it is, and what to do; NULL: it may be one */
};

#define MARK(text) text, sizeof text - 1
#define BOTH(text) text, text

#define UNPACK(with) BOTH("compressed: unpack it first ('" with "')")
#define TRACE_FIRST "a model is wanted here, and this is a trace: run 'tracenest model' on it first"

/* What tracenest does not read, and which other way there is. */
#define RECORD "record the program again, 'tracenest record -- mpirun -n 4 PROGRAM'"
#define PARAVER "a trace of Paraver's (Extrae), of which no converter to OTF2 is known: " RECORD
#define GOAL                                                                                                           \
	"a schedule in GOAL, which 'tracenest export --to goal' writes for LogGOPSim and does not read: name the trace or the model it is of"
#define MPE "a log of MPE's (Jumpshot), of which no converter to OTF2 is known: " RECORD
#define DUMPI "a trace of DUMPI's (SST): sst-dumpi's 'dumpi2otf2' makes an OTF2 archive of it"
#define TAU "a trace of TAU's own format: run the program with TAU_TRACE_FORMAT=otf2, or " RECORD
#define OTF1 "an archive of OTF 1 (VampirTrace), and not of OTF2: " RECORD ", or with Score-P"

static const struct kind kinds[] = {
	{0, MARK("\3BOTF2"), TRACE_FIRST " (it is the anchor of an OTF2 archive)", NULL},
	{0, MARK("\3B"), BOTH("a part of an OTF2 archive, of which the anchor is wanted (traces.otf2, say)")},
	{0, MARK("// tracenest"), NULL,
		"a trace is wanted here, and this is a model: name the recording that it was made of"},
	{0, MARK("SQLite format 3"), BOTH("a database (a profile?), which 'tracenest diff' and SQL read")},
	{0,
		MARK("\x7f"
		     "ELF"),
		BOTH("a program: 'tracenest record -- mpirun -n 4 PROGRAM' makes a trace of it")},
	{0, MARK("#Paraver"), BOTH(PARAVER)},
	{0, MARK("num_ranks "), BOTH(GOAL)},
	{0, MARK("CLOG-0"), BOTH(MPE)},
	{2, MARK("SLOG 2."), BOTH(MPE)},
	{0, MARK("%EventDef"), BOTH("a trace of Paje's, which holds states and no messages to go by: " RECORD)},
	{0, MARK("\x1f\x8b"), UNPACK("gunzip")},
	{0, MARK("BZh"), UNPACK("bunzip2")},
	{0,
		MARK("\xfd"
		     "7zXZ"),
		UNPACK("unxz")},
	{0, MARK("PK\3\4"), UNPACK("unzip")},
	{257, MARK("ustar"),
		BOTH("packed by tar: unpack it first ('tar -xf'), and name the anchor, the .otf2 file in it")},
};

/* Where no first byte tells it: how the files of a tool are called. */
static const struct {
	const char *beginning, *end, *what;
} names[] = {
	{"dumpi-", ".bin", DUMPI},
	{"dumpi-", ".meta", DUMPI},
	{"", ".prv", PARAVER},
	{"", ".pcf", PARAVER},
	{"", ".clog2", MPE},
	{"", ".slog2", MPE},
	{"tautrace.", ".trc", TAU},
	{"", ".edf", TAU},
	{"", ".otf", OTF1},
};

static bool name_check(const char *name, struct error *error)
{
	const char *slash = strrchr(name, '/'), *file = slash ? slash + 1 : name;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (text_begins_with(file, names[i].beginning) && text_ends_with(file, names[i].end))
			return error_set(error, ERROR_INPUT, "%s: %s", name, names[i].what);
	return true;
}

bool file_signature_check(
	const char *name, const char *start, size_t length, enum text_wanted wanted, struct error *error)
{
	for (size_t i = 0; wanted != TEXT_ANY && i < sizeof kinds / sizeof *kinds; i++) {
		const struct kind *k = &kinds[i];
		const char *said = wanted == TEXT_MODEL ? k->where_model : k->where_trace;
		if (length >= k->at + k->length && !memcmp(start + k->at, k->mark, k->length))
			return !said || error_set(error, ERROR_INPUT, "%s: %s", name, said);
	}
	return wanted == TEXT_ANY || name_check(name, error);
}
