/*
 * test_sites.c -- call sites: programs that say where their own calls return to, compiled in every
 * way that moves addresses, and the lines and functions that come of it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "record/demangle.h"
#include "record/symbolize.h"
#include "tests/rows.h"
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

/* Were we built with elfutils? */
static bool sites_have_names(void)
{
	struct site_namer *namer = site_namer_new();
	site_namer_free(namer);
	return namer;
}

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

static const char c_names[] = "calls.c:113 main\ncalls.c:102 inner < calls.c:106 outer\ncalls.c:108 outer\n";

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

/* Where things are is the compiler's: "+0x*". */
static void put_without_offsets(const char *name, struct text *out)
{
	for (const char *at; (at = strstr(name, "+0x")); name = at) {
		at += strlen("+0x");
		text_add(out, name, (size_t)(at - name));
		text_char(out, '*');
		at += strspn(at, "0123456789abcdef");
	}
	text_format(out, "%s\n", name);
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
		put_without_offsets(name, &names);
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

/* A table of symbols that is packed, as Fedora has it. */
#define MINI                                                                                                                 \
	"nm mini --format=posix --defined-only | awk '$2 ~ /[Tt]/ { print $1 }' >kept && cp mini mini.all && strip mini && " \
	"objcopy -S --keep-symbols=kept mini.all mini.table && xz -f mini.table && "                                         \
	"objcopy --add-section .gnu_debugdata=mini.table.xz mini && ./mini"

#define CACHED                                                                                                                       \
	"gcc -g -O2 -Wl,--build-id=0x0123456789abcdef01234567 -o cached calls.c -ldl && mkdir -p cache/0123456789abcdef01234567 && " \
	"objcopy --only-keep-debug cached cache/0123456789abcdef01234567/debuginfo && strip cached && ./cached"

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
			"calls.c:113 entry\ncalls.c:102 inner < calls.c:106 outer\ncalls.c:108 outer\n"},
		{"compressed, DWARF 4", "gcc -gdwarf-4 -gz -O2 -o e calls.c -ldl && ./e", c_names},
		{"debug information beside the program",
			"gcc -g -O2 -o f calls.c -ldl && objcopy --only-keep-debug f f.debug && objcopy --strip-debug f && "
			"objcopy --add-gnu-debuglink=f.debug f && ./f",
			c_names},
		{"... in what debuginfod's client keeps", CACHED, c_names},
		{"a call that does not return", "gcc -g -O2 -o g last.c -ldl && ./g", "calls.c:108 main\n"},
		{"symbols alone", "gcc -O2 -o i calls.c -ldl && ./i", "i+0x* main\ni+0x* outer\ni+0x* outer\n"},
		{"symbols, and a call that does not return", "gcc -O2 -o j last.c -ldl && ./j", "j+0x* main\n"},
		{"exported ones; outer is not", "gcc -O2 -s -rdynamic -o k calls.c -ldl && ./k",
			"k+0x* main\nk+0x* k+0x*\nk+0x* k+0x*\n"},
		{"exported by a library",
			"gcc -O2 -s -fPIC -shared -Dmain=entry -o libl.so calls.c -ldl && gcc -o l d.c ./libl.so && ./l",
			"libl.so+0x* entry\nlibl.so+0x* libl.so+0x*\nlibl.so+0x* libl.so+0x*\n"},
		{"none, and no unwind information",
			"gcc -O2 -s -fno-asynchronous-unwind-tables -o m calls.c -ldl && ./m", "m+0x*\nm+0x*\nm+0x*\n"},
		{"a packed table of symbols", "gcc -O2 -o mini calls.c -ldl && " MINI,
			"mini+0x* main\nmini+0x* outer\nmini+0x* outer\n"},
		{"a symbol without a size goes on to the next one",
			"gcc -O2 -S -o n.s calls.c && sed -i '/\\.size/d' n.s && gcc -o n n.s -ldl && ./n",
			"n+0x* main\nn+0x* outer\nn+0x* outer\n"},
		{"aliases: what is told to others, and plain",
			"gcc -O2 -o o calls.c -Wl,--defsym=_start_of_all=main -Wl,--defsym=__main=main -ldl && ./o",
			"o+0x* main\no+0x* outer\no+0x* outer\n"},
	};
	if (!sites_have_names())
		return;
	prepare();
	struct text cache = {0};
	text_format(&cache, "%s/cache", scratch);
	setenv("DEBUGINFOD_CACHE_PATH", cache.data, 1);
	for (size_t i = 0; i < COUNT(cases); i++)
		expect(cases[i].why, cases[i].command, cases[i].names);
	unsetenv("DEBUGINFOD_CACHE_PATH");
	text_clear(&cache);
	clean();
}

