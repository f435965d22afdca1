# The Python package: built from its source distribution without network, installed, typed, asked; and the tour, a notebook.
. "$ROOT/tests/checks.sh"

build=$(dirname "$TRACENEST")
python=/usr/bin/python3 # whose packages are Debian's
if sanitized; then skip "the Python package with sanitizers"; exit 0; fi
has() { $python -c "import $1" 2>/dev/null; }
if ! has cffi || ! has numpy || ! has setuptools || ! has pip || ! has venv; then skip "the Python package: python3-cffi, -numpy, -setuptools, -pip, -venv are not all here"; exit 0; fi
export PYTHONDONTWRITEBYTECODE=1 PIP_DISABLE_PIP_VERSION_CHECK=1 TRACENEST_LIBRARY="$(realpath "$build/libtracenest.so")" PYTHONWARNINGS=ignore
unset PYTHONPATH

cp -rL "$ROOT/python" source # where setuptools leaves what it makes
holds "a source distribution is made" sh -c "cd source && $python -c 'import setuptools.build_meta as b; b.build_sdist(\"..\")'"
holds "of the version that we are" test -f "tracenest-$(cat "$ROOT/VERSION").tar.gz"
holds "an environment that sees the system's packages" $python -m venv --system-site-packages --without-pip env
holds "pip installs it without network, or a compiler" env PATH="$PWD/env/bin:/usr/bin/nothing" env/bin/python3 -m pip install -q --no-index --no-build-isolation "tracenest-$(cat "$ROOT/VERSION").tar.gz"
rm -rf source
trace=$(anchor lu.S.4.tau)
holds "it says what the command says" env/bin/python3 "$ROOT/tests/e2e/python_package.py" "$trace" "$TRACENEST"
holds "its events are those of expand, of random programs" env/bin/python3 "$ROOT/tests/e2e/python_events.py" "$TRACENEST" $((40 * ${TRACENEST_SOAK:-1}))
# Held by the one who can tell layouts: a line that is gone breaks who is linked, and asks for another ABI in the Makefile.
env/bin/python3 "$ROOT/tests/e2e/abi.py" | sort >abi
sort "$ROOT/packaging/abi" | comm -23 - abi >gone
sort "$ROOT/packaging/abi" | comm -13 - abi >new
holds "the ABI is as promised (else: raise ABI in the Makefile)" sh -c 'cat gone; ! test -s gone'
holds "and promised as it is (else: sort these lines into packaging/abi)" sh -c 'cat new; ! test -s new'
env TRACENEST_LIBRARY=/no/such.so env/bin/python3 -c 'import tracenest' 2>without
holds "a library that is not there is missed in words" grep -q '^ImportError: tracenest: .*/no/such.so.*TRACENEST_LIBRARY' without
if command -v mypy >/dev/null; then
	holds "its types hold" sh -c "cd '$ROOT/python' && mypy --cache-dir '$SCRATCH/../mypy' --python-executable $python tracenest"
else
	skip "the types of the Python package: mypy is not here"
fi

# The tour, with its pictures.
if has nbclient && has ipykernel && has pandas; then
	mkdir -p tour/run
	ln -s "$(dirname "$trace")"/* tour/run/
	cat >execute.py <<'END'
import sys
import nbclient, nbformat
tour = nbformat.read(sys.argv[1], 4)
nbclient.NotebookClient(tour, timeout=600, kernel_name="python3", resources={"metadata": {"path": "tour"}}).execute()
drawn = [o for cell in tour.cells for o in cell.get("outputs", ()) if "image/svg+xml" in o.get("data", {})]
assert len(drawn) >= 1 and all("</svg>" in o["data"]["image/svg+xml"] for o in drawn)
END
	site=$(env/bin/python3 -c 'import tracenest, os; print(os.path.dirname(os.path.dirname(tracenest.__file__)))') # the kernel is the system's
	holds "the tour runs, and draws" env HOME="$PWD" IPYTHONDIR="$PWD" PYTHONPATH="$site" PYDEVD_DISABLE_FILE_VALIDATION=1 $python execute.py "$ROOT/examples/notebooks/tour.ipynb"
else
	skip "the notebook: python3-nbclient, -ipykernel, -pandas are not all here"
fi
