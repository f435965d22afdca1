# What is installed works: the command, the libraries in a program of one's own, the manual; and uninstalling leaves nothing.
. "$ROOT/tests/checks.sh"

build=$(dirname "$TRACENEST")
case $build in
*/asan | */tsan | */san-*) skip "installing a build with sanitizers"; exit 0 ;;
esac
unset MAKEFLAGS MAKELEVEL MFLAGS LD_LIBRARY_PATH
prefix=$SCRATCH/prefix
# What other checks run at this moment stays as it is, even if a source has changed since.
remake() { make --no-print-directory -C "$ROOT" -o all -o "$build/libtracenest.a" BUILD="$build" "$@"; }

holds "make install PREFIX=" remake install PREFIX="$prefix"
holds "the command runs" "$prefix/bin/tracenest" --version
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
holds "pkg-config knows the version" test "$(pkg-config --modversion tracenest)" = "$(cat "$ROOT/VERSION")"

cat >use.c <<'X'
#include <stdio.h>

#include "base/error.h"
#include "model/nest.h"
#include "nlr/nlr.h"
#include "trace/trace.h"

static bool push(void *context, uint32_t rank, const struct trace_event *event, struct error *error)
{
	(void)error;
	if (rank == 0)
		nlr_push(context, event->event);
	return true;
}

int main(int words, char **word)
{
	struct error error;
	struct trace_options options = {0};
	struct trace *trace = words == 2 ? trace_open(word[1], &options, &error) : NULL;
	if (!trace)
		return 1;
	struct nlr *nlr = nlr_new(NULL);
	struct trace_sink sink = {nlr, push, NULL};
	if (!trace_read(trace, 1, NULL, &sink, &error))
		return 1;
	struct nest *nest = nlr_finish(nlr);
	printf("%llu\n", (unsigned long long)nest_total(nest));
	nest_free(nest);
	trace_close(trace);
	return 0;
}
X
trace=$(anchor bt.S.4.scorep)
holds "a program builds against the shared library" cc -o use-shared use.c $(pkg-config --cflags --libs tracenest)
holds "and runs, finding it by itself" ./use-shared "$trace"
holds "counts BT's 1487 events per process" test "$(./use-shared "$trace")" = 1487
holds "needs the library by its soname" sh -c "ldd use-shared | grep -q 'libtracenest.so.$(cut -d. -f1 "$ROOT/VERSION") '"
holds "a program builds against the static library" \
	cc -o use-static use.c $(pkg-config --cflags tracenest) "$prefix/lib/libtracenest.a" $(pkg-config --libs otf2) -lm -pthread
holds "counts the same" test "$(./use-static "$trace")" = 1487

cat >foretell.c <<'X'
#include <stdio.h>

#include "nlr/predict.h"

/* A triangle: how many of its records are foretold, eight places ahead, and what the loops are. */
int main(void)
{
	struct predictor *p = predictor_new(NULL, 4);
	static int64_t expected[8];
	unsigned right = 0, at = 0;
	for (int64_t i = 0; i < 20; i++)
		for (int64_t j = 0; j <= i; j++, at++) {
			int64_t address = 1000 * i + 8 * j, number[AFFINE_WIDTH];
			uint32_t shape, width;
			right += expected[at % 8] == address;
			predictor_push(p, 0, 1, &address);
			expected[at % 8] = predictor_ahead(p, 3, &shape, &width, number) ? number[0] : -1;
		}
	struct affine_nest *n = predictor_finish(p);
	printf("%u of %u, %llu constructs\n", right, at, (unsigned long long)affine_constructs(n->root, n->length));
	affine_nest_free(n);
	return 0;
}
X
holds "a program that predicts builds" cc -Wall -Wextra -Werror -o foretell foretell.c $(pkg-config --cflags --libs tracenest)
holds "and foretells a triangle" sh -c "./foretell | grep -qx '1[0-9][0-9] of 210, 3 constructs'"

# The manual's scanner: its recipe, and its output function in place of the program's, as printed.
page=$ROOT/doc/tracenest-scan.1
PATH=$prefix/bin:$PATH
ln -s "$SAMPLES/is.S.4.scorep" run
tracenest model --quiet run/traces.otf2 -o plain.nest
tracenest show --unfold plain.nest | awk '$1 == "for" && !done { print "get \"before\" {*}.time ->" } { print }
	$1 == "done" && !done++ { print "get \"after\" {*}.time <-" }' >run.nest
sed -n '/^\.SH "AN ANALYSIS/,/^\.RE/p' "$page" | sed -n '/^\.RS/,/^\.RE/p' | sed '/^\./d; s/^\\&//; s/\\-/-/g' >recipe
holds "the page of scan has a recipe of three lines" test "$(wc -l <recipe)" = 3
holds "which works as printed" sh -e ./recipe
holds "and fetches records" grep -q '^after,' records.csv
sed -n '/^\.\\" output$/,/^\.RE/p' "$page" | sed '/^\./d; s/\\-/-/g; s/\\e/\\/g' >output.c
holds "the page has an output function" grep -q '^static void output(' output.c
awk '/^static void output\(/ { while ((getline line <"output.c") > 0) print line; inside = 1 }
	!inside { sub(/\.output = output,/, ".output = output, .finish = finish, .plain = true,"); print } /^}/ { inside = 0 }' scan.c >own.c
for compiler in gcc clang; do
	command -v $compiler >/dev/null || { skip "the output function with $compiler, which is not here"; continue; }
	holds "it compiles with $compiler, without a warning" \
		$compiler -Wall -Wextra -Werror -O2 -o own-$compiler own.c $(pkg-config --cflags --libs tracenest-scan)
	holds "and runs" sh -c "./own-$compiler run/traces.otf2 | head -n 4 >own.out"
	awk -F, '$1 == "before" { since = $NF } $1 == "after" { spent[$(NF - 1)] += $NF - since }
		END { for (rank = 0; rank < 4; rank++) printf "%d %d\n", rank, spent[rank] }' records.csv >summed
	same "summing up what the records say" own.out summed
done

for header in $(cd "$prefix/include/tracenest" && find . -name '*.h'); do
	echo "#include \"${header#./}\"" >one.c
	holds "$header stands on its own" cc -std=c11 -Wall -Wextra -Werror -fsyntax-only -I"$prefix/include/tracenest" one.c
done
for page in "$ROOT"/doc/*.[15]; do
	holds "$(basename "$page") is installed" test -s "$prefix/share/man/man${page##*.}/$(basename "$page")"
done
holds "bash completion is installed" test -s "$prefix/share/bash-completion/completions/tracenest"

holds "make install DESTDIR=" remake install DESTDIR="$SCRATCH/root" PREFIX=/usr
(cd root/usr && find . ! -type d | sort) >staged
(cd "$prefix" && find . ! -type d | sort) >direct
same "stages the same files" staged direct
holds "whose pkg-config file does not speak of the stage" sh -c '! grep -q root root/usr/lib/pkgconfig/tracenest.pc'
holds "nor of where the system's libraries are found in any case" sh -c '! grep -q rpath root/usr/lib/pkgconfig/*.pc'
holds "make uninstall" remake uninstall PREFIX="$prefix"
holds "leaves nothing" test -z "$(find "$prefix" ! -type d)"
