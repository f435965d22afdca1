/*
 * python.c -- CPython's frames, as each version lays them out.
 *
 * Up to 3.10 each frame is an object and has an activation of the interpreter's loop of its own.
 * From 3.11 on one activation runs several frames, the outermost of which is marked (3.11), or an
 * empty frame on the stack of C stands behind it (3.12 on), and so the place of each activation is
 * known. (CPython, Include/internal/pycore_frame.h, Include/cpython/code.h.)
 */
#include "record/preload/python.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "record/preload/unwind.h"

#define WORD sizeof(uintptr_t)

enum border {
	BORDER_NONE, /* each frame is an activation, whose place is not known */
	BORDER_LAST, /* the byte `border` is set in an activation's last frame; activations are linked */
	BORDER_BEHIND, /* it is 3 or more in the empty frame behind that, which lies at its place */
};

/* Offsets, in bytes, where an address has 8. */
struct layout {
	const char *version;
	struct {
		int16_t top; /* the innermost frame, or the innermost activation */
	} thread;
	struct {
		int16_t top, outer; /* -1: the thread has the frame itself */
	} activation;
	struct {
		int16_t code, outer, instruction, border;
	} frame;
	enum border border;
	int instruction_unit; /* 0: a pointer; bytes per number in an int */
	struct {
		int16_t file, name, instructions; /* strings; in it, or, with units, a bytes object */
	} code;
	const char *name; /* of the name's attribute */
};

static const struct layout layouts[] = {
	{"3.9.", {24}, {-1, -1}, {32, 24, 104, 0}, BORDER_NONE, 1, {104, 112, 48}, "co_name"},
	{"3.10.", {24}, {-1, -1}, {32, 24, 96, 0}, BORDER_NONE, 2, {104, 112, 48}, "co_name"},
	{"3.11.", {56}, {8, 16}, {32, 48, 56, 68}, BORDER_LAST, 0, {112, 128, 184}, "co_qualname"},
	{"3.12.", {56}, {0, 8}, {0, 8, 56, 70}, BORDER_BEHIND, 0, {112, 128, 192}, "co_qualname"},
	{"3.13.", {72}, {-1, -1}, {0, 8, 56, 70}, BORDER_BEHIND, 0, {112, 128, 200}, "co_qualname"},
	{"3.14.", {72}, {-1, -1}, {0, 8, 56, 74}, BORDER_BEHIND, 0, {112, 128, 208}, "co_qualname"},
};

#define BYTES_HEAD 32 /* of a bytes object, before its bytes */
#define TAGS ((uintptr_t)3) /* bits of a reference to a code object that are none of its address (3.14) */

/* What the interpreter exports; objects, frames and threads are its own affair. */
#define EXPORTS(_)                                                                                                     \
	_(const char *, Py_GetVersion, (void))                                                                         \
	_(int, Py_IsInitialized, (void))                                                                               \
	_(int, Py_AddPendingCall, (int (*)(void *), void *))                                                           \
	_(void *, PyGILState_GetThisThreadState, (void))                                                               \
	_(void *, PyThreadState_GetUnchecked, (void))                                                                  \
	_(void *, PyThreadState_GetFrame, (void *))                                                                    \
	_(void *, PyFrame_GetBack, (void *))                                                                           \
	_(void *, PyFrame_GetCode, (void *))                                                                           \
	_(int, PyFrame_GetLineNumber, (void *))                                                                        \
	_(int, PyCode_Addr2Line, (void *, int))                                                                        \
	_(void *, PyObject_GetAttrString, (void *, const char *))                                                      \
	_(intptr_t, PyUnicode_GetLength, (void *))                                                                     \
	_(uint32_t, PyUnicode_ReadChar, (void *, intptr_t))                                                            \
	_(void, Py_DecRef, (void *))

enum state { STATE_UNKNOWN, STATE_ASKED, STATE_GOOD, STATE_BAD };

struct python {
	const struct layout *layout;
	enum state state; /* atomic */
	int (*PyFrame_GetLasti)(void *); /* since 3.11 */
#define EXPORT_MEMBER(type, name, parameters) type(*name) parameters;
	EXPORTS(EXPORT_MEMBER)
#undef EXPORT_MEMBER
};

/* ------------------------------------------------------------------ reading */

