/*
 * unwind.c -- rules from .eh_frame (DWARF 5, 6.4; Linux Standard Base, 10.6), walks by them, and
 * what the previous walk saves.
 */
#include "record/preload/unwind.h"

#include <errno.h>
#include <execinfo.h>
#include <limits.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"

#define WORD ((int64_t)sizeof(uintptr_t))

/* Columns of the tables, as the ABI numbers registers; the return address has one, too. Those of
   struct unwind_registers.held come first in tracked[]. */
enum { FP = UNWIND_HELD, REGISTERS, RA = REGISTERS, TRACKED };
#if defined __x86_64__
enum { COLUMN_SP = 7, COLUMN_FP = 6, COLUMN_RA = 16 };
static const uint8_t tracked[TRACKED] = {3, 12, 13, 14, 15, COLUMN_FP, COLUMN_RA};
#elif defined __aarch64__
enum { COLUMN_SP = 31, COLUMN_FP = 29, COLUMN_RA = 30 };
static const uint8_t tracked[TRACKED] = {19, 20, 21, 22, 23, 24, 25, 26, 27, 28, COLUMN_FP, COLUMN_RA};
#else
enum { COLUMN_SP = -1, COLUMN_FP = -2, COLUMN_RA = -3 };
static const uint8_t tracked[TRACKED] = {0};
#endif

/* The rules of a thread: 192 kB. */
#define WAYS 4
#define SET_BITS 11
#define SETS (1 << SET_BITS)

/* Where the caller's frame begins: at a register plus cfa, or at what is saved at the frame pointer
   plus cfa. */
enum base { BASE_NONE, BASE_END, BASE_SP, BASE_FP, BASE_SAVED };

/* Registers of the caller are saved relative to its frame, or to the frame pointer. */
enum saved { SAVED_BY_CFA, SAVED_BY_FP };

/* Where, in words from the first one on: by register 4 bits. So many words are looked at; the return
   address is among them, too. */
#define AREA (2 * ((UNWIND_HELD + 3) / 2))
#define SLOT_BITS 4
enum { SLOT_NONE, SLOT_FIRST, SLOT_UNKNOWN = (1 << SLOT_BITS) - 1 };
_Static_assert(AREA < SLOT_UNKNOWN && REGISTERS * SLOT_BITS <= 48, "slots fit");

struct rule {
	uintptr_t pc;
	struct unwind_shape shape;
};

/* Sets of registers: the lowest bit of each one's slot. */
#define LOWEST_BITS UINT64_C(0x1111111111111111)
#define NEEDS_MORE (UINT64_C(1) << 63) /* beside them: what is saved alone does not tell the caller */

typedef uintptr_t pair __attribute__((vector_size(16), aligned(8), may_alias));

/* What a frame saves of its caller. */
struct area {
	const uintptr_t *place;
	uint32_t words;
	uint64_t saved; /* registers, and NEEDS_MORE */
	uint64_t outer; /* registers that it or a frame further out saves */
	_Alignas(pair) uintptr_t value[AREA];
	uint64_t slots;
	struct unwind_shape shape;
};

struct unwind {
	uintptr_t low, high;
	unsigned unloaded; /* times that modules were, when the rules were derived */
	volatile bool walking; /* or interrupted at that */
	struct unwind_stack stack;
	struct area area[UNWIND_LIMIT]; /* of frame i */
	struct unwind_registers begun; /* with these */
	struct rule rule[SETS][WAYS]; /* each set: the youngest first */
};

static unsigned unloaded; /* times that modules were */

/* ------------------------------------------------------------------ reading tables */

struct reader {
	const uint8_t *at, *end;
	bool bad;
};

/* The next bytes. */
static const uint8_t *pass(struct reader *r, uint64_t size)
{
	const uint8_t *at = r->at;
	r->bad |= size > (uint64_t)(r->end - at);
	r->at = r->bad ? r->end : at + size;
	return at;
}

/* A number of at most 8 bytes; both processors have the low one first. */
static uint64_t fixed(struct reader *r, size_t size)
{
	uint64_t value = 0;
	const uint8_t *at = pass(r, size);
	if (!r->bad)
		memcpy(&value, at, size);
	return value;
}

static uint64_t leb(struct reader *r, bool is_signed)
{
	uint64_t value = 0, byte;
	unsigned shift = 0;
	do {
		byte = fixed(r, 1);
		value |= shift < 64 ? (byte & 0x7f) << shift : 0;
		shift += 7;
	} while (byte & 0x80);
	return is_signed && byte & 0x40 && shift < 64 ? value | ~UINT64_C(0) << shift : value;
}

static uint64_t uleb(struct reader *r)
{
	return leb(r, false);
}

static int64_t sleb(struct reader *r)
{
	return (int64_t)leb(r, true);
}

/* A part with its length in front. */
static struct reader block(struct reader *r)
{
	uint64_t size = uleb(r);
	const uint8_t *at = pass(r, size);
	return (struct reader){at, r->at, r->bad};
}