/* Where a stripped function is said to begin its symbol stood. */
static void test_starts(void)
{
	struct text printed = {0}, start = {0}, names = {0};
	if (!sites_have_names())
		return;
	prepare();
	CU_ASSERT(shell("gcc -O2 -o a calls.c -ldl && nm a | sed -n 's/^0*\\([0-9a-f]*\\) t outer.*/\\1/p'", &start));
	CU_ASSERT(shell("strip a && ./a | sed -n 2p", &printed));
	text_truncate(&start, start.length ? start.length - 1 : 0);
	char *offset = strrchr(printed.data, ' '), *name, *function;
	text_format(&names, "%s/a", scratch);
	sites_name(&(struct site_address){names.data, strtoull(offset, NULL, 16)}, 1, &name);
	function = strchr(name, ' ');
	CU_ASSERT_PTR_NOT_NULL_FATAL(function);
	CU_ASSERT_EQUAL(strncmp(function, " a+0x", 5), 0);
	CU_ASSERT_STRING_EQUAL(function + 5, start.data);
	free(name);
	text_clear(&names);
	text_clear(&start);
	text_clear(&printed);
	clean();
}

/* A function as nm has it, in the order of addresses. */
struct listed {
	uint64_t start, size;
	char *name;
};

static struct listed read_listed(const char **at)
{
	char *end;
	struct listed l = {.start = strtoull(*at, &end, 16)};
	l.size = strtoull(end, &end, 16);
	size_t length = strcspn(++end, "\n");
	l.name = mem_copy(end, length + 1);
	l.name[length] = 0;
	*at = end + length + (end[length] == '\n');
	return l;
}

/* Is it the name of one that nm has there? Aliases are beside each other. */
static bool is_listed(struct demangler *d, const struct listed *l, size_t count, size_t at, const char *function)
{
	bool same = false;
	size_t from = at;
	while (from > 0 && l[from - 1].start == l[at].start)
		from--;
	for (size_t i = from; i < count && l[i].start == l[at].start && !same; i++) {
		char *name = demangler_name(d, l[i].name);
		same = !strcmp(name, function);
		free(name);
	}
	return same;
}

#define FUNCTIONS_TRIED 200 /* of a library */

static void check_listed(const char *library, const char *text)
{
	struct listed *l = NULL;
	size_t count = 0, capacity = 0;
	struct demangler *d = demangler_new();
	while (*text) {
		struct listed next = read_listed(&text);
		*MEM_PUSH(l, count, capacity) = next;
	}
	CU_ASSERT(count > 50);
	for (size_t at = 0; at < count; at += 1 + count / FUNCTIONS_TRIED) {
		struct site_address address[] = {{library, l[at].start + 1}, {library, l[at].start + l[at].size}};
		char *name[2];
		sites_name(address, 2, name);
		for (size_t i = 0; i < 2; i++) {
			const char *function = strchr(name[i], ' ');
			if (!function || !is_listed(d, l, count, at, function + 1))
				fprintf(stderr, "%s is not known to nm: %s\n", name[i], l[at].name);
			CU_ASSERT(function && is_listed(d, l, count, at, function + 1));
			free(name[i]);
		}
	}
	for (size_t i = 0; i < count; i++)
		free(l[i].name);
	free(l);
	demangler_free(d);
}

