/*
 * intern.h -- equal byte strings get equal ids: 0, 1, 2, ... in the order of first sight.
 *
 *	struct intern *words = intern_new();
 *	uint32_t id = intern_id(words, "MPI_Bcast", 9);
 *
 * Ids make comparing, hashing and storing a thing a matter of one integer. An interned string never
 * moves and lives as long as its table. At most 2^31 - 1 strings.
 */
#ifndef TRACENEST_BASE_INTERN_H
#define TRACENEST_BASE_INTERN_H

#include <stddef.h>
#include <stdint.h>

#define INTERN_NONE UINT32_MAX

struct intern;

struct intern *intern_new(void);

/*
 * For keys that are all of this size, at least 4: they take less room, and one look less, but move
 * whenever there is a new one. These tables, and no others, can forget: one id, which the next new
 * key gets then, or all that there are, if none was forgotten alone (in the time of those that
 * there are; memory is kept).
 */
struct intern *intern_new_keys(size_t size);
void intern_forget(struct intern *, uint32_t id);
void intern_empty(struct intern *);

/* A table of its own with the same strings and ids. Without hashing anything: several times as fast
   as interning them again. */
struct intern *intern_copy(const struct intern *);
void intern_free(struct intern *);

/* The id of these bytes, new if need be. O(size) expected. The stored copy is aligned for any type
   and followed by a NUL. */
uint32_t intern_id(struct intern *, const void *data, size_t size);

/* The id of these bytes, or INTERN_NONE if they were never interned. */
uint32_t intern_find(const struct intern *, const void *data, size_t size);

/* The bytes of an id, borrowed; *size (may be NULL) is set to their number. */
const void *intern_data(const struct intern *, uint32_t id, size_t *size);

/* Ids handed out so far, forgotten ones among them. */
uint32_t intern_count(const struct intern *);

#endif
