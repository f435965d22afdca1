/*
 * fuzz_meeting.c -- any text that is a module: what meets is found within a budget, and statements
 * have places in the streams.
 */
#include "ask/meeting.h"
#include "ask/offsets.h"
#include "tests/fuzz/fuzz.h"

#define BUDGET 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error error = {0};
	struct module *m = module_parse("text", (const char *)data, size, &error);
	if (!m || !m->processes || m->processes > 64 || !module_inline(m, &error)) {
		module_free(m);
		return 0;
	}
	struct run *run = run_new(m, NULL);
	struct meeting *meeting = meeting_new(run, BUDGET);
	const struct meeting_facts *f = meeting_facts(meeting);
	MUST(!f->known || f->complete == !f->unmatched);
	struct offsets *o = offsets_new(run);
	struct module_remarks remarks = offsets_remarks(o);
	struct text text = {0};
	module_print_text(m, &remarks, &text);
	text_clear(&text);
	offsets_free(o);
	meeting_free(meeting);
	run_free(run);
	module_free(m);
	return 0;
}