/* Bytes of an encoded pointer (DW_EH_PE_*); 0: no fixed number. */
static size_t pointer_size(uint8_t encoding)
{
	static const uint8_t size[16] = {[0] = 8, [2] = 2, [3] = 4, [4] = 8, [10] = 2, [11] = 4, [12] = 8};
	return encoding == 0x50 ? 0 : size[encoding & 15];
}

/* ------------------------------------------------------------------ call frame instructions */

enum place { PLACE_SAME, PLACE_BY_CFA, PLACE_BY_FP, PLACE_NONE, PLACE_OTHER };

struct row {
	uint64_t cfa_column;
	int64_t cfa;
	bool cfa_saved, cfa_other; /* an expression: what is saved at the frame pointer plus cfa; another one */
	struct {
		enum place place;
		int64_t offset;
	} saved[TRACKED];
};

struct instructions {
	struct reader code;
	uint64_t code_unit;
	int64_t data_unit;
	uint64_t left; /* code bytes to the address that is looked for */
};

/* TRACKED: of no interest. */
static int index_of(uint64_t column)
{
	int i = 0;
	while (i < TRACKED && tracked[i] != column)
		i++;
	return i;
}

static void put(struct row *row, uint64_t column, enum place place, int64_t offset)
{
	int i = index_of(column);
	if (i < TRACKED)
		row->saved[i].place = place, row->saved[i].offset = offset;
}

static void put_back(struct row *row, uint64_t column, const struct row *first)
{
	int i = index_of(column);
	if (i < TRACKED)
		row->saved[i] = first->saved[i];
}

/* DW_OP_breg of the frame pointer, and perhaps DW_OP_deref behind it. */
static bool is_by_fp(struct reader expression, bool deref, int64_t *offset)
{
	if (fixed(&expression, 1) != (uint64_t)(0x70 + COLUMN_FP))
		return false;
	*offset = sleb(&expression);
	return !expression.bad && (!deref || fixed(&expression, 1) == 0x06) && expression.at == expression.end;
}

/* False: the address is before what comes now. */
static bool advance(struct instructions *p, uint64_t delta)
{
	delta *= p->code_unit;
	if (delta > p->left)
		return false;
	p->left -= delta;
	return true;
}

/* The row of the table for the address. first: the row of the CIE, NULL: this is it. False: there
   is something in it that is not known here. */
static bool run(struct instructions p, struct row *row, const struct row *first)
{
	struct row kept[8];
	int depth = 0;
	while (p.code.at < p.code.end && !p.code.bad) {
		uint8_t op = (uint8_t)fixed(&p.code, 1), low = op & 0x3f;
		uint64_t column;
		struct reader expression;
		int64_t offset;
		switch (op & 0xc0 ? op & 0xc0 : op) {
		case 0x40: /* advance_loc */
			if (!advance(&p, low))
				return true;
			break;
		case 0x80: /* offset */
			put(row, low, PLACE_BY_CFA, (int64_t)uleb(&p.code) * p.data_unit);
			break;
		case 0xc0: /* restore */
			if (first)
				put_back(row, low, first);
			break;
		case 0x00: /* nop */
		case 0x2d: /* AARCH64_negate_ra_state: signatures are stripped from all */
			break;
		case 0x02: /* advance_loc1, 2, 4 */
		case 0x03:
		case 0x04:
			if (!advance(&p, fixed(&p.code, (size_t)1 << (op - 2))))
				return true;
			break;
		case 0x05: /* offset_extended */
			column = uleb(&p.code);
			put(row, column, PLACE_BY_CFA, (int64_t)uleb(&p.code) * p.data_unit);
			break;
		case 0x06: /* restore_extended */
			column = uleb(&p.code);
			if (first)
				put_back(row, column, first);
			break;
		case 0x07: /* undefined */
			put(row, uleb(&p.code), PLACE_NONE, 0);
			break;
		case 0x08: /* same_value */
			put(row, uleb(&p.code), PLACE_SAME, 0);
			break;
		case 0x09: /* register */
			put(row, uleb(&p.code), PLACE_OTHER, 0);
			uleb(&p.code);
			break;
		case 0x0a: /* remember_state */
			if (depth == sizeof kept / sizeof *kept)
				return false;
			kept[depth++] = *row;
			break;
		case 0x0b: /* restore_state */
			if (!depth)
				return false;
			*row = kept[--depth];
			break;
		case 0x0c: /* def_cfa, def_cfa_sf */
		case 0x12:
			row->cfa_column = uleb(&p.code);
			row->cfa = op == 0x0c ? (int64_t)uleb(&p.code) : sleb(&p.code) * p.data_unit;
			row->cfa_saved = row->cfa_other = false;
			break;
		case 0x0d: /* def_cfa_register */
			row->cfa_column = uleb(&p.code);
			row->cfa_saved = row->cfa_other = false;
			break;
		case 0x0e: /* def_cfa_offset */
			row->cfa = (int64_t)uleb(&p.code);
			break;
		case 0x13: /* def_cfa_offset_sf */
			row->cfa = sleb(&p.code) * p.data_unit;
			break;
		case 0x0f: /* def_cfa_expression */
			expression = block(&p.code);
			row->cfa_saved = is_by_fp(expression, true, &row->cfa);
			row->cfa_other = !row->cfa_saved;
			break;
		case 0x10: /* expression */
			column = uleb(&p.code);
			expression = block(&p.code);
			offset = 0;
			put(row, column, is_by_fp(expression, false, &offset) ? PLACE_BY_FP : PLACE_OTHER, offset);
			break;
		case 0x11: /* offset_extended_sf */
			column = uleb(&p.code);
			put(row, column, PLACE_BY_CFA, sleb(&p.code) * p.data_unit);
			break;
		case 0x14: /* val_offset, val_offset_sf */
		case 0x15:
			put(row, uleb(&p.code), PLACE_OTHER, 0);
			uleb(&p.code);
			break;
		case 0x16: /* val_expression */
			put(row, uleb(&p.code), PLACE_OTHER, 0);
			block(&p.code);
			break;
		case 0x2e: /* GNU_args_size */
			uleb(&p.code);
			break;
		default:
			return false;
		}
	}
	return !p.code.bad;
}

