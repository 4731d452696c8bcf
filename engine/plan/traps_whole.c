/* SPDX-License-Identifier: GPL-3.0-or-later */
/* traps_whole.c - the traps of traps.h that lie in the definition and in the defaults it takes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/plan/traps.h"
#include "engine/plan/written.h"

/* ---- defaults that are not fio's ---- */

/* Marks the options that were not given and whose default differs from fio's. */
static void differing(const struct workload *options, struct option_set *marks)
{
	if (workload_metadata(options))
		return; /* fio has none of the kind */
	for (int id = 0; id < OPTION_ID_COUNT; id++) {
		/* what is written is told in words */
		if (!option_at((enum option_id)id)->fio_default ||
		    workload_is_set(options, (enum option_id)id) || id == OPTION_ID_REFILL_BUFFERS)
			continue;
		/* what an fio command line gets as fio would have it */
		if (options->from_fio && (id == OPTION_ID_REGIONS || id == OPTION_ID_RUNTIME))
			continue;
		/* what ends with its budget does so as in fio */
		if (!options->time_based && (id == OPTION_ID_TIME_BASED ||
					     (id == OPTION_ID_RUNTIME && !options->runtime_ns)))
			continue;
		option_set_mark(marks, (enum option_id)id, true);
	}
}

/* Workloads that take the same defaults, or all that are no fio command lines. */
struct defaults {
	bool from_fio, writes;
	struct option_set marks;
	size_t workload_count;
	char *workloads[DEFINITION_WORKLOADS_MAX]; /* names, borrowed */
};

static int report_defaults(struct plan *plan, struct defaults *defaults)
{
	char list[512] = "", message[768];
	struct finding finding = {
		.severity = FINDING_INFO,
		.code = (char *)"fio_defaults_differ", /* findings_append() only reads */
		.message = message,
		.workloads = defaults->workloads,
	};

	for (int id = 0; id < OPTION_ID_COUNT; id++) {
		const struct option *option = option_at((enum option_id)id);
		size_t used = strlen(list);

		if (!option_set_has(&defaults->marks, (enum option_id)id))
			continue;
		(void)snprintf(list + used, sizeof(list) - used, "%s%s=%s (fio: %s)",
			       used ? ", " : "", option->name,
			       option->default_text ? option->default_text
						    : "chosen for the target",
			       option->fio_default);
	}
	if (!*list && !defaults->writes)
		return 0;
	(void)snprintf(message, sizeof(message), "Not given, and not fio's default here: %s%s%s.%s",
		       list, *list && defaults->writes ? ", " : "",
		       defaults->writes ? "data written is fresh and incompressible (fio: buffers "
					  "used again, lightly scrambled)"
					: "",
		       defaults->from_fio ? " Give an option to have it otherwise." : "");
	if (defaults->from_fio && (defaults->workload_count < plan->definition->workload_count ||
				   defaults->workload_count == 1))
		finding.workload_count = defaults->workload_count;
	return findings_append(&plan->findings, &finding);
}

/* Workload w's own. */
static struct defaults defaults_of(const struct plan *plan, size_t w)
{
	const struct workload *workload = workload_part(&plan->definition->workloads[w], 0);
	struct defaults own = {.from_fio = workload->from_fio};

	for (size_t i = 0; i < plan->sample_count; i++) {
		if (plan->samples[i].workload != w)
			continue;
		for (size_t k = 0; k < workload_parts(&plan->samples[i].options); k++) {
			const struct workload *part = workload_part(&plan->samples[i].options, k);

			differing(part, &own.marks);
			own.writes |= written_fresh(part) &&
				      !workload_is_set(part, OPTION_ID_REFILL_BUFFERS);
		}
	}
	return own;
}

static int find_defaults(struct plan *plan)
{
	const struct definition *definition = plan->definition;
	struct defaults *list = calloc(definition->workload_count + 1, sizeof(*list));
	size_t count = 0;
	int r = list ? 0 : -ENOMEM;

	for (size_t w = 0; r == 0 && w < definition->workload_count; w++) {
		struct defaults own = defaults_of(plan, w), *to = list;

		while (to < list + count &&
		       (to->from_fio != own.from_fio ||
			(own.from_fio && !option_set_equal(&to->marks, &own.marks))))
			to++;
		if (to == list + count)
			list[count++].from_fio = own.from_fio;
		option_set_add(&to->marks, &own.marks);
		to->writes |= own.writes;
		to->workloads[to->workload_count++] = definition->workloads[w].name;
	}
	for (size_t i = 0; r == 0 && i < count; i++)
		r = report_defaults(plan, &list[i]);
	free(list);
	return r;
}

/* ---- the definition's ---- */

/* rwmixread and rwmixwrite set each other. */
static bool is_overridden(const struct workload *override, enum option_id id)
{
	if (id == OPTION_ID_RWMIXREAD && workload_is_set(override, OPTION_ID_RWMIXWRITE))
		return true;
	if (id == OPTION_ID_RWMIXWRITE && workload_is_set(override, OPTION_ID_RWMIXREAD))
		return true;
	return workload_is_set(override, id);
}

static int find_overridden(struct plan *plan, const struct factor *factor)
{
	if (!factor->option || factor->level_count < 2 ||
	    !is_overridden(&plan->definition->override, factor->option->id))
		return 0;
	return findings_add(
		&plan->findings, FINDING_WARNING, "factor_overridden", NULL, NULL, NULL, NULL,
		"The override sets %s, which is a factor: its %zu levels all measure the "
		"same. Leave out one of the two.",
		factor->name, factor->level_count);
}

static int find_of_definition(struct plan *plan)
{
	const struct definition *definition = plan->definition;
	bool compared = false;
	int r = 0;

	for (size_t i = 0; i < definition->factor_count && r == 0; i++) {
		compared |= definition->factors[i].level_count > 1;
		r = find_overridden(plan, &definition->factors[i]);
	}
	if (r == 0 && definition->repeats == 1)
		r = findings_add(
			&plan->findings, FINDING_WARNING, "single_sample", NULL, NULL,
			"repeats of 3 or more", "repeats=1",
			"One sample a combination gives no interval and no verdict: chance "
			"cannot be told from a difference. Set repeats to 3 or more, better 5.");
	if (r == 0 && definition->order == ORDER_GROUPED && compared)
		r = findings_add(&plan->findings, FINDING_WARNING, "grouped_order", NULL, NULL,
				 "interleaved", "grouped",
				 "With order=grouped a drift of the target (fragmentation, "
				 "temperature, a filling cache) falls on some levels and not on "
				 "others: use order=interleaved to compare.");
	return r;
}

int traps_find_whole(struct plan *plan)
{
	int r = find_of_definition(plan);

	return r < 0 ? r : find_defaults(plan);
}
