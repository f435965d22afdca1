/*
 * page_program.h -- what a page knows of the program that its picture is of: the lines of its text,
 * what each comes to in the whole run, and who sends to whom in it.
 */
#ifndef TRACENEST_VIZ_PAGE_PROGRAM_H
#define TRACENEST_VIZ_PAGE_PROGRAM_H

#include "base/json.h"
#include "viz/scene.h"

/*
 * What is drawn as its text has it, without calls. Members of the object at hand:
 *
 * "figures": of the whole program, as `stat` tells them: events, statements, loops, roles;
 *
 * "uneven": whether executions differ from process to process; then they are the most of any;
 *
 * "lines": of the text, each a string (`done`, tables), or of a statement [text, address,
 * executions, iterations in all of these, events, messages, bytes or -1, pairs or -1, factor];
 *
 * "pairs": what lanes send to each other, [[from, to or -1, messages, bytes], ...], by number; what
 * a statement sends is its pairs times its factor, and those of the statements inside;
 *
 * "pairs_of_all": [pairs or -1, factor] of what is told of no statement, where that is too much.
 *
 * False with *error set where a number does not come out.
 */
bool page_put_program(struct json *, const struct scene *, struct error *);

#endif
