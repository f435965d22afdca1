/*
 * definitions.c -- NAME=NUMBER, and NxM.
 */
#include "cli/definitions.h"

#include <string.h>

#include "base/text.h"
#include "model/lines.h"

bool definition_read(const char *text, const char *option, struct definition *d, struct error *error)
{
	size_t length = strcspn(text, "=");
	const char *at = text + length;
	uint64_t value = 0;
	bool good = length && length <= EXTENTS_NAME && *at == '=' && is_letter(*text);
	for (size_t i = 0; i < length && good; i++) {
		good = is_letter(text[i]) || is_digit(text[i]);
		d->name[i] = (char)(text[i] >= 'a' && text[i] <= 'z' ? text[i] - 'a' + 'A' : text[i]);
	}
	at++;
	good = good && text_read_number(&at, INT64_MAX, &value) && !*at;
	if (!good)
		return error_set(error, ERROR_INPUT, "--%s: '%.*s' is no NAME=NUMBER", option, SHOWN, text);
	d->name[length] = 0;
	d->value = (int64_t)value;
	return length != 1 || !strchr("XYZW", *d->name) ||
	       error_set(error, ERROR_INPUT, "--%s: %c is an extent of the grid: --grid gives it", option, *d->name);
}

bool definition_grid(const char *text, struct grid *grid, struct error *error)
{
	const char *at = text;
	bool good = true;
	uint64_t processes = 1;
	for (*grid = (struct grid){0}; good; at++) {
		uint64_t size;
		good = grid->axes < GRID_AXES && text_read_number(&at, RANK_LIMIT, &size) && size;
		if (good) {
			grid->size[grid->axes++] = (uint32_t)size;
			processes *= size;
		}
		good = good && processes <= RANK_LIMIT;
		if (*at != 'x')
			break;
	}
	return (good && !*at && grid->axes > 1) ||
	       error_set(error, ERROR_INPUT, "--grid: '%.*s' is no grid, as 8x4 is", SHOWN, text);
}