/* ------------------------------------------------------------------ rules */

/* libgcc's. */
struct dwarf_eh_bases {
	void *text, *data, *function;
};

const void *_Unwind_Find_FDE(void *pc, struct dwarf_eh_bases *);

/* An entry of .eh_frame; false: it is none, or has a length of 64 bits. */
static bool open_entry(const uint8_t *entry, struct reader *r)
{
	*r = (struct reader){entry, entry + 4, false};
	uint32_t size = (uint32_t)fixed(r, 4);
	r->end = r->at + size;
	return size && size != UINT32_MAX;
}

/* What a CIE says of its FDEs, and its row. */
struct common {
	struct instructions program;
	struct row row;
	size_t pointer; /* bytes of one in FDEs */
	bool augmented;
};

static bool read_common(const uint8_t *entry, struct common *c)
{
	struct reader r;
	if (!open_entry(entry, &r))
		return false;
	pass(&r, 4);
	uint64_t version = fixed(&r, 1);
	const char *letters = (const char *)r.at;
	while (fixed(&r, 1))
		;
	c->augmented = *letters == 'z';
	if (*letters && !c->augmented)
		return false;
	c->program.code_unit = uleb(&r);
	c->program.data_unit = sleb(&r);
	if ((version == 1 ? fixed(&r, 1) : uleb(&r)) != COLUMN_RA)
		return false;
	c->pointer = sizeof(uintptr_t);
	struct reader data = c->augmented ? block(&r) : r;
	for (const char *letter = letters + 1; c->augmented && *letter; letter++) {
		uint8_t encoding = strchr("RPL", *letter) ? (uint8_t)fixed(&data, 1) : 0;
		if (*letter == 'R')
			c->pointer = pointer_size(encoding);
		else if (*letter == 'P')
			pass(&data, pointer_size(encoding));
		else if (!strchr("LSB", *letter))
			return false;
	}
	c->program.code = r;
	c->program.left = UINT64_MAX;
	return !r.bad && !data.bad && c->pointer && run(c->program, &c->row, NULL);
}

static bool find_row(const uint8_t *entry, uintptr_t into, struct row *row)
{
	struct reader r;
	int32_t back;
	struct common common = {0};
	if (!open_entry(entry, &r))
		return false;
	memcpy(&back, r.at, sizeof back);
	if (!read_common(r.at - back, &common))
		return false;
	pass(&r, 4 + 2 * common.pointer);
	if (common.augmented)
		block(&r);
	common.program.code = r;
	common.program.left = into;
	*row = common.row;
	return run(common.program, row, &common.row);
}

static bool words(int64_t bytes, int16_t *n)
{
	*n = (int16_t)(bytes / WORD);
	return bytes % WORD == 0 && *n == bytes / WORD;
}

/* From where on words are looked at: all if they are near each other, else the return address and
   what is below it; the frame pointer in any case. */
static int64_t first_word(const struct row *row, enum place by, bool ra_too)
{
	int64_t first = INT64_MAX, fp = row->saved[FP].offset, ra = row->saved[RA].offset;
	for (int i = 0; i < REGISTERS + ra_too; i++)
		if (row->saved[i].place == by && row->saved[i].offset < first)
			first = row->saved[i].offset;
	if (ra_too && ra - first >= AREA * WORD)
		first = ra - (AREA - 1) * WORD;
	if (row->saved[FP].place == by && (fp < first || fp - first >= AREA * WORD))
		first = fp;
	return first == INT64_MAX ? 0 : first;
}

