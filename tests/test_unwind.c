/*
 * test_unwind.c -- the recorder's walks of stacks beside backtrace()'s: of programs compiled in
 * every way that moves frames, loaded and unloaded again, and of stacks full of nonsense.
 */
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"
#include "record/preload/unwind.h"
#include "tests/unit.h"
#include "tests/unwind_probe.h"

/* Random calls; every now and then the one who asked is called back. */
static const char c_text[] =
	"#include <alloca.h>\n"
	"#include <signal.h>\n"
	"#include <stdlib.h>\n"
	"#include <string.h>\n"
	"typedef void probe(void);\n"
	"static probe *told;\n"
	"static unsigned long state;\n"
	"static unsigned next(unsigned n) { state = state * 6364136223846793005UL + 1442695040888963407UL; return (state >> 33) % n; }\n"
	"static long any(int depth, long x);\n"
	"#define F(n, ...) __attribute__((noinline)) static long f##n(int depth, long x) { long r = x * n; __VA_ARGS__; return r + next(3); }\n"
	"F(1, for (int i = 0; i < 2; i++) r += any(depth, r + i))\n"
	"F(2, char *p = alloca(next(500) + 1); memset(p, (int)x, 1); r += any(depth, p[0]); told(); r ^= p[0])\n"
	"F(3, char b[3000]; b[next(3000)] = 1; r += any(depth, x) + b[next(3000)]; if (next(2)) told())\n"
	"F(4, double y = (double)x; r += any(depth, x); told(); r += (long)(y / 3))\n"
	"F(5, return any(depth, x + 1))\n"
	"F(6, _Alignas(64) char b[128]; char *p = alloca(next(90) + 1); b[next(128)] = 2; p[0] = 1;\n"
	"	r += any(depth, x) + b[next(128)] + p[0]; told())\n"
	"F(7, long a[9]; for (int i = 0; i < 9; i++) a[i] = any(depth - 5, x * i); told(); for (int i = 0; i < 9; i++) r ^= a[i] << i)\n"
	"static int compare(const void *a, const void *b) { any(0, 0); if (!next(4)) told(); return *(int *)a - *(int *)b; }\n"
	"F(8, int a[5] = {3, 1, 4, 1, 5}; qsort(a, 5, sizeof *a, compare); r += a[depth % 5])\n"
	"static void handler(int s) { (void)s; told(); }\n"
	"F(9, if (!next(8)) raise(SIGUSR1); r += any(depth, x))\n"
	"static long any(int depth, long x)\n"
	"{\n"
	"	static long (*const f[])(int, long) = {f1, f2, f3, f4, f5, f6, f7, f8, f9};\n"
	"	if (depth <= 0) { told(); return x; }\n"
	"	return f[next(9)](depth - 1, x) + 1;\n"
	"}\n"
	"void run(probe *p, unsigned seed)\n"
	"{\n"
	"	told = p; state = seed; signal(SIGUSR1, handler);\n"
	"	for (int i = 0; i < 4; i++) any(6 + next(8), i);\n"
	"	signal(SIGUSR1, SIG_DFL);\n"
	"}\n";

static const char cpp_text[] =
	"struct guard { void (*p)(); ~guard() { p(); } };\n"
	"static int dive(void (*p)(), unsigned n) { guard g{p}; p(); if (n % 7 == 0) throw n; return n ? dive(p, n - 1) + 1 : 0; }\n"
	"extern \"C\" void run(void (*p)(), unsigned seed)\n"
	"{ for (unsigned i = 1; i < 30; i++) try { dive(p, seed + i); } catch (unsigned n) { p(); } }\n";

static const char fortran_text[] = "subroutine run(p, seed) bind(c)\n"
				   "  use iso_c_binding\n"
				   "  interface\n"
				   "    subroutine p() bind(c)\n"
				   "    end subroutine\n"
				   "  end interface\n"
				   "  integer(c_int), value :: seed\n"
				   "  integer :: total\n"
				   "  total = dive(5 + mod(seed, 9))\n"
				   "  if (total < 0) call p()\n"
				   "contains\n"
				   "  recursive integer function dive(n) result(r)\n"
				   "    integer, intent(in) :: n\n"
				   "    real(8) :: work(n * 7)\n"
				   "    work = n\n"
				   "    if (mod(n, 3) == 1) call p()\n"
				   "    r = 0\n"
				   "    if (n > 0) r = dive(n - 1) + twice(n)\n"
				   "    r = r + int(sum(work))\n"
				   "    call p()\n"
				   "  end function\n"
				   "  integer function twice(n)\n"
				   "    integer, intent(in) :: n\n"
				   "    call p()\n"
				   "    twice = 2 * n + seed\n"
				   "  end function\n"
				   "end subroutine\n";

