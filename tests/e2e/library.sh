# The library as its users meet it: what it exports, that it gets in nobody's way, and that its header and its examples work. From Python: python.sh.
. "$ROOT/tests/checks.sh"

build=$(dirname "$TRACENEST")
if sanitized; then skip "the library with sanitizers"; exit 0; fi
include="-I$build/include"
CC=${CC:-cc}
strict="-Wall -Wextra -Werror"
needs="$(pkg-config --libs otf2 sqlite3) -lm -ldl -pthread"
trace=$(anchor lu.S.4.ez)

# ------------------------------------------------------------------ what is exported

nm -D --defined-only "$build/libtracenest.so" | awk '{ print $3 }' | sort >exported
sed 's|^[ \t]*/\?\*.*||' "$build/include/tracenest.h" | grep '^TRACENEST_API' | grep -o 'tracenest_[a-z_]*(' | tr -d '(' | sort >declared
holds "the header declares functions" test "$(wc -l <declared)" -ge 30
same "the library exports what its header declares, and nothing else" declared exported
nm -D --defined-only "$build/libtracenest-scan.so" | awk '{ print $3 }' | sort >exported
grep -o 'SCAN_API([a-z_]*)' "$build/include/tracenest-scan.h" | sed 's/SCAN_API(\(.*\))/tracenest_\1/' | grep -v '_name$' | sort >declared
same "so does that of scanners" declared exported
for library in tracenest tracenest-scan; do
	soname=$(readelf -d "$build/lib$library.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
	(echo "$soname" && nm -D --defined-only "$build/lib$library.so" | awk '{ print $3 }') | sort >have
	awk '{ sub(/@.*/, "", $1); print $1 }' "$ROOT/packaging/debian/lib${library}1.symbols" | sort >promised
	same "lib$library.so has the SONAME and the symbols that are promised" promised have
	nm -g --defined-only "$build/lib$library.a" | awk 'NF == 3 { print $3 }' | sort >static
	nm -D --defined-only "$build/lib$library.so" | awk '{ print $3 }' | sort >shared
	same "lib$library.a shows what the shared one does" static shared
done

# ------------------------------------------------------------------ in nobody's way

cat >own.c <<'X'
#include <tracenest-scan.h>
#include <tracenest.h>

#include <stdio.h>
#include <string.h>

/* A user's own, named like ours. */
int fold(int x);
int text_add(int x);
int align(int x);
int program_read(int x);
int mem_alloc(int x);
int error_set(int x);
int fold(int x) { return x + 1; }
int text_add(int x) { return x + 2; }
int align(int x) { return x + 3; }
int program_read(int x) { return x + 4; }
int mem_alloc(int x) { return x + 5; }
int error_set(int x) { return x + 6; }

static void scan(struct scan *s)
{
	(void)s;
}

int main(int words, char **word)
{
	struct scan_program unused = {.scan = scan, .output = scan_put};
	static const char text[] = "// tracenest 1\n// processes 2\nfor i0 = 0 to 9\n  0 send 1 t\n  0 recv 1 t\ndone\n";
	tracenest_error error;
	tracenest_program *p = tracenest_program_parse("here", text, strlen(text), &error);
	if (words > 1)
		return scan_main(&unused, words, word);
	if (!p || tracenest_program_statements(p) != 3)
		return 1;
	printf("%d\n", fold(0) + text_add(0) + align(0) + program_read(0) + mem_alloc(0) + error_set(0));
	tracenest_program_free(p);
	return 0;
}
X
holds "both headers and names like ours compile" $CC -std=c11 $strict $include -c own.c
holds "and link with the shared libraries" $CC -o own-shared own.o -L"$build" -ltracenest -ltracenest-scan -Wl,-rpath,"$build"
holds "and run" test "$(./own-shared)" = 21
holds "and link with the static ones" $CC -o own-static own.o "$build/libtracenest.a" "$build/libtracenest-scan.a" $needs
holds "and run" test "$(./own-static)" = 21

# ------------------------------------------------------------------ the header

for standard in c99 c11 c17; do
	echo '#include <tracenest.h>' >alone.c
	holds "the header stands on its own in $standard" $CC -std=$standard -pedantic $strict $include -fsyntax-only alone.c
done
if command -v g++ >/dev/null; then
	printf '#include <tracenest.h>\nint main() { return tracenest_version()[0] == 0; }\n' >alone.cc
	holds "and in C++" g++ -std=c++11 -pedantic $strict $include -o alone alone.cc -L"$build" -ltracenest -Wl,-rpath,"$build"
	holds "where it links" ./alone
else
	skip "the header in C++, whose compiler is not here"
fi
sed -n '/^ \*\t#include <stdio.h>/,/^ \*\t}/p' "$build/include/tracenest.h" | sed 's/^ \*\t\?//' >example.c
holds "the example at its top compiles" $CC -std=c11 $strict $include -o example example.c -L"$build" -ltracenest -Wl,-rpath,"$build"
"$TRACENEST" model --quiet "$trace" >model.nest
./example "$trace" >example.nest
same "and makes the model that the command makes" model.nest example.nest
./example /no/such/trace 2>words
holds "or says why not" grep -q "^/no/such/trace: " words

# ------------------------------------------------------------------ examples

for example in "$ROOT"/examples/*.c; do
	name=$(basename "$example" .c)
	holds "example $name compiles" $CC -std=c11 $strict $include -o "$name" "$example" -L"$build" -ltracenest -Wl,-rpath,"$build"
	holds "it opens with its idea" sh -c "sed -n 1,2p '$example' | grep -q '^ \* $name.c -- '"
done
./model "$trace" >got.nest 2>words
same "model prints the model" model.nest got.nest
holds "and tells what was found" grep -q '^4 processes, 9128 events: ' words
./events model.nest 1 >out
"$TRACENEST" expand model.nest --rank 1 >stream
head -n 10 out >got
head -n 10 stream >expected
same "events begins as the process does" expected got
grep -c '^1 send 0' stream >expected
sed -n 's/^with 0: \([0-9]*\) sent.*/\1/p' out >got
same "and counts its messages" expected got
address=$(./matrix model.nest | awk '$1 == "phase" { phase = $2 } $2 == "->" { print phase; exit }')
"$TRACENEST" matrix model.nest --csv --loop "$address" | awk -F, 'NR > 1 { print "  " $2 " -> " $3 ": " $4 }' >expected
./matrix model.nest "$address" | sed 1d >got
holds "matrix finds a phase with messages" test -s got
same "and counts in it what the command counts" expected got
./records >out
holds "records finds a triangle" grep -qx '  for i1 = 0 to {i0}' out
holds "and foretells it" grep -qx '50[0-9][0-9] of 5050 foretold' out
holds "draw draws" ./draw "$trace" result.svg
holds "a picture" grep -q '<svg' result.svg
holds "which its caller named in vain" sh -c '! ./draw "$1" result.jpg 2>err' sh "$trace"