/* Among the words, from 1 on; SLOT_NONE: it is not. */
static unsigned slot_at(int64_t offset)
{
	return offset >= 0 && offset % WORD == 0 && offset < AREA * WORD ? (unsigned)(SLOT_FIRST + offset / WORD)
									 : SLOT_NONE;
}

/* The frame pointer decides which ones are known: by it, and so that it is among them. */
static bool put_slots(struct unwind_shape *r, const struct row *row)
{
	enum place fp = row->saved[FP].place, by = fp == PLACE_BY_FP ? fp : PLACE_BY_CFA;
	bool ra_too = by == PLACE_BY_CFA && row->saved[RA].place == by;
	int64_t first = first_word(row, by, ra_too);
	uint64_t slots = 0;
	unsigned words_told = ra_too ? slot_at(row->saved[RA].offset - first) : SLOT_NONE;
	r->saved = fp == PLACE_BY_FP ? SAVED_BY_FP : SAVED_BY_CFA;
	r->whole = words_told != SLOT_NONE;
	for (int i = 0; i < REGISTERS; i++) {
		unsigned slot = row->saved[i].place == by ? slot_at(row->saved[i].offset - first) : SLOT_NONE;
		uint64_t bits = slot != SLOT_NONE || row->saved[i].place == PLACE_SAME ? slot : SLOT_UNKNOWN;
		slots |= bits << i * SLOT_BITS;
		words_told = slot > words_told ? slot : words_told;
	}
	r->slots = slots & ((UINT64_C(1) << 48) - 1);
	r->words = words_told & 15;
	return (fp == PLACE_SAME || fp == by) && words(first, &r->first);
}

static struct unwind_shape shape_of(const struct row *row)
{
	struct unwind_shape r = {.cfa = (int32_t)row->cfa}, none = {0};
	if (row->saved[RA].place == PLACE_NONE)
		return (struct unwind_shape){.base = BASE_END};
	if (row->cfa_other || row->cfa != r.cfa)
		return none;
	r.base = row->cfa_saved                 ? BASE_SAVED
		 : row->cfa_column == COLUMN_SP ? BASE_SP
		 : row->cfa_column == COLUMN_FP ? BASE_FP
						: BASE_NONE;
	if (!words(row->saved[RA].offset, &r.ra) || !put_slots(&r, row))
		return none;
	return row->saved[RA].place == PLACE_BY_CFA || row->saved[RA].place == PLACE_SAME ? r : none;
}

/* How is looked at after the set of signals has been read. */
bool unwind_is_readable(uintptr_t address)
{
	int kept = errno;
	bool readable = syscall(SYS_rt_sigprocmask, -1, address, NULL, 8) == -1 && errno == EINVAL;
	errno = kept;
	return readable;
}

#if defined __aarch64__
/* Handlers of signals return to the kernel's code, of which it tells nothing: mov x8, #139; svc #0. */
static bool returns_from_signal(uintptr_t pc)
{
	static const uint32_t code[] = {0xd2801168, 0xd4000001};
	return pc % sizeof *code == 0 && unwind_is_readable(pc) && !memcmp((const void *)pc, code, sizeof code);
}
#else
static bool returns_from_signal(uintptr_t pc)
{
	(void)pc;
	return false;
}
#endif

/* Where there is no entry, nothing is known of who called: the path ends. */
static struct rule derive(uintptr_t pc)
{
	struct dwarf_eh_bases bases;
	const void *entry = _Unwind_Find_FDE((void *)(pc - 1), &bases);
	struct row row = {0};
	struct rule rule = {.pc = pc};
	rule.shape.base = !entry && returns_from_signal(pc) ? BASE_NONE : BASE_END;
	if (entry)
		rule.shape = find_row(entry, pc - 1 - (uintptr_t)bases.function, &row) ? shape_of(&row)
										       : (struct unwind_shape){0};
	return rule;
}

uintptr_t unwind_function(uintptr_t pc)
{
	struct dwarf_eh_bases bases;
	return _Unwind_Find_FDE((void *)(pc - 1), &bases) ? (uintptr_t)bases.function : 0;
}

static struct unwind_shape find_shape(struct unwind *u, uintptr_t pc)
{
	struct rule *set = u->rule[pc * UINT64_C(0x9e3779b97f4a7c15) >> (64 - SET_BITS)];
	for (int i = 0; i < WAYS; i++)
		if (set[i].pc == pc)
			return set[i].shape;
	struct rule rule = derive(pc);
	memmove(set + 1, set, (WAYS - 1) * sizeof *set);
	set[0] = rule;
	return rule.shape;
}

static inline uint64_t saved_in(uint64_t slots)
{
	slots |= slots >> 2;
	return (slots | slots >> 1) & LOWEST_BITS;
}

static inline unsigned slot_of(uint64_t slots, int i)
{
	return slots >> i * SLOT_BITS & SLOT_UNKNOWN;
}

