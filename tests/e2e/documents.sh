# The manual pages, the completion and --help know the same verbs and options.
. "$ROOT/tests/checks.sh"

verbs=$("$TRACENEST" --help | sed -n 's/^  \([a-z-]*\) .*/\1/p')
options_of() { "$TRACENEST" "$1" --help | sed -n 's/^  \(-., \|    \)\(--[a-z-]*\) .*/\2/p' | sort -u; }

# The rows of the help: "HEADING: -o, --output FILE".
rows_of() { "$TRACENEST" "$1" --help | awk '/^[A-Z].*:$/ { heading = $0 }
	/^  (-., |    )--/ { match($0, /(-., )?--[a-z-]+( [^ ]+)?/); print heading, substr($0, RSTART, RLENGTH) }' | sort; }

# The same of a manual page, where options that go together may share a line.
rows_of_page() { # FILE
	sed 's/\\-/-/g; s/\\f[IR]//g; s/"//g' "$1" | awk '/^\.S[SH] / { heading = /^\.SS/ ? substr($0, 5) ":" : "" }
		heading != "" && /^\.BR? -/ && tag ~ /^\.T[PQ]/ {
			sub(/^\.BR? /, ""); gsub(/ +/, " "); sub(/^-. ,/, substr($0, 1, 2) "\001")
			count = split($0, option, " , ")
			for (i = 1; i <= count; i++) { sub(/\001/, ",", option[i]); print heading, option[i] }
		}
		{ tag = $0 }' | sort
}

# What bash would offer for the last of the words.
offered() { # WORDS...
	bash -c '
		source "$1"
		shift
		command=$1
		shift
		COMP_WORDS=(tracenest "$@")
		COMP_CWORD=$#
		_tracenest "$command" 2>/dev/null
		printf "%s\n" "${COMPREPLY[@]}"' bash "$ROOT/doc/completion.bash" "$TRACENEST" "$@" | sort -u
}

{ echo "$verbs" | tr ' ' '\n'; echo help; echo '--help'; echo '--version'; } | sort -u >expected
offered '' >got
same "completion offers every verb" expected got
echo "$verbs" | tr ' ' '\n' | sort -u >expected
offered help '' >got
same "help offers them, too" expected got
holds "behind -- stands a command" sh -c 'grep -qx sh' <<END
$(offered record -o x -- sh)
END
if command -v zsh >/dev/null; then holds "zsh reads its completion" zsh -n "$ROOT/doc/completion.zsh"; fi
if command -v fish >/dev/null; then holds "fish reads its completion" fish -n "$ROOT/doc/completion.fish"; fi
for verb in $verbs; do
	page=$ROOT/doc/tracenest-$verb.1
	options_of "$verb" >expected
	offered "$verb" -- >got
	same "completion offers every option of $verb" expected got
	rows_of "$verb" >expected
	rows_of_page "$page" >got
	same "the page of $verb lists its options, as the help does" expected got
	holds "tracenest(1) names $verb" grep -q "tracenest.-$verb (1)" "$ROOT/doc/tracenest.1"
done
# One grammar: a letter belongs to one name, all verbs can be quiet, tell their options, and write to a file.
"$ROOT/.ci/options" "$TRACENEST" >options.md
[ -z "${TRACENEST_BLESS:-}" ] || cp options.md "$ROOT/doc/options.md"
same "doc/options.md is the table of all options" options.md "$ROOT/doc/options.md"
grep -o '^| `-., --[a-z-]*' options.md | sort -u | cut -c 4-6 >letters
holds "a letter belongs to one option" test -z "$(sort letters | uniq -d)"
for verb in $verbs; do
	for option in quiet help output; do holds "$verb takes --$option" grep -qx -e "--$option" <<END
$(options_of "$verb")
END
	done
done
for choice in events order collectives; do
	"$TRACENEST" model --help | sed -n "s/^ *--$choice \([a-z|]*\).*/\1/p" | tr '|' '\n' | sort -u >expected
	offered model "--$choice" '' >got
	same "completion offers the values of --$choice" expected got
done
printf '// tracenest 1\n// processes 2\n0 send 1 tag1 // x.c:3\n0 recv 1 tag1 // x.c:4\n// sites\n// x.c:9 main > x.c:3 left\n// x.c:8 main\n//   x.c:4 right\n' >functions.nest
printf 'left\nmain\nright\n' >expected
offered show functions.nest --loop '' >got
same "completion offers functions for --loop" expected got
if command -v fish >/dev/null; then
	PATH=$(dirname "$TRACENEST"):$PATH fish -c "source '$ROOT/doc/completion.fish'; complete -C 'tracenest show functions.nest --loop '" >got
	same "so does fish's" expected got
fi
for default in growth window repetitions; do
	value=$("$TRACENEST" model --help | sed -n "s/^ *--$default .*(default: \([0-9]*\)).*/\1/p")
	holds "the page of model knows the default of --$default" grep -q "default: $value)" "$ROOT/doc/tracenest-model.1"
done

# Examples on lu.nest, the model of a sample, speak of loops that it has.
"$TRACENEST" model --quiet "$(anchor lu.S.4.ez)" -o lu.nest
for address in $(sed 's/\\-/-/g' "$ROOT"/doc/*.1 | grep '^tracenest .*lu\.nest' | grep -o -e '--\(loop\|at\) [0-9.]*' | sed 's/.* //' | sort -u); do
	accepted "$address is a construct of the sample" show lu.nest --loop "$address"
	holds "a loop" grep -q '^\(\[[^]]*\] \)\?for ' out
done

if command -v groff >/dev/null 2>&1; then
	for page in "$ROOT"/doc/*.[15] "$(dirname "$TRACENEST")/doc/tracenest-mpi.7"; do
		groff -man -ww -Tutf8 "$page" >/dev/null 2>err
		holds "$(basename "$page") is well formed" test ! -s err
	done
else
	skip "the form of manual pages (groff is not installed)"
fi
