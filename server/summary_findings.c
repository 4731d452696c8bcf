/* SPDX-License-Identifier: GPL-3.0-or-later */
/* summary_findings.c - findings in a terminal, told once each; see summary.h. */
#include <errno.h>
#include <string.h>

#include "server/summary.h"
#include "server/table.h"

struct group {
	const struct finding *first;
	size_t place; /* among the groups, in the order of their first findings */
	size_t count;
	const char *places[4]; /* workload or cell of the first few, each once */
	size_t place_count;
};

static void add_place(struct group *group, const char *place)
{
	for (size_t i = 0; i < group->place_count && i < ARRAY_SIZE(group->places); i++)
		if (strcmp(group->places[i], place) == 0)
			return;
	if (group->place_count < ARRAY_SIZE(group->places))
		group->places[group->place_count] = place;
	group->place_count++;
}

static void add_places(struct group *group, const struct finding *finding)
{
	for (size_t i = 0; i < finding->workload_count; i++)
		add_place(group, finding->workloads[i]);
	if (finding->workload_count == 0 && finding->cell)
		add_place(group, finding->cell);
}

static void add_finding(struct group *groups, size_t *count, const struct finding *finding)
{
	size_t i = 0;

	while (i < *count && (groups[i].first->severity != finding->severity ||
			      strcmp(groups[i].first->code, finding->code) != 0))
		i++;
	if (i == *count) {
		groups[i] = (struct group){.first = finding, .place = i};
		(*count)++;
	}
	groups[i].count++;
	add_places(&groups[i], finding);
}

static int by_severity(const void *a, const void *b)
{
	const struct group *left = a, *right = b;

	if (left->first->severity != right->first->severity)
		return (int)right->first->severity - (int)left->first->severity;
	return left->place < right->place ? -1 : 1;
}

/* " (12 times: Exchange, General_IO and 3 more)", " (Exchange; found runtime=2)" */
static void print_where(const struct group *group, FILE *text)
{
	size_t shown = group->place_count < ARRAY_SIZE(group->places) ? group->place_count
								      : ARRAY_SIZE(group->places);
	const char *found = group->count == 1 ? group->first->found : NULL;

	if (group->count == 1 && group->place_count == 0 && !found)
		return;
	fputs(" (", text);
	if (group->count > 1)
		fprintf(text, "%zu times%s", group->count, shown ? ": " : "");
	for (size_t i = 0; i < shown; i++)
		fprintf(text, "%s%s", i ? ", " : "", group->places[i]);
	if (group->place_count > shown)
		fprintf(text, " and %zu more", group->place_count - shown);
	if (found)
		fprintf(text, "%sfound %s", shown ? "; " : "", found);
	fputs(")", text);
}

/* "  warning: the message (where)" */
static int print_group(const struct group *group, FILE *out, size_t width)
{
	static const char *const marks[] = {
		[FINDING_INFO] = "  note: ",
		[FINDING_WARNING] = "  warning: ",
		[FINDING_ERROR] = "  error: ",
	};
	AUTO_FREE char *line = NULL;
	size_t size = 0;
	FILE *text = open_memstream(&line, &size);

	if (!text)
		return -ENOMEM;
	fputs(group->first->message, text);
	print_where(group, text);
	if (fclose(text) != 0)
		return -ENOMEM;
	fputs(marks[group->first->severity], out);
	table_wrap(out, line, strlen(marks[group->first->severity]), 4, width);
	return 0;
}

int summary_findings(const struct findings *const *lists, size_t count, FILE *out, size_t width)
{
	AUTO_FREE struct group *groups = NULL;
	size_t total = 0, group_count = 0;
	int r = 0;

	for (size_t i = 0; i < count; i++)
		total += lists[i]->count;
	if (total == 0)
		return 0;
	groups = calloc(total, sizeof(*groups));
	if (!groups)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < lists[i]->count; k++)
			add_finding(groups, &group_count, &lists[i]->list[k]);
	qsort(groups, group_count, sizeof(*groups), by_severity);
	fputs("\nFindings\n", out);
	for (size_t i = 0; r == 0 && i < group_count; i++)
		r = print_group(&groups[i], out, width);
	return r;
}