/* Exported functions of a library of the system, and of packaged applications that are there: the
   name is one that nm has there. */
static void test_exported(void)
{
	static const char *const libraries[] = {"libelf", "liblammps", "libpetsc_real", "libmeep", "libdmumps",
		"libHYPRE", "libsuperlu_dist", "libscalapack-openmpi", "libgromacs_mpi"};
	if (!sites_have_names())
		return;
	prepare();
	for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
		struct text command = {0}, listed = {0}, path = {0};
		/* A copy has no build id, by which the system keeps debug information. */
		text_format(&command,
			"of=\"$(/sbin/ldconfig -p 2>/dev/null | sed -n 's/.*=> *\\(.*%s[.-].*\\)/\\1/p' | head -n 1)\" && "
			"{ [ ! \"$of\" ] || { objcopy -R .note.gnu.build-id -R .gnu_debuglink \"$of\" lib.so && "
			"nm -D -n -S --defined-only --without-symbol-versions lib.so | "
			"awk 'NF == 4 && $3 ~ /[TWi]/ && $2 !~ /^0*$/ { print $1, $2, $4 }'; }; }",
			libraries[i]);
		CU_ASSERT(shell(command.data, &listed));
		text_format(&path, "%s/lib.so", scratch);
		if (listed.length)
			check_listed(path.data, listed.data);
		text_clear(&path);
		text_clear(&listed);
		text_clear(&command);
	}
	clean();
}

