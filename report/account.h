/*
 * account.h -- where the time of a run went, from its trace alone or with the program that was made
 * of it before.
 *
 *	struct account a;
 *	struct account_options options = {ACCOUNT_OPTIONS};
 *	if (account_read(&a, "run/traces.otf2", NULL, &options, &error))
 *		... a.analysis->construct[0]
 *	account_clear(&a);
 */
#ifndef TRACENEST_REPORT_ACCOUNT_H
#define TRACENEST_REPORT_ACCOUNT_H

#include "lib/pipeline.h"
#include "time/analysis.h"

struct account_options {
	struct program_options program; /* how it is made; its trace options: how the trace is read */
	uint64_t eager; /* as of analysis_options */
	struct module *of; /* NULL, or the stored program, where it has been read: account_read takes it */
};

/* The defaults. */
#define ACCOUNT_OPTIONS .program = {PROGRAM_OPTIONS}, .eager = UINT64_MAX

struct account {
	struct prepared *program; /* what people are shown, whose loops addresses are of */
	struct prepared *apart; /* NULL, or the same with call sites apart, which the analysis is of */
	struct analysis *analysis;
	struct program_facts facts; /* where the program was made here; of one that was read: losses, unrecorded */
};

/*
 * model: a stored program, or NULL: it is made of the trace, which is then read twice. False with
 * *error set: what module_of_trace, module_of_file and analysis_read say; what an archive lost is
 * refused beside a model, too, unless `lenient`. To be cleared in any case. A program that was read
 * is folded if it was plain.
 */
bool account_read(
	struct account *, const char *trace, const char *model, const struct account_options *, struct error *);
void account_clear(struct account *);

#endif
