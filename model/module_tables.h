/*
 * module_tables.h -- names of tables: in nodes as they were fitted each is called by what it is
 * for, `b` or `w`, whatever else is called so.
 */
#ifndef TRACENEST_MODEL_MODULE_TABLES_H
#define TRACENEST_MODEL_MODULE_TABLES_H

#include "model/module.h"

/* The tables of a module in the order of its text: those of one name are numbered b, b2, b3; equal
   ones are one, called as the first; those that module->table has come before, and keep their names.
   module->table are all of these. O(nodes) */
void module_name_tables(struct module *);

/* The same, whatever they are called so far: these are met first. */
void module_number_tables(struct module *, const node_id *first, size_t count);

#endif
