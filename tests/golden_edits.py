"""Edit sample programs, and see what `tracenest test` says: is each edit reported, at the right line, and no run that was not edited?

	python3 tests/golden_edits.py BUILD [--edits FIRST-LAST] [--unchanged N] [--mpi mpich,openmpi] [-v]

An edit is drawn by its number: a row of the table below, its numbers, the MPI, 4 or 9 processes. Right are the lines of the calls that
do something else then; a report of any other line counts against it, too.
"""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile

BARRIER = r"MPI_Barrier\("
HALO = r"MPI_I(send|recv)\(|MPI_Send\(edge"
# Program, kind, what is replaced by what ({a}: a number, {r}: a rank but 0), calls that do something else then. An edit of several places
# is a list.
EDITS = [
	("stencil", "barrier", "\t\tdouble changed = 0;", "\t\tMPI_Barrier(plane);\n\t\tdouble changed = 0;", BARRIER),
	("stencil", "barrier", "\tfor (int step", "\tMPI_Barrier(plane);\n\tfor (int step", BARRIER),
	("stencil", "barrier", "\t\tMPI_Request request[2", "\t\tMPI_Barrier(MPI_COMM_WORLD);\n\t\tMPI_Request request[2", BARRIER),
	("stencil", "tag", [("neighbour[side], side, plane", "neighbour[side], side + {a}, plane"), ("neighbour[side], side ^ 1, plane", "neighbour[side], (side ^ 1) + {a}, plane")], None, HALO),
	("stencil", "size", "SIDE = 32", "SIDE = 32 + {a}", HALO),
	("stencil", "peer", "periodic[2] = {0, 0}", "periodic[2] = {1, 0}", HALO),
	("stencil", "peer", "periodic[2] = {0, 0}", "periodic[2] = {0, 1}", HALO),
	("stencil", "overlap", [("MPI_Isend(edge", "MPI_Send(edge"), ("side ^ 1, plane,\n\t\t\t\t&request[SIDES + side]);", "side ^ 1, plane);\n\t\t\trequest[SIDES + side] = MPI_REQUEST_NULL;")], None, r"MPI_Send\(edge"),
	("stencil", "overlap", "&request[SIDES + side]);", "&request[SIDES + side]);\n\t\t\tMPI_Wait(&request[SIDES + side], MPI_STATUS_IGNORE);", r"MPI_Isend\("),
	("stencil", "reversed", "for (int side = 0; side < SIDES; side++) {", "for (int side = SIDES; side-- > 0;) {", r"MPI_Isend\("),
	("stencil", "reversed", "for (int side = 0; side < SIDES; side++)\n\t\t\tMPI_Irecv", "for (int side = SIDES; side-- > 0;)\n\t\t\tMPI_Irecv", r"MPI_Irecv\("),
	("stencil", "count", "step % 10 == 9", "step % {k} == 0", r"MPI_Allreduce\("),
	("stencil", "root", "MPI_Allreduce(&changed, &change, 1, MPI_DOUBLE, MPI_SUM, plane)", "MPI_Reduce(&changed, &change, 1, MPI_DOUBLE, MPI_SUM, {r}, plane)", r"MPI_Reduce\("),
	("ring", "barrier", "\t\tint count = 1", "\t\tMPI_Barrier(MPI_COMM_WORLD);\n\t\tint count = 1", BARRIER),
	("ring", "barrier", "\tMPI_Bcast(", "\tMPI_Barrier(MPI_COMM_WORLD);\n\tMPI_Bcast(", BARRIER),
	("ring", "tag", "TAG = 7", "TAG = 10 + {a}", r"MPI_(Send|Recv)\("),
	("ring", "size", "count = 1 + round", "count = 1 + {a} + round", r"MPI_(Send|Recv)\("),
	("ring", "peer", [("int next = (rank + 1) % size, previous = (rank + size - 1) % size", "int previous = (rank + 1) % size, next = (rank + size - 1) % size")], None, r"MPI_(Send|Recv)\("),
	("ring", "root", "MPI_Bcast(number, 1, MPI_INT, 0", "MPI_Bcast(number, 1, MPI_INT, {r}", r"MPI_Bcast\("),
	("ring", "size", "MPI_Bcast(number, 1,", "MPI_Bcast(number, 1 + {a},", r"MPI_Bcast\("),
	("ring", "reversed", "int count = 1 + round", "int count = ROUNDS - round", r"MPI_(Send|Recv)\("),
	("ring", "function", "if (rank == 0) {\n\t\t\tMPI_Send(", "if (rank == 0) {\n\t\t\tMPI_Ssend(", r"MPI_Ssend\("),
	("ring", "count", "ROUNDS = 20", "ROUNDS = 20 + {a}", r"MPI_(Send|Recv)\("),
	("wavefront", "barrier", "\t\tMPI_Cart_shift(plane, 0", "\t\tMPI_Barrier(plane);\n\t\tMPI_Cart_shift(plane, 0", BARRIER),
	("wavefront", "barrier", "\tMPI_Reduce(", "\tMPI_Barrier(plane);\n\tMPI_Reduce(", BARRIER),
	("wavefront", "tag", "TAG = 100", "TAG = 200 + {a}", r"MPI_(Send|Recv)\("),
	("wavefront", "size", "LENGTH = 16", "LENGTH = 16 + {a}", r"MPI_(Send|Recv)\("),
	("wavefront", "peer", "sweep % 2 ? -1 : 1", "sweep % 2 ? 1 : -1", r"MPI_(Send|Recv)\("),
	("wavefront", "peer", "periodic[2] = {0, 0}", "periodic[2] = {0, 0}; dims[0] = 1", r"MPI_(Send|Recv)\("),
	("wavefront", "root", "MPI_SUM, 0, plane", "MPI_SUM, {r}, plane", r"MPI_Reduce\("),
	("wavefront", "reversed", "put(north, to_south, TAG, plane);\n\t\t\tput(west, to_east, TAG + 1, plane);", "put(west, to_east, TAG + 1, plane);\n\t\t\tput(north, to_south, TAG, plane);", r"MPI_Send\("),
	("wavefront", "reversed", "get(north, from_north, TAG, plane);\n\t\t\tget(west, from_west, TAG + 1, plane);", "get(west, from_west, TAG + 1, plane);\n\t\t\tget(north, from_north, TAG, plane);", r"MPI_Recv\("),
	("wavefront", "overlap", "MPI_Send(border, LENGTH, MPI_DOUBLE, to, tag, comm);", "MPI_Ssend(border, LENGTH, MPI_DOUBLE, to, tag, comm);", r"MPI_Ssend\("),
	("multigrid", "barrier", "\t\tdouble square = 0;", "\t\tMPI_Barrier(MPI_COMM_WORLD);\n\t\tdouble square = 0;", BARRIER),
	("multigrid", "tag", "distance, 10 + level", "distance, 20 + {a} + level", r"MPI_Sendrecv\("),
	("multigrid", "size", "POINTS = 64", "POINTS = 128", r"MPI_Sendrecv\("),
	("multigrid", "count", "SMOOTHING = 2", "SMOOTHING = 3", r"MPI_Sendrecv\("),
	("multigrid", "reversed", "for (int level = levels; level-- > 0;)", "for (int level = 0; level < levels; level++)", r"MPI_Sendrecv\("),
	("multigrid", "count", "CYCLES = 6", "CYCLES = 6 + {a}", r"MPI_Sendrecv\(|MPI_Allreduce\("),
	("multigrid", "root", "MPI_Allreduce(&square, &norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD)", "MPI_Reduce(&square, &norm, 1, MPI_DOUBLE, MPI_SUM, {r}, MPI_COMM_WORLD)", r"MPI_Reduce\("),
	("conjugate_gradient", "barrier", "\t\tmultiply(", "\t\tMPI_Barrier(MPI_COMM_WORLD);\n\t\tmultiply(", BARRIER),
	("conjugate_gradient", "barrier", "\tMPI_Request request[4]", "\tMPI_Barrier(MPI_COMM_WORLD);\n\tMPI_Request request[4]", BARRIER),
	("conjugate_gradient", "tag", "TO_LEFT = 1", "TO_LEFT = 10 + {a}", r"MPI_I(send|recv)\(.*TO_LEFT"),
	("conjugate_gradient", "overlap", [("MPI_Isend(&x[1], 1, MPI_DOUBLE, left, TO_LEFT, MPI_COMM_WORLD, &request[2]);", "MPI_Send(&x[1], 1, MPI_DOUBLE, left, TO_LEFT, MPI_COMM_WORLD);\n\trequest[2] = MPI_REQUEST_NULL;")], None, r"MPI_Send\("),
	("conjugate_gradient", "overlap", "TO_LEFT, MPI_COMM_WORLD, &request[2]);", "TO_LEFT, MPI_COMM_WORLD, &request[2]);\n\tMPI_Wait(&request[2], MPI_STATUS_IGNORE);", r"MPI_Isend\(.*TO_LEFT"),
	("conjugate_gradient", "overlap", [("\tfor (int i = 0; i < 4; i++)\n\t\tMPI_Wait(&request[i], MPI_STATUS_IGNORE);", "\tMPI_Waitall(4, request, MPI_STATUSES_IGNORE);")], None, r"MPI_I(send|recv)\("),
	("conjugate_gradient", "reversed", [("MPI_Isend(&x[1], 1, MPI_DOUBLE, left, TO_LEFT, MPI_COMM_WORLD, &request[2]);\n\tMPI_Isend(&x[POINTS], 1, MPI_DOUBLE, right, TO_RIGHT, MPI_COMM_WORLD, &request[3]);", "MPI_Isend(&x[POINTS], 1, MPI_DOUBLE, right, TO_RIGHT, MPI_COMM_WORLD, &request[3]);\n\tMPI_Isend(&x[1], 1, MPI_DOUBLE, left, TO_LEFT, MPI_COMM_WORLD, &request[2]);")], None, r"MPI_Isend\("),
	("conjugate_gradient", "count", "STEPS = 30", "STEPS = 30 + {a}", r"MPI_I(send|recv)\(|MPI_Allreduce\("),
	("conjugate_gradient", "root", "MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);", "MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);\n\tMPI_Bcast(&sum, 1, MPI_DOUBLE, {r}, MPI_COMM_WORLD);", r"MPI_(Reduce|Bcast)\("),
	("communicators", "barrier", "\tfree(numbers);", "\tMPI_Barrier(comm);\n\tfree(numbers);", BARRIER),
	("communicators", "tag", "mine, 41, between", "mine, 50 + {a}, between", r"MPI_(Isend|Recv)\(.*mine"),
	("communicators", "size", "MPI_INT, (rank + 1) % size, tag, received", "MPI_SHORT, (rank + 1) % size, tag, received", r"MPI_Sendrecv\("),
	("completion", "barrier", "\tfor (; way < WAYS; way++) {", "\tMPI_Barrier(world);\n\tfor (; way < WAYS; way++) {", BARRIER),
	("completion", "size", "MPI_Send(out, k + 1,", "MPI_Send(out, k + 2,", r"MPI_Send\(out|MPI_Irecv\("),
	("completion", "reversed", "for (int k = 0; k < MESSAGES; k++) {\n\t\tMPI_Send(out", "for (int k = MESSAGES; k-- > 0;) {\n\t\tMPI_Send(out", r"MPI_Send\(out"),
	("completion", "overlap", "MPI_Issend(out, 3, MPI_INT, next, 10 * way + 2, world, &send[0]);", "send[0] = MPI_REQUEST_NULL, MPI_Send(out, 3, MPI_INT, next, 10 * way + 2, world);", r"MPI_Send\(out, 3"),
	("completion", "count", "ROUNDS = 3", "ROUNDS = 3 + {a}", r"MPI_Send_init\(|MPI_Recv_init\(|MPI_Start"),
	("master_worker", "barrier", "\ttally_write();", "\tMPI_Barrier(MPI_COMM_WORLD);\n\ttally_write();", BARRIER),
	("master_worker", "tag", "RESULT = 2", "RESULT = 10 + {a}", r"MPI_(Send|Recv)\((&square|&result)"),
	("master_worker", "tag", "STOP = 3", "STOP = 10 + {a}", r"MPI_(Send|Recv)\((words|piece)"),
	("master_worker", "size", "1 + piece % LONGEST", "1 + piece % 5", r"MPI_(Send|Recv)\((words|piece)"),
	("master_worker", "size", [("&square, 1, MPI_LONG", "&square, sizeof square, MPI_BYTE"), ("long square =", "char more[64] = {0}; long square ="), ("&square, sizeof square, MPI_BYTE", "more, 8 + {a}, MPI_BYTE"), ("MPI_Recv(&result, 1, MPI_LONG", "char more[64]; result = 1; MPI_Recv(more, 64, MPI_BYTE")], None, r"MPI_(Send|Recv)\(more"),
	("master_worker", "count", "PIECES = 60", "PIECES = 60 + {a}", r"MPI_(Send|Recv)\("),
]