/* Where nothing is trusted yet; false: no such address. */
static bool word(uintptr_t at, bool trusted, uintptr_t *value)
{
	if (!trusted && !unwind_is_readable(at))
		return false;
	memcpy(value, (const void *)at, WORD);
	return true;
}

/* The activation's place, and its innermost frame. */
struct activation {
	uintptr_t place, frame;
};

static bool read_activation(const struct layout *l, uintptr_t place, bool trusted, struct activation *a)
{
	*a = (struct activation){.place = place};
	return !place || word(place + (uintptr_t)l->activation.top, trusted, &a->frame);
}

static bool read_frame(
	const struct layout *l, uintptr_t frame, bool trusted, struct python_frame *f, uintptr_t *outer, bool *border)
{
	uintptr_t marks, bytes, instruction;
	if (!word(frame + (uintptr_t)l->frame.code, trusted, &f->code) ||
		!word(frame + (uintptr_t)l->frame.outer, trusted, outer) ||
		!word(frame + (uintptr_t)l->frame.instruction, trusted, &instruction) ||
		!word(frame + (uintptr_t)(l->frame.border & ~7), trusted, &marks))
		return false;
	f->code &= ~TAGS;
	unsigned mark = (unsigned)(marks >> 8 * (l->frame.border & 7)) & 0xff;
	*border = l->border == BORDER_LAST ? mark : l->border == BORDER_BEHIND && mark >= 3;
	if (l->instruction_unit) {
		if (!word(f->code + (uintptr_t)l->code.instructions, trusted, &bytes))
			return false;
		instruction = bytes + BYTES_HEAD + (uintptr_t)((intptr_t)(int32_t)instruction * l->instruction_unit);
	}
	f->instruction = instruction;
	return true;
}

static struct python_frame *frame_at(struct python_stack *s, int i)
{
	return &s->frame[i < PYTHON_HALF ? i : PYTHON_HALF + (i - PYTHON_HALF) % PYTHON_HALF];
}

const struct python_frame *python_frame(const struct python_stack *s, int i)
{
	bool left_out = i >= PYTHON_HALF && i < s->count - PYTHON_HALF;
	return left_out ? NULL : frame_at((struct python_stack *)(uintptr_t)s, i);
}

int python_stands(const struct python_stack *a, const struct python_stack *b)
{
	int most = a->count < b->count ? a->count : b->count, i = 0;
	if (a->count > 2 * PYTHON_HALF || b->count > 2 * PYTHON_HALF)
		return 0;
	for (const struct python_frame *f = a->frame + a->count, *g = b->frame + b->count; i < most; i++) {
		f--, g--;
		if (f->instruction != g->instruction || f->code != g->code || f->place != g->place)
			break;
	}
	return i;
}

/* All frames from i on, which the activation runs, are at its place. */
static void place_frames(struct python_stack *s, int i, uintptr_t place)
{
	if (s->count - i > 2 * PYTHON_HALF)
		i = i < PYTHON_HALF ? i : s->count - PYTHON_HALF;
	for (; i < s->count; i++)
		frame_at(s, i)->place = place;
}

/* limit: frames, also empty ones; INT_MAX. False: something cannot be read, or there are more. */
static bool walk(const struct layout *l, uintptr_t thread, bool trusted, int limit, struct python_stack *s)
{
	uintptr_t top;
	s->count = 0;
	if (!word(thread + (uintptr_t)l->thread.top, trusted, &top))
		return false;
	struct activation a = {.frame = top};
	if (l->activation.top >= 0 && !read_activation(l, top, trusted, &a))
		return false;
	int first = 0;
	for (uintptr_t frame = a.frame, outer; frame; frame = outer) {
		struct python_frame f = {0};
		bool border;
		if (limit-- <= 0 || !read_frame(l, frame, trusted, &f, &outer, &border))
			return false;
		if (!border || l->border == BORDER_LAST)
			*frame_at(s, s->count++) = f;
		if (!border)
			continue;
		place_frames(s, first, l->border == BORDER_LAST ? a.place : frame);
		first = s->count;
		if (l->border == BORDER_LAST && (!word(a.place + (uintptr_t)l->activation.outer, trusted, &top) ||
							!read_activation(l, top, trusted, &a)))
			return false;
	}
	return true;
}

