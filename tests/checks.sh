# checks.sh -- what the end-to-end checks share. Sourced by tests/e2e/*.sh, which tests/run calls with ROOT, TRACENEST, SAMPLES and SCRATCH set (without
# SCRATCH, in a folder that goes with TMPDIR).
# Each check prints one line, "ok WHY" or "FAILED WHY: what is wrong". Checks run in the scratch directory; out, err and result are theirs.
set -u
. "$ROOT/tests/mpi.sh"
cd "${SCRATCH:=$(mktemp -d)}" || exit 1
PAPER=$ROOT/samples/paper
GOLDEN=$ROOT/tests/golden
export LC_ALL=C
export LSAN_OPTIONS="suppressions=$ROOT/tests/lsan.supp:print_suppressions=0"

ok() { echo "ok $1"; }
fail() { # WHY WHAT
	echo "FAILED $1: $2"
	[ ! -s err ] || head -c 2000 err | sed 's/^/    stderr: /'
}
# What the command said: the libraries that it runs with, and programs that it runs, have warnings of their own.
own_words() { grep '^tracenest: ' "$1"; }
skip() { echo "skipped $1"; }

# Is this a build with sanitizers?
if grep -qa -e __asan_init -e __tsan_init "$TRACENEST"; then sanitizers=yes; else sanitizers=; fi
sanitized() { [ "$sanitizers" ]; }

# Of what differs in numbers alone, the first shows misuse of memory as well as all.
enough() { if sanitized; then echo "$1"; else echo "$*"; fi; }

# Seconds after which something hangs, however busy the machine is. Nothing that is well takes a tenth of it.
HANGS=600

# What is preloaded below an MPI that waits on the processor, of which there are few here.
polite() { # MPI
	yield=$(dirname "$TRACENEST")/programs/$1/yield.so
	[ ! -e "$yield" ] || echo "$yield"
}

# Wait until the command holds, or would never.
wait_until() {
	tries=0
	until "$@" || [ $tries = $((10 * HANGS)) ]; do sleep 0.1; tries=$((tries + 1)); done
}

# Run the command, with a limit on its time (LIMIT: of the processor); its status is in $status. Sanitizers are to be seen in any case.
run() {
	if [ -e result ] || [ -L result ]; then rm -rf result; fi
	(ulimit -t "${LIMIT:-60}"; exec timeout -s KILL $HANGS "$TRACENEST" "$@") >out 2>err
	status=$?
}

crashed() { [ "$status" -gt 3 ] || { [ -s err ] && grep -q -e 'Sanitizer' -e 'runtime error:' -e 'Assertion' err; }; }
temporary_left() { set -- .tracenest-*; [ -e "$1" ]; }

# What `skeleton` wrote is C without a warning. The text is the same whatever wrote it, so the plain build shows it.
compiles() { # WHY FILE
	if sanitized; then return; fi
	if command -v mpicc >/dev/null; then holds "$1" mpicc -Wall -Wextra -Werror -c -o skeleton.o "$2"
	else skip "$1 (mpicc is not installed)"; fi
}

# What every refusal owes: the status, a message that fits the pattern, no result and no temporary left.
refused() { # WHY STATUS PATTERN ARGS...
	why=$1 expected=$2 pattern=$3
	shift 3
	run "$@"
	echo 'tracenest: ?' >any
	said=
	while read -r said; do case $said in '['*) ;; *) break ;; esac; done <err # MPI libraries say what they miss in brackets
	if crashed; then fail "$why" "crashed or hung, status $status"
	elif [ "$status" != "$expected" ]; then fail "$why" "status $status instead of $expected"
	elif [ -e result ]; then fail "$why" "left a result"
	elif temporary_left; then fail "$why" "left a temporary file"
	elif [ "${said#tracenest: }" = "$said" ]; then fail "$why" "the message does not say who speaks"
	else
		case $(grep -lE -e "$pattern" err any) in
		err) ok "$why" ;;
		*any) fail "$why" "the pattern '$pattern' fits any message" ;;
		*) fail "$why" "no message like '$pattern'" ;;
		esac
	fi
}

accepted() { # WHY ARGS...
	why=$1
	shift
	run "$@"
	if [ "$status" != 0 ] || crashed; then fail "$why" "status $status"; else ok "$why"; fi
}

# A model that nobody takes: all say the line, and what is wrong.
refused_model() { # WHY LINE:COLUMN WHAT TEXT
	printf "$4" >bad.nest
	for verb in $(enough show stat expand skeleton); do
		refused "$1 ($verb)" 2 "bad.nest:$2: .*$3" $verb bad.nest -o result
	done
}

# Hostile input may be fine or refused, but never more than that.
survived() { # WHY ARGS...
	why=$1
	shift
	run "$@"
	if crashed; then fail "$why" "crashed or hung, status $status"
	elif [ "$status" != 0 ] && [ ! -s err ]; then fail "$why" "status $status without a message"
	elif [ "$status" != 0 ] && [ -e result ] && ! { [ "$status" = 3 ] && grep -q ': the run did not end: ' err; }; then fail "$why" "left a result"
	elif temporary_left; then fail "$why" "left a temporary file"
	else return 0
	fi
	return 1
}

same() { # WHY FILE FILE
	if cmp -s "$2" "$3"; then ok "$1"; else
		: >err
		fail "$1" "$2 and $3 differ"
		diff "$2" "$3" | head -n 10 | sed 's/^/    /'
	fi
}

holds() { # WHY COMMAND...
	why=$1
	shift
	: >err
	if "$@" >holds.out 2>&1; then ok "$why"; else fail "$why" "$*"; head -n 20 holds.out | sed 's/^/    /'; fi
}

# A golden file is what the output must be; TRACENEST_BLESS=1 writes it anew.
golden() { # WHY FILE NAME
	[ -z "${TRACENEST_BLESS:-}" ] || cp "$2" "$GOLDEN/$3"
	same "$1" "$2" "$GOLDEN/$3"
}

# The archives among the samples, and their anchor files. For misuse of memory, one of each tracer is enough.
archives() {
	if sanitized; then echo bt.S.4.tau is.S.4.scorep lu.S.4.ez | tr ' ' '\n'; else
		for a in "$SAMPLES"/*/; do basename "$a"; done
	fi
}
anchor() { ls "$SAMPLES/$1"/*.otf2; }
