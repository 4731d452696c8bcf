/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/plan/finding.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *const finding_severity_names[] = {"info", "warning", "error"};

void findings_init(struct findings *findings)
{
	findings->count = 0;
	findings->list = NULL;
}

static void finding_done(struct finding *finding)
{
	free(finding->code);
	for (size_t i = 0; i < finding->workload_count; i++)
		free(finding->workloads[i]);
	free(finding->workloads);
	free(finding->cell);
	free(finding->message);
	free(finding->expected);
	free(finding->found);
}

void findings_done(struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		finding_done(&findings->list[i]);
	free(findings->list);
	findings_init(findings);
}

/* Takes *finding; it is freed where there is no room for it. */
static int append(struct findings *findings, struct finding *finding)
{
	struct finding *list =
		reallocarray(findings->list, findings->count + 1, sizeof(*findings->list));

	if (!list) {
		finding_done(finding);
		return -ENOMEM;
	}
	list[findings->count++] = *finding;
	findings->list = list;
	return 0;
}

static int copy_text(const char *text, char **ret_copy)
{
	if (!text)
		return 0;
	*ret_copy = strdup(text);
	return *ret_copy ? 0 : -ENOMEM;
}

static int copy_names(const struct finding *from, struct finding *copy)
{
	if (from->workload_count == 0)
		return 0;
	copy->workloads = calloc(from->workload_count, sizeof(*copy->workloads));
	if (!copy->workloads)
		return -ENOMEM;
	for (; copy->workload_count < from->workload_count; copy->workload_count++)
		if (copy_text(from->workloads[copy->workload_count],
			      &copy->workloads[copy->workload_count]) < 0)
			return -ENOMEM;
	return 0;
}

int findings_append(struct findings *findings, const struct finding *from)
{
	struct finding copy = {.severity = from->severity};
	int r = copy_text(from->code, &copy.code);

	if (r == 0)
		r = copy_names(from, &copy);
	if (r == 0)
		r = copy_text(from->cell, &copy.cell);
	if (r == 0)
		r = copy_text(from->message, &copy.message);
	if (r == 0)
		r = copy_text(from->expected, &copy.expected);
	if (r == 0)
		r = copy_text(from->found, &copy.found);
	if (r < 0) {
		finding_done(&copy);
		return r;
	}
	return append(findings, &copy);
}

int findings_add(struct findings *findings, enum finding_severity severity, const char *code,
		 const char *workload, const char *cell, const char *expected, const char *found,
		 const char *message, ...)
{
	/* findings_append() only reads these texts and copies them */
	char *name = (char *)workload;
	struct finding finding = {.severity = severity,
				  .code = (char *)code,
				  .workload_count = workload ? 1 : 0,
				  .workloads = &name,
				  .cell = (char *)cell,
				  .expected = (char *)expected,
				  .found = (char *)found};
	va_list arguments;
	char *text;
	int r;

	if (message) {
		va_start(arguments, message);
		r = vasprintf(&text, message, arguments);
		va_end(arguments);
		if (r < 0)
			return -ENOMEM;
		finding.message = text;
	}
	r = findings_append(findings, &finding);
	free(finding.message);
	return r;
}

int findings_copy(const struct findings *from, struct findings *to)
{
	for (size_t i = 0; i < from->count; i++) {
		int r = findings_append(to, &from->list[i]);

		if (r < 0)
			return r;
	}
	return 0;
}
