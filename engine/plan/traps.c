/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * traps.c - see traps.h: tries each trap of traps_cell.h on every cell of a plan and tells what is
 * the same in several workloads once.
 */
#include "engine/plan/traps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/plan/traps_cell.h"

#define FIGURES_MAX 160 /* bytes of the figures of all cells, "16 MiB, 32 MiB, ..." */

/* A finding in the making: one trap with one severity and message. */
struct telling {
	enum finding_severity severity;
	char message[sizeof(((struct trap_hit *)0)->message)];
	char expected[FIGURES_MAX], found[FIGURES_MAX];
	const struct plan_sample *where; /* the first cell */
	const struct plan_sample *last;	 /* the one added last: its parts may all hold */
	size_t holds, cells;		 /* cells it holds in, of those of the workloads named */
	size_t workload_count;
	size_t workloads[DEFINITION_WORKLOADS_MAX];
};

struct tellings {
	size_t count;
	struct telling *list;
};

/* The cells of a plan, one sample each, in the definition's order. */
struct plan_cells {
	size_t count;
	const struct plan_sample **list;
};

static int compare_cells(const void *a, const void *b, void *arg)
{
	const struct plan_sample *first = *(const struct plan_sample *const *)a;
	const struct plan_sample *second = *(const struct plan_sample *const *)b;
	const struct plan *plan = arg;

	if (first->workload != second->workload)
		return first->workload < second->workload ? -1 : 1;
	for (size_t i = 0; i < plan->definition->factor_count; i++)
		if (first->levels[i] != second->levels[i])
			return first->levels[i] < second->levels[i] ? -1 : 1;
	return 0;
}

static int sorted_cells(struct plan *plan, struct plan_cells *ret_cells)
{
	struct plan_cells cells = {0};

	cells.list = calloc(plan->sample_count + 1, sizeof(struct plan_sample *));
	if (!cells.list)
		return -ENOMEM;
	for (size_t i = 0; i < plan->sample_count; i++)
		if (plan->samples[i].repeat == 1)
			cells.list[cells.count++] = &plan->samples[i];
	qsort_r(cells.list, cells.count, sizeof(struct plan_sample *), compare_cells, plan);
	*ret_cells = cells;
	return 0;
}

/* Adds a figure to a list of different ones; what has no room becomes "...". */
static void add_figure(char list[FIGURES_MAX], const char *figure)
{
	size_t used = strlen(list), size = strlen(figure);

	for (const char *at = list; size && (at = strstr(at, figure)); at++)
		if ((at == list || at[-1] == ' ') && (at[size] == '\0' || at[size] == ','))
			return;
	if (size == 0 || (used > 3 && strcmp(list + used - 3, "...") == 0))
		return;
	if (used + size + sizeof(", , ...") > FIGURES_MAX)
		figure = "...";
	(void)snprintf(list + used, FIGURES_MAX - used, "%s%s", used ? ", " : "", figure);
}

/* That of the hit's severity and words, a new one where there is none; NULL: no memory. */
static struct telling *telling_of(struct tellings *tellings, const struct trap_hit *hit)
{
	struct telling *list, *telling;

	for (size_t i = 0; i < tellings->count; i++)
		if (tellings->list[i].severity == hit->severity &&
		    strcmp(tellings->list[i].message, hit->message) == 0)
			return &tellings->list[i];
	list = reallocarray(tellings->list, tellings->count + 1, sizeof(*list));
	if (!list)
		return NULL;
	tellings->list = list;
	telling = &list[tellings->count++];
	*telling = (struct telling){.severity = hit->severity};
	memcpy(telling->message, hit->message, sizeof(telling->message));
	return telling;
}

static int add_hit(struct tellings *tellings, const struct trap_hit *hit,
		   const struct plan_sample *sample, size_t cells_of_workload)
{
	struct telling *telling = telling_of(tellings, hit);
	size_t *last;

	if (!telling)
		return -ENOMEM;
	if (!telling->where)
		telling->where = sample;
	telling->holds += telling->last != sample;
	telling->last = sample;
	add_figure(telling->expected, hit->expected);
	add_figure(telling->found, hit->found);
	last = telling->workload_count ? &telling->workloads[telling->workload_count - 1] : NULL;
	if (last && *last == sample->workload)
		return 0;
	telling->workloads[telling->workload_count++] = sample->workload;
	telling->cells += cells_of_workload;
	return 0;
}