static const char rust_text[] =
	"use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};\n"
	"struct Guard(extern \"C\" fn());\n"
	"impl Drop for Guard { fn drop(&mut self) { (self.0)() } }\n"
	"trait Walk { fn walk(&self, p: extern \"C\" fn(), n: u32) -> u32; }\n"
	"struct Left; struct Right(Vec<u32>);\n"
	"impl Walk for Left { fn walk(&self, p: extern \"C\" fn(), n: u32) -> u32 { let _g = Guard(p); dive(p, n) + 1 } }\n"
	"impl Walk for Right { fn walk(&self, p: extern \"C\" fn(), n: u32) -> u32 { self.0.iter().map(|x| { p(); dive(p, n / 2) ^ x }).sum() } }\n"
	"fn dive(p: extern \"C\" fn(), n: u32) -> u32 {\n"
	"	p();\n"
	"	if n % 11 == 10 { resume_unwind(Box::new(n)) }\n"
	"	let all: [Box<dyn Walk>; 2] = [Box::new(Left), Box::new(Right(vec![n, 1]))];\n"
	"	if n == 0 { 0 } else { all[(n % 2) as usize].walk(p, n - 1) }\n"
	"}\n"
	"#[no_mangle] pub extern \"C\" fn run(p: extern \"C\" fn(), seed: u32) {\n"
	"	if catch_unwind(AssertUnwindSafe(|| dive(p, seed % 16))).is_err() { p() }\n"
	"}\n";

struct running {
	void (*run)(void (*)(void), unsigned);
	unsigned seed;
};

static void *run_apart(void *context)
{
	const struct running *r = context;
	struct unwind *outer = seen.unwind;
	seen.unwind = unwind_new();
	r->run(probe, r->seed);
	free(seen.unwind);
	seen.unwind = outer;
	return NULL;
}

/* False: there is no such compiler. */
static bool build(const char *compiler, const char *flags, const char *path)
{
	static const struct {
		const char *compiler, *suffix, *text, *flags;
	} languages[] = {
		{"g++", ".cc", cpp_text, "-w -fPIC -shared"},
		{"gfortran", ".f90", fortran_text, "-w -fPIC -shared"},
		{"rustc", ".rs", rust_text, "-Awarnings --crate-name t --crate-type cdylib"},
		{"", ".c", c_text, "-w -fPIC -shared"},
	};
	size_t k = 0;
	while (*languages[k].compiler && strcmp(languages[k].compiler, compiler))
		k++;
	struct text source = {0}, command = {0};
	text_format(&source, "%s%s", path, languages[k].suffix);
	FILE *f = fopen(source.data, "w");
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	fputs(languages[k].text, f);
	fclose(f);
	text_format(&command, "command -v %s >/dev/null || exit 100; %s %s %s -o %s %s", compiler, compiler,
		languages[k].flags, flags, path, source.data);
	int status = system(command.data);
	CU_ASSERT_FATAL(!status || (WIFEXITED(status) && WEXITSTATUS(status) == 100));
	unlink(source.data);
	text_clear(&source);
	text_clear(&command);
	return !status;
}

