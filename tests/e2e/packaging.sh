# What others build packages from: the tarball, the recipe of Spack, the module. Debian's packages: make check-deb.
. "$ROOT/tests/checks.sh"

version=$(cat "$ROOT/VERSION")
if sanitized; then skip "packaging, which no build changes"; exit 0; fi
unset MAKEFLAGS MAKELEVEL MFLAGS

# One version in all of them.
for place in python/pyproject.toml:'^version = "@"$' python/tracenest/_library.py:'^VERSION = "@"$' packaging/debian/changelog:'^tracenest (@-[0-9]*) ' \
	packaging/spack/spack_repo/tracenest/packages/tracenest/package.py:'^    version("@"'; do
	holds "${place%%:*} is of version $version" grep -q "$(echo "${place#*:}" | sed "s/@/$version/")" "$ROOT/${place%%:*}"
done

if [ -e "$ROOT/.git" ] && command -v git >/dev/null; then
	holds "make dist" make -s -C "$ROOT" dist BUILD="$SCRATCH"
	tar -tzf "tracenest-$version.tar.gz" | sed "s|^tracenest-$version/||" | sort >packed
	git -C "$ROOT" ls-files | sort >known
	same "has what git knows" known packed
	tar -xzf "tracenest-$version.tar.gz"
	holds "make dist without git" make -s -C "tracenest-$version" dist
	holds "is the same again" cmp "tracenest-$version.tar.gz" "tracenest-$version/build/tracenest-$version.tar.gz"
	rm -rf "tracenest-$version"
else
	skip "make dist, from no checkout"
fi

recipe=$ROOT/packaging/spack/spack_repo/tracenest/packages/tracenest/package.py
if command -v spack >/dev/null; then
	holds "Spack understands the recipe" sh -c "spack -C '$SCRATCH' repo add '${recipe%/packages/*}' && spack spec tracenest"
elif command -v python3 >/dev/null; then
	cat >recipe.py <<'END'
import ast, sys
tree = ast.parse(open(sys.argv[1]).read())
package, = (node for node in tree.body if isinstance(node, ast.ClassDef))
assert package.name == "Tracenest" and ast.get_docstring(package)
calls = [node for node in ast.walk(package) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
needs = {node.args[0].value.split("@")[0] for node in calls if node.func.id == "depends_on"}
# what the Makefile asks pkg-config for, as Spack calls it
assert {"mpi", "otf2", "graphviz", "sqlite", "cjson", "elfutils", "pkgconfig"} <= needs, needs
known = {"license", "version", "variant", "depends_on", "extends", "when", "run_after", "join_path", "python"}
assert {node.func.id for node in calls} <= known
END
	holds "the recipe for Spack parses, and names what the Makefile needs" python3 recipe.py "$recipe"
else
	skip "the recipe for Spack: neither spack nor python3 is here"
fi

sed "s|@PREFIX@|/opt/tracenest|; s|@LIBDIR@|/opt/tracenest/lib|; s|@VERSION@|$version|" "$ROOT/packaging/modulefile.in" >module
if command -v tclsh >/dev/null; then
	cat >load.tcl <<'END'
proc module-whatis {words} {}
proc conflict {name} {}
proc prepend-path {name value} { puts "$name $value" }
proc setenv {name value} { puts "$name $value" }
source module
END
	holds "the module loads" sh -c 'tclsh load.tcl >set'
	holds "and says where the command is" grep -qx 'PATH /opt/tracenest/bin' set
else
	skip "the environment module: tclsh is not here"
fi