bool python_walk(const struct python *p, struct python_stack *s)
{
	if (__atomic_load_n(&p->state, __ATOMIC_ACQUIRE) != STATE_GOOD || !p->Py_IsInitialized())
		return false;
	uintptr_t thread = (uintptr_t)p->PyGILState_GetThisThreadState();
	return thread && walk(p->layout, thread, true, INT32_MAX, s) && s->count;
}

/* ------------------------------------------------------------------ names */

static uintptr_t field(uintptr_t object, int16_t offset)
{
	uintptr_t value;
	memcpy(&value, (const void *)(object + (uintptr_t)offset), sizeof value);
	return value;
}

/* Of the instruction in its code. */
static int offset_of(const struct layout *l, const struct python_frame *f)
{
	uintptr_t first = f->code + (uintptr_t)l->code.instructions;
	if (l->instruction_unit)
		first = field(f->code, l->code.instructions) + BYTES_HEAD;
	return (int)(f->instruction - first);
}

static int line_of(const struct python *p, const struct python_frame *f)
{
	return p->PyCode_Addr2Line((void *)f->code, offset_of(p->layout, f));
}

/* More than names have; a program may make them as long as its memory. */
#define NAME_LIMIT 256

static void put_character(uint32_t c, struct text *out)
{
	if (c < 0x20 || c == 0x7f)
		c = '?'; /* a name is in one line */
	if (c < 0x80) {
		text_char(out, (char)c);
		return;
	}
	int bytes = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const unsigned char head[] = {[2] = 0xc0, [3] = 0xe0, [4] = 0xf0};
	text_char(out, (char)(head[bytes] | c >> 6 * (bytes - 1)));
	for (int i = bytes - 2; i >= 0; i--)
		text_char(out, (char)(0x80 | (c >> 6 * i & 0x3f)));
}

/* What stands between frames in a path (CALL_PATH_OUTSIDE) does not stand in names. */
static void put_string(const struct python *p, void *string, intptr_t from, struct text *out)
{
	size_t begin = out->length;
	intptr_t length = p->PyUnicode_GetLength(string);
	for (intptr_t i = from; i < length && i - from < NAME_LIMIT; i++)
		put_character(p->PyUnicode_ReadChar(string, i), out);
	for (char *at; out->length > begin && (at = strstr(out->data + begin, " < "));)
		at[1] = '?';
}

static intptr_t behind_folders(const struct python *p, void *path)
{
	intptr_t i = p->PyUnicode_GetLength(path);
	while (i > 0 && p->PyUnicode_ReadChar(path, i - 1) != '/')
		i--;
	return i;
}

static bool begins(const struct python *p, void *string, const char *with)
{
	intptr_t length = (intptr_t)strlen(with), i = 0;
	if (p->PyUnicode_GetLength(string) < length)
		return false;
	while (i < length && p->PyUnicode_ReadChar(string, i) == (uint32_t)with[i])
		i++;
	return i == length;
}

bool python_put_words(const struct python *p, const struct python_frame *f, struct text *out)
{
	void *file = (void *)field(f->code, p->layout->code.file), *name = (void *)field(f->code, p->layout->code.name);
	if (begins(p, file, "<frozen "))
		return false;
	put_string(p, file, behind_folders(p, file), out);
	text_format(out, ":%d ", line_of(p, f));
	put_string(p, name, 0, out);
	return true;
}

/* Objects that are never freed have negative counts (3.12 on). */
void python_keep(const struct python_frame *f)
{
	uint32_t *count = (uint32_t *)f->code;
	if ((int32_t)__atomic_load_n(count, __ATOMIC_RELAXED) > 0)
		__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
}

/* ------------------------------------------------------------------ the check */

static bool attribute_is(const struct python *p, void *code, const char *name, int16_t offset)
{
	void *attribute = p->PyObject_GetAttrString(code, name);
	uintptr_t value;
	bool same =
		attribute && word((uintptr_t)code + (uintptr_t)offset, false, &value) && value == (uintptr_t)attribute;
	if (attribute)
		p->Py_DecRef(attribute);
	return same;
}

/* Two instructions of one line are told apart only by what 3.11 and later export. */
static bool is_instruction(const struct python *p, const struct python_frame *f, void *code, void *frame)
{
	const struct layout *l = p->layout;
	return (l->instruction_unit ? attribute_is(p, code, "co_code", l->code.instructions)
				    : p->PyFrame_GetLasti(frame) == offset_of(l, f)) &&
	       line_of(p, f) == p->PyFrame_GetLineNumber(frame);
}

