/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run_differences.c - in what runs differ beside their figures: see run_comparison.h.
 *
 * What may be the very thing that is compared (host, kernel, target, properties) is told and not
 * marked; what changes figures by itself (options, the program, its backend) is marked.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/run_parts.h"
#include "engine/plan/quantity.h"

/* A text a run: a buffer, or NULL where it is not known. */
#define TEXT_MAX 400
struct texts {
	char buffers[RUN_COMPARISON_MAX][TEXT_MAX];
	const char *list[RUN_COMPARISON_MAX];
};

static void set_text(struct texts *texts, size_t run, const char *text)
{
	if (!text || !*text)
		return;						   /* not known */
	(void)snprintf(texts->buffers[run], TEXT_MAX, "%s", text); /* a long one may be cut */
	texts->list[run] = texts->buffers[run];
}

/* Two known values differ; or one is known and another is not. */
static bool differ(const char *const *values, size_t count, bool *ret_known)
{
	const char *known = NULL;
	bool differ = false, unknown = false;

	*ret_known = false;
	for (size_t i = 0; i < count; i++) {
		if (!values[i]) {
			unknown = true;
			continue;
		}
		if (known && strcmp(known, values[i]) != 0)
			*ret_known = differ = true;
		known = values[i];
	}
	return differ || (known && unknown);
}

/* The same difference in all workloads is told once. */
static bool merge(struct run_comparison *comparison, const struct run_difference_words *words,
		  const char *const *values)
{
	for (size_t i = 0; i < comparison->difference_count; i++) {
		struct run_difference *known = &comparison->differences[i];
		bool same = known->kind == words->kind && strcmp(known->name, words->name) == 0;

		for (size_t n = 0; n < comparison->run_count && same; n++)
			same = known->values[n] && values[n]
				       ? strcmp(known->values[n], values[n]) == 0
				       : !known->values[n] && !values[n];
		if (!same || !known->workload || !words->workload)
			continue;
		if (strcmp(known->workload, words->workload) != 0) {
			AUTO_FREE char *old = known->workload;

			if (asprintf(&known->workload, "%s, %s", old, words->workload) < 0)
				known->workload = TAKE_PTR(old);
		}
		return true;
	}
	return false;
}

static int copy_values(struct run_difference *difference, const char *const *values, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!values[i])
			continue;
		difference->values[i] = strdup(values[i]);
		if (!difference->values[i])
			return -ENOMEM;
	}
	return 0;
}