static inline int first_of(uint64_t set)
{
	return __builtin_ctzll(set) / SLOT_BITS;
}

/* ------------------------------------------------------------------ walks */

/* A return address without its signature. */
static inline uintptr_t stripped(uintptr_t address)
{
#ifdef __aarch64__
	register uintptr_t x30 __asm__("x30") = address;
	__asm__("hint #7" : "+r"(x30)); /* xpaclri */
	return x30;
#else
	return address;
#endif
}

enum step { STEP_DONE, STEP_END, STEP_ASTRAY, STEP_UNKNOWN };

/* To the caller: what is saved must lie in the frame, whatever the registers are. */
static enum step step(const struct unwind *u, struct unwind_registers *at, struct unwind_frame *f)
{
	const struct unwind_shape *r = &f->shape;
	uintptr_t cfa = at->fp + (uintptr_t)(intptr_t)r->cfa;
	switch ((enum base)r->base) {
	case BASE_NONE:
		return STEP_UNKNOWN;
	case BASE_END:
		return STEP_END;
	case BASE_SP:
		cfa = at->sp + (uintptr_t)(intptr_t)r->cfa;
		break;
	case BASE_FP:
		break;
	case BASE_SAVED:
		if (cfa < at->sp || cfa > u->high - WORD || cfa % WORD)
			return STEP_ASTRAY;
		f->base = (const uintptr_t *)cfa;
		cfa = *f->base;
	}
	if (cfa < at->sp || cfa > u->high || cfa % WORD)
		return STEP_ASTRAY;
	uintptr_t room = cfa - at->sp, ra = at->ra;
	at->ra = 0;
	f->again = ra;
	uintptr_t first = (r->saved == SAVED_BY_FP ? at->fp : cfa) + (uintptr_t)(r->first * WORD);
	f->first = (const uintptr_t *)first;
	f->inside =
		first - at->sp <= room && room - (first - at->sp) >= r->words * (uintptr_t)WORD && first % WORD == 0;
	if (r->ra) {
		uintptr_t place = cfa + (uintptr_t)(r->ra * WORD);
		if (room < WORD || place - at->sp > room - WORD)
			return STEP_ASTRAY;
		f->ra = (const uintptr_t *)place;
		ra = *f->ra;
	}
	unsigned slot = slot_of(r->slots, FP);
	if (slot == SLOT_UNKNOWN)
		return STEP_ASTRAY;
	if (slot != SLOT_NONE) {
		uintptr_t place = first + (slot - SLOT_FIRST) * (uintptr_t)WORD;
		if (room < WORD || place - at->sp > room - WORD || place % WORD)
			return STEP_ASTRAY;
		f->saved = (const uintptr_t *)place;
		at->fp = *f->saved;
	}
	f->leads = r->whole && f->inside && !f->again && !f->base;
	at->pc = stripped(ra);
	at->sp = cfa;
	return at->pc ? STEP_DONE : STEP_ASTRAY;
}

static inline pair differ(const struct area *a, unsigned word)
{
	return *(const pair *)(a->value + word) ^ *(const pair *)(a->place + word);
}

/* By pairs of words from both ends. */
static inline bool area_stands(const struct area *a)
{
	unsigned words = a->words;
	if (words < 2)
		return !words || *a->value == *a->place;
	pair differs = differ(a, 0) | differ(a, words - 2);
	if (words > 4)
		differs |= differ(a, 2) | differ(a, words - 4);
	for (unsigned i = 4; AREA > 8 && i + 4 < words; i += 2)
		differs |= differ(a, i);
	return !(differs[0] | differs[1]);
}

/* Of these registers, those that are saved there with other values. */
static inline uint64_t differing(const struct area *a, const uintptr_t *place, uint64_t registers)
{
	uint64_t differ = 0;
	for (uint64_t left = a->saved & registers; left; left &= left - 1) {
		unsigned slot = slot_of(a->slots, first_of(left));
		if (slot != SLOT_UNKNOWN && place[slot - SLOT_FIRST] != a->value[slot - SLOT_FIRST])
			differ |= left & -left;
	}
	return differ;
}

/*
 * A register that frame i goes on with, or that is saved in a frame further in, is another one
 * than it was: the next frame from i outwards that saves it has run since, for nobody else changes
 * it, and what is further in was called anew. Where nobody saves it, nothing is known.
 */
struct proof {
	int kept; /* frames that may be the same */
	uint64_t changed; /* registers that the frame goes on with which is looked at */
	int first, last; /* frames that save others than they did are between these */
	int moved; /* the outermost that goes on elsewhere than it did */
};

static inline void look_at(struct proof *p, int i, const struct area *a)
{
	if (p->changed & a->saved) {
		p->kept = p->kept < i + 1 ? p->kept : i + 1;
		p->changed &= ~a->saved;
	}
}

/* Is the caller of a frame told by what is saved in it, and its frame where it was? */
static inline bool leads(const struct unwind_frame *f)
{
	return !f->again && (!f->base || *f->base == f[-1].sp);
}