static void test_like_backtrace(void)
{
	static const struct {
		const char *why, *compiler, *flags;
	} cases[] = {
		{"frame pointers everywhere", "cc", "-O0 -finstrument-functions"},
		{"none", "cc", "-O0 -fomit-frame-pointer"},
		{"as programs are", "cc", "-O2"},
		{"tail calls, saves late and early", "cc", "-O3"},
		{"optimized with frame pointers", "cc", "-O2 -fno-omit-frame-pointer"},
		{"every call on its own", "cc", "-O3 -fno-inline -fno-optimize-sibling-calls"},
		{"another compiler", "clang", "-O2"},
		{"saves as late as can be", "cc", "-O2 -finstrument-functions"},
		{"functions in each other", "cc", "-O3 -finstrument-functions"},
		{"another compiler's registers", "clang", "-O2 -finstrument-functions"},
		{"exceptions", "g++", "-O0"},
		{"exceptions, optimized", "g++", "-O2 -finstrument-functions"},
		{"arrays as large as arguments say", "gfortran", "-O2 -finstrument-functions"},
		{"panics, closures, dispatch", "rustc", "-O"},
	};
	char path[] = "/tmp/tracenest-unwind-XXXXXX";
	int file = mkstemp(path);
	CU_ASSERT_FATAL(file >= 0);
	close(file);
	seen.unwind = unwind_new();
	for (size_t i = 0; i < COUNT(cases); i++) {
		if (!build(cases[i].compiler, cases[i].flags, path))
			continue;
		void *library = dlopen(path, RTLD_NOW);
		CU_ASSERT_PTR_NOT_NULL_FATAL(library);
		struct running r = {0};
		*(void **)&r.run = dlsym(library, "run");
		seen.probes = seen.borrowed = seen.wrong = seen.frames = 0;
		seen.anew = seen.proven = seen.disproven = 0;
		for (r.seed = 1; r.seed <= rounds(40); r.seed++)
			r.run(probe, r.seed);
		pthread_t thread;
		CU_ASSERT_EQUAL(pthread_create(&thread, NULL, run_apart, &r), 0);
		pthread_join(thread, NULL);
		dlclose(library); /* the next one stands where it stood */
		unwind_unloaded();
		if (seen.wrong || getenv("TRACENEST_TELL"))
			printf("%s: %lu probes, %lu frames, %lu borrowed, %lu wrong; %lu of %lu called anew proven, %lu falsely\n",
				cases[i].why, seen.probes, seen.frames, seen.borrowed, seen.wrong, seen.proven,
				seen.anew, seen.disproven);
		CU_ASSERT(seen.probes > rounds(40));
		CU_ASSERT_EQUAL(seen.wrong, 0);
		CU_ASSERT_EQUAL(seen.disproven, 0);
		CU_ASSERT(seen.proven >= seen.anew / 3); /* at -O0 registers hold little */
		CU_ASSERT(seen.borrowed < seen.probes / 4); /* below signals alone */
	}
	free(seen.unwind);
	unlink(path);
}

/* ------------------------------------------------------------------ another processor */

static const char other_text[] =
	"#include <stdio.h>\n"
	"#include \"tests/unwind_probe.h\"\n"
	"void run(void (*)(void), unsigned);\n"
	"int main(void)\n"
	"{\n"
	"	seen.unwind = unwind_new();\n"
	"	for (unsigned seed = 1; seed <= 8; seed++) run(probe, seed);\n"
	"	if (seen.wrong) fprintf(stderr, \"%lu of %lu walks are wrong\\n\", seen.wrong, seen.probes);\n"
	"	if (seen.disproven) fprintf(stderr, \"%lu frames were no new calls\\n\", seen.disproven);\n"
	"	if (2 * seen.proven < seen.anew) fprintf(stderr, \"%lu of %lu calls proven\\n\", seen.proven, seen.anew);\n"
	"	return seen.wrong || seen.disproven || 2 * seen.proven < seen.anew || seen.probes < 100 ||\n"
	"		seen.borrowed > seen.probes / 4;\n"
	"}\n";

static void put_file(const char *folder, const char *name, const char *text)
{
	struct text path = {0};
	text_format(&path, "%s/%s", folder, name);
	FILE *f = fopen(path.data, "w");
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	fputs(text, f);
	fclose(f);
	text_clear(&path);
}

/* aarch64, in QEMU, where that and a compiler for it are installed. */
static void test_other_processor(void)
{
	static const char *const flags[] = {
		"-O0", "-O2 -finstrument-functions", "-O3 -fomit-frame-pointer -mbranch-protection=standard"};
	if (watched() || access("record/preload/unwind.c", R_OK) ||
		system("command -v aarch64-linux-gnu-gcc qemu-aarch64 >/dev/null"))
		return;
	char folder[] = "/tmp/tracenest-unwind-XXXXXX";
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	put_file(folder, "program.c", c_text);
	put_file(folder, "main.c", other_text);
	for (size_t i = 0; i < COUNT(flags); i++) {
		struct text command = {0};
		text_format(&command,
			"f=%s; g='aarch64-linux-gnu-gcc -std=gnu17 -D_GNU_SOURCE -I. -w -c'; "
			"{ [ -e $f/unwind.o ] || for s in record/preload/unwind base/mem $f/main; do "
			"$g -O2 -o $f/$(basename $s).o $s.c || exit; done; } && $g %s -o $f/program.o $f/program.c && "
			"aarch64-linux-gnu-gcc -o $f/t $f/*.o && qemu-aarch64 -L /usr/aarch64-linux-gnu $f/t",
			folder, flags[i]);
		CU_ASSERT_EQUAL(system(command.data), 0);
		text_clear(&command);
	}
	struct text command = {0};
	text_format(&command, "rm -r %s", folder);
	CU_ASSERT_EQUAL(system(command.data), 0);
	text_clear(&command);
}