int run_difference_add(struct run_comparison *comparison, const struct run_difference_words *words,
		       const char *const *values)
{
	struct run_difference *grown, *difference;
	bool known;

	if (!differ(values, comparison->run_count, &known) || merge(comparison, words, values))
		return 0;
	grown = reallocarray(comparison->differences, comparison->difference_count + 1,
			     sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	comparison->differences = grown;
	difference = &grown[comparison->difference_count++];
	*difference = (struct run_difference){
		.kind = words->kind,
		.unfair = words->unfair && known,
		.why = words->unfair && known ? words->why : NULL,
	};
	difference->name = strdup(words->name);
	difference->workload = words->workload ? strdup(words->workload) : NULL;
	if (!difference->name || (words->workload && !difference->workload))
		return -ENOMEM;
	return copy_values(difference, values, comparison->run_count);
}

static int add(struct run_comparison *comparison, enum run_difference_kind kind, const char *name,
	       const char *why, const struct texts *texts)
{
	const struct run_difference_words words = {
		.kind = kind,
		.name = name,
		.unfair = why != NULL,
		.why = why,
	};

	return run_difference_add(comparison, &words, texts->list);
}

/* ---- what was asked for ---- */

static const struct factor *find_factor(const struct result *result, const char *name)
{
	for (size_t i = 0; i < result->definition.factor_count; i++)
		if (strcmp(result->definition.factors[i].name, name) == 0)
			return &result->definition.factors[i];
	return NULL;
}

static void set_levels(struct texts *texts, size_t run, const struct factor *factor)
{
	char *text = texts->buffers[run];
	size_t used = 0;

	texts->list[run] = "not compared";
	if (!factor)
		return;
	text[0] = '\0';
	for (size_t i = 0; i < factor->level_count && used < TEXT_MAX; i++)
		used += (size_t)snprintf(text + used, TEXT_MAX - used, "%s%s", i ? ", " : "",
					 factor->levels[i]);
	texts->list[run] = text;
}

static int add_factor(struct run_comparison *comparison, const char *name)
{
	struct texts texts = {.list = {NULL}};

	for (size_t i = 0; i < comparison->run_count; i++)
		set_levels(&texts, i, find_factor(comparison->runs[i], name));
	return add(comparison, RUN_DIFFERENCE_SETTING, name, NULL, &texts);
}

/* Each once, from the first run that has it. */
static int add_factors(struct run_comparison *comparison)
{
	int r = 0;

	for (size_t i = 0; i < comparison->run_count; i++) {
		const struct definition *definition = &comparison->runs[i]->definition;

		for (size_t n = 0; n < definition->factor_count && r == 0; n++) {
			const char *name = definition->factors[n].name;
			bool seen = false;

			for (size_t k = 0; k < i; k++)
				seen = seen || find_factor(comparison->runs[k], name);
			if (!seen)
				r = add_factor(comparison, name);
		}
	}
	return r;
}

static int add_definition(struct run_comparison *comparison)
{
	struct texts repeats = {.list = {NULL}}, order = {.list = {NULL}};
	char text[REPEATS_OUTCOME_MAX];
	int r = add_factors(comparison);

	for (size_t i = 0; i < comparison->run_count; i++) {
		const struct definition *definition = &comparison->runs[i]->definition;

		if (repeats_may_end(definition)) /* they may not have been alike for all that */
			(void)result_repeats_text(comparison->runs[i], text);
		else
			(void)snprintf(text, sizeof(text), "%u", definition->repeats);
		set_text(&repeats, i, text);
		if (!definition->imported)
			set_text(&order, i, definition_order_names[definition->order]);
	}
	if (r == 0)
		r = add(comparison, RUN_DIFFERENCE_SETTING, "repeats", NULL, &repeats);
	return r < 0 ? r : add(comparison, RUN_DIFFERENCE_SETTING, "order", NULL, &order);
}

/* ---- where ---- */

static void set_target(struct texts *texts, size_t run, const struct target_spec *target)
{
	char text[TEXT_MAX];

	(void)snprintf(text, sizeof(text), "%s:%s%s", target_kind_names[target->kind], target->path,
		       target->existing ? " (existing)" : "");
	set_text(texts, run, text);
}

/* One line a target: of the same place among them, since names are matched as levels are. */
static int add_targets(struct run_comparison *comparison)
{
	struct texts target = {.list = {NULL}}, system = {.list = {NULL}}, pool = {.list = {NULL}};
	int r;

	for (size_t i = 0; i < comparison->run_count; i++) {
		const struct result *run = comparison->runs[i];

		if (run->definition.target_count == 1)
			set_target(&target, i, &run->definition.targets[0]);
		if (run->target_count != 1)
			continue;
		set_text(&system, i, run->targets[0].filesystem);
		set_text(&pool, i, run->targets[0].zfs.layout);
	}
	r = add(comparison, RUN_DIFFERENCE_TARGET, "target", NULL, &target);
	if (r == 0)
		r = add(comparison, RUN_DIFFERENCE_TARGET, "file system", NULL, &system);
	return r < 0 ? r : add(comparison, RUN_DIFFERENCE_TARGET, "pool", NULL, &pool);
}

static const struct sample_zfs *first_zfs(const struct result *run)
{
	for (size_t i = 0; i < run->sample_count; i++)
		if (run->samples[i].zfs)
			return run->samples[i].zfs;
	return NULL;
}

static bool is_level(const struct run_comparison *comparison, const char *name)
{
	for (size_t i = 0; i < comparison->run_count; i++)
		if (find_factor(comparison->runs[i], name))
			return true;
	return false;
}

/* Properties as the first sample found them, of those that all runs on OpenZFS have. */
static int add_properties(struct run_comparison *comparison)
{
	const struct sample_zfs *first = first_zfs(comparison->runs[0]);
	int r = 0;

	for (size_t n = 0; first && n < first->properties.count && r == 0; n++) {
		const char *name = first->properties.list[n].name;
		struct texts texts = {.list = {NULL}};

		if (is_level(comparison, name))
			continue;
		for (size_t i = 0; i < comparison->run_count; i++) {
			const struct sample_zfs *zfs = first_zfs(comparison->runs[i]);

			set_text(&texts, i, zfs ? properties_get(&zfs->properties, name) : NULL);
		}
		r = add(comparison, RUN_DIFFERENCE_TARGET, name, NULL, &texts);
	}
	return r;
}

/* ---- how ---- */

static void set_program(struct texts *program, struct texts *version, size_t run,
			const struct result *result)
{
	const struct sample_source *source =
		result->sample_count > 0 ? result->samples[0].source : NULL;

	if (source)
		set_text(program, run, source->tool);
	else if (!result->definition.imported)
		set_text(program, run, "volbench");
	if (!source)
		set_text(version, run, result->environment.program_version);
}

static int add_measurement(struct run_comparison *comparison)
{
	struct texts program = {.list = {NULL}}, version = {.list = {NULL}};
	struct texts backend = {.list = {NULL}}, state = {.list = {NULL}};
	int r;

	for (size_t i = 0; i < comparison->run_count; i++) {
		const struct result *run = comparison->runs[i];

		set_program(&program, &version, i, run);
		set_text(&backend, i, run->backend);
		set_text(&state, i, run_state_names[run->state]);
	}
	r = add(comparison, RUN_DIFFERENCE_MEASUREMENT, "measured by",
		"Other programs count, time and issue operations in other ways.", &program);
	if (r == 0)
		r = add(comparison, RUN_DIFFERENCE_MEASUREMENT, "backend",
			"Operations cost processor time and reach their depth in other ways.",
			&backend);
	if (r == 0)
		r = add(comparison, RUN_DIFFERENCE_MEASUREMENT, "state", NULL, &state);
	return r < 0 ? r : add(comparison, RUN_DIFFERENCE_MEASUREMENT, "version", NULL, &version);
}

/* ---- on what ---- */

static uint64_t told_memory(const struct result *run)
{
	for (size_t i = 0; i < run->sample_count; i++)
		if (run->samples[i].source && run->samples[i].source->memory_bytes > 0)
			return run->samples[i].source->memory_bytes;
	return run->environment.memory_bytes;
}

static int add_numbers(struct run_comparison *comparison)
{
	struct texts cpus = {.list = {NULL}}, memory = {.list = {NULL}};
	char text[64];
	int r;

	for (size_t i = 0; i < comparison->run_count; i++) {
		const struct environment *environment = &comparison->runs[i]->environment;
		uint64_t bytes = told_memory(comparison->runs[i]);

		(void)snprintf(text, sizeof(text), "%u, %u of them allowed", environment->cpus,
			       environment->cpus_allowed);
		set_text(&cpus, i, environment->cpus > 0 ? text : NULL);
		(void)snprintf(text, sizeof(text), "%.1f GiB", (double)bytes / (1 << 30));
		set_text(&memory, i, bytes > 0 ? text : NULL);
	}
	r = add(comparison, RUN_DIFFERENCE_ENVIRONMENT, "CPUs", NULL, &cpus);
	return r < 0 ? r : add(comparison, RUN_DIFFERENCE_ENVIRONMENT, "memory", NULL, &memory);
}

static const struct {
	const char *name;
	size_t member; /* of struct environment: a text */
} facts[] = {
	{"host", offsetof(struct environment, host)},
	{"kernel", offsetof(struct environment, kernel)},
	{"machine", offsetof(struct environment, machine)},
	{"system", offsetof(struct environment, os)},
	{"CPU", offsetof(struct environment, cpu_model)},
	{"OpenZFS", offsetof(struct environment, zfs_version)},
	{"liburing", offsetof(struct environment, liburing)},
};

static int add_environment(struct run_comparison *comparison)
{
	int r = 0;

	for (size_t n = 0; n < ARRAY_SIZE(facts) && r == 0; n++) {
		struct texts texts = {.list = {NULL}};

		for (size_t i = 0; i < comparison->run_count; i++)
			set_text(&texts, i,
				 (const char *)&comparison->runs[i]->environment + facts[n].member);
		r = add(comparison, RUN_DIFFERENCE_ENVIRONMENT, facts[n].name, NULL, &texts);
	}
	return r < 0 ? r : add_numbers(comparison);
}

/* Of all processors' time in the samples' windows, what others had: 0 to 1; -1: not known. */
static double others_share(const struct result *run)
{
	double busy = 0, own = 0, seconds = 0;

	for (size_t i = 0; i < run->sample_count; i++) {
		const struct sample *sample = &run->samples[i];

		if (sample->source)
			return -1;
		busy += sample->cpu.machine_busy_s;
		own += sample->cpu.user_s + sample->cpu.system_s;
		seconds += sample->seconds;
	}
	if (!(busy > 0) || !(seconds > 0) || run->environment.cpus == 0)
		return -1;
	busy = (busy - own) / (seconds * run->environment.cpus);
	return busy < 0 ? 0 : busy > 1 ? 1 : busy;
}

/* Told where it differs by more than a machine that only measures has by chance. */
#define OTHERS_DIFFER 0.1

static int add_others(struct run_comparison *comparison)
{
	struct texts texts = {.list = {NULL}};
	double least = 1, most = 0;
	char text[16];

	for (size_t i = 0; i < comparison->run_count; i++) {
		double share = others_share(comparison->runs[i]);

		if (share < 0)
			continue;
		least = share < least ? share : least;
		most = share > most ? share : most;
		(void)snprintf(text, sizeof(text), "%.0f %%", share * 100);
		set_text(&texts, i, text);
	}
	if (most - least < OTHERS_DIFFER)
		return 0;
	return add(comparison, RUN_DIFFERENCE_ENVIRONMENT, "processors busy with other work",
		   "Others used the processors more while one of them ran.", &texts);
}

static const char *fact_of(const struct result *run, const char *name)
{
	for (size_t i = 0; i < run->fact_count; i++)
		if (strcmp(run->facts[i].name, name) == 0)
			return run->facts[i].value;
	return NULL;
}

/* What imported results say of their systems, each name once. */
static int add_facts(struct run_comparison *comparison)
{
	int r = 0;

	for (size_t i = 0; i < comparison->run_count; i++) {
		for (size_t n = 0; n < comparison->runs[i]->fact_count && r == 0; n++) {
			const char *name = comparison->runs[i]->facts[n].name;
			struct texts texts = {.list = {NULL}};
			bool seen = false;

			for (size_t k = 0; k < i; k++)
				seen = seen || fact_of(comparison->runs[k], name);
			for (size_t k = 0; k < comparison->run_count; k++)
				set_text(&texts, k, fact_of(comparison->runs[k], name));
			if (!seen)
				r = add(comparison, RUN_DIFFERENCE_ENVIRONMENT, name, NULL, &texts);
		}
	}
	return r;
}

/* ---- all ---- */

static int unfair_first(const void *a, const void *b)
{
	const struct run_difference *one = a, *other = b;

	if (one->unfair != other->unfair)
		return one->unfair ? -1 : 1;
	return (one->kind > other->kind) - (one->kind < other->kind);
}

/* As qsort() does, but leaving what is alike in its order. */
static void sort(struct run_comparison *comparison)
{
	struct run_difference *list = comparison->differences;

	for (size_t i = 1; i < comparison->difference_count; i++) {
		struct run_difference moved = list[i];
		size_t at = i;

		for (; at > 0 && unfair_first(&moved, &list[at - 1]) < 0; at--)
			list[at] = list[at - 1];
		list[at] = moved;
	}
}

int run_differences_make(struct run_comparison *comparison)
{
	static int (*const makers[])(struct run_comparison *) = {
		run_settings_make, add_definition,  add_targets, add_properties,
		add_measurement,   add_environment, add_others,	 add_facts,
	};
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(makers) && r == 0; i++)
		r = makers[i](comparison);
	sort(comparison);
	return r;
}
