/*
 * test_python.c -- frames of Python as the recorder reads them, of an interpreter that is made
 * here: what it exports, and its objects in the memory of three versions, written down once more as
 * CPython declares them.
 */
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/mem.h"
#include "base/text.h"
#include "record/preload/python.h"
#include "tests/rows.h"
#include "tests/unit.h"

/* ------------------------------------------------------------------ CPython's structures */

struct code_3_9 {
	intptr_t count;
	void *type;
	int numbers[7];
	char *code;
	void *consts, *names, *varnames, *freevars, *cellvars, *cell2arg, *filename, *name;
};

struct code_3_11 {
	intptr_t count;
	void *type;
	intptr_t size;
	void *consts, *names, *exceptiontable;
	int flags;
	short warmup, entry_size;
	int numbers[9];
	void *localsplusnames, *localspluskinds, *filename, *name, *qualname, *linetable, *weakrefs, *code, *linearray;
	int firsttraceable;
	void *extra;
	char adaptive[128];
};

struct code_3_13 {
	intptr_t count;
	void *type;
	intptr_t size;
	void *consts, *names, *exceptiontable;
	int flags, numbers[10];
	uint32_t version;
	void *localsplusnames, *localspluskinds, *filename, *name, *qualname, *linetable, *weakrefs, *executors,
		*cached;
	uint64_t instrumentation;
	void *monitoring;
	int firsttraceable;
	void *extra;
	char adaptive[128];
};

struct frame_3_9 {
	intptr_t count;
	void *type;
	intptr_t size;
	struct frame_3_9 *back;
	struct code_3_9 *code;
	void *builtins, *globals, *locals, *valuestack, *stacktop, *trace;
	char trace_lines, trace_opcodes;
	void *gen;
	int lasti, lineno;
};

struct frame_3_11 {
	void *func, *globals, *builtins, *locals;
	struct code_3_11 *code;
	void *object;
	struct frame_3_11 *previous;
	char *instruction;
	int stacktop;
	bool is_entry;
	char owner;
};

struct activation_3_11 {
	uint8_t tracing;
	struct frame_3_11 *frame;
	struct activation_3_11 *previous;
};

struct frame_3_13 {
	struct code_3_13 *code;
	struct frame_3_13 *previous;
	void *func, *globals, *builtins, *locals, *object;
	char *instruction;
	int stacktop;
	uint16_t return_offset;
	char owner;
};

/* Of a thread, in words: where the frame, or the activation, is. */
enum { THREAD_3_9 = 3, THREAD_3_11 = 7, THREAD_3_13 = 9, THREAD_WORDS = 16 };

/* ------------------------------------------------------------------ the interpreter */

/* Code of line 10 * i, in which each instruction has a line of its own. */
struct function {
	const wchar_t *file, *name;
	int line;
	union {
		struct code_3_9 c9;
		struct code_3_11 c11;
		struct code_3_13 c13;
	} code;
	char bytes[32 + 128]; /* 3.9: a bytes object */
};

/* What it tells of a frame itself. */
struct told {
	struct function *function;
	int offset;
	const struct told *back;
};

#define FRAMES 300

static struct {
	const char *version;
	bool runs, locked;
	void *thread[THREAD_WORDS];
	struct function function[4];
	struct told told[FRAMES];
	int frames;
	int wrong_by; /* bytes of what is told of the innermost instruction */
	int (*pending)(void *);
	void *given;
	struct activation_3_11 activation[FRAMES];
	struct frame_3_9 f9[FRAMES];
	struct frame_3_11 f11[FRAMES];
	struct frame_3_13 f13[2 * FRAMES];
} py;

static const char *Py_GetVersion(void)
{
	return py.version;
}

static int Py_IsInitialized(void)
{
	return py.runs;
}

static int Py_AddPendingCall(int (*function)(void *), void *given)
{
	py.pending = function;
	py.given = given;
	return 0;
}

static void *PyGILState_GetThisThreadState(void)
{
	return py.thread;
}

static void *PyThreadState_GetUnchecked(void)
{
	return py.locked ? py.thread : NULL;
}

static void *PyThreadState_GetFrame(void *thread)
{
	CU_ASSERT(py.locked && thread == py.thread);
	return py.frames ? &py.told[0] : NULL;
}