/* Is frame i the interpreter's? */
static bool is_frame(const struct python *p, const struct python_stack *s, int i, void *frame)
{
	const struct python_frame *f = i < s->count ? python_frame(s, i) : NULL;
	void *code = p->PyFrame_GetCode(frame);
	bool left_out = i < s->count && !f,
	     same = f && f->code == (uintptr_t)code && attribute_is(p, code, "co_filename", p->layout->code.file) &&
		    attribute_is(p, code, p->layout->name, p->layout->code.name) && is_instruction(p, f, code, frame);
	p->Py_DecRef(code);
	return left_out || same;
}

static void *frame_outside(const struct python *p, void *frame)
{
	void *outer = p->PyFrame_GetBack(frame);
	p->Py_DecRef(frame);
	return outer;
}

/* The lock is held. */
static void compare(struct python *p, void *thread)
{
	int count = 0;
	void *frame = p->PyThreadState_GetFrame(thread);
	for (; frame; frame = frame_outside(p, frame))
		count++;
	if (!count)
		return; /* another time */
	struct python_stack *s = mem_zero(sizeof *s);
	bool good = walk(p->layout, (uintptr_t)thread, false, 2 * count + 1, s) && s->count == count;
	int i = 0;
	for (frame = p->PyThreadState_GetFrame(thread); frame; frame = frame_outside(p, frame))
		good = good && is_frame(p, s, i++, frame);
	free(s);
	__atomic_store_n(&p->state, good ? STATE_GOOD : STATE_BAD, __ATOMIC_RELEASE);
}

static bool holds_lock(const struct python *p)
{
	void *thread = p->PyGILState_GetThisThreadState();
	return thread && thread == p->PyThreadState_GetUnchecked();
}

static int compare_later(void *python)
{
	struct python *p = python;
	__atomic_store_n(&p->state, STATE_UNKNOWN, __ATOMIC_RELAXED);
	if (holds_lock(p))
		compare(p, p->PyGILState_GetThisThreadState());
	return 0;
}

void python_check(struct python *p, bool may_run)
{
	enum state unknown = STATE_UNKNOWN;
	if (__atomic_load_n(&p->state, __ATOMIC_RELAXED) != unknown || !p->Py_IsInitialized())
		return;
	if (may_run && holds_lock(p))
		compare(p, p->PyGILState_GetThisThreadState());
	else if (__atomic_compare_exchange_n(
			 &p->state, &unknown, STATE_ASKED, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) &&
		 p->Py_AddPendingCall(compare_later, p))
		__atomic_store_n(&p->state, STATE_UNKNOWN, __ATOMIC_RELAXED);
}

/* ------------------------------------------------------------------ the interpreter */

static const struct layout *layout_of(const char *version)
{
	if (WORD != 8 || strstr(version, "free-threading"))
		return NULL;
	for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
		if (!strncmp(version, layouts[i].version, strlen(layouts[i].version)))
			return &layouts[i];
	return NULL;
}

/* One has had its name since 3.13. */
static void *find_export(void *(*find)(const char *name), const char *name)
{
	void *found = find(name);
	return found || strcmp(name, "PyThreadState_GetUnchecked") ? found : find("_PyThreadState_UncheckedGet");
}

struct python *python_new(void *(*find)(const char *name))
{
	struct python *p = mem_zero(sizeof *p);
	bool whole = true;
#define FIND_EXPORT(type, name, parameters)                                                                            \
	p->name = whole ? (type(*) parameters)find_export(find, #name) : NULL;                                         \
	whole = p->name;
	EXPORTS(FIND_EXPORT)
#undef FIND_EXPORT
	p->PyFrame_GetLasti = (int (*)(void *))find("PyFrame_GetLasti");
	p->layout = whole ? layout_of(p->Py_GetVersion()) : NULL;
	if (!p->layout || !(p->layout->instruction_unit || p->PyFrame_GetLasti)) {
		free(p);
		return NULL;
	}
	return p;
}

uintptr_t python_code(const struct python *p)
{
	return (uintptr_t)p->Py_IsInitialized;
}
