/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run_repeats.c - see run_repeats.h. */
#include "engine/run_repeats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/stopping.h"

int run_repeats_begin(struct run_repeats *repeats, const struct plan *plan)
{
	const struct definition *definition = plan->definition;

	*repeats = (struct run_repeats){0};
	if (!repeats_may_end(definition))
		return 0;
	result_init(&repeats->so_far);
	repeats->so_far.samples = calloc(plan->sample_count, sizeof(struct sample));
	repeats->scratch = malloc(sizeof(*repeats->scratch));
	if (!repeats->so_far.samples || !repeats->scratch) {
		free(repeats->so_far.samples);
		free(repeats->scratch);
		return -ENOMEM;
	}
	histogram_init(repeats->scratch);
	repeats->so_far.definition = *definition;
	repeats->plan = plan;
	repeats->block = plan->sample_count / definition->repeats;
	repeats->outcome.most = definition->repeats;
	repeats->outcome.until_ci_percent = definition->until_ci_percent;
	return 0;
}

/* One of the same count and sum in a single bucket: the mean of 67 KB in 60 bytes. It is merged
 * and averaged as the whole one is; nobody asks it for a percentile. */
static int keep_mean(struct histogram *scratch, const struct histogram *histogram,
		     struct histogram **ret_mean)
{
	if (!histogram || histogram->count == 0)
		return 0;
	histogram_clear(scratch);
	histogram_add_many(scratch, (uint64_t)llround(histogram_mean_ns(histogram)),
			   histogram->count);
	scratch->sum_ns = histogram->sum_ns; /* the mean was rounded */
	*ret_mean = histogram_narrow(scratch);
	return *ret_mean ? 0 : -ENOMEM;
}

/* Whether a latency may be what it is judged by (analysis/measure.h). */
static bool has_rate(const struct workload *options)
{
	for (size_t i = 0; i < workload_parts(options); i++)
		for (int d = 0; d < DIRECTION_COUNT; d++)
			if (workload_rate(workload_part(options, i), (enum direction)d) > 0)
				return true;
	return false;
}

/* A phase of files is judged by its rate alone. */
static void take_files(struct sample *sample, struct sample *kept)
{
	for (size_t i = 0; i < sample->file_count; i++) {
		free(sample->files[i].latency);
		sample->files[i].latency = NULL;
	}
	kept->file_count = sample->file_count;
	kept->files = TAKE_PTR(sample->files);
	sample->file_count = 0;
}

static int take(struct histogram *scratch, struct sample *sample, struct sample *kept)
{
	int r = 0;

	sample_init(kept);
	kept->order = sample->order;
	kept->repeat = sample->repeat;
	kept->seconds = sample->seconds;
	kept->workload = TAKE_PTR(sample->workload);
	kept->levels = TAKE_PTR(sample->levels);
	kept->level_count = sample->level_count;
	sample->level_count = 0;
	kept->options = sample->options;
	workload_init(&sample->options);
	take_files(sample, kept);
	for (int d = 0; d < DIRECTION_COUNT && r == 0; d++) {
		const struct direction_result *from = &sample->directions[d];
		struct direction_result *to = &kept->directions[d];

		to->ios = from->ios;
		to->bytes = from->bytes;
		if (!has_rate(&kept->options))
			continue;
		r = keep_mean(scratch, from->latency, &to->latency);
		if (r == 0)
			r = keep_mean(scratch, from->intended, &to->intended);
	}
	return r;
}

/* At the end of a block: whether it was the last. */
static int judge(struct run_repeats *repeats, bool *ret_over)
{
	const struct definition *definition = repeats->plan->definition;
	size_t count = repeats->so_far.sample_count;
	bool reached = false, last = count == repeats->plan->sample_count;
	size_t made = count / repeats->block;
	int r;

	*ret_over = last;
	if (made < definition->repeats_min || (repeats->plan->one_by_one && !last))
		return 0;
	r = stopping_reached(&repeats->so_far, definition->until_ci_percent,
			     definition->repeats_min, &reached, &repeats->outcome.ci_percent);
	if (r < 0)
		return r;
	*ret_over = last || reached;
	if (*ret_over) {
		repeats->outcome.made = (unsigned int)made;
		repeats->outcome.end = last ? REPEATS_END_MOST : REPEATS_END_PRECISE;
	}
	return 0;
}

int run_repeats_add(struct run_repeats *repeats, struct sample *sample, bool *ret_over,
		    struct error *err)
{
	struct result *so_far = &repeats->so_far;
	int r;

	*ret_over = false;
	if (!repeats->plan)
		return 0;
	r = take(repeats->scratch, sample, &so_far->samples[so_far->sample_count++]);
	if (r == 0 && so_far->sample_count % repeats->block == 0)
		r = judge(repeats, ret_over);
	return r < 0 ? error_no_memory(err) : 0;
}

bool run_repeats_pending(const struct run_repeats *repeats)
{
	return repeats->plan && !repeats->plan->one_by_one &&
	       repeats->so_far.sample_count + repeats->block < repeats->plan->sample_count &&
	       repeats->outcome.end == REPEATS_END_NONE;
}

void run_repeats_done(struct run_repeats *repeats)
{
	if (!repeats->plan)
		return;
	definition_init(&repeats->so_far.definition); /* it was borrowed */
	result_done(&repeats->so_far);
	free(repeats->scratch);
	repeats->plan = NULL;
}