def statement_lines(source, calls):
	"""The lines of the statements that are such calls."""
	lines, inside = set(), False
	for number, line in enumerate(source.split("\n"), 1):
		if re.search(calls, line):
			inside = True
		if inside:
			lines.add(number)
		if ";" in line:
			inside = False
	return lines


class House:
	def __init__(self, build, folder, verbose):
		self.tree = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
		self.tool = os.path.join(os.path.abspath(build), "tracenest")
		self.folder, self.verbose, self.goldens = folder, verbose, {}
		self.environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1")

	def compile(self, mpi, program, source):
		"""The name of the file stays, so that sites do."""
		path = os.path.join(self.folder, program + ".c")
		with open(path, "w", encoding="utf-8") as out:
			out.write(source)
		samples = os.path.join(self.tree, "samples", "programs")
		tally = os.path.join(self.folder, f"tally.{mpi}.o")
		if not os.path.exists(tally):
			subprocess.run([f"mpicc.{mpi}", "-w", "-c", "-o", tally, os.path.join(samples, "tally.c")], check=True)
		app = os.path.join(self.folder, program)
		subprocess.run([f"mpicc.{mpi}", "-w", "-g", "-O1", "-I" + samples, "-o", app, path, tally, "-lm"], check=True, cwd=self.folder)
		return app

	def run(self, mpi, processes, app, golden, *options):
		command = [self.tool, "test", *options, golden, "--", f"mpirun.{mpi}", "-n", str(processes), app]
		polite = os.path.join(os.path.dirname(self.tool), "programs", mpi, "yield.so")
		environment = dict(self.environment, LD_PRELOAD=polite) if os.path.exists(polite) else self.environment
		done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=60)
		return done.returncode, done.stdout, done.stderr

	def source(self, program):
		with open(os.path.join(self.tree, "samples", "programs", program + ".c"), encoding="utf-8") as file:
			return file.read()

	def golden(self, mpi, processes, program):
		key = mpi, processes, program
		if key not in self.goldens:
			path = os.path.join(self.folder, f"{program}.{mpi}.{processes}.nest")
			status, _, error = self.run(mpi, processes, self.compile(mpi, program, self.source(program)), path, "--update")
			if status:
				sys.exit(f"no golden program of {key}: {error}")
			self.goldens[key] = path
		return self.goldens[key]


