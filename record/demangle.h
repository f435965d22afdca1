/*
 * demangle.h -- what a programmer calls the function that a symbol stands for.
 *
 *	struct demangler *d = demangler_new();
 *	char *name = demangler_name(d, "_ZN9CommBrick12forward_commEi");	-- "CommBrick::forward_comm"
 *	demangler_free(d);
 *
 * Names have no parameters, no types of results, and of namespaces and classes the innermost one;
 * arguments of templates are "<...>".
 */
#ifndef TRACENEST_RECORD_DEMANGLE_H
#define TRACENEST_RECORD_DEMANGLE_H

#include <stdbool.h>

struct demangler;

struct demangler *demangler_new(void);
void demangler_free(struct demangler *);

/*
 * Of C, C++ (Itanium), Rust (legacy and v0) and Fortran (gfortran, flang, ifort), without
 * versions of symbols (@@GLIBC_2.34) and what a compiler adds to clones of a function
 * (.constprop.0). What is not understood stays as it is: names of C++ without a libstdc++. To be
 * freed. O(length of what comes out).
 */
char *demangler_name(struct demangler *, const char *symbol);

/* Does the symbol tell more than the name in a source file does: namespace, class, module? */
bool demangler_is_qualified(const char *symbol);

#endif
