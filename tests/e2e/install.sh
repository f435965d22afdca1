# What is installed works: the command, the libraries in a program of one's own, the manual; and uninstalling leaves nothing.
. "$ROOT/tests/checks.sh"

build=$(dirname "$TRACENEST")
if sanitized; then skip "installing a build with sanitizers"; exit 0; fi
unset MAKEFLAGS MAKELEVEL MFLAGS LD_LIBRARY_PATH
prefix=$SCRATCH/prefix
# What other checks run at this moment stays as it is, even if a source has changed since.
remake() { make --no-print-directory -C "$ROOT" -o all -o "$build/libtracenest.a" BUILD="$build" "$@"; }

holds "make install PREFIX=" remake install PREFIX="$prefix"
holds "the command runs" "$prefix/bin/tracenest" --version
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
holds "pkg-config knows the version" test "$(pkg-config --modversion tracenest)" = "$(cat "$ROOT/VERSION")"

trace=$(anchor bt.S.4.scorep)
needs="$(pkg-config --libs otf2 sqlite3) -lm -ldl -pthread"
for example in "$ROOT"/examples/*.c; do
	name=$(basename "$example" .c)
	holds "example $name builds against the shared library" cc -o "$name" "$example" $(pkg-config --cflags --libs tracenest)
	holds "and against the static one" cc -o "$name-static" "$example" $(pkg-config --cflags tracenest) "$prefix/lib/libtracenest.a" $needs
done
holds "they run, finding the library by themselves" sh -c './model "$1" >bt.nest' sh "$trace"
holds "the static ones do the same" sh -c './model-static "$1" >bt-static.nest && cmp bt.nest bt-static.nest' sh "$trace"
holds "they need the library by its soname" sh -c "ldd model | grep -q 'libtracenest.so.1 '"
holds "what they make is a model" "$prefix/bin/tracenest" check bt.nest "$trace"

# The manual's scanner: its recipe, and its output function in place of the program's, as printed.
page=$ROOT/doc/tracenest-scan.1
PATH=$prefix/bin:$PATH
ln -s "$SAMPLES/is.S.4.scorep" run
tracenest model --quiet run/traces.otf2 -o plain.nest
tracenest show --unfolded plain.nest | awk '$1 == "for" && !done { print "get \"before\" {*}.time ->" } { print }
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

(cd "$prefix/include" && find . -type f | sort) >headers
printf './tracenest-scan.h\n./tracenest.h\n' >expected
same "two headers are installed" expected headers
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