def draw(number, mpis):
	chance = random.Random(number)
	edit = EDITS[number % len(EDITS)]
	mpi, processes = chance.choice(mpis), (4, 9)[number // len(EDITS) % 2] if number >= len(EDITS) else chance.choice((4, 9))
	numbers = {"a": str(chance.randint(1, 9)), "r": str(chance.randint(1, processes - 1)), "k": str(chance.choice((2, 4, 5, 8)))}
	return edit, mpi, processes, numbers


def edited(source, replaced, by, numbers):
	for old, new in replaced if isinstance(replaced, list) else [(replaced, by)]:
		for name, value in numbers.items():
			new = new.replace("{" + name + "}", value)
		if old not in source:
			sys.exit(f"not in the source: {old}")
		source = source.replace(old, new)
	return source


def try_edit(house, number, mpis):
	(program, kind, replaced, by, calls), mpi, processes, numbers = draw(number, mpis)
	golden = house.golden(mpi, processes, program)
	source = edited(house.source(program), replaced, by, numbers)
	status, out, error = house.run(mpi, processes, house.compile(mpi, program, source), golden)
	if status not in (0, 1):
		sys.exit(f"edit {number} ({program}, {kind}, {mpi}, {processes}): status {status}\n{out}{error}")
	right = statement_lines(source, calls)
	told = {int(line) for line in re.findall(rf"^{program}\.c:(\d+) ", out, re.M)}
	hit, wrong = bool(told & right), sorted(told - right)
	if house.verbose or not hit or wrong:
		print(f"edit {number}: {program}, {kind}, {mpi}, {processes} processes: {'right line' if hit else 'NOT at the right line'}; others: {wrong}; right: {sorted(right)}")
		print("  " + "\n  ".join(line for line in out.split("\n") if line.startswith(program)))
	return kind, hit, bool(wrong)


def main():
	arguments = argparse.ArgumentParser()
	arguments.add_argument("build")
	arguments.add_argument("--edits", default="0-99")
	arguments.add_argument("--unchanged", type=int, default=0)
	arguments.add_argument("--mpi", default="mpich,openmpi")
	arguments.add_argument("-v", action="store_true")
	asked = arguments.parse_args()
	mpis = asked.mpi.split(",")
	first, last = (int(x) for x in asked.edits.split("-"))
	with tempfile.TemporaryDirectory() as folder:
		house = House(asked.build, folder, asked.v)
		results = [try_edit(house, number, mpis) for number in range(first, last + 1)]
		for kind in sorted({r[0] for r in results}):
			of = [r for r in results if r[0] == kind]
			print(f"{kind}: {sum(r[1] for r in of)} of {len(of)} at the right line, {sum(r[2] for r in of)} with other lines, too")
		right, others = sum(r[1] for r in results), sum(r[2] for r in results)
		print(f"{right} of {len(results)} edits at the right line, {others} with other lines, too")
		alarms, cases = 0, [(m, p, s) for m in mpis for p in (4, 9) for s in sorted({e[0] for e in EDITS})]
		random.Random(1).shuffle(cases)
		apps = {}
		for i in range(asked.unchanged):
			mpi, processes, program = cases[i % len(cases)]
			golden = house.golden(mpi, processes, program)
			if (mpi, program) not in apps:
				app = house.compile(mpi, program, house.source(program))
				apps[mpi, program] = f"{app}.{mpi}"
				os.rename(app, apps[mpi, program])
			status, out, error = house.run(mpi, processes, apps[mpi, program], golden)
			if status:
				alarms += 1
				print(f"ALARM: {program}, {mpi}, {processes} processes:\n{out}{error}")
		print(f"{alarms} alarms in {asked.unchanged} unchanged runs")
		sys.exit(1 if alarms or right < 0.98 * len(results) else 0)


main()