/* Frame i goes on there: is everything else as it was? */
static bool goes_on(struct unwind *u, int i, uintptr_t pc, struct proof *p)
{
	struct unwind_frame *f = &u->stack.frame[i];
	const struct area *a = &u->area[i];
	struct unwind_shape shape = find_shape(u, pc);
	if (a->saved & NEEDS_MORE || memcmp(&shape, &a->shape, sizeof shape))
		return false;
	f->pc = pc;
	p->moved = i;
	p->kept = i + 1;
	return true;
}

/* Has frame k > 0 the caller that it had? Else, what it saves may be another's. */
static bool stands(struct unwind *u, int k, struct proof *p)
{
	const struct unwind_frame *f = &u->stack.frame[k];
	const struct area *a = &u->area[k];
	if (!leads(f) || (f->saved && f[-1].fp_matters && *f->saved != f[-1].fp))
		return false;
	uintptr_t pc = stripped(*f->ra);
	if (pc != f[-1].pc && !goes_on(u, k - 1, pc, p))
		return false;
	p->changed |= differing(a, a->place, a[-1].outer & ~p->changed);
	p->first = k;
	p->last = p->last < k ? k : p->last;
	return true;
}

/* From frame k outwards as long as what is saved leads to the frames that were there, or in their
   place to such as look alike: the last of them. The outermost one tells no caller. */
static int follow(struct unwind *u, int k, struct proof *p)
{
	const struct area *a = &u->area[k];
	for (;;) {
		for (uint64_t stop = p->changed | NEEDS_MORE; !(stop & a->saved) && area_stands(a); a--)
			;
		k = (int)(a - u->area);
		if (p->changed & a->saved)
			look_at(p, k, a);
		else if (k && stands(u, k, p))
			a--;
		else
			return k;
	}
}

/* Frames from this one outwards, the innermost of which has this frame pointer: the last one's. */
static uintptr_t put_fp(struct unwind_frame *f, int from, int last, uintptr_t fp)
{
	for (; from > last; from--) {
		f[from].fp = fp;
		fp = f[from].saved ? *f[from].saved : fp;
	}
	return f[last].fp = fp;
}

/* Word by word: what was just pushed is read as it was written, or the processor waits for it. */
static inline void copy_area(struct area *a)
{
	for (unsigned i = 0; i < a->words; i++)
		a->value[i] = a->place[i];
}

static inline bool reads_fp(const struct unwind_shape *r)
{
	return r->base == BASE_FP || r->base == BASE_SAVED || r->saved == SAVED_BY_FP;
}

/* What frame i has of its callers. */
static void rest(struct unwind *u, int i)
{
	struct unwind_frame *f = &u->stack.frame[i];
	struct area *a = &u->area[i];
	f->mark = NULL;
	f->fp_matters = reads_fp(&f->shape) || (!f->saved && i && f[-1].fp_matters);
	a->place = f->first;
	a->shape = f->shape;
	uint64_t saved = saved_in(f->shape.slots);
	a->saved = saved | (f->leads ? 0 : NEEDS_MORE);
	a->words = f->inside ? f->shape.words : 0;
	a->slots = f->inside ? f->shape.slots : saved * SLOT_UNKNOWN;
	a->outer = saved | (i ? a[-1].outer : 0);
	copy_area(a);
}

/* The frames of a walk: the outermost ones are those of the previous walk that may still stand, at
   the other end are those that this walk has found; in between is room. */
struct gap {
	struct unwind_frame *frame;
	int old, inner, end; /* the last of the former, the first of the latter, behind the last */
	uint64_t skipped; /* of more than there is room for, in the middle */
};

#define ROOM 16

/* Room for a frame more. False: there is none, but behind the outermost frames. */
static bool make_room(struct gap *g)
{
	int more = UNWIND_LIMIT - g->end;
	if (g->inner > g->old + 1)
		return true;
	more = more < ROOM ? more : ROOM;
	if (!more)
		return false;
	memmove(g->frame + g->inner + more, g->frame + g->inner, (size_t)(g->end - g->inner) * sizeof *g->frame);
	g->inner += more;
	g->end += more;
	return true;
}

/* Frames that stand, from the last of the old ones to that, but whose callers do not. */
static void take(struct gap *g, int to)
{
	int count = g->old - to + 1;
	g->inner -= count;
	if (g->inner != to)
		memmove(g->frame + g->inner, g->frame + to, (size_t)count * sizeof *g->frame);
	g->old = to - 1;
}

/* The next frame outwards. Of more than there is room for, the outer half has the latest. */
static struct unwind_frame *next_frame(struct gap *g)
{
	if (make_room(g))
		return &g->frame[--g->inner];
	g->old = -1;
	if (g->inner)
		return &g->frame[--g->inner];
	return &g->frame[UNWIND_LIMIT / 2 - 1 - (int)(g->skipped++ % (UNWIND_LIMIT / 2))];
}

