# tracenest: `make` builds, `make test` proves (`sh run test`), `make demo` shows (`sh run demo`), `make install PREFIX=/usr/local` installs. `make help` lists the rest.

VERSION := $(shell cat VERSION)
# Of both libraries, the number in their SONAMEs: raised where programs that are linked would break (packaging/abi, a test).
ABI     := 1
PREFIX  ?= /usr/local
# Where libraries are found by the loader, as in LIBDIR=/usr/lib64; what the command alone loads is in PREFIX/lib/tracenest.
LIBDIR  ?= $(PREFIX)/lib
CC      ?= cc
OBJCOPY ?= objcopy
SAN     ?=
# One directory per kind of build, so that they do not disturb each other.
BUILD   ?= build$(if $(SAN),/san-$(subst $(comma),-,$(SAN)))$(if $(HOSTILE),/hostile)$(if $(COUNTED),/counted)
comma   := ,
SOAK    ?= 1000
FUZZ_SECONDS ?= 60
FAULTS  ?= 0
CALL_GRAPHS ?= 42
MUTANTS ?= 100
PART    ?= 1/1

ROOMS := base model ask trace nlr fit sizes merge time profile viz scangen lib replay report
LIB_SOURCES   := $(sort $(foreach room,$(ROOMS),$(wildcard $(room)/*.c)))
# What generated scanners link: their run-time, and the rooms that it reads traces with.
SCAN_SOURCES  := $(sort $(wildcard scangen/run-time/*.c))
# What the command does about recordings; the recorder itself, record/preload, is built once per MPI.
RECORD_SOURCES := $(sort $(wildcard record/*.c))
PRELOAD_SOURCES := $(sort $(wildcard record/preload/*.c))
# What there are recorders for: openmpi=mpicc.openmpi. MPICC names other compilers, as in make MPICC="/opt/a/bin/mpicc /opt/b/bin/mpicc".
MPIS_FOUND     := $(shell .ci/mpis $(MPICC))
MPIS           := $(foreach found,$(MPIS_FOUND),$(firstword $(subst =, ,$(found))))
$(foreach found,$(MPIS_FOUND),$(eval MPICC_$(found)))
CLI_SOURCES   := $(sort $(filter-out $(if $(SAN),cli/memory.c),$(wildcard cli/*.c)))
TEST_SOURCES  := $(sort $(filter-out tests/mpi_% tests/counted.c,$(wildcard tests/*.c)))
FUZZ_SOURCES  := $(sort $(wildcard tests/fuzz/fuzz_*.c))
BENCH_SOURCES := $(sort $(wildcard bench/*.c))

# Of libraries, what pkg-config says; where that is not installed, what Debian calls them, if the header is there.
PKG_CONFIG := $(shell command -v pkg-config)
FLAGS_OF    = $(if $(PKG_CONFIG),$(shell pkg-config --$(1) $(2) 2>/dev/null),$(if $(wildcard /usr/include/$(3)),$(4)))

OTF2_CFLAGS := $(call FLAGS_OF,cflags,otf2)
OTF2_LIBS   := $(call FLAGS_OF,libs,otf2,otf2/otf2.h,-lopen-trace-format2)
CJSON_CFLAGS := $(call FLAGS_OF,cflags,libcjson,cjson/cJSON.h,-I/usr/include/cjson)
CJSON_LIBS   := $(call FLAGS_OF,libs,libcjson,cjson/cJSON.h,-lcjson)

# Without elfutils, call sites have no names.
DW_CFLAGS   := $(call FLAGS_OF,cflags,libdw)
DW_LIBS     := $(call FLAGS_OF,libs,libdw,elfutils/libdw.h,-ldw -lelf)

SQLITE_CFLAGS := $(call FLAGS_OF,cflags,sqlite3)
SQLITE_LIBS   := $(call FLAGS_OF,libs,sqlite3,sqlite3.h,-lsqlite3)

WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
	    -Wwrite-strings -Wvla -Werror
CFLAGS   ?= -O2 -g
# Steps and memory are counted (tests/counted.c), where growth is tested.
COUNTED_FLAGS = $(if $(COUNTED),-fsanitize-coverage=trace-pc)
COUNTED_CALLS = $(if $(COUNTED),$(foreach name,malloc calloc realloc free memcpy memmove memset,-Wl,--wrap=$(name)))
SAN_FLAGS = $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer)
ALL_CFLAGS = -std=c17 -D_GNU_SOURCE -I. $(WARNINGS) $(CPPFLAGS) $(CFLAGS) $(OTF2_CFLAGS) -fPIC -pthread -fvisibility=hidden -MMD -MP \
	     -DTRACENEST_VERSION='"$(VERSION)"' $(if $(HOSTILE),-DTRACENEST_HOSTILE) $(SAN_FLAGS) $(COUNTED_FLAGS)
ALL_LDFLAGS = $(LDFLAGS) -pthread $(if $(SAN),-fsanitize=$(SAN))
LIBS = $(OTF2_LIBS) $(SQLITE_LIBS) -lm -ldl

LIB_OBJECTS   := $(LIB_SOURCES:%.c=$(BUILD)/%.o)
SCAN_OBJECTS  := $(SCAN_SOURCES:%.c=$(BUILD)/%.o) $(filter $(addprefix $(BUILD)/,base/% model/% trace/%),$(LIB_OBJECTS))
RECORD_OBJECTS := $(RECORD_SOURCES:%.c=$(BUILD)/%.o)
CLI_OBJECTS   := $(CLI_SOURCES:%.c=$(BUILD)/%.o)
TEST_OBJECTS  := $(TEST_SOURCES:%.c=$(BUILD)/%.o)
FUZZERS       := $(FUZZ_SOURCES:tests/fuzz/%.c=$(BUILD)/%)
BENCHES       := $(BENCH_SOURCES:bench/%.c=$(BUILD)/bench/%)
SAMPLES       := $(patsubst samples/%.tar.zst,$(BUILD)/samples/%,$(wildcard samples/*.tar.zst))

# V=1 shows the commands.
Q   := $(if $(V),,@)
SAY := @$(if $(V),:,echo)

# As many jobs as cores where the user has not said how many.
PARALLEL = $(if $(findstring j,$(filter -j% --jobserver%,$(MAKEFLAGS))),,-j$(shell nproc))
SUBMAKE  = $(MAKE) --no-print-directory $(PARALLEL)

LIBRARIES := $(foreach name,tracenest tracenest-scan,$(BUILD)/lib$(name).so $(BUILD)/lib$(name).a $(BUILD)/include/$(name).h)

# Programs that are watched have sanitizers of their own, or none.
RECORDERS := $(if $(SAN)$(HOSTILE),,$(MPIS:%=$(BUILD)/libtracenest-record-%.so))

all: $(BUILD)/tracenest $(BUILD)/doc/tracenest-mpi.7 $(LIBRARIES) $(BUILD)/recorders several run-times

# The last word of a build: for which MPIs programs can be recorded.
$(BUILD)/recorders: $(RECORDERS)
	@mkdir -p $(@D)
	@$(if $(SAN)$(HOSTILE),:,.ci/mpis --tell $(MPIS_FOUND) | tee $@)

# All rooms, as the command and the tests link them.
$(BUILD)/rooms.a: $(LIB_OBJECTS)
	$(SAY) '  AR  $@'
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

# As users link them: one object, in which only what the headers declare can be seen (the others are hidden, and become local).
define static_library
	$(SAY) '  AR  $@'
	@rm -f $@
	$(Q)$(CC) -r -nostdlib -o $(@:.a=.o) $^
	$(Q)$(OBJCOPY) --localize-hidden $(@:.a=.o)
	$(Q)$(AR) rcs $@ $(@:.a=.o)
endef

define shared_library
	$(SAY) '  LD  $@'
	$(Q)$(CC) $(ALL_LDFLAGS) -shared -Wl,-soname,$(@F).$(ABI) -o $@ $^ $(LIBS)
	@ln -sf $(@F) $@.$(ABI)
endef

$(BUILD)/libtracenest.a: $(LIB_OBJECTS)
	$(static_library)

# Programs are linked and run where the libraries were built, too: there the names that they look for must exist.
$(BUILD)/libtracenest.so: $(LIB_OBJECTS)
	$(shared_library)

$(BUILD)/libtracenest-scan.a: $(SCAN_OBJECTS)
	$(static_library)

$(BUILD)/libtracenest-scan.so: $(SCAN_OBJECTS)
	$(shared_library)

$(BUILD)/include/tracenest.h: lib/tracenest.h
$(BUILD)/include/tracenest-scan.h: scangen/run-time/tracenest-scan.h
$(BUILD)/include/%.h:
	@mkdir -p $(@D)
	@cp $< $@

# A run-time with sanitizers needs them in the programs, too.
$(BUILD)/scangen/compile.o: ALL_CFLAGS += -DTRACENEST_SCAN_FLAGS='"$(SAN_FLAGS)"'

$(BUILD)/cli/times_file.o: ALL_CFLAGS += $(CJSON_CFLAGS)
$(BUILD)/profile/%.o $(BUILD)/report/run_facts.o: ALL_CFLAGS += $(SQLITE_CFLAGS)

$(BUILD)/record/symbolize.o: ALL_CFLAGS += $(if $(DW_LIBS),-DTRACENEST_ELFUTILS $(DW_CFLAGS))

$(BUILD)/tests/counted.o: COUNTED_FLAGS :=
$(BUILD)/tests/counted.o: ALL_CFLAGS += -O2
# Of what sanitizers add to the data, most is addresses: where they are known, a process need not write them all as it begins.
$(BUILD)/tracenest $(BUILD)/unit: ALL_LDFLAGS += $(if $(SAN),-no-pie)

$(BUILD)/tracenest: $(CLI_OBJECTS) $(RECORD_OBJECTS) $(if $(COUNTED),$(BUILD)/tests/counted.o) $(BUILD)/rooms.a
	$(SAY) '  LD  $@'
	$(Q)$(CC) $(ALL_LDFLAGS) $(COUNTED_CALLS) -o $@ $^ $(LIBS) $(CJSON_LIBS) $(DW_LIBS)

# What speaks with the others where the command is run by mpirun; once per MPI that is here.
SEVERAL := $(if $(SAN),,$(MPIS:%=$(BUILD)/libtracenest-several-%.so))
several: $(SEVERAL)
$(SEVERAL): $(BUILD)/libtracenest-several-%.so: record/mpi/several_mpi.c lib/transport.h base/text.h Makefile
	$(SAY) '  MPICC  $@'
	@mkdir -p $(@D)
	$(Q)$(MPICC_$*) -std=c17 -D_GNU_SOURCE -I. $(WARNINGS) $(CFLAGS) -fPIC -fvisibility=hidden -shared -o $@ $<

# Scanners are compiled and run by the tests.
$(BUILD)/unit: | $(BUILD)/libtracenest-scan.so $(BUILD)/include/tracenest-scan.h

$(BUILD)/unit: $(TEST_OBJECTS) $(RECORD_OBJECTS) $(addprefix $(BUILD)/record/preload/,handles.o unwind.o python.o) $(BUILD)/rooms.a
	$(SAY) '  LD  $@'
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS) $(DW_LIBS) -lcunit

# Optimizing these takes longer than they ever run; under sanitizers, which make the compiler work, the outer rooms as well.
$(BUILD)/tests/test_%.o: ALL_CFLAGS += -O0
ifneq ($(SAN),)
$(foreach room,cli scangen record replay,$(BUILD)/$(room)/%.o): ALL_CFLAGS += -O0
endif

$(BUILD)/%.o: %.c Makefile VERSION | toolchain
	@mkdir -p $(@D)
	$(SAY) '  CC  $@'
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $<

# The page that `draw` writes carries these.
PAGE_JS := viz/page/data.js viz/page/map.js viz/page/paint.js viz/page/text.js viz/page/details.js viz/page/page.js
PAGE := viz/page/page.html viz/page/page.css $(PAGE_JS)

$(BUILD)/viz/page.inc: viz/page/embed.awk $(PAGE)
	@mkdir -p $(@D)
	$(Q)awk -f viz/page/embed.awk html=viz/page/page.html css=viz/page/page.css \
	    js="$(PAGE_JS)" >$@.new && mv $@.new $@

$(BUILD)/viz/page.o: $(BUILD)/viz/page.inc
$(BUILD)/viz/page.o: ALL_CFLAGS += -I$(BUILD)

# Mini-apps have these functions in common.
RUN_TIME := $(foreach file,messages own_requests requests collectives windows,replay/run-time/$(file).c)

$(BUILD)/replay/helpers.inc: replay/run-time/embed.awk $(RUN_TIME)
	@mkdir -p $(@D)
	$(Q)awk -f replay/run-time/embed.awk $(RUN_TIME) >$@.new && mv $@.new $@

$(BUILD)/replay/helpers.o: $(BUILD)/replay/helpers.inc
$(BUILD)/replay/helpers.o: ALL_CFLAGS += -I$(BUILD)

# They are compiled as they stand, too: once per MPI that is here, and for nothing but warnings. Those that no function of the same file calls are no fault.
RUN_TIMES := $(if $(SAN)$(HOSTILE),,$(foreach mpi,$(MPIS),$(RUN_TIME:replay/run-time/%.c=$(BUILD)/run-time-$(mpi)/%.o)))

define run_time_of # MPI
$(BUILD)/run-time-$(1)/%.o: replay/run-time/%.c $(RUN_TIME) replay/run-time/program.h
	$$(SAY) '  MPICC  $$@'
	@mkdir -p $$(@D)
	$$(Q)$$(MPICC_$(1)) -std=c17 -I. $$(MPI_FLAGS) -Wno-unused-function -Wno-unused-variable -c -o $$@ $$<
endef

$(foreach mpi,$(MPIS),$(eval $(call run_time_of,$(mpi))))
run-times: $(RUN_TIMES)

# ---------------------------------------------------------------- the recorder, for each MPI

TABLE = awk -f record/preload/generate.awk

$(BUILD)/record/regions.inc $(BUILD)/record/preload/numbers.inc $(BUILD)/record/preload/fortran.inc: record/mpi.def record/preload/generate.awk
	@mkdir -p $(@D)
	$(Q)$(TABLE) what=$(basename $(@F)) record/mpi.def >$@.new && mv $@.new $@

$(BUILD)/record/finish.o: $(BUILD)/record/regions.inc
$(BUILD)/record/finish.o: ALL_CFLAGS += -I$(BUILD)

# The page of the manual that says what is kept: functions by what that is.
$(BUILD)/doc/tracenest-mpi.7: doc/tracenest-mpi.7.in record/mpi.def record/preload/generate.awk
	@mkdir -p $(@D)
	$(Q)$(TABLE) what=kept record/mpi.def | LC_ALL=C sort -t '	' -k2,2 -k1,1 | awk -F '\t' \
		'$$2 != last { printf "%s.TP\n.B %s\n", (NR > 1 ? "\n" : ""), toupper(substr($$2, 1, 1)) substr($$2, 2); last = $$2; between = "" } \
		{ printf "%s%s", between, $$1; between = ",\n" } END { print "" }' | cat $< - >$@

$(BUILD)/record/preload/fortran.o: record/preload/fortran.S $(BUILD)/record/preload/fortran.inc
	$(SAY) '  AS  $@'
	$(Q)$(CC) -I$(BUILD) -c -o $@ $<

# Of ours it takes next to nothing into the program, and of the OTF2 library its own copy (where that can be had).
OTF2_OWN := $(wildcard $(shell $(CC) -print-file-name=libopen-trace-format2.a 2>/dev/null))
PRELOAD_OBJECTS := $(addprefix $(BUILD)/,trace/event_writer.o base/mem.o base/error.o base/text.o base/intern.o record/preload/fortran.o)

define recorder_of # MPI
$(BUILD)/record-$(1)/record/preload/wrappers.inc: record/mpi.def record/preload/generate.awk
	@mkdir -p $$(@D)
	@echo '#include <mpi.h>' >$$(@D)/mpi.c
	$$(Q)$$(MPICC_$(1)) -E $$(@D)/mpi.c >$$(@D)/mpi.i
	$$(Q)$$(TABLE) what=wrappers record/mpi.def $$(@D)/mpi.i >$$@.new && mv $$@.new $$@

$(BUILD)/record-$(1)/%.o: record/preload/%.c $(BUILD)/record-$(1)/record/preload/wrappers.inc $(BUILD)/record/preload/numbers.inc Makefile VERSION
	$$(SAY) '  MPICC  $$@'
	$$(Q)OMPI_CC='$$(CC)' MPICH_CC='$$(CC)' $$(MPICC_$(1)) $$(ALL_CFLAGS) -I$(BUILD)/record-$(1) -I$(BUILD) -c -o $$@ $$<

$(BUILD)/record-$(1)/online.o: $(BUILD)/record/regions.inc

$(BUILD)/libtracenest-record-$(1).so: $(PRELOAD_SOURCES:record/preload/%.c=$(BUILD)/record-$(1)/%.o) $(PRELOAD_OBJECTS) $(BUILD)/rooms.a
	$$(SAY) '  LD  $$@'
	$$(Q)$$(CC) $$(ALL_LDFLAGS) -shared -Wl,--exclude-libs,ALL -Wl,-z,noexecstack -o $$@ $$^ $$(or $$(OTF2_OWN),$$(OTF2_LIBS)) -lm -ldl

-include $(PRELOAD_SOURCES:record/preload/%.c=$(BUILD)/record-$(1)/%.d)
endef

$(foreach mpi,$(MPIS),$(eval $(call recorder_of,$(mpi))))

-include $(LIB_OBJECTS:.o=.d) $(RECORD_OBJECTS:.o=.d) $(SCAN_SOURCES:%.c=$(BUILD)/%.d) $(CLI_OBJECTS:.o=.d) $(TEST_OBJECTS:.o=.d) $(BENCH_SOURCES:%.c=$(BUILD)/%.d) $(BUILD)/tests/every_size/law.d $(FUZZ_SOURCES:%.c=$(BUILD)/%.d)

# A newcomer without the OTF2 library shall read one line, not a hundred.
toolchain:
	@[ -n "$(OTF2_LIBS)" ] || { echo "tracenest: the OTF2 library is missing (pkg-config otf2): 'sh run demo' or 'make deps' installs it" >&2; exit 1; }
	@[ -n "$(SQLITE_LIBS)" ] || { echo "tracenest: the SQLite library is missing (pkg-config sqlite3): 'sh run demo' or 'make deps' installs it" >&2; exit 1; }
	@[ -n "$(CJSON_LIBS)" ] || { echo "tracenest: the cJSON library is missing (pkg-config libcjson): 'sh run demo' or 'make deps' installs it" >&2; exit 1; }

help:
	@echo 'make            build the command and the libraries in build/ (CC=clang, SAN=address,undefined, HOSTILE=1, BUILD=DIR, V=1)'
	@echo 'make deps       install what is missing to build and test (apt; .ci/deps demo: what building and the demo need)'
	@echo 'make demo       install what is missing for it, build, model a real trace, show the result'
	@echo 'make test       what proves it every day, on one build: unit and end-to-end tests; ends with "N passed, N failed"'
	@echo 'make test-all   everything: random programs, mini-apps, Python, sanitizers, clang, threads, broken archives, browsers, packages'
	@echo 'make asan tsan  the same tests with AddressSanitizer and UBSan, with ThreadSanitizer'
	@echo 'make soak       the random tests, 1000 times as many (SOAK=N)'
	@echo 'make call-graphs  are loops of random programs found by their call paths? 24 programs, CALL_GRAPHS times as many (42)'
	@echo 'make faults     every verb with every fault of the machine, one at a time (FAULTS=N: at N places of each kind)'
	@echo 'make every-size  what is learned of two and three runs, asked of all others (PART=1/8: an eighth; RUNS=DIR: of archives, too)'
	@echo 'make mutants    are the tests strong enough? So many changes of the product, one at a time (MUTANTS=100)'
	@echo 'make fuzz       every fuzz target for 60 seconds (FUZZ_SECONDS=N; needs clang)'
	@echo 'make bench      the benchmarks; bench-growth: how every verb grows'
	@echo 'make bless      write the golden files anew: read the difference before you commit it'
	@echo 'make samples    unpack the sample archives into build/samples/'
	@echo 'make record-samples  the programs of samples/programs, for each MPI that is here, in build/programs/'
	@echo 'make gallery    pictures and pages of all samples, in build/gallery/'
	@echo 'make install    the command, the libraries and their two headers, manual pages (PREFIX=/usr/local, DESTDIR=); make uninstall'
	@echo 'make dist       a tarball of the sources, build/$(DIST).tar.gz'
	@echo 'make deb        Debian packages in build/deb/; check-deb: installed and tried in a bare system (root, network)'
	@echo 'make clean      remove build/'

deps:
	@.ci/deps

check-layers:
	@.ci/layers

check-format:
	@.ci/format

# ---------------------------------------------------------------- samples, demo

samples: $(SAMPLES)

$(BUILD)/samples/%: samples/%.tar.zst
	@mkdir -p $(@D)
	@zstd -dcq $< | tar -xf - --no-same-owner -C $(@D)
	@touch $@

# Programs to record, built for each MPI that is here, in C and for each of Fortran's interfaces: build/programs/mpich/ring,
# build/programs/mpich/ring.mpif, ring.usempi, ring.f08. What they print of their own traffic, the tests hold against archives.
FORTRANS := $(foreach mpi,$(MPIS),$(if $(shell command -v mpif90.$(mpi)),$(mpi)))
PROGRAMS := $(patsubst samples/programs/%.c,%,$(filter-out samples/programs/tally%,$(wildcard samples/programs/*.c)))
TWINS    := $(foreach program,$(patsubst samples/programs/%.F90,%,$(wildcard samples/programs/*.F90)),$(addprefix $(program).,mpif usempi f08))
MPI_FLAGS = -O2 -g -Wall -Wextra -Werror
# The headers of MPI promise of arrays what their constants for "none" do not keep.
MPI_C     = -std=c17 -D_GNU_SOURCE $(MPI_FLAGS) -Wno-stringop-overflow -Wno-stringop-overread
MPI_F90   = $(MPI_FLAGS) -ffree-line-length-none -Wno-unused-parameter -J$(@D)

# And what only tests need: random programs, a second counter, ways to end.
TEST_PROGRAMS := $(foreach mpi,$(MPIS),$(addprefix $(BUILD)/programs/$(mpi)/,random ending interleaved threads handles arguments windows counter.so yield.so))
record-samples: $(TEST_PROGRAMS) $(foreach mpi,$(MPIS),$(PROGRAMS:%=$(BUILD)/programs/$(mpi)/%)) $(foreach mpi,$(FORTRANS),$(TWINS:%=$(BUILD)/programs/$(mpi)/%))

define programs_of # MPI
$(BUILD)/programs/$(1)/%: samples/programs/%.c samples/programs/tally.c samples/programs/tally.h
	@mkdir -p $$(@D)
	$$(SAY) '  MPICC  $$@'
	$$(Q)$$(MPICC_$(1)) $$(MPI_C) -o $$@ $$(filter %.c,$$^) -lm

$(BUILD)/programs/$(1)/random $(BUILD)/programs/$(1)/ending $(BUILD)/programs/$(1)/interleaved $(BUILD)/programs/$(1)/arguments $(BUILD)/programs/$(1)/windows: $(BUILD)/programs/$(1)/%: tests/mpi_%.c
	@mkdir -p $$(@D)
	$$(SAY) '  MPICC  $$@'
	$$(Q)$$(MPICC_$(1)) $$(MPI_C) -o $$@ $$<

$(BUILD)/programs/$(1)/threads $(BUILD)/programs/$(1)/handles: $(BUILD)/programs/$(1)/%: tests/mpi_%.c samples/programs/tally.c samples/programs/tally.h
	@mkdir -p $$(@D)
	$$(SAY) '  MPICC  $$@'
	$$(Q)$$(MPICC_$(1)) $$(MPI_C) -I. -pthread -o $$@ $$(filter %.c,$$^)

$(BUILD)/programs/$(1)/counter.so $(BUILD)/programs/$(1)/yield.so: $(BUILD)/programs/$(1)/%.so: tests/mpi_%.c
	@mkdir -p $$(@D)
	$$(SAY) '  MPICC  $$@'
	$$(Q)$$(MPICC_$(1)) $$(MPI_C) -Wno-int-to-pointer-cast -fPIC -shared -o $$@ $$< -ldl

$(BUILD)/programs/$(1)/tally.o $(BUILD)/programs/$(1)/tally_fortran.o: $(BUILD)/programs/$(1)/%.o: samples/programs/%.c samples/programs/tally.h
	@mkdir -p $$(@D)
	$$(Q)$$(MPICC_$(1)) $$(MPI_C) -c -o $$@ $$<

$(BUILD)/programs/$(1)/tally_module.o: samples/programs/tally_module.f90
	@mkdir -p $$(@D)
	$$(Q)mpif90.$(1) $$(MPI_F90) -c -o $$@ $$<
endef

define twins_of # MPI SUFFIX MACRO
$(BUILD)/programs/$(1)/%.$(2): samples/programs/%.F90 samples/programs/interface.inc $(addprefix $(BUILD)/programs/$(1)/,tally.o tally_fortran.o tally_module.o)
	$$(SAY) '  MPIF90  $$@'
	$$(Q)mpif90.$(1) $$(MPI_F90) -D$(3) -Isamples/programs -o $$@ $$< $$(filter %.o,$$^)
endef

$(foreach mpi,$(MPIS),$(eval $(call programs_of,$(mpi))))
$(foreach mpi,$(FORTRANS),$(eval $(call twins_of,$(mpi),mpif,MPIF_H)) $(eval $(call twins_of,$(mpi),usempi,USE_MPI)) $(eval $(call twins_of,$(mpi),f08,USE_MPI_F08)))

# What the demonstration needs; made by a make that begins when the MPIs are there.
demonstrated: all samples $(MPIS:%=$(BUILD)/programs/%/stencil)

demo:
	@unset MAKEFLAGS MFLAGS MAKELEVEL; sh run demo

gallery: deps
	@$(SUBMAKE) all samples
	@doc/gallery/make $(BUILD)

# ---------------------------------------------------------------- proofs

# What finds misuse of memory: sanitizers, and arrays and arenas that move whatever they can (base/mem.c).
# -Og -g1: at -O2 -g it takes three times as long to compile, more than all it then saves; but what is uninitialized is only seen there.
ASAN     := SAN=address,undefined HOSTILE=1 CFLAGS='-Og -g1 -Wno-maybe-uninitialized'
TSAN     := SAN=thread CFLAGS='-O0 -g1'
# What counts steps and memory, for e2e/growth.sh. Without optimization clang takes half as long.
COUNT    := COUNTED=1 CFLAGS='-O0 -g0'
# The suites that use threads. Their build is clang's where it can, which proves that clang compiles everything without a warning, too.
THREADED := unit+base+merge+spmd+trace
CLANG     = $(shell mkdir -p $(BUILD) && echo 'int main(void) { return 0; }' | clang -fsanitize=thread -xc - -o $(BUILD)/clang-there 2>/dev/null && echo CC=clang)

# What is needed every day, on one build; then the rest, with sanitizers and with clang. The last line counts both.
test: deps
	@$(SUBMAKE) check-layers check-format all samples record-samples $(BUILD)/unit $(BUILD)/every_size/law BUILD=$(BUILD)
	@tests/run $(BUILD) daily

test-all: test
	@$(SUBMAKE) test-rest

test-rest:
	@mv $(BUILD)/summary $(BUILD)/summary.daily
	@$(SUBMAKE) $(BUILD)/asan/tracenest $(BUILD)/asan/unit replay BUILD=$(BUILD)/asan $(ASAN)
	@$(SUBMAKE) $(BUILD)/tsan/tracenest $(BUILD)/tsan/unit BUILD=$(BUILD)/tsan $(TSAN) $(CLANG)
	@$(SUBMAKE) $(BUILD)/counted/tracenest BUILD=$(BUILD)/counted $(COUNT) $(CLANG)
	@tests/run --after $(BUILD)/summary.daily $(BUILD) long $(BUILD)/asan unit,memory $(BUILD)/tsan $(THREADED),threads

asan:
	@$(SUBMAKE) $(BUILD)/asan/tracenest $(BUILD)/asan/unit replay BUILD=$(BUILD)/asan $(ASAN)
	@$(SUBMAKE) samples
	@tests/run $(BUILD)/asan unit,memory

tsan:
	@$(SUBMAKE) $(BUILD)/tsan/tracenest $(BUILD)/tsan/unit BUILD=$(BUILD)/tsan $(TSAN)
	@$(SUBMAKE) samples
	@tests/run $(BUILD)/tsan $(THREADED),threads

soak: all $(BUILD)/unit samples
	@TRACENEST_SOAK=$(SOAK) tests/run $(BUILD) unit

# Random programs, compiled, recorded and modelled: are their loops those of the source? 24 times CALL_GRAPHS programs.
call-graphs: all $(BUILD)/unit
	@TRACENEST_SOAK=$(CALL_GRAPHS) $(BUILD)/unit call_graphs

every-size: all $(BUILD)/every_size/law
	@tests/every_size/run --part $(PART) $(BUILD) $(RUNS)

$(BUILD)/every_size/law: $(BUILD)/tests/every_size/law.o $(BUILD)/rooms.a
	$(SAY) '  LD  $@'
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LIBS)

faults: all samples record-samples
	@tests/faults/sweep --most $(FAULTS) --jobs $$(nproc) --scratch $(BUILD)/faults $(BUILD)

mutants:
	@tests/mutants -n $(MUTANTS) $(BUILD)

bless: all samples
	@TRACENEST_BLESS=1 tests/run $(BUILD) e2e

# ---------------------------------------------------------------- fuzzing

fuzz: samples
	@$(SUBMAKE) fuzzers BUILD=$(BUILD)/fuzz CC=clang SAN=fuzzer-no-link,address,undefined
	@tests/fuzz/run $(BUILD) $(FUZZ_SECONDS)

fuzzers: $(FUZZERS)

# What a target needs beside the library.
$(BUILD)/fuzz_options $(BUILD)/replay_options: $(BUILD)/cli/options.o

$(BUILD)/fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o $(BUILD)/tests/archive.o $(BUILD)/rooms.a
	$(SAY) '  LD  $@'
	$(Q)$(CC) -pthread -fsanitize=fuzzer,address,undefined -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LIBS)

# The same targets fed with a fixed number of inputs, by any compiler.
replay: $(FUZZ_SOURCES:tests/fuzz/fuzz_%.c=$(BUILD)/replay_%)

$(BUILD)/replay_%: $(BUILD)/tests/fuzz/fuzz_%.o $(BUILD)/tests/fuzz/replay.o $(BUILD)/tests/archive.o $(BUILD)/rooms.a
	$(SAY) '  LD  $@'
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LIBS)

# ---------------------------------------------------------------- benchmarks

bench: all samples $(BENCHES)
	@bench/run $(BUILD)

bench-growth: all
	@bench/growth $(BUILD)

$(BUILD)/bench/unwind: $(BUILD)/record/preload/unwind.o
$(BUILD)/bench/%: $(BUILD)/bench/%.o $(BUILD)/rooms.a
	$(SAY) '  LD  $@'
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LIBS)

# ---------------------------------------------------------------- installation

LIB_DIR     = $(DESTDIR)$(LIBDIR)
OWN_DIR     = $(DESTDIR)$(PREFIX)/lib/tracenest
INCLUDE_DIR = $(DESTDIR)$(PREFIX)/include
MAN_DIR     = $(DESTDIR)$(PREFIX)/share/man
COMPLETIONS = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSH_COMPLETIONS = $(DESTDIR)$(PREFIX)/share/zsh/site-functions
FISH_COMPLETIONS = $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
MODULE      = $(DESTDIR)$(PREFIX)/share/modulefiles/tracenest/$(VERSION)
# Where the system's loader does not look by itself, programs must carry where the libraries are.
RUN_PATH    = $(if $(filter /usr /usr/,$(PREFIX)),,-Wl$(comma)-rpath$(comma)$${libdir} )
CONFIGURE   = sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@VERSION@|$(VERSION)|; s|@RUN_PATH@|$(RUN_PATH)|'

install: all
	install -Dm755 $(BUILD)/tracenest $(DESTDIR)$(PREFIX)/bin/tracenest
	for library in libtracenest libtracenest-scan; do \
		install -Dm644 $(BUILD)/$$library.a $(LIB_DIR)/$$library.a && \
		install -Dm755 $(BUILD)/$$library.so $(LIB_DIR)/$$library.so.$(ABI) && \
		ln -sf $$library.so.$(ABI) $(LIB_DIR)/$$library.so || exit 1; done
	install -Dm644 lib/tracenest.h $(INCLUDE_DIR)/tracenest.h
	install -Dm644 scangen/run-time/tracenest-scan.h $(INCLUDE_DIR)/tracenest-scan.h
	for library in $(RECORDERS) $(SEVERAL); do install -Dm755 $$library $(OWN_DIR)/$${library##*/} || exit 1; done
	install -d $(LIB_DIR)/pkgconfig
	$(CONFIGURE) scangen/run-time/tracenest-scan.pc.in >$(LIB_DIR)/pkgconfig/tracenest-scan.pc
	$(CONFIGURE) tracenest.pc.in >$(LIB_DIR)/pkgconfig/tracenest.pc
	install -d $(dir $(MODULE))
	$(CONFIGURE) packaging/modulefile.in >$(MODULE)
	for page in doc/*.[15] $(BUILD)/doc/tracenest-mpi.7; do install -Dm644 $$page $(MAN_DIR)/man$${page##*.}/$${page##*/} || exit 1; done
	install -Dm644 doc/completion.bash $(COMPLETIONS)/tracenest
	install -Dm644 doc/completion.zsh $(ZSH_COMPLETIONS)/_tracenest
	install -Dm644 doc/completion.fish $(FISH_COMPLETIONS)/tracenest.fish

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/tracenest $(LIB_DIR)/libtracenest.* $(LIB_DIR)/libtracenest-scan.* $(LIB_DIR)/pkgconfig/tracenest.pc \
		$(LIB_DIR)/pkgconfig/tracenest-scan.pc $(INCLUDE_DIR)/tracenest.h $(INCLUDE_DIR)/tracenest-scan.h $(COMPLETIONS)/tracenest \
		$(ZSH_COMPLETIONS)/_tracenest $(FISH_COMPLETIONS)/tracenest.fish $(MODULE)
	rm -rf $(OWN_DIR)
	for page in doc/*.[15] tracenest-mpi.7; do rm -f $(MAN_DIR)/man$${page##*.}/$${page##*/}; done