static void *PyFrame_GetBack(void *frame)
{
	CU_ASSERT(py.locked);
	return (void *)(uintptr_t)((struct told *)frame)->back;
}

static void *PyFrame_GetCode(void *frame)
{
	return &((struct told *)frame)->function->code;
}

static int PyFrame_GetLasti(void *frame)
{
	return ((struct told *)frame)->offset + (frame == &py.told[0] ? py.wrong_by : 0);
}

static int PyCode_Addr2Line(void *code, int offset)
{
	for (size_t i = 0; i < COUNT(py.function); i++)
		if (code == &py.function[i].code)
			return py.function[i].line + offset / 2;
	return -1;
}

static int PyFrame_GetLineNumber(void *frame)
{
	return PyCode_Addr2Line(PyFrame_GetCode(frame), PyFrame_GetLasti(frame));
}

static void *PyObject_GetAttrString(void *code, const char *name)
{
	for (size_t i = 0; i < COUNT(py.function); i++)
		if (code == &py.function[i].code)
			return !strcmp(name, "co_filename") ? (void *)(uintptr_t)py.function[i].file
			       : !strcmp(name, "co_code")   ? py.function[i].bytes
							    : (void *)(uintptr_t)py.function[i].name;
	return NULL;
}

static intptr_t PyUnicode_GetLength(void *string)
{
	return (intptr_t)wcslen(string);
}

static uint32_t PyUnicode_ReadChar(void *string, intptr_t i)
{
	return (uint32_t)((wchar_t *)string)[i];
}

static void Py_DecRef(void *object)
{
	CU_ASSERT(py.locked && object);
}

static void *find(const char *name)
{
#define EXPORT(function)                                                                                               \
	if (!strcmp(name, #function))                                                                                  \
		return (void *)(uintptr_t)function;
	EXPORT(Py_GetVersion)
	EXPORT(Py_IsInitialized)
	EXPORT(Py_AddPendingCall)
	EXPORT(PyGILState_GetThisThreadState)
	EXPORT(PyThreadState_GetUnchecked)
	EXPORT(PyThreadState_GetFrame)
	EXPORT(PyFrame_GetBack)
	EXPORT(PyFrame_GetCode)
	EXPORT(PyFrame_GetLasti)
	EXPORT(PyCode_Addr2Line)
	EXPORT(PyFrame_GetLineNumber)
	EXPORT(PyObject_GetAttrString)
	EXPORT(PyUnicode_GetLength)
	EXPORT(PyUnicode_ReadChar)
	EXPORT(Py_DecRef)
#undef EXPORT
	return NULL;
}

static void *find_no_strings(const char *name)
{
	return strcmp(name, "PyUnicode_ReadChar") ? find(name) : NULL;
}

/* ------------------------------------------------------------------ stacks */

static void make_functions(void)
{
	static const wchar_t *const names[][2] = {{L"/home/me/heat.py", L"<module>"}, {L"heat.py", L"main"},
		{L"lib/solve.py", L"Solver.step"}, {L"<frozen runpy>", L"_run_code"}};
	for (int i = 0; i < (int)COUNT(names); i++) {
		struct function *f = &py.function[i];
		void *file = (void *)(uintptr_t)names[i][0], *name = (void *)(uintptr_t)names[i][1];
		*f = (struct function){.file = names[i][0], .name = names[i][1], .line = 10 * (i + 1)};
		if (!strncmp(py.version, "3.9", 3))
			f->code.c9 = (struct code_3_9){.code = f->bytes, .filename = file, .name = name};
		else if (!strncmp(py.version, "3.11", 4))
			f->code.c11 = (struct code_3_11){.filename = file, .qualname = name};
		else
			f->code.c13 = (struct code_3_13){.filename = file, .qualname = name};
	}
}

/*
 * Of letters, the outermost frame first: m, main, s, runpy's; " " between activations. Frame i,
 * from the innermost one, is at instruction i % 8, in 2 bytes each.
 */
static void make_stack(const char *letters)
{
	size_t length = strlen(letters);
	int n = 0, m = 0, a = 0;
	py.frames = 0;
	bool entry = true;
	for (const char *at = letters + length; at-- > letters;) {
		if (*at == ' ')
			continue;
		entry = at == letters || at[-1] == ' ';
		struct function *f = &py.function[*at == 'm' ? 0 : *at == 'f' ? 1 : *at == 's' ? 2 : 3];
		int offset = n % 8 * 2;
		py.told[n] = (struct told){f, offset, NULL};
		py.f9[n] = (struct frame_3_9){.code = &f->code.c9, .lasti = offset};
		py.f11[n] = (struct frame_3_11){
			.code = &f->code.c11, .instruction = f->code.c11.adaptive + offset, .is_entry = entry};
		py.f13[m] = (struct frame_3_13){.code = &f->code.c13, .instruction = f->code.c13.adaptive + offset};
		if (n)
			py.told[n - 1].back = &py.told[n], py.f9[n - 1].back = &py.f9[n],
				    py.f11[n - 1].previous = &py.f11[n];
		if (m)
			py.f13[m - 1].previous = &py.f13[m];
		if (!n || py.f11[n - 1].is_entry) {
			py.activation[a] = (struct activation_3_11){.frame = &py.f11[n]};
			if (a++)
				py.activation[a - 2].previous = &py.activation[a - 1];
		}
		n++, m++;
		if (entry) {
			py.f13[m] = (struct frame_3_13){.owner = 3};
			py.f13[m - 1].previous = &py.f13[m];
			m++;
		}
	}
	if (a) {
		py.activation[a] = (struct activation_3_11){0};
		py.activation[a - 1].previous = &py.activation[a];
	}
	py.frames = n;
	py.thread[THREAD_3_9] = n ? &py.f9[0] : NULL;
	if (!strncmp(py.version, "3.11", 4))
		py.thread[THREAD_3_11] = n ? &py.activation[0] : &py.activation[FRAMES - 1];
	py.thread[THREAD_3_13] = n ? &py.f13[0] : NULL;
}

/* Words of the frames, the outermost first, with "| " before the first of each activation. */
static char *words_of(struct python *p)
{
	struct python_stack *s = mem_zero(sizeof *s);
	struct text words = {0};
	uintptr_t place = 1;
	bool there = python_walk(p, s);
	for (int i = s->count; there && i-- > 0;) {
		const struct python_frame *f = python_frame(s, i);
		text_put(&words, words.length ? " " : "");
		text_put(&words, f->place && f->place != place ? "| " : "");
		place = f->place;
		if (!python_put_words(p, f, &words))
			text_put(&words, "(frozen)");
	}
	free(s);
	return words.data ? words.data : mem_text("nothing");
}

static void start(const char *version, const char *letters)
{
	memset(&py, 0, sizeof py);
	py.version = version;
	py.runs = py.locked = true;
	make_functions();
	make_stack(letters);
}

static void expect(struct python *p, const char *words, const char *why)
{
	char *found = words_of(p);
	row_same(why, found, words);
	free(found);
}

/* ------------------------------------------------------------------ tests */

static void test_versions(void)
{
	static const struct {
		const char *why, *version, *letters, *words;
	} cases[] = {
		{"each frame is an object", "3.9.2 (default)", "mfs",
			"heat.py:12 <module> heat.py:21 main solve.py:30 Solver.step"},
		{"one activation", "3.11.2 (main)", "mfs",
			"| heat.py:12 <module> heat.py:21 main solve.py:30 Solver.step"},
		{"C called Python", "3.11.2 (main)", "mf s",
			"| heat.py:12 <module> heat.py:21 main | solve.py:30 Solver.step"},
		{"each by C", "3.11.2 (main)", "m f s",
			"| heat.py:12 <module> | heat.py:21 main | solve.py:30 Solver.step"},
		{"empty frames are none", "3.13.5 (main)", "mf s",
			"| heat.py:12 <module> heat.py:21 main | solve.py:30 Solver.step"},
		{"recursion", "3.13.5 (main)", "mss",
			"| heat.py:12 <module> solve.py:31 Solver.step solve.py:30 Solver.step"},
		{"the interpreter's own", "3.11.2 (main)", "rm", "| (frozen) heat.py:10 <module>"},
		{"the newest, 16 bytes elsewhere", "3.14.0 (main)", "mf", "nothing"},
		{"none runs", "3.11.2 (main)", "", "nothing"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		start(cases[i].version, cases[i].letters);
		struct python *p = python_new(find);
		CU_ASSERT_PTR_NOT_NULL_FATAL(p);
		expect(p, "nothing", "not before the check");
		python_check(p, true);
		py.locked = false;
		expect(p, cases[i].words, cases[i].why);
		py.runs = false;
		expect(p, "nothing", "not when Python ends");
		free(p);
	}
}

static void test_left_alone(void)
{
	static const struct {
		const char *why, *version;
		void *(*find)(const char *);
	} cases[] = {
		{"too old", "3.8.10 (default)", find},
		{"not known yet", "3.15.0a1 (main)", find},
		{"31 is not 3.1", "3.1.5", find},
		{"no lock", "3.13.5 experimental free-threading build (main)", find},
		{"not all is exported", "3.11.2 (main)", find_no_strings},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		start(cases[i].version, "m");
		ROW(cases[i].why, !python_new(cases[i].find));
	}
}

/* What is not as the interpreter says is never read again. */
static void spoil_top(void)
{
	py.thread[THREAD_3_11] = (void *)8;
}

static void spoil_link(void)
{
	py.f11[1].previous = &py.f11[0];
}

static void spoil_end(void)
{
	py.f11[0].previous = NULL;
}

static void spoil_code(void)
{
	py.f11[1].code = &py.function[2].code.c11;
}

static void spoil_name(void)
{
	py.function[1].code.c11.qualname = py.function;
}

static void spoil_line(void)
{
	py.wrong_by = 1;
}

static void spoil_activation(void)
{
	py.activation[0].previous = (void *)16;
}

static void test_not_trusted(void)
{
	static const struct {
		const char *why;
		void (*spoil)(void);
	} cases[] = {
		{"no address", spoil_top},
		{"frames without end", spoil_link},
		{"too few frames", spoil_end},
		{"another function", spoil_code},
		{"another name", spoil_name},
		{"another instruction, perhaps of the same line", spoil_line},
		{"no activation", spoil_activation},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		start("3.11.2 (main)", "mfs");
		cases[i].spoil();
		struct python *p = python_new(find);
		python_check(p, true);
		expect(p, "nothing", cases[i].why);
		start("3.11.2 (main)", "mfs");
		python_check(p, true);
		expect(p, "nothing", "it is decided once");
		free(p);
	}
}

/* Where the thread has no lock, or must not run Python, the main thread is asked to check, once. */
static void test_lock(void)
{
	start("3.13.5 (main)", "mf");
	struct python *p = python_new(find);
	py.locked = false;
	python_check(p, true);
	CU_ASSERT_PTR_NOT_NULL_FATAL(py.pending);
	expect(p, "nothing", "not yet");
	int (*pending)(void *) = py.pending;
	py.pending = NULL;
	python_check(p, true);
	CU_ASSERT_PTR_NULL(py.pending);
	py.locked = true;
	CU_ASSERT_EQUAL(pending(py.given), 0);
	expect(p, "| heat.py:11 <module> heat.py:20 main", "then");
	free(p);

	p = python_new(find);
	python_check(p, false);
	CU_ASSERT_PTR_NOT_NULL(py.pending);
	expect(p, "nothing", "no Python may run here");
	make_stack("");
	pending(py.given);
	make_stack("m");
	python_check(p, true);
	expect(p, "| heat.py:10 <module>", "without frames nothing is known");
	free(p);
}

static void test_depth(void)
{
	static const int depths[] = {2 * PYTHON_HALF - 1, 2 * PYTHON_HALF, 2 * PYTHON_HALF + 1, FRAMES - 2};
	char letters[FRAMES];
	for (size_t i = 0; i < COUNT(depths); i++) {
		int n = depths[i];
		memset(letters, 's', (size_t)n);
		letters[0] = 'm';
		letters[n] = 0;
		start("3.11.2 (main)", letters);
		struct python *p = python_new(find);
		python_check(p, true);
		struct python_stack *s = mem_zero(sizeof *s);
		CU_ASSERT_FATAL(python_walk(p, s));
		CU_ASSERT_EQUAL(s->count, n);
		for (int k = 0; k < n; k++) {
			const struct python_frame *f = python_frame(s, k);
			CU_ASSERT_EQUAL(f == NULL, k >= PYTHON_HALF && k < n - PYTHON_HALF);
			CU_ASSERT(!f || (f->instruction == (uintptr_t)py.f11[k].instruction &&
						f->place == (uintptr_t)&py.activation[0]));
		}
		free(s);
		free(p);
	}
}

static void test_stands(void)
{
	static const struct {
		const char *why, *left, *right; /* frames, the innermost first */
		int stands;
	} cases[] = {
		{"all", "abc", "abc", 3},
		{"the innermost is elsewhere", "abc", "xbc", 2},
		{"deeper", "abc", "xyabc", 3},
		{"as deep, and nothing the same", "abc", "abx", 0},
		{"none", "", "abc", 0},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct python_stack stack[2] = {0};
		for (int k = 0; k < 2; k++)
			for (const char *at = k ? cases[i].right : cases[i].left; *at; at++)
				stack[k].frame[stack[k].count++] = (struct python_frame){(uintptr_t)*at, 1, 1};
		ROW(cases[i].why, python_stands(&stack[0], &stack[1]) == cases[i].stands);
		stack[0].count = stack[1].count = 2 * PYTHON_HALF + 1;
		ROW("some are left out", !python_stands(&stack[0], &stack[1]));
	}
}

static void test_names(void)
{
	static wchar_t endless[1000];
	static const struct {
		const char *why;
		const wchar_t *file, *name;
		const char *words;
	} cases[] = {
		{"a program's own", L"<string>", L"f.<locals>.<lambda>", "| <string>:10 f.<locals>.<lambda>"},
		{"no file", L"", L"f", "| :10 f"},
		{"a folder", L"a/b/", L"f", "| :10 f"},
		{"other letters", L"/\u00e4.py", L"Gr\u00f6\u00dfe.\u20ac.\U0001f40d",
			"| \xc3\xa4.py:10 Gr\xc3\xb6\xc3\x9f"
			"e.\xe2\x82\xac.\xf0\x9f\x90\x8d"},
		{"it stays in its line", L"a\nb.py", L"f\t\x7f", "| a?b.py:10 f??"},
		{"it is one frame", L"a.py", L"f < g < h", "| a.py:10 f ? g ? h"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		start("3.11.2 (main)", "m");
		py.function[0].file = cases[i].file, py.function[0].name = cases[i].name;
		py.function[0].code.c11.filename = (void *)(uintptr_t)cases[i].file;
		py.function[0].code.c11.qualname = (void *)(uintptr_t)cases[i].name;
		struct python *p = python_new(find);
		python_check(p, true);
		expect(p, cases[i].words, cases[i].why);
		free(p);
	}
	start("3.11.2 (main)", "m");
	wmemset(endless, L'x', COUNT(endless) - 1);
	py.function[0].name = endless;
	py.function[0].code.c11.qualname = endless;
	struct python *p = python_new(find);
	python_check(p, true);
	char *words = words_of(p);
	CU_ASSERT(strlen(words) < 300);
	free(words);
	free(p);
}

/* Code that is kept has one reference more; what is never freed has none that is counted. */
static void test_keep(void)
{
	static const uint32_t counts[][2] = {
		{1, 2}, {7, 8}, {UINT32_MAX, UINT32_MAX}, {UINT32_C(3) << 30, UINT32_C(3) << 30}};
	for (size_t i = 0; i < COUNT(counts); i++) {
		struct code_3_13 code = {.count = counts[i][0]};
		python_keep(&(struct python_frame){.code = (uintptr_t)&code});
		CU_ASSERT_EQUAL(code.count, counts[i][1]);
	}
}

void suite_python(CU_pSuite suite)
{
	CU_add_test(suite, "versions", test_versions);
	CU_add_test(suite, "what is left alone", test_left_alone);
	CU_add_test(suite, "what is not as the interpreter says", test_not_trusted);
	CU_add_test(suite, "the interpreter's lock", test_lock);
	CU_add_test(suite, "deep recursion", test_depth);
	CU_add_test(suite, "what stands", test_stands);
	CU_add_test(suite, "names", test_names);
	CU_add_test(suite, "code that is kept", test_keep);
}
