# The check of the layering holds for this tree, and notices every kind of violation.
. "$ROOT/tests/checks.sh"

holds "the tree is layered" "$ROOT/.ci/layers" "$ROOT"

violates() { # WHY FILE LINE
	rm -rf tree
	mkdir -p tree/base tree/model tree/trace tree/nlr tree/cli tree/scangen tree/lib tree/record/preload
	echo '#include "base/mem.h"' >tree/model/fine.c
	echo 'struct named {' >tree/base/named.h
	printf '/* first */\n%s\n' "$3" >"tree/$2"
	if "$ROOT/.ci/layers" tree >found; then fail "$1" "not noticed"
	elif ! grep -q "^$2:2: " found; then fail "$1" "said $(cat found)"
	else ok "$1"
	fi
}
violates "base knows no model" base/a.c '#include "model/model.h"'
violates "model knows no trace" model/a.c '#include "trace/trace.h"'
violates "the rooms in the middle do not know each other" nlr/a.h '#include "trace/trace.h"'
violates "the library does not know the recorder" lib/a.c '#include "record/record.h"'
violates "nobody includes the command" trace/a.c '  #  include "cli/options.h"'
violates "angle brackets do not hide it" base/a.c '#include <nlr/nlr.h>'
violates "paths start at the root" model/a.c '#include "../trace/trace.h"'
violates "paths start in a room" model/a.c '#include "model.h"'
violates "only trace knows OTF2" nlr/a.c '#include <otf2/otf2.h>'
violates "only the preloaded recorder knows MPI" nlr/a.c '#include <mpi.h>'
violates "the preloaded recorder takes next to nothing into programs" record/preload/a.c '#include "nlr/nlr.h"'
violates "a tag means one thing" model/b.h 'struct named {'
violates "a scanner's generator does not read traces" scangen/generate.c '#include "trace/trace.h"'

rm -rf tree
mkdir -p tree/base tree/model tree/trace tree/cli
for file in base/same.h trace/same.c cli/same.c; do echo '/* first */' >tree/$file; done
"$ROOT/.ci/layers" tree >found
holds "a file name means one thing" grep -qx 'trace/same.c:1: file same is defined in base, too' found

rm -rf tree
mkdir -p tree/base tree/model tree/cli tree/scangen/run-time tree/trace
echo '#include "trace/trace.h"' >tree/scangen/run-time/a.c
echo '#include "trace/trace.h"' >tree/cli/a.c
echo '#include <otf2/otf2.h>' >tree/trace/a.c
holds "what is allowed passes" "$ROOT/.ci/layers" tree