static void test_demangled(void)
{
	static const struct {
		const char *why, *symbol, *name;
	} cases[] = {
		{"of C", "exchange", "exchange"},
		{"a version", "memcpy@@GLIBC_2.14", "memcpy"},
		{"clones", "solve.constprop.0.isra.1", "solve"},
		{"... that are cold", "solve.cold", "solve"},
		{"... of OpenMP", "solve._omp_fn.0", "solve"},
		{"of Go, whose names have dots", "main.exchange", "main.exchange"},
		{"a method", "_ZN9CommBrick12forward_commEi", "CommBrick::forward_comm"},
		{"... that is const, a clone", "_ZNK1V1fEi.part.0", "V::f"},
		{"... in namespaces", "_ZN9LAMMPS_NS6Verlet3runEi", "Verlet::run"},
		{"... whose names have operator in them", "_ZN9operators15linear_operator5applyEv",
			"linear_operator::apply"},
		{"a function template: with a result", "_Z5twiceIiET_S0_", "twice<...>"},
		{"... that is an expression", "_Z3decIiEDTgtplfp_Li1ELi2EET_", "dec<...>"},
		{"... that is a pointer to a function", "_Z4getfIiEPFviET_", "getf<...>"},
		{"a class template",
			"_ZNSt6vectorIiSaIiEE17_M_realloc_insertIJiEEEvN9__gnu_cxx17__normal_iteratorIPiS1_EEDpOT_",
			"vector<...>::_M_realloc_insert<...>"},
		{"a lambda", "_ZZ4mainENKUliE0_clEi", "main::{lambda#2}"},
		{"... as an argument", "_ZNSt17_Function_handlerIFiiEZ4mainEUliE_E9_M_invokeERKSt9_Any_dataOi",
			"_Function_handler<...>::_M_invoke"},
		{"what has no name", "_ZNK2ns12_GLOBAL__N_11HclEi", "H::operator()"},
		{"an operator with <", "_ZNK2ns12_GLOBAL__N_11HltERKS1_", "H::operator<"},
		{"... of a template", "_ZlsIiEbT_N2ns12_GLOBAL__N_11HE", "operator<<<...>"},
		{"a conversion", "_ZNK2ns12_GLOBAL__N_11HcvlEv", "H::operator long"},
		{"new", "_ZN1VnwEm", "V::operator new"},
		{"a destructor", "_ZN1VD0Ev", "V::~V"},
		{"a thunk", "_ZThn8_NK1X1fEi", "X::f"},
		{"ABI tags", "_ZNK1A4nameB5cxx11Ev", "A::name"},
		{"not C++", "_Zebra", "_Zebra"},
		{"Rust", "_ZN1r6solver4step17h425ddf5a7a078e20E", "r::solver::step"},
		{"... of a trait", "_ZN54_$LT$r..solver..S$LT$A$GT$$u20$as$u20$r..solver..T$GT$2go17hcf12aca067301552E",
			"<r::solver::S<A> as r::solver::T>::go"},
		{"... a closure", "_ZN1r4main28_$u7b$$u7b$closure$u7d$$u7d$17h12c43d45e42526cdE",
			"r::main::{{closure}}"},
		{"... mangled anew", "_RNvCs6GmmlP4bgsG_1r4main", "r::main"},
		{"... of a type, with parameters",
			"_RNvMNtCsli3NGoEiSOP_3app6solverINtB2_4GridINtNtCslNYArtu3iFV_5alloc3vec3VecmEE4stepB4_",
			"app::solver::Grid::step"},
		{"... of a trait", "_RNvXs_NtCs1_3app6solverRShNtB4_4Walk4walk", "&[u8]::walk"},
		{"... in a closure", "_RINvNtCsli3NGoEiSOP_3app6solver4eachNCNvB4_3run0EB4_", "app::solver::each"},
		{"... a closure", "_RNCNvCsli3NGoEiSOP_3app3runs_0", "app::run::{closure}"},
		{"... cut off: as it is", "_RNvMNtCsli3NGoEiSOP_3app6solve", "_RNvMNtCsli3NGoEiSOP_3app6solve"},
		{"... that refers to itself", "_RNvB_4step", "_RNvB_4step"},
		{"... a constant that is left open", "_RINvC1a1fKpE", "a::f"},
		{"... whose types are those before, four times each",
			"_RINvC1a1fuTB7_B7_B7_B7_ETB8_B8_B8_B8_ETBm_Bm_Bm_Bm_ETBA_BA_BA_BA_ETBO_BO_BO_BO_ETB1"
			"2_B12_B12_B12_ETB1g_B1g_B1g_B1g_ETB1y_B1y_B1y_B1y_ETB1Q_B1Q_B1Q_B1Q_ETB28_B28_B28_B2"
			"8_ETB2q_B2q_B2q_B2q_ETB2I_B2I_B2I_B2I_ETB30_B30_B30_B30_ETB3i_B3i_B3i_B3i_ETB3A_B3A_"
			"B3A_B3A_ETB3S_B3S_B3S_B3S_EE",
			"a::f"},
		{"Fortran", "pdgetrf_", "pdgetrf"},
		{"... of f2c", "set_grid__", "set_grid"},
		{"gfortran's modules", "__solver_MOD_step", "solver::step"},
		{"... procedures in procedures", "within.0", "within"},
		{"flang's modules", "_QMsolverPstep", "solver::step"},
		{"... procedures", "_QPexchange", "exchange"},
		{"ifort's modules", "solver_mp_step_", "solver::step"},
		{"nothing but underscores", "___", "_"},
		{"nothing", "", ""},
	};
	struct demangler *d = demangler_new();
	for (size_t i = 0; i < COUNT(cases); i++) {
		char *name = demangler_name(d, cases[i].symbol);
		row_same(cases[i].why, name, cases[i].name);
		free(name);
	}
	demangler_free(d);
}

/* Whatever is in a file, each address has a name: of the module at least. */
static void name_damaged(const char *bytes, size_t length)
{
	struct site_address address[8];
	char *name[COUNT(address)];
	struct text path = {0};
	text_format(&path, "%s/damaged", scratch);
	FILE *file = fopen(path.data, "w");
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	CU_ASSERT_EQUAL(fwrite(bytes, 1, length, file), length);
	CU_ASSERT_EQUAL(fclose(file), 0);
	for (size_t i = 0; i < COUNT(address); i++)
		address[i] = (struct site_address){path.data, i == 7 ? UINT64_MAX : 0x1000 + 0x40 * i};
	sites_name(address, COUNT(address), name);
	for (size_t i = 0; i < COUNT(address); i++) {
		CU_ASSERT(name[i] && *name[i]);
		free(name[i]);
	}
	text_clear(&path);
}

