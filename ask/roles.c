/*
 * roles.c -- each class sums up random numbers, one for each event that it may execute: equal sums,
 * equal roles.
 */
#include "ask/roles.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/intern.h"
#include "base/mem.h"

static uint64_t sum_of(struct run *r, node_id body, size_t line, uint32_t class)
{
	size_t length;
	const struct projected *own = run_projection(r, body, class, &length);
	uint64_t sum = 0;
	for (size_t i = 0; i < length; i++) {
		const struct node *n = node_of(run_module(r)->store, own[i].statement);
		size_t at = line + own[i].line;
		sum += n->kind == NODE_EVENT ? hash_mix(at + 1) : sum_of(r, n->kid[2], at + 1, class);
	}
	return sum;
}

uint32_t *roles_of(struct run *r, uint32_t *roles)
{
	uint32_t processes = run_environment(r).processes, classes = run_classes(r);
	uint32_t *role = mem_array(processes + (size_t)1, sizeof *role);
	uint64_t *sum = mem_array(classes + (size_t)1, sizeof *sum);
	struct intern *known = intern_new();
	for (uint32_t class = 0; class < classes; class ++)
		sum[class] = sum_of(r, run_module(r)->body, 0, class);
	for (uint32_t rank = 0; rank < processes; rank++) {
		uint64_t own = sum[run_class(r, rank)];
		role[rank] = own ? intern_id(known, &own, sizeof own) : NO_ROLE;
	}
	*roles = intern_count(known);
	intern_free(known);
	free(sum);
	return role;
}

uint32_t roles_count(struct run *r, uint32_t *idle)
{
	uint32_t roles, *role = roles_of(r, &roles);
	*idle = 0;
	for (uint32_t rank = 0; rank < run_environment(r).processes; rank++)
		*idle += role[rank] == NO_ROLE;
	free(role);
	return roles;
}
