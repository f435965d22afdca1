# The table of MPI functions (record/mpi.def) knows every function of every MPI that is here, and the recorder exports what it says it
# wraps, under both names, and nothing but names of MPI.
. "$ROOT/tests/checks.sh"

BUILD=$(dirname "$TRACENEST")
equal() { # WHY IS SHOULD
	if [ "$2" = "$3" ]; then ok "$1"; else fail "$1" "\"$2\" instead of \"$3\""; fi
}
table() { awk -f "$ROOT/record/preload/generate.awk" "what=$1" "$ROOT/record/mpi.def" "${2:-/dev/null}"; }

none=yes
for mpi in openmpi mpich; do
	recorder=$BUILD/libtracenest-record-$mpi.so
	[ -e "$recorder" ] || continue
	none=
	echo '#include <mpi.h>
int main(int c, char **v) { return MPI_Init(&c, &v) || MPI_Finalize(); }' >empty.c
	mpicc.$mpi -o empty empty.c || { fail "$mpi" "mpicc.$mpi does not compile"; continue; }
	library=$(ldd empty | awk '$1 ~ /^libmpi(ch)?\.so/ { print $3 }')

	nm -D --defined-only "$library" | awk '$3 ~ /^MPI_/ { print $3 }' | sort -u >symbols
	[ "$(wc -l <symbols)" -gt 300 ] && ok "$mpi: $(wc -l <symbols) functions" || fail "$mpi has functions" "$library: $(wc -l <symbols)"
	table known - <symbols >known
	equal "$mpi: the table knows each of them" "$(grep -c ': unknown$' known)" 0

	nm -D --defined-only "$recorder" | awk '{ print $3 }' | sort -u >exported
	sed -n 's/: wrapped$//p' known | sort >wrapped
	equal "$mpi: what the table wraps is exported" "$(comm -23 wrapped exported | tr '\n' ' ')" ""
	sed 's/^/P/' wrapped | sort >wrapped_twins
	equal "$mpi: under its other name, too" "$(comm -23 wrapped_twins exported | tr '\n' ' ')" ""
	sed -n 's/: left: .*//p' known | sort >left
	equal "$mpi: what it leaves alone is not" "$(comm -12 left exported | tr '\n' ' ')" ""
	equal "$mpi: nothing else is seen of the recorder" "$(grep -iv '^p\{0,1\}mpi_' exported | tr '\n' ' ')" "dlclose "
	equal "$mpi: it can be loaded where MPI is not" "$(LD_PRELOAD=$recorder sh -c 'echo there' 2>&1)" there
done
[ -z "$none" ] || ok "no MPI is here: skipped"

# A function that is nowhere in the table would be noticed.
echo MPI_Teleport | awk -f "$ROOT/record/preload/generate.awk" what=known "$ROOT/record/mpi.def" - >known
equal "what the table does not know is said" "$(cat known)" "MPI_Teleport: unknown"

# The page of the manual names each function of the table once, with what is kept of it.
page=$BUILD/doc/tracenest-mpi.7
sanitized && exit 0 # it is made with the plain build
equal "the manual names them all" "$(grep -o '^MPI_[A-Za-z0-9_*]*' "$page" | sort | uniq -d | tr '\n' ' ')" ""
equal "and says of an event that it is one" "$(awk '/^\.B An event: a message sent/ { on = 1 } /^MPI_Isend,/ { print on } /^\.TP/ { on = 0 }' "$page")" 1
equal "of what is left why" "$(grep -c '^\.B Nothing: it ' "$page")" 6