# ---------------------------------------------------------------- packages

# Of a checkout what git knows, as it stands here; of a tarball all of it. The same bytes each time.
DIST = tracenest-$(VERSION)
dist:
	@mkdir -p $(BUILD)
	@if [ -e .git ]; then git ls-files; else find . ! -type d ! -path './$(BUILD)/*' | sed 's|^\./||'; fi | LC_ALL=C sort | \
		tar -cf - --no-recursion --owner=0 --group=0 --numeric-owner --mode=go-w --mtime=@$(or $(SOURCE_DATE_EPOCH),$(shell stat -c %Y VERSION)) \
		--transform='flags=r;s|^|$(DIST)/|' -T - | gzip -9n >$(BUILD)/$(DIST).tar.gz.new
	@mv $(BUILD)/$(DIST).tar.gz.new $(BUILD)/$(DIST).tar.gz
	@echo '$(BUILD)/$(DIST).tar.gz'

# Debian packages, source and binary, from that tarball alone; needs debhelper, dh-python and pybuild-plugin-pyproject.
deb: dist
	@packaging/deb $(BUILD) $(DIST)

check-deb: deb
	@tests/packages $(BUILD)

clean:
	rm -rf $(BUILD)

.PHONY: all several run-times record-samples gallery toolchain help deps check-layers check-format samples demo demonstrated test test-all test-rest asan tsan soak every-size faults mutants bless call-graphs fuzz fuzzers replay bench bench-growth install uninstall dist deb check-deb clean
.SECONDARY:
