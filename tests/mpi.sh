# mpi.sh -- how tests and benchmarks run MPI, sourced by whatever does: as root, with more processes than cores, and in a TMPDIR of its own. Open MPI keeps
# its sessions in TMPDIR, under a name per host and user; of two runs that share it, one now and then fails ("mkdir: File exists"). The folder lies in
# the TMPDIR of before, since names of sockets are short; whoever sources this keeps what is temporary in it, and sets no trap on EXIT of his own.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
TMPDIR=$(mktemp -d "${TMPDIR:-/tmp}/tracenest.XXXXXX") || exit 1
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
# UCX warns on stdout otherwise, among what programs print.
export UCX_LOG_FILE=stderr