static void test_damaged(void)
{
	static const char *const commands[] = {"gcc -g -O2 -o a calls.c -ldl && cat a",
		"gcc -O2 -rdynamic -s -o a calls.c -ldl && cat a",
		"gcc -O2 -o mini calls.c -ldl && " MINI " >&2; cat mini"};
	uint64_t random = 1;
	if (!sites_have_names())
		return;
	prepare();
	for (size_t i = 0; i < COUNT(commands); i++) {
		struct text whole = {0};
		CU_ASSERT_FATAL(shell(commands[i], &whole));
		for (size_t part = 0; part < 32; part++)
			name_damaged(whole.data, whole.length * part / 32);
		for (size_t round = 0; round < 100; round++) {
			char *bytes = mem_copy(whole.data, whole.length);
			for (size_t flip = 0; flip < 20; flip++) {
				random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
				bytes[(random >> 33) % (flip % 2 ? whole.length : 1024)] = (char)(random >> 24);
			}
			name_damaged(bytes, whole.length);
			free(bytes);
		}
		text_clear(&whole);
	}
	clean();
}

static void test_fortran(void)
{
	if (!sites_have_names() || system("command -v gfortran >/dev/null 2>&1") != 0)
		return;
	prepare();
	expect("names of Fortran",
		"gcc -g -O2 -c -Dtold=told_ -Dmain=unused told.c && gfortran -g -O0 -o h rhs.f90 told.o -ldl && ./h",
		"rhs.f90:2 exchange\nrhs.f90:7 solver::step\nrhs.f90:14 main_one\nrhs.f90:18 within\n");
	expect("... from symbols alone",
		"gcc -O2 -c -Dtold=told_ -Dmain=unused told.c && gfortran -O0 -o p rhs.f90 told.o -ldl && ./p",
		"p+0x* exchange\np+0x* solver::step\np+0x* MAIN\np+0x* within\n");
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
	CU_ASSERT(shell("gcc -O2 -s -o stripped calls.c -ldl && ./stripped && rm stripped", &printed));
	struct text names = names_of(printed.data);
	CU_ASSERT_PTR_NOT_NULL_FATAL(names.data);
	CU_ASSERT_STRING_EQUAL(names.data, "stripped+0x*\nstripped+0x*\nstripped+0x*\n");
	text_clear(&names);
	text_clear(&printed);
	clean();
}

/* Lines of the recorder that are no addresses. */
static void test_lines(void)
{
	static const char *const paths[] = {"= heat.py:31 Solver.step", "...",
		"= a b.py:1 f\n...\n10 /nowhere/gone\n= <string>:2 <module>", "1f ?", ""};
	char *name[COUNT(paths)];
	sites_name_paths(NULL, paths, COUNT(paths), name);
	CU_ASSERT_STRING_EQUAL(name[0], "heat.py:31 Solver.step");
	CU_ASSERT_STRING_EQUAL(name[1], "...");
	CU_ASSERT_STRING_EQUAL(name[2], "a b.py:1 f < ... < gone+0x10 < <string>:2 <module>");
	CU_ASSERT_STRING_EQUAL(name[3], "?+0x1f");
	CU_ASSERT_STRING_EQUAL(name[4], "");
	for (size_t i = 0; i < COUNT(paths); i++)
		free(name[i]);
}

void suite_sites(CU_pSuite suite)
{
	CU_add_test(suite, "programs compiled in many ways", test_compiled);
	CU_add_test(suite, "where stripped functions begin", test_starts);
	CU_add_test(suite, "exported functions, against nm", test_exported);
	CU_add_test(suite, "names of symbols", test_demangled);
	CU_add_test(suite, "Fortran", test_fortran);
	CU_add_test(suite, "nothing is known", test_unknown);
	CU_add_test(suite, "lines of the recorder", test_lines);
	CU_add_test(suite, "damaged modules", test_damaged);
}
