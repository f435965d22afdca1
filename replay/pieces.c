/*
 * pieces.c -- the texts stand in pieces.def.
 */
#include "replay/pieces.h"

#include <ctype.h>
#include <string.h>

static const struct {
	const char *name;
	uint64_t calls;
	const char *operation, *text;
} pieces[] = {
#define ONE(id) PIECE_BIT(PIECE_##id)
#define PIECE(id, name, calls, operation, text) {name, calls, operation, text},
#include "replay/pieces.def"
#undef PIECE
#undef ONE
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
	const char *name = strstr(pieces[piece].text, pieces[piece].name), *body = strstr(name, "{\n") + 2;
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

/* What a piece calls stands before it. */
void pieces_print(uint64_t wanted, uint64_t posted, struct text *out)
{
	for (unsigned i = PIECES; i-- > 0;)
		if ((wanted | posted) >> i & 1)
			wanted |= pieces[i].calls;
	for (unsigned i = 0; i < PIECES; i++) {
		if (wanted >> i & 1)
			text_put(out, pieces[i].text);
		if (posted >> i & 1)
			put_posted(i, out);
	}
}