/* Names the workloads, none where it is all of several, and the first cell where it is not all. */
static int tell(struct plan *plan, const char *code, struct telling *telling)
{
	const struct definition *definition = plan->definition;
	char message[sizeof(telling->message) + 80];
	char *names[DEFINITION_WORKLOADS_MAX];
	struct finding finding = {
		.severity = telling->severity,
		.code = (char *)code, /* findings_append() only reads and copies */
		.message = telling->message,
		.expected = *telling->expected ? telling->expected : NULL,
		.found = *telling->found ? telling->found : NULL,
		.workloads = names,
	};
	int r;

	if (telling->workload_count < definition->workload_count || telling->workload_count == 1)
		for (size_t i = 0; i < telling->workload_count; i++)
			names[finding.workload_count++] =
				definition->workloads[telling->workloads[i]].name;
	if (telling->holds < telling->cells) {
		finding.cell = plan_cell_text(plan, telling->where);
		if (!finding.cell)
			return -ENOMEM;
		(void)snprintf(message, sizeof(message), "%s (In %zu of %zu combinations.)",
			       telling->message, telling->holds, telling->cells);
		finding.message = message;
	}
	r = findings_append(&plan->findings, &finding);
	free(finding.cell);
	return r;
}

static size_t same_workload(const struct plan_cells *cells, size_t from)
{
	size_t count = 0;

	while (from + count < cells->count &&
	       cells->list[from + count]->workload == cells->list[from]->workload)
		count++;
	return count;
}

/* Whose figure it is, where several run together. */
static void name_part(const struct workload *part, struct trap_hit *hit)
{
	char figure[sizeof(hit->found)];

	memcpy(figure, hit->found, sizeof(figure));
	(void)snprintf(hit->found, sizeof(hit->found), "%.24s%s%.50s", part->name,
		       *figure ? ": " : "", figure); /* may be cut */
}

/* Every part of a cell by itself; cells: of its workload. */
static int try_parts(const struct trap *trap, struct trap_cell *cell,
		     const struct plan_sample *sample, size_t cells, bool resolved,
		     struct tellings *tellings)
{
	const struct workload *options = &sample->options;
	int r = 0;

	for (size_t i = 0; r == 0 && i < workload_parts(options); i++) {
		struct trap_hit hit = {.severity = FINDING_INFO};

		cell->options = workload_part(options, i);
		cell->part = i;
		if (resolved && workload_is_set(cell->options, OPTION_ID_SIZE))
			continue; /* was told before */
		if (!trap->holds(cell, &hit))
			continue;
		if (options->part_count > 0)
			name_part(cell->options, &hit);
		r = add_hit(tellings, &hit, sample, cells);
	}
	return r;
}

/* made: the trap is for zvols and datasets only. */
static int run_trap(struct plan *plan, const struct machine *machine, const struct trap *trap,
		    bool made, const struct plan_cells *cells, bool resolved)
{
	struct tellings tellings = {0};
	size_t first = 0, count = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < cells->count; i++) {
		const struct plan_sample *sample = cells->list[i];
		struct trap_cell cell = {.plan = plan,
					 .machine = machine,
					 .whole = &sample->options,
					 .target = &plan->instances[sample->instance].spec};

		if (i == first + count) {
			first = i;
			count = same_workload(cells, i);
		}
		if (!made || target_kind_is_zfs(cell.target->kind))
			r = try_parts(trap, &cell, sample, count, resolved, &tellings);
	}
	for (size_t i = 0; r == 0 && i < tellings.count; i++)
		r = tell(plan, trap->code, &tellings.list[i]);
	free(tellings.list);
	return r;
}

static int run_traps(struct plan *plan, const struct machine *machine, bool resolved)
{
	struct plan_cells cells = {0};
	int r = sorted_cells(plan, &cells);

	for (size_t t = 0; r == 0 && t < traps_of_cell_count; t++)
		if (traps_of_cell[t].needs_size || !resolved)
			r = run_trap(plan, machine, &traps_of_cell[t], false, &cells, resolved);
	for (size_t t = 0; r == 0 && t < traps_of_made_count; t++)
		if (traps_of_made[t].needs_size || !resolved)
			r = run_trap(plan, machine, &traps_of_made[t], true, &cells, resolved);
	free(cells.list);
	return r;
}

int traps_find(struct plan *plan, const struct machine *machine)
{
	int r = traps_find_whole(plan);

	return r < 0 ? r : run_traps(plan, machine, false);
}

int traps_find_resolved(struct plan *plan, const struct machine *machine)
{
	return run_traps(plan, machine, true);
}
