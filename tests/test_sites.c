/*
 * test_sites.c -- call sites: programs that say where their own calls return to, compiled in every
 * way that moves addresses, and the lines and functions that come of it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "record/symbolize.h"
#include "tests/unit.h"

/* What is compiled: `told` prints where it returns to, as dladdr sees it: the module and the offset
   from its beginning. */
#define TOLD                                                                                                           \
	"#define _GNU_SOURCE\n"                                                                                        \
	"#include <dlfcn.h>\n"                                                                                         \
	"#include <stdio.h>\n"                                                                                         \
	"__attribute__((noinline)) void told(void);\n"                                                                 \
	"void told(void) { void *at = __builtin_return_address(0); Dl_info i; dladdr(at, &i);\n"                       \
	"printf(\"%s %lx\\n\", i.dli_fname, (unsigned long)((char *)at - (char *)i.dli_fbase)); fflush(stdout); }\n"

static const char c_program[] = TOLD "#line 100 \"calls.c\"\n"
				     "static inline __attribute__((always_inline)) void inner(void)\n"
				     "{\n"
				     "	told();\n" /* line 102 */
				     "}\n"
				     "__attribute__((noinline)) static void outer(int n)\n"
				     "{\n"
				     "	inner();\n"
				     "	if (n)\n"
				     "		told();\n" /* line 108 */
				     "	__asm__ volatile(\"\");\n"
				     "}\n"
				     "int main(void)\n"
				     "{\n"
				     "	told();\n" /* line 113 */
				     "	outer(1);\n"
				     "	return 0;\n"
				     "}\n";

static const char c_names[] = "calls.c:113 main\ncalls.c:102 inner\ncalls.c:108 outer\n";

/* A call that never returns is the last of its function: its return address is in none, or in the
   next one. */
static const char c_last[] =
	TOLD "#include <stdlib.h>\n"
	     "#line 100 \"calls.c\"\n"
	     "__attribute__((noinline, noreturn)) static void end(void)\n"
	     "{\n"
	     "	void *at = __builtin_return_address(0); Dl_info i; dladdr(at, &i);\n"
	     "	printf(\"%s %lx\\n\", i.dli_fname, (unsigned long)((char *)at - (char *)i.dli_fbase));\n"
	     "	exit(0);\n"
	     "}\n"
	     "int main(void)\n"
	     "{\n"
	     "	end();\n" /* line 108 */
	     "}\n"
	     "void next(void);\n"
	     "void next(void) { told(); }\n";

static const char fortran_program[] = "subroutine exchange()\n"
				      "  call told()\n"
				      "end subroutine\n"
				      "module solver\n"
				      "contains\n"
				      "  subroutine step()\n"
				      "    call told()\n"
				      "  end subroutine\n"
				      "end module\n"
				      "program main_one\n"
				      "  use solver\n"
				      "  call exchange()\n"
				      "  call step()\n"
				      "  call told()\n"
				      "  call within()\n"
				      "contains\n"
				      "  subroutine within()\n"
				      "    call told()\n"
				      "  end subroutine\n"
				      "end program\n";

static char scratch[256];

static void write_file(const char *name, const char *text)
{
	struct text path = {0};
	text_format(&path, "%s/%s", scratch, name);
	FILE *file = fopen(path.data, "w");
	text_clear(&path);
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	fputs(text, file);
	CU_ASSERT_EQUAL(fclose(file), 0);
}