static void reverse(struct unwind_frame *from, struct unwind_frame *to)
{
	for (; from < --to; from++) {
		struct unwind_frame kept = *from;
		*from = *to;
		*to = kept;
	}
}

/* Frames side by side, the outermost first. */
static void close_gap(struct unwind *u, struct gap *g)
{
	struct unwind_stack *s = &u->stack;
	int half = UNWIND_LIMIT / 2, latest = half - (int)(g->skipped % (uint64_t)half), first = g->old + 1;
	s->gap = g->skipped ? half : 0;
	if (g->skipped && latest < half) {
		reverse(g->frame, g->frame + latest);
		reverse(g->frame + latest, g->frame + half);
		reverse(g->frame, g->frame + half);
	}
	if (g->inner != first)
		memmove(g->frame + first, g->frame + g->inner, (size_t)(g->end - g->inner) * sizeof *g->frame);
	s->count = first + g->end - g->inner;
	for (int i = first; i < s->count; i++)
		rest(u, i);
}

/* Of the registers that frame i goes on with, those that are wanted: which of them are known. */
static uint64_t registers_at(const struct unwind *u, int i, uint64_t wanted, uintptr_t *value)
{
	uint64_t known = 0;
	for (i++; i < u->stack.count && wanted; i++) {
		const struct area *a = &u->area[i];
		uint64_t saved = a->saved & wanted;
		for (uint64_t left = saved; left; left &= left - 1) {
			int r = first_of(left);
			unsigned slot = slot_of(a->slots, r);
			if (slot == SLOT_UNKNOWN)
				continue;
			value[r] = a->value[slot - SLOT_FIRST];
			known |= left & -left;
		}
		wanted &= ~saved;
	}
	for (; wanted; wanted &= wanted - 1) {
		int r = first_of(wanted);
		value[r] = r == FP ? u->begun.fp : u->begun.held[r];
		known |= r == FP || u->begun.holds ? wanted & -wanted : 0;
	}
	return known;
}

/*
 * Registers that the last of the old frames goes on with, and frames further out save: those that
 * are others than they were. Frames further in mostly save what those in their place did; after the
 * first that do not, what the registers were, and what they are, is looked for apart.
 */
struct comparison {
	uint64_t differ, left; /* those that nobody has saved yet */
	int frame; /* all further in than this one */
};

static uint64_t changed_since(const struct unwind_registers *before, const struct unwind_registers *now)
{
	uint64_t changed = (uint64_t)(before->fp != now->fp) << FP * SLOT_BITS;
	if (before->holds && now->holds)
		for (int i = 0; i < UNWIND_HELD; i++)
			changed |= (uint64_t)(before->held[i] != now->held[i]) << i * SLOT_BITS;
	return changed;
}

static struct comparison compare_saved(
	const struct unwind *u, const struct gap *g, const struct unwind_registers *begin)
{
	struct comparison c = {.left = u->area[g->old].outer, .frame = g->old};
	const struct area *old = &u->area[g->old + 1], *last = &u->area[u->stack.count];
	const struct unwind_frame *now = &g->frame[g->inner], *end = &g->frame[g->end];
	for (; c.left && old < last && now < end; old++, now++, c.frame++) {
		if (old->saved & NEEDS_MORE || !now->leads || now->shape.slots != old->slots)
			return c;
		c.differ |= differing(old, now->first, c.left);
		c.left &= ~old->saved;
	}
	if (old == last && now == end) {
		c.differ |= c.left & changed_since(&u->begun, begin);
		c.left = 0;
	}
	return c;
}

/* The frames as they are now, and which of them are proven to be new. */
static void settle(struct unwind *u, struct gap *g, struct proof *proof, const struct unwind_registers *begin)
{
	struct comparison c = {0};
	uintptr_t before[REGISTERS], now[REGISTERS];
	uint64_t known = 0;
	int joined = g->old;
	if (joined >= 0) {
		c = compare_saved(u, g, begin);
		known = c.left ? registers_at(u, c.frame, c.left, before) : 0;
	}
	close_gap(u, g);
	u->begun = *begin;
	u->stack.kept = -1;
	if (joined < 0 || u->stack.gap)
		return;
	if (known)
		known &= registers_at(u, c.frame, known, now);
	for (; known; known &= known - 1)
		if (before[first_of(known)] != now[first_of(known)])
			c.differ |= known & -known;
	for (int i = proof->first; i <= proof->last; i++)
		copy_area(&u->area[i]);
	for (int i = proof->moved; i <= joined; i++)
		u->stack.frame[i].mark = NULL;
	proof->changed = c.differ;
	for (int i = joined; i >= 0 && proof->changed; i--)
		look_at(proof, i, &u->area[i]);
	u->stack.kept = proof->kept;
}