/* ------------------------------------------------------------------ nonsense */

#define WORDS 200

static uint64_t random_state;

static uint64_t next_random(void)
{
	return hash_mix(++random_state);
}

/* Code addresses that have rules of many kinds. */
static uintptr_t some_address(void)
{
	static const void *const near[] = {(const void *)qsort, (const void *)printf, (const void *)pthread_create,
		(const void *)dlopen, (const void *)unwind, (const void *)system, (const void *)backtrace, NULL};
	return (uintptr_t)near[next_random() % COUNT(near)] + next_random() % 600;
}

static uintptr_t some_word(const uintptr_t *stack)
{
	switch (next_random() % 8) {
	case 0:
		return next_random();
	case 1:
		return next_random() % 4096;
	case 2:
		return (uintptr_t)stack + next_random() % (WORDS * sizeof *stack);
	case 3:
	case 4:
		return (uintptr_t)(stack + next_random() % (WORDS + 2));
	default:
		return some_address();
	}
}

/* AddressSanitizer sees what lies outside of the stack. What a walk finds must not depend on the
   walks before it. */
static void test_nonsense(void)
{
	unsigned wrong = 0, deep = 0;
	uintptr_t *stack = mem_array(WORDS, sizeof *stack);
	struct unwind *kept = unwind_new_within((uintptr_t)stack, (uintptr_t)(stack + WORDS));
	struct unwind *fresh = unwind_new_within((uintptr_t)stack, (uintptr_t)(stack + WORDS));
	for (int i = 0; i < WORDS; i++)
		stack[i] = some_word(stack);
	struct unwind_registers at = {0};
	for (unsigned i = 0; i < rounds(200000); i++) {
		if (i % 5 == 0)
			at = (struct unwind_registers){.pc = some_address(),
				.sp = (uintptr_t)(stack + next_random() % 20),
				.fp = some_word(stack)};
		for (uint64_t n = next_random() % 4 * (next_random() % 4); n; n--)
			stack[next_random() % WORDS] = some_word(stack);
		const struct unwind_stack *a = unwind_from(kept, &at);
		unwind_from(fresh, &(struct unwind_registers){0}); /* nothing is left of it */
		const struct unwind_stack *b = unwind_from(fresh, &at);
		bool same = a->count == b->count && a->gap == b->gap;
		for (int k = 0; same && k < a->count; k++)
			same = a->frame[k].pc == b->frame[k].pc && a->frame[k].sp == b->frame[k].sp;
		wrong += !same;
		deep += a->count > 4;
	}
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT(deep > rounds(200000) / 2000); /* it is walks that are compared, not their ends */
	free(kept);
	free(fresh);
	free(stack);
}

/* Deeper than what is kept: both ends. */
__attribute__((noinline)) static int dig(int depth)
{
	int below = depth ? dig(depth - 1) : 0;
	if (depth % 50 == 0)
		probe();
	return below + depth;
}

static void test_depth(void)
{
	seen.unwind = unwind_new();
	seen.wrong = 0;
	for (int depth = 0; depth < 2 * UNWIND_LIMIT; depth += 50)
		dig(depth);
	CU_ASSERT_EQUAL(seen.wrong, 0);
	free(seen.unwind);
}

void suite_unwind(CU_pSuite suite)
{
	CU_add_test(suite, "walks are backtrace()'s", test_like_backtrace);
	CU_add_test(suite, "on another processor", test_other_processor);
	CU_add_test(suite, "nonsense on the stack", test_nonsense);
	CU_add_test(suite, "deep recursion", test_depth);
}
