/* SPDX-License-Identifier: GPL-3.0-or-later */
/* result.c - see result.h. */
#include "engine/result.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *const run_state_names[RUN_STATE_COUNT] = {
	[RUN_QUEUED] = "queued", [RUN_RUNNING] = "running",	[RUN_DONE] = "done",
	[RUN_FAILED] = "failed", [RUN_CANCELLED] = "cancelled", [RUN_INTERRUPTED] = "interrupted",
};

void result_init(struct result *result)
{
	memset(result, 0, sizeof(*result));
	definition_init(&result->definition);
	findings_init(&result->findings);
}

void result_done(struct result *result)
{
	for (size_t i = 0; i < result->sample_count; i++)
		sample_done(&result->samples[i]);
	free(result->samples);
	free(result->targets);
	for (size_t i = 0; i < result->fact_count; i++) {
		free(result->facts[i].name);
		free(result->facts[i].value);
	}
	free(result->facts);
	definition_done(&result->definition);
	findings_done(&result->findings);
	result_init(result);
}

int run_state_find(const char *name, enum run_state *ret_state)
{
	for (size_t i = 0; i < RUN_STATE_COUNT; i++) {
		if (strcmp(run_state_names[i], name) == 0) {
			*ret_state = (enum run_state)i;
			return 0;
		}
	}
	return -ENOENT;
}

bool run_state_ended(enum run_state state)
{
	return state != RUN_QUEUED && state != RUN_RUNNING;
}

bool result_verified(const struct result *result, struct verify_result *ret_total,
		     const char **ret_method)
{
	struct verify_result total = {0};

	for (size_t i = 0; i < result->sample_count; i++) {
		const struct verify_result *own = &result->samples[i].verify;

		if (!own->done)
			continue;
		if (total.errors == 0 && own->errors > 0)
			total.first = own->first;
		total.done = true;
		total.blocks += own->blocks;
		total.bytes += own->bytes;
		total.unknown += own->unknown;
		total.errors += own->errors;
		total.seconds += own->seconds;
		*ret_method = sample_verify_method(&result->samples[i]);
	}
	*ret_total = total;
	return total.done;
}

size_t result_expected_samples(const struct result *result)
{
	const struct repeats_outcome *repeats = &result->repeats;

	if (repeats->end != REPEATS_END_PRECISE || repeats->most == 0)
		return result->planned_samples;
	return result->planned_samples / repeats->most * repeats->made;
}

const char *result_next_tool(const struct result *result, size_t sample)
{
	const struct sample_source *source = result->samples[sample].source;

	for (size_t i = 0; i < sample && source; i++)
		if (result->samples[i].source &&
		    strcmp(result->samples[i].source->tool, source->tool) == 0)
			return NULL;
	return source ? source->tool : NULL;
}

const char *result_repeats_text(const struct result *result, char buffer[REPEATS_OUTCOME_MAX])
{
	char asked[REPEATS_TEXT_MAX];

	(void)repeats_outcome_text(&result->repeats, buffer);
	if (!buffer[0])
		(void)snprintf(buffer, REPEATS_OUTCOME_MAX, "%s",
			       repeats_text(&result->definition, asked));
	return buffer;
}