static void prepare(void)
{
	snprintf(scratch, sizeof scratch, "%s/tracenest-sites-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(scratch));
	write_file("calls.c", c_program);
	write_file("last.c", c_last);
	write_file("told.c", TOLD);
	write_file("rhs.f90", fortran_program);
}

static void clean(void)
{
	struct text command = {0};
	text_format(&command, "rm -rf '%s'", scratch);
	CU_ASSERT_EQUAL(system(command.data), 0);
	text_clear(&command);
}

/* A shell command in the scratch directory; what it prints. False: it failed. */
static bool shell(const char *command, struct text *out)
{
	struct text line = {0};
	text_format(&line, "cd '%s' && { %s; } 2>errors || { cat errors >&2; false; }", scratch, command);
	FILE *pipe = popen(line.data, "r");
	CU_ASSERT_PTR_NOT_NULL_FATAL(pipe);
	char buffer[4096];
	for (size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;)
		text_add(out, buffer, n);
	text_clear(&line);
	return pclose(pipe) == 0;
}

/* The names of "MODULE OFFSET" lines, one a line. Modules are in the scratch directory. */
static struct text names_of(char *printed)
{
	struct text names = {0};
	for (char *line = strtok(printed, "\n"); line; line = strtok(NULL, "\n")) {
		char *space = strrchr(line, ' '), *name;
		CU_ASSERT_PTR_NOT_NULL_FATAL(space);
		*space = '\0';
		const char *slash = strrchr(line, '/');
		struct text module = {0};
		text_format(&module, "%s/%s", scratch, slash ? slash + 1 : line);
		sites_name(&(struct site_address){module.data, strtoull(space + 1, NULL, 16)}, 1, &name);
		text_format(&names, "%s\n", name);
		free(name);
		text_clear(&module);
	}
	return names;
}

static void expect(const char *why, const char *command, const char *expected)
{
	struct text printed = {0};
	if (!shell(command, &printed)) {
		fprintf(stderr, "%s: cannot run '%s'\n", why, command);
		CU_FAIL("a program to take addresses of");
	} else {
		struct text names = names_of(printed.data);
		if (strcmp(names.data ? names.data : "", expected) != 0) {
			fprintf(stderr, "%s:\n%sinstead of\n%s", why, names.data ? names.data : "", expected);
			CU_FAIL("names of call sites");
		}
		text_clear(&names);
	}
	text_clear(&printed);
}

static void test_compiled(void)
{
	static const struct {
		const char *why, *command, *names;
	} cases[] = {
		{"as distributions link", "gcc -g -O2 -fPIE -pie -o a calls.c -ldl && ./a", c_names},
		{"at a fixed address", "gcc -g -O2 -fno-pie -no-pie -o b calls.c -ldl && ./b", c_names},
		{"without optimization", "gcc -g -O0 -o c calls.c -ldl && ./c", c_names},
		{"in a shared library",
			"gcc -g -O2 -fPIC -shared -Dmain=entry -o libd.so calls.c -ldl && echo 'int entry(void); int main(void) { "
			"return entry(); }' >d.c && gcc -o d d.c ./libd.so && ./d",
			"calls.c:113 entry\ncalls.c:102 inner\ncalls.c:108 outer\n"},
		{"compressed, DWARF 4", "gcc -gdwarf-4 -gz -O2 -o e calls.c -ldl && ./e", c_names},
		{"debug information beside the program",
			"gcc -g -O2 -o f calls.c -ldl && objcopy --only-keep-debug f f.debug && objcopy --strip-debug f && "
			"objcopy --add-gnu-debuglink=f.debug f && ./f",
			c_names},
		{"a call that does not return", "gcc -g -O2 -o g last.c -ldl && ./g", "calls.c:108 main\n"},
	};
	if (!sites_have_names())
		return;
	prepare();
	for (size_t i = 0; i < COUNT(cases); i++)
		expect(cases[i].why, cases[i].command, cases[i].names);
	clean();
}

static void test_fortran(void)
{
	if (!sites_have_names() || system("command -v gfortran >/dev/null 2>&1") != 0)
		return;
	prepare();
	expect("names of Fortran",
		"gcc -g -O2 -c -Dtold=told_ -Dmain=unused told.c && gfortran -g -O0 -o h rhs.f90 told.o -ldl && ./h",
		"rhs.f90:2 exchange\nrhs.f90:7 step\nrhs.f90:14 main_one\nrhs.f90:18 within\n");
	clean();
}

static void test_unknown(void)
{
	struct site_address address[] = {
		{"/nowhere/libgone.so.1", 0x1234},
		{"plain", 0},
		{"/dev/null", 16},
		{"", 1},
	};
	char *name[COUNT(address)];
	sites_name(address, COUNT(address), name);
	CU_ASSERT_STRING_EQUAL(name[0], "libgone.so.1+0x1234");
	CU_ASSERT_STRING_EQUAL(name[1], "plain+0x0");
	CU_ASSERT_STRING_EQUAL(name[2], "null+0x10");
	CU_ASSERT_STRING_EQUAL(name[3], "+0x1");
	for (size_t i = 0; i < COUNT(address); i++)
		free(name[i]);

	prepare();
	struct text printed = {0};
	CU_ASSERT(shell("gcc -O2 -s -o stripped calls.c -ldl && ./stripped", &printed));
	struct text names = names_of(printed.data);
	CU_ASSERT_PTR_NOT_NULL_FATAL(names.data);
	CU_ASSERT_EQUAL(strncmp(names.data, "stripped+0x", strlen("stripped+0x")), 0);
	text_clear(&names);
	text_clear(&printed);
	clean();
}

void suite_sites(CU_pSuite suite)
{
	CU_add_test(suite, "programs compiled in many ways", test_compiled);
	CU_add_test(suite, "Fortran", test_fortran);
	CU_add_test(suite, "nothing is known", test_unknown);
}
