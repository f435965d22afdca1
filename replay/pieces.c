/*
 * pieces.c -- their texts are files of C, replay/run-time, embedded at build time.
 */
#include "replay/pieces.h"

#include <ctype.h>
#include <string.h>

static const struct {
	const char *name;
	uint64_t calls;
	const char *operation;
} pieces[] = {
#define ONE(id) PIECE_BIT(PIECE_##id)
#define PIECE(id, name, calls, operation) {name, calls, operation},
#include "replay/pieces.def"
#undef PIECE
#undef ONE
};

static const char *const texts[PIECES] = {
#include "replay/pieces.inc"
};

/* MPI_Ibcast, of which MPI_Bcast is the same but that it waits. */
static bool is_posted(const char *operation, const char *waiting)
{
	return !strncmp(operation, "MPI_I", 5) && operation[5] && tolower((unsigned char)waiting[4]) == operation[5] &&
	       !strcmp(waiting + 5, operation + 6);
}

_Static_assert(PIECES <= 64, "a bit for each piece");

enum piece piece_of(const char *operation, bool *posted)
{
	unsigned i = 0;
	*posted = false;
	while (i < PIECES && (!pieces[i].operation || strcmp(pieces[i].operation, operation) != 0) && !*posted) {
		*posted = pieces[i].operation && is_posted(operation, pieces[i].operation);
		i += !*posted;
	}
	return (enum piece)i;
}

enum piece piece_of_name(const char *function)
{
	unsigned i = 0;
	while (i < PIECES && strcmp(pieces[i].name, function) != 0)
		i++;
	return (enum piece)i;
}

const char *piece_name(enum piece piece)
{
	return pieces[piece].name;
}

const char *piece_operation(enum piece piece)
{
	return pieces[piece].operation;
}

/* The same call, posted and then waited for: ibcast, MPI_Ibcast(..., comm, &request). */
static void put_posted(unsigned piece, struct text *out)
{
	const char *name = strstr(texts[piece], pieces[piece].name), *body = strstr(name, "{\n") + 2;
	const char *call = strstr(body, pieces[piece].operation), *end = strstr(call, "comm);");
	const char *behind = call + strlen(pieces[piece].operation);
	text_put(out, "static void i");
	text_add(out, name, (size_t)(body - name));
	text_put(out, "\tMPI_Request request;\n");
	text_add(out, body, (size_t)(call - body));
	text_format(out, "MPI_I%c%s", tolower((unsigned char)pieces[piece].operation[4]), pieces[piece].operation + 5);
	text_add(out, behind, (size_t)(end - behind));
	text_put(out, "comm, &request);\n\tMPI_Wait(&request, MPI_STATUS_IGNORE);\n}\n\n");
}

/* In the name, and in the text; what is behind the call goes on at its next argument, or ends. */
static const struct {
	const char *stem, *name, *call, *instead;
	enum piece piece; /* that makes the call; PIECES: MPI does */
} variants[VARIANTS] = {
	[VARIANT_WAITANY] = {"wait", "waitany", "MPI_Wait(", "waitany(", PIECE_WAITANY},
	[VARIANT_WAITSOME] = {"wait", "waitsome", "MPI_Wait(", "waitsome(", PIECE_WAITSOME},
	[VARIANT_TEST] = {"wait", "test", "MPI_Wait(", "test(", PIECE_TEST},
	[VARIANT_TESTANY] = {"wait", "testany", "MPI_Wait(", "testany(", PIECE_TESTANY},
	[VARIANT_TESTSOME] = {"wait", "testsome", "MPI_Wait(", "testsome(", PIECE_TESTSOME},
	[VARIANT_TESTALL] = {"wait", "test", "MPI_Waitall(", "testall(", PIECE_TESTALL},
	[VARIANT_STARTALL] = {"start", "startall", "MPI_Start(", "MPI_Startall(1, ", PIECES},
};

void piece_put_variant(enum piece piece, enum variant variant, struct text *out)
{
	text_put(out, variants[variant].name);
	text_put(out, pieces[piece].name + strlen(variants[variant].stem));
}

static void put_variant(unsigned piece, enum variant variant, struct text *out)
{
	const char *text = strstr(texts[piece], "static void "), *name = strstr(text, pieces[piece].name);
	const char *call = strstr(text, variants[variant].call);
	const char *arguments = call + strlen(variants[variant].call), *ignored = strstr(call, ", MPI_STATUS_IGNORE");
	text_put(out, "static void ");
	piece_put_variant((enum piece)piece, variant, out);
	name += strlen(pieces[piece].name);
	text_add(out, name, (size_t)(call - name));
	text_put(out, variants[variant].instead);
	text_add(out, arguments, (size_t)((ignored ? ignored : arguments) - arguments));
	text_put(out, ignored ? ignored + strlen(", MPI_STATUS_IGNORE") : arguments);
}

/* What a piece calls stands before it. */
void pieces_print(const struct pieces *p, struct text *out)
{
	uint64_t wanted = p->plain, any = p->posted;
	for (unsigned v = 0; v < VARIANTS; v++) {
		any |= p->variant[v];
		wanted |= p->variant[v] && variants[v].piece != PIECES ? PIECE_BIT(variants[v].piece) : 0;
	}
	for (unsigned i = PIECES; i-- > 0;)
		if ((wanted | any) >> i & 1)
			wanted |= pieces[i].calls;
	for (unsigned i = 0; i < PIECES; i++) {
		if (wanted >> i & 1)
			text_put(out, texts[i]);
		if (p->posted >> i & 1)
			put_posted(i, out);
		for (unsigned v = 0; v < VARIANTS; v++)
			if (p->variant[v] >> i & 1)
				put_variant(i, (enum variant)v, out);
	}
}