/* False: a rule is needed that is not known here. */
static bool walk(struct unwind *u, const struct unwind_registers *begin)
{
	struct unwind_registers at = *begin;
	struct unwind_frame *f = u->stack.frame;
	int count = u->stack.borrowed || u->stack.gap ? 0 : u->stack.count;
	struct gap g = {f, count - 1, count, count, 0};
	enum step done = STEP_DONE;
	int same = -1; /* all frames from this one outwards are those of the previous walk */
	struct proof proof;
	u->stack.borrowed = false;
	while (done == STEP_DONE) {
		while (g.old >= 0 && f[g.old].sp < at.sp)
			g.old--;
		proof = (struct proof){
			.kept = (same < 0 ? g.old : same) + 2, .first = INT_MAX, .last = -1, .moved = INT_MAX};
		if (g.old >= 0 && f[g.old].sp == at.sp && (f[g.old].fp == at.fp || !f[g.old].fp_matters) &&
			(f[g.old].pc == at.pc || goes_on(u, g.old, at.pc, &proof))) {
			same = same < 0 ? g.old : same;
			int last = follow(u, g.old, &proof);
			if (!last && !f[0].again)
				break;
			at.fp = put_fp(f, g.old, last, at.fp);
			uintptr_t outer = last && leads(&f[last]) ? stripped(*f[last].ra) : 0;
			if (outer) {
				at.pc = outer;
				at.sp = f[last - 1].sp;
				at.fp = f[last].saved ? *f[last].saved : at.fp;
				at.ra = 0;
				take(&g, last);
				same = -1;
				continue;
			}
			at.pc = f[last].pc;
			at.sp = f[last].sp;
			at.ra = last < g.old ? 0 : at.ra;
			take(&g, last + 1);
			g.old = last - 1;
			same = proof.moved < INT_MAX ? -1 : same;
		} else {
			g.old -= g.old >= 0 && f[g.old].sp == at.sp;
			same = -1;
		}
		struct unwind_frame *new = next_frame(&g);
		new->pc = at.pc;
		new->sp = at.sp;
		new->fp = at.fp;
		new->ra = new->saved = new->base = NULL;
		new->first = NULL;
		new->again = new->inside = new->leads = false;
		new->shape = find_shape(u, at.pc);
		done = step(u, &at, new);
		new->again |= done == STEP_ASTRAY;
		new->leads &= done == STEP_DONE;
	}
	if (done != STEP_DONE)
		g.old = -1;
	settle(u, &g, &proof, begin);
	return done != STEP_UNKNOWN;
}

void unwind_unloaded(void)
{
	__atomic_fetch_add(&unloaded, 1, __ATOMIC_RELAXED);
}

unsigned unwind_unloads(void)
{
	return __atomic_load_n(&unloaded, __ATOMIC_RELAXED);
}

/* What was unloaded may have given its addresses to other code. */
static inline void forget_unloaded(struct unwind *u)
{
	unsigned now = unwind_unloads();
	if (__builtin_expect(now == u->unloaded, 1))
		return;
	memset(u->rule, 0, sizeof u->rule);
	u->stack.count = 0;
	u->unloaded = now;
}

struct unwind_stack *unwind_from(struct unwind *u, const struct unwind_registers *at)
{
	forget_unloaded(u);
	if (at->sp >= u->low && at->sp < u->high)
		walk(u, at);
	else
		u->stack.count = 0;
	return &u->stack;
}

static void borrow(struct unwind_stack *s)
{
	void *found[UNWIND_LIMIT];
	s->borrowed = true;
	s->kept = -1;
	s->count = backtrace(found, UNWIND_LIMIT);
	for (int i = 0; i < s->count; i++)
		s->frame[i] = (struct unwind_frame){.pc = (uintptr_t)found[s->count - 1 - i]};
}

struct unwind_stack *unwind_out(struct unwind *u, const struct unwind_registers *at)
{
	if (u->walking)
		return NULL;
	u->walking = true;
	bool inside = at->sp >= u->low && at->sp < u->high;
	if (inside)
		forget_unloaded(u);
	if (!inside || !walk(u, at))
		borrow(&u->stack);
	u->walking = false;
	return &u->stack;
}

struct unwind_stack *unwind(struct unwind *u)
{
	struct unwind_registers at = {0};
	UNWIND_HERE(at);
	return unwind_out(u, &at);
}

/* ------------------------------------------------------------------ threads */

struct unwind *unwind_new_within(uintptr_t low, uintptr_t high)
{
	struct unwind *u = mem_zero(sizeof *u);
	u->low = low;
	u->high = high - high % WORD;
	return u;
}

struct unwind *unwind_new(void)
{
	pthread_attr_t attributes;
	void *low = NULL;
	size_t size = 0;
	if (!pthread_getattr_np(pthread_self(), &attributes)) {
		pthread_attr_getstack(&attributes, &low, &size);
		pthread_attr_destroy(&attributes);
	}
	return unwind_new_within((uintptr_t)low, (uintptr_t)low + size);
}
