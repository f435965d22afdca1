/*
 * several.c -- who has started us, and the library for it.
 */
#include "record/several.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

#include "record/launch.h"

static const struct {
	enum launch_mpi mpi;
	const char *processes; /* a variable of the launcher */
	const char *library;
} launchers[] = {
	{LAUNCH_OPENMPI, "OMPI_COMM_WORLD_SIZE", "libtracenest-several-openmpi.so"},
	{LAUNCH_MPICH, "PMI_SIZE", "libtracenest-several-mpich.so"},
};

/* With its MPI, which others load on their own: its symbols must be seen by what it loads. */
static bool load(struct several *s, const char *library, const char *mpi, struct error *error)
{
	struct text path = {0};
	bool good = launch_find(library, &path);
	if (!good)
		error_set(error, ERROR_INPUT,
			"started by a launcher of %s, and there is no %s here: it is built where the compiler of that MPI is installed ('make deps')",
			mpi, library);
	void *loaded = good ? dlopen(path.data, RTLD_NOW | RTLD_GLOBAL) : NULL;
	if (good && !loaded)
		good = error_set(error, ERROR_INPUT, "%s: %s", path.data, dlerror());
	text_clear(&path);
	if (!good)
		return false;
	bool (*join)(struct transport *) = (bool (*)(struct transport *))dlsym(loaded, "tracenest_several_join");
	s->agree = (bool (*)(bool))dlsym(loaded, "tracenest_several_agree");
	s->leave = (void (*)(void))dlsym(loaded, "tracenest_several_leave");
	if (!join || !s->agree || !s->leave || !join(&s->transport))
		return error_set(error, ERROR_INTERNAL, "%s: MPI does not start", library);
	s->on = true;
	return true;
}

bool several_join(struct several *s, struct error *error)
{
	*s = (struct several){0};
	for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
		const char *processes = getenv(launchers[i].processes);
		uint64_t number;
		if (processes && text_is_number(processes, UINT32_MAX, &number) && number > 1)
			return load(s, launchers[i].library, launch_mpi_name(launchers[i].mpi), error);
	}
	return true;
}

bool several_agree(const struct several *s, bool good)
{
	return s->on ? s->agree(good) : good;
}

void several_leave(struct several *s)
{
	if (s->on)
		s->leave();
	s->on = false;
}
