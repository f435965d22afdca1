# Copyright 2026 The tracenest developers
#
# SPDX-License-Identifier: BSD-3-Clause

from spack_repo.builtin.build_systems.makefile import MakefilePackage

from spack.package import *


class Tracenest(MakefilePackage):
    """Turns event traces of MPI programs (OTF2) into one program of loop nests over all ranks, which stands for every
    event, and answers questions about it.

    In the sources: spack repo add packaging/spack/spack_repo/tracenest; spack dev-build tracenest@0.1.0
    """

    manual_download = True  # the tarball that `make dist` makes

    license("BSD-3-Clause")

    version("0.1.0")

    variant("python", default=False, description="Build the Python package")

    depends_on("c", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("otf2@3:")
    depends_on("graphviz", type="run")
    depends_on("sqlite@3")
    depends_on("cjson")
    depends_on("elfutils")
    depends_on("zstd")

    with when("+python"):
        extends("python@3.9:")
        depends_on("py-setuptools@61:", type="build")
        depends_on("py-pip", type="build")
        depends_on("py-wheel", type="build")
        depends_on("py-cffi@1.15:", type=("build", "run"))
        depends_on("py-numpy@1.20:", type=("build", "run"))
        depends_on("py-pandas", type="run")

    @property
    def build_targets(self):
        return [f"PREFIX={self.prefix}", f"MPICC={self.spec['mpi'].mpicc}"]

    @property
    def install_targets(self):
        return ["install"] + self.build_targets

    @run_after("install", when="+python")
    def install_python(self):
        python("-m", "pip", "install", "--no-deps", "--no-build-isolation", f"--prefix={self.prefix}", "./python")

    def setup_run_environment(self, env):
        env.set("TRACENEST_LIBRARY", join_path(self.prefix.lib, "libtracenest.so.1"))
